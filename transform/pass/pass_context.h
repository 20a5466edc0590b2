// SPDX-License-Identifier: Apache-2.0
// What is in force while passes run: level, configuration, instruments. One per `with PassContext(...)`.
#pragma once

#include <functional>

#include "transform/pass/pass.h"

namespace mlc::transform {

// What a pass is called on: a whole module, or each function of one kind; functions of other kinds stay as they are.
enum class PassSubject : uint8_t { kModule, kPrimFunc, kRelaxFunction };

struct PassInfoNode final : ffi::Object {
  int64_t opt_level;
  String name;  // "tirx.StmtSimplify"
  Array<String> required;
  bool traceable;
  PassSubject subject;

  PassInfoNode(int64_t opt_level, String name, Array<String> required, bool traceable,
               PassSubject subject = PassSubject::kModule)
      : opt_level(opt_level),
        name(std::move(name)),
        required(std::move(required)),
        traceable(traceable),
        subject(subject) {}
  MLC_NODE("mlc.transform.PassInfo", PassInfoNode, ffi::Object);
};
using PassInfo = Ref<PassInfoNode>;

struct PassContextNode final : ffi::Object {
  int64_t opt_level;
  Array<String> required;
  Array<String> disabled;
  Array<Any> instruments;  // objects with any of enter_pass_ctx, exit_pass_ctx, should_run, run_before_pass,
                           // run_after_pass
  Map<String, Any> config;
  Host* host = nullptr;  // whose objects the instruments are; set while the context is in force

  PassContextNode(int64_t opt_level, Array<String> required, Array<String> disabled, Array<Any> instruments,
                  Map<String, Any> config)
      : opt_level(opt_level),
        required(std::move(required)),
        disabled(std::move(disabled)),
        instruments(std::move(instruments)),
        config(std::move(config)) {}
  MLC_NODE("mlc.transform.PassContext", PassContextNode, ffi::Object);
};
using PassContext = Ref<PassContextNode>;

// The innermost context; one of the default values where there is none.
PassContext current_context();

PassInfo pass_info(const Pass& pass);  // pass.cpp
PassInfo pass_info(const PassPart& part);

// What a pass makes of the module, with the instruments of the context called around it: they may refuse.
IRModule with_instruments(const PassInfo& info, const IRModule& mod,
                          const std::function<IRModule(const IRModule&)>& body);

// Does a sequence run this pass? Not when the context disables it or its level is above the context's.
bool is_enabled(const PassInfo& info);

std::string repr(const PassInfo& info);  // as TVM shows it
std::string repr(const Array<String>& names);

// Script values as they come: None, lists and tuples; dictionaries with string keys.
Array<Any> as_list(const Any& value);
Map<String, Any> as_string_map(const Any& value);
Array<String> as_names(const Any& value);

std::span<const ApiRow> pass_context_rows();  // pass_context.cpp
std::span<const ApiRow> pass_object_rows();   // pass_object.cpp
std::span<const ApiRow> pass_rows();          // pass_object.cpp: one per pass
// Strings that rows refer to; built once, never freed.
std::string_view keep(std::string text);

// Notes that an error came out of this pass, unless one inside of it is noted already.
void note_pass(Error& error, std::string_view name);

}  // namespace mlc::transform
