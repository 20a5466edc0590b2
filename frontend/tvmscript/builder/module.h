// SPDX-License-Identifier: Apache-2.0
// Modules: `@I.ir_module` classes, and definitions in a text.
#pragma once

#include "frontend/tvmscript/builder/builder.h"
#include "ir/core/global_info.h"

namespace mlc::tvmscript {

struct ModuleOptions {
  bool check_well_formed = true;
  bool s_tir = false;
};

ir::PrimFunc build_function(Evaluator& evaluator, const syntax::FunctionDef& definition,
                            const FunctionOptions& options, script::Scope where, const Outside& outside = {});
ir::IRModule build_module(Evaluator& evaluator, const syntax::ClassDef& definition,
                          const ModuleOptions& options, script::Scope where, const Outside& outside = {});
// The value of the definitions in `text`: the last of them. Names known beforehand: tvm, T, I, tir, tirx, ir,
// and `extra`.
Any from_source(Evaluator& evaluator, std::string_view text, const Outside& extra,
                const ModuleOptions& options);

// What the innermost decorator of a definition is: the path of an api function and its keyword arguments.
struct Decorator {
  std::string path;
  Any arguments;
};
Decorator decorator_of(Evaluator& evaluator, Names& names, script::Scope where,
                       syntax::Seq<syntax::Expr> decorators);
inline constexpr std::string_view kPrimFuncPath = "tvm.script.tirx.prim_func";

// A decorator's argument `name` as a flag.
bool flag(const Any& arguments, const char* name, bool otherwise);
FunctionOptions function_options(const Any& arguments);
ModuleOptions module_options(const Any& arguments);

// For I.module_attrs and I.module_global_infos: the module whose class body is read.
struct ModuleState {
  Map<String, Any> attrs;
  Map<String, Any> global_infos;
  std::unordered_set<std::string> names;  // of its functions
  std::vector<std::pair<ir::GlobalVar, ir::BaseFunc>> added;  // by R.emit_te
  // A function under a name like `hint`.
  ir::GlobalVar add(const ir::BaseFunc& fn, std::string_view hint);
  static ModuleState* exchange(ModuleState* at_work);    // returns the one that was at work
  static ModuleState& current(const ir::ApiCall& call);  // Error outside-ir-module
};
// The device of the module by its name, "cuda:0": of that kind and number. Error unknown-device.
ir::VDevice module_device(const ir::ApiCall& call, const String& name, Span span);

}  // namespace mlc::tvmscript
