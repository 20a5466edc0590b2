// SPDX-License-Identifier: Apache-2.0
// Modules: `@I.ir_module` classes, and definitions in a text.
#pragma once

#include "frontend/tvmscript/builder/builder.h"

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

// A decorator's argument `name` as a flag.
bool flag(const Any& arguments, const char* name, bool otherwise);
FunctionOptions function_options(const Any& arguments);
ModuleOptions module_options(const Any& arguments);

// For I.module_attrs and I.module_global_infos: the module whose class body is read.
struct ModuleState {
  Map<String, Any> attrs;
  Map<String, Any> global_infos;
  static ModuleState* exchange(ModuleState* at_work);    // returns the one that was at work
  static ModuleState& current(const ir::ApiCall& call);  // Error outside-ir-module
};

}  // namespace mlc::tvmscript
