// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass_context.h"

#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>

#include "ir/core/refusal.h"
#include "ir/registry/context.h"
#include "transform/arith/solver.h"
#include "transform/pass/pass_config.h"
#include "transform/pass/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "no-current-context",
         .message = "no PassContext is current: there is nothing to end",
         .meaning = "Outside of a `with` no PassContext is the current one, and none can end."},
    }};
MLC_REFUSALS(pass_pass_context, refusals);

namespace {

std::vector<Any>& contexts() { return Context::current().pass_contexts; }

// The method of an instrument, called if it has one; None otherwise.
Any call_instrument(const PassContext& context, const Any& instrument, std::string_view method,
                    std::span<const Any> args) {
  Any callee;
  if (!context->host->find_attribute(instrument, method, callee)) return Any(nullptr);
  return context->host->call(callee, args);
}

PassContextNode& mutable_node(const PassContext& context) { return const_cast<PassContextNode&>(*context); }

bool asks_solver(const PassContext& context) {
  auto found = context->config.find("mlc.solver");
  return found != context->config.end() && (*found).second.cast<bool>();
}

// Instruments are objects of scripts.
Array<Any> instrument_list(const Any& value) {
  Array<Any> instruments = as_list(value);
  for (const Any& one : instruments) {
    if (one.type_index() < ffi::TypeIndex::kTVMFFIStaticObjectBegin || one.try_cast<String>())
      throw refuse(pass_refusals["wrong-type"], type_name(one));
  }
  return instruments;
}

// Enters the instruments in order. When one fails, those entered before it are left, and none stays.
void enter_instruments(const PassContext& context) {
  Array<Any> instruments = context->instruments;
  size_t entered = 0;
  try {
    for (; entered < instruments.size(); ++entered)
      call_instrument(context, instruments[entered], "enter_pass_ctx", {});
  } catch (...) {
    mutable_node(context).instruments = {};
    for (size_t i = 0; i < entered; ++i) call_instrument(context, instruments[i], "exit_pass_ctx", {});
    throw;
  }
}
void exit_instruments(const PassContext& context) {
  Array<Any> instruments = context->instruments;
  try {
    for (const Any& instrument : instruments) call_instrument(context, instrument, "exit_pass_ctx", {});
  } catch (...) {
    mutable_node(context).instruments = {};
    throw;
  }
}

bool contains(const Array<String>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](const String& one) { return text(one) == name; });
}

// The names of a context. As in TVM a text is the list of its letters: `required_pass="ab"` means a and b.
Array<String> context_names(const Any& value) {
  auto letters = value.try_cast<String>();
  if (!letters) return as_names(value);
  Array<String> names;
  std::string_view rest = text(*letters);
  while (!rest.empty()) {
    size_t size = 1;
    while (size < rest.size() && (static_cast<unsigned char>(rest[size]) & 0xC0) == 0x80) ++size;
    names.push_back(String(std::string(rest.substr(0, size))));
    rest.remove_prefix(size);
  }
  return names;
}

}  // namespace

// Keyword dictionaries of scripts come as Map or Dict with string keys.
Map<String, Any> as_string_map(const Any& value) {
  if (value == nullptr) return {};
  if (auto* options = value.as<PassConfigNode>()) return options->values;
  if (auto map = value.try_cast<Map<String, Any>>()) return *map;
  Map<String, Any> out;
  auto dict = value.try_cast<ffi::Dict<Any, Any>>();
  if (!dict)
    throw refuse_as(pass_refusals["wrong-type"], "`config` must be a dict, got `{}`", type_name(value));
  for (auto [key, entry] : *dict) out.Set(key.cast<String>(), entry);
  return out;
}
Array<Any> as_list(const Any& value) {
  if (value == nullptr) return {};
  if (auto array = value.try_cast<Array<Any>>()) return *array;
  if (auto list = value.try_cast<ffi::List<Any>>()) return Array<Any>((*list).begin(), (*list).end());
  throw refuse_as(pass_refusals["wrong-type"], "expected a list, got `{}`", type_name(value));
}

Array<String> as_names(const Any& value) {
  Array<String> names;
  for (const Any& one : as_list(value)) names.push_back(one.cast<String>());
  return names;
}

PassContext current_context() {
  static const PassContext none =
      make<PassContextNode>(2, Array<String>{}, Array<String>{}, Array<Any>{}, Map<String, Any>{});
  return contexts().empty() ? none : contexts().back().cast<PassContext>();
}
const Map<String, Any>& current_config() {
  static const Map<String, Any> none;
  return contexts().empty() ? none : contexts().back().as<PassContextNode>()->config;
}

IRModule with_instruments(const PassInfo& info, const IRModule& mod,
                          const std::function<IRModule(const IRModule&)>& body) {
  PassContext context = current_context();
  if (context->instruments.empty() || context->host == nullptr) return body(mod);
  Array<Any> instruments = context->instruments;
  if (!contains(context->required, text(info->name))) {
    bool should_run = true;
    for (const Any& instrument : instruments) {
      Any answer = call_instrument(context, instrument, "should_run", std::vector<Any>{mod, info});
      should_run = should_run && (answer == nullptr || answer.cast<bool>());
    }
    if (!should_run) return mod;
  }
  for (const Any& instrument : instruments)
    call_instrument(context, instrument, "run_before_pass", std::vector<Any>{mod, info});
  IRModule result = body(mod);
  for (const Any& instrument : instruments)
    call_instrument(context, instrument, "run_after_pass", std::vector<Any>{result, info});
  return result;
}

bool is_enabled(const PassInfo& info) {
  PassContext context = current_context();
  if (contains(context->disabled, text(info->name))) return false;
  return contains(context->required, text(info->name)) || context->opt_level >= info->opt_level;
}

std::string repr(const Array<String>& names) {
  std::string out = "(";
  for (size_t i = 0; i < names.size(); ++i)
    out += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", text(names[i]));
  return out + (names.size() == 1 ? ",)" : ")");
}
std::string repr(const PassInfo& info) {
  return fmt::format("transform.PassInfo(opt_level={}, name=\"{}\", required={}, traceable={})",
                     info->opt_level, text(info->name), repr(info->required),
                     info->traceable ? "True" : "False");
}

std::span<const ApiRow> pass_context_rows() {
  static const ApiRow rows[] = {
      {ApiKind::kClass, "tvm.transform", "PassInfo(opt_level, name, required=None, traceable=False)",
       "What a pass is called, from which level on a sequence runs it, and what it needs.",
       native([](int64_t opt_level, String name, Any required, bool traceable) {
         return make<PassInfoNode>(opt_level, name, as_names(required), traceable);
       }),
       "mlc.transform.PassInfo", "tvm.ir.transform.PassInfo"},
      {ApiKind::kProperty, "mlc.transform.PassInfo", "opt_level", "From this level on a sequence runs it.",
       native([](PassInfo info) { return info->opt_level; })},
      {ApiKind::kProperty, "mlc.transform.PassInfo", "name", "The name: \"tirx.StmtSimplify\".",
       native([](PassInfo info) { return info->name; })},
      {ApiKind::kProperty, "mlc.transform.PassInfo", "required", "Passes that must have run.",
       native([](PassInfo info) { return info->required; })},
      {ApiKind::kProperty, "mlc.transform.PassInfo", "subject",
       "What the pass is called on: \"module\", or each \"prim_func\" or \"relax_function\" of it.",
       native([](PassInfo info) {
         constexpr const char* kNames[] = {"module", "prim_func", "relax_function"};
         return String(kNames[static_cast<size_t>(info->subject)]);
       })},
      {ApiKind::kProperty, "mlc.transform.PassInfo", "traceable", "Can it be part of a trace?",
       native([](PassInfo info) { return info->traceable; })},
      {ApiKind::kMethod, "mlc.transform.PassInfo", "__repr__()", "The four as a call.",
       native([](PassInfo info) { return String(repr(info)); })},
      {ApiKind::kClass, "tvm.transform",
       "PassContext(opt_level=2, required_pass=None, disabled_pass=None, instruments=None, config=None)",
       "The configuration of the passes run inside `with PassContext(...)`.",
       native([](int64_t opt_level, Any required, Any disabled, Any instruments, Any config) {
         return make<PassContextNode>(opt_level, context_names(required), context_names(disabled),
                                      instrument_list(instruments), checked_config(as_string_map(config)));
       }),
       "mlc.transform.PassContext", "tvm.ir.transform.PassContext"},
      {ApiKind::kMethod, "mlc.transform.PassContext", "__enter__()", "Puts the configuration in force.",
       native([](ApiCall& call, PassContext context) {
         mutable_node(context).host = &call.host;
         if (asks_solver(context)) require_solver();
         enter_instruments(context);
         contexts().push_back(context);
         enable_solver(asks_solver(context));
         return context;
       })},
      {ApiKind::kMethod, "mlc.transform.PassContext", "__exit__(kind=None, value=None, traceback=None)",
       "Ends the configuration.", native([](PassContext context, Any, Any, Any) {
         if (contexts().empty()) {
           throw refuse(refusals["no-current-context"]).kind("InternalError");
         }
         contexts().pop_back();
         enable_solver(asks_solver(current_context()));
         exit_instruments(context);
       })},
      {ApiKind::kMethod, "mlc.transform.PassContext", "override_instruments(instruments)",
       "Leaves the instruments and enters others in their place.",
       native([](ApiCall& call, PassContext context, Any instruments) {
         if (instruments == nullptr)
           throw refuse_as(pass_refusals["wrong-type"],
                           "`override_instruments` takes a list of instruments, not `None`");
         Array<Any> next = instrument_list(instruments);
         mutable_node(context).host = &call.host;
         exit_instruments(context);
         mutable_node(context).instruments = next;
         enter_instruments(context);
       })},
      {ApiKind::kMethod, "mlc.transform.PassContext", "pass_enabled(info)", "Does a sequence run this pass?",
       native([](PassContext, PassInfo info) { return is_enabled(info); })},
      {ApiKind::kProperty, "mlc.transform.PassContext", "opt_level", "The optimisation level.",
       native([](PassContext context) { return context->opt_level; })},
      {ApiKind::kProperty, "mlc.transform.PassContext", "required_pass", "Passes that run at every level.",
       native([](PassContext context) { return context->required; })},
      {ApiKind::kProperty, "mlc.transform.PassContext", "disabled_pass", "Passes that sequences leave out.",
       native([](PassContext context) { return context->disabled; })},
      {ApiKind::kProperty, "mlc.transform.PassContext", "instruments", "What is called around passes.",
       native([](PassContext context) { return context->instruments; })},
      {ApiKind::kProperty, "mlc.transform.PassContext", "config", "The configuration.",
       native([](PassContext context) { return context->config; })},
      {ApiKind::kMethod, "mlc.transform.PassContext", "__repr__()", "The context as a call.",
       native([](ApiCall& call, PassContext context) {
         return String(
             fmt::format("transform.PassContext(opt_level={}, required_pass={}, disabled_pass={}, "
                         "instruments={}, config={})",
                         context->opt_level, repr(context->required), repr(context->disabled),
                         call.host.repr(context->instruments), call.host.repr(context->config)));
       })},
      {ApiKind::kFunction, "tvm.transform.PassContext", "current()", "The innermost context.",
       native([] { return current_context(); })},
      {ApiKind::kFunction, "tvm.transform.PassContext", "list_configs()",
       "The keys of `config`, as dictionaries by name.", native([] { return config_types(); })},
  };
  return rows;
}

}  // namespace mlc::transform
