// SPDX-License-Identifier: Apache-2.0
// Passes as scripts hold them: those of this program, functions of scripts, and sequences of both.
#include <algorithm>
#include <deque>

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/pass/pass_context.h"
#include "transform/pass/pass_object.h"
#include "transform/pass/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "not-constructible",
         .message = "`Pass` has no constructor",
         .help = "`@tvm.transform.module_pass` and `@tvm.tirx.transform.prim_func_pass` make passes of "
                 "functions"},
    }};
MLC_REFUSALS(pass_pass_object, refusals);

namespace {

struct PassObjectNode : ffi::Object {
  PassInfo info;
  // Of a pass whose function is a method of a script's object: that object, whose attributes are the pass's.
  Any instance;

  explicit PassObjectNode(PassInfo info, Any instance = Any(nullptr))
      : info(std::move(info)), instance(std::move(instance)) {}
  explicit PassObjectNode(ffi::UnsafeInit) {}
  PassObjectNode() = default;
  static constexpr uint32_t _type_child_slots = 6;
  MLC_NODE_BASE("mlc.transform.Pass", PassObjectNode, ffi::Object);
};
using PassObject = Ref<PassObjectNode>;

// On every PrimFunc: a pass of this program with its arguments, or a function (func, mod, context) -> func.
struct PrimFuncPassNode final : PassObjectNode {
  enum class How : uint8_t { kWhole, kTransform, kCondition };  // what `func` takes and returns
  const Pass* pass = nullptr;
  How how = How::kWhole;
  Array<Any> args;
  Any func;

  PrimFuncPassNode(PassInfo info, const Pass* pass, Array<Any> args)
      : PassObjectNode(std::move(info)), pass(pass), args(std::move(args)) {}
  PrimFuncPassNode(PassInfo info, Any func, Any instance, How how = How::kWhole)
      : PassObjectNode(std::move(info), std::move(instance)), how(how), func(std::move(func)) {}
  MLC_NODE("mlc.tirx.PrimFuncPass", PrimFuncPassNode, PassObjectNode);
};

// A function (mod, context) -> mod.
struct ModulePassNode : PassObjectNode {
  Any func;

  ModulePassNode(PassInfo info, Any func, Any instance)
      : PassObjectNode(std::move(info), std::move(instance)), func(std::move(func)) {}
  explicit ModulePassNode(ffi::UnsafeInit tag) : PassObjectNode(tag) {}
  ModulePassNode() = default;
  static constexpr uint32_t _type_child_slots = 2;
  MLC_NODE_BASE("mlc.transform.ModulePass", ModulePassNode, PassObjectNode);
};

// What relax.transform makes of a function of each graph, and of each dataflow block.
struct GraphPassNode final : ModulePassNode {
  using ModulePassNode::ModulePassNode;
  MLC_NODE("mlc.relax.FunctionPass", GraphPassNode, ModulePassNode);
};
struct BlockPassNode final : ModulePassNode {
  using ModulePassNode::ModulePassNode;
  MLC_NODE("mlc.relax.DataflowBlockPass", BlockPassNode, ModulePassNode);
};

struct SequentialNode final : PassObjectNode {
  Array<Any> passes;

  SequentialNode(PassInfo info, Array<Any> passes)
      : PassObjectNode(std::move(info)), passes(std::move(passes)) {}
  MLC_NODE("mlc.transform.Sequential", SequentialNode, PassObjectNode);
};

// `noted`: a step of the program, not of another pass or a pipeline.
IRModule run(const PassObject& pass, Host& host, const IRModule& mod, bool noted);

// What a function of a script gave back.
template <class T>
std::optional<T> result_of(const PassInfo& info, const Any& value, std::string_view wanted) {
  if (value == nullptr && wanted == "PrimFunc") return std::nullopt;
  if (auto result = value.try_cast<T>(); result && result->defined()) return result;
  throw refuse_as(pass_refusals["wrong-type"], "the pass `{}` gave back `{}`, not {}", text(info->name),
                  type_name(value), wanted)
      .kind(value == nullptr ? ir::kRefusedType : "TypeError");
}

// What becomes of the function; None: it goes.
Any call_function(const PrimFuncPassNode& pass, Host& host, const PrimFunc& fn, const IRModule& mod) {
  using How = PrimFuncPassNode::How;
  if (pass.how == How::kWhole) return host.call(pass.func, std::vector<Any>{fn, mod, current_context()});
  Any made = host.call(pass.func, std::vector<Any>{fn});
  if (pass.how == How::kTransform) return made;
  auto keep = made.try_cast<bool>();
  if (!keep)
    throw refuse_as(pass_refusals["wrong-type"], "the condition of `Filter` gave back `{}`, not a bool",
                    type_name(made));
  return *keep ? Any(fn) : Any(nullptr);
}

IRModule apply_function(const PrimFuncPassNode& pass, Host& host, const IRModule& mod) {
  IRModule result = mod;
  for (const auto& [name, base] : mod->functions) {
    auto fn = Any(base).as<PrimFunc>();
    if (!fn) continue;
    auto next = result_of<PrimFunc>(pass.info, call_function(pass, host, *fn, result), "PrimFunc");
    if (!next) {
      Map<GlobalVar, BaseFunc> functions = result->functions;
      functions.erase(name);
      result = with(result, [&](IRModuleNode& n) { n.functions = functions; });
    } else if (!next->same_as(*fn)) {
      result = with_function(result, name, *next);
    }
  }
  return result;
}

// The arguments of a pass that is named and not called.
std::vector<Any> default_args(const Pass& pass) {
  std::vector<Any> args;
  const Api* api = ApiRegistry::global().find(fmt::format("tvm.{}.{}", pass.owner, pass.name));
  for (const ApiParam& param : api->params) args.push_back(param.default_value);
  return args;
}

// A pass is required by the name of the function that makes it: "tirx.transform.RemoveNoOp". That one takes
// no arguments, or is a sequence, which has them all by default.
IRModule run_required(std::string_view name, Host& host, const IRModule& mod) {
  constexpr std::string_view kOwner = ".transform.";
  size_t at = name.find(kOwner);
  const auto& all = all_passes();
  auto found = std::find_if(all.begin(), all.end(), [&](const Pass* pass) {
    return at != name.npos && name.substr(at + kOwner.size()) == pass->name &&
           pass->owner == name.substr(0, at + kOwner.size() - 1);
  });
  if (found == all.end())
    throw refuse_as(pass_refusals["unknown-pass"], "there is no pass `{}` to run first", name)
        .kind(ir::kRefusedValue)
        .help("passes are required by names as `tirx.transform.RemoveNoOp`");
  std::vector<Any> args = default_args(**found);
  if (!args.empty() && (*found)->parts.empty())
    throw refuse_as(pass_refusals["wrong-type"],
                    "the pass `{}` takes arguments: it cannot be required by name", name);
  return run_pass(**found, mod, host, args);
}

// As a sequence does it: not at all where the context disables the pass, and what it requires first.
IRModule run_enabled(const PassObject& pass, Host& host, const IRModule& mod, bool noted) {
  if (!is_enabled(pass->info)) return mod;
  IRModule result = mod;
  for (const String& needed : pass->info->required) result = run_required(text(needed), host, result);
  return run(pass, host, result, noted);
}

IRModule apply_sequence(const SequentialNode& sequence, Host& host, const IRModule& mod, bool noted) {
  IRModule result = mod;
  for (const Any& one : sequence.passes) result = run_enabled(one.cast<PassObject>(), host, result, noted);
  return result;
}

IRModule apply(const PassObject& pass, Host& host, const IRModule& mod, bool noted) {
  if (auto* built = Any(pass).as<PrimFuncPassNode>(); built && built->pass)
    return run_pass(*built->pass, mod, host, std::vector<Any>(built->args.begin(), built->args.end()));
  try {
    return with_instruments(pass->info, mod, [&](const IRModule& given) {
      auto verified = [&](const IRModule& result) {
        if (verify_after_passes()) verify_changed(given, result);
        return result;
      };
      if (auto* each = Any(pass).as<PrimFuncPassNode>()) return verified(apply_function(*each, host, given));
      if (auto* sequence = Any(pass).as<SequentialNode>())
        return apply_sequence(*sequence, host, given, noted);
      Any made = host.call(Any(pass).as<ModulePassNode>()->func, std::vector<Any>{given, current_context()});
      return verified(*result_of<IRModule>(pass->info, made, "IRModule"));
    });
  } catch (Error& error) {
    note_pass(error, text(pass->info->name));
    throw;
  }
}

IRModule run(const PassObject& pass, Host& host, const IRModule& mod, bool noted) {
  std::vector<PassRun>* runs = pass_runs();
  if (runs == nullptr || (noted && Any(pass).as<SequentialNode>())) return apply(pass, host, mod, noted);
  PassNotes pause(nullptr);
  IRModule after = apply(pass, host, mod, noted);
  if (noted) runs->push_back({std::string(text(pass->info->name)), mod, after});
  return after;
}

Any make_pass(ApiCall& call) {
  std::string_view owner = call.api.row.owner;  // "tvm.s_tir.transform"
  owner = owner.substr(owner.find('.') + 1);
  const Pass& named = find_pass(fmt::format("{}.{}", owner.substr(0, owner.find('.')), call.api.name));
  const Pass& pass = named.chosen ? named.chosen(call.args) : named;
  return make<PrimFuncPassNode>(pass_info(pass), &pass, Array<Any>(call.args.begin(), call.args.end()));
}

std::string shown(const PassObject& pass) {
  if (auto* sequence = Any(pass).as<SequentialNode>()) {
    std::string passes;
    for (const Any& one : sequence->passes)
      passes += fmt::format("{}{}", passes.empty() ? "" : ", ", shown(one.cast<PassObject>()));
    return fmt::format("transform.Sequential(pass_info={}, passes=({}{}))", repr(pass->info), passes,
                       sequence->passes.size() == 1 ? "," : "");
  }
  auto* each = Any(pass).as<PrimFuncPassNode>();
  if (each && each->pass && !each->pass->parts.empty()) {
    std::string parts;
    for (const PassPart& part : each->pass->parts)
      parts +=
          fmt::format("{}tirx.PrimFuncPass(pass_info={})", parts.empty() ? "" : ", ", repr(pass_info(part)));
    return fmt::format("transform.Sequential(pass_info={}, passes=({}))", repr(pass->info), parts);
  }
  bool whole = !each || (each->pass && each->pass->apply_module);
  return fmt::format("{}(pass_info={})", whole ? "transform.ModulePass" : "tirx.PrimFuncPass",
                     repr(pass->info));
}

}  // namespace

std::string_view keep(std::string text) {
  static auto& kept = *new std::deque<std::string>;  // reachable, so that no leak is reported
  return kept.emplace_back(std::move(text));
}

std::vector<PassRun>*& pass_runs() {
  static thread_local std::vector<PassRun>* runs = nullptr;
  return runs;
}
bool is_pass(const Any& value) { return value.as<PassObjectNode>() != nullptr; }
std::optional<Array<Any>> passes_of(const Any& sequence) {
  auto* found = sequence.as<SequentialNode>();
  return found ? std::optional(found->passes) : std::nullopt;
}
std::string short_name(const Any& pass) {
  std::string_view name = text(pass.cast<PassObject>()->info->name);
  return std::string(name.substr(name.rfind('.') + 1));
}
Any pass_object(std::string_view name, std::span<const Any> args) {
  const Pass& named = find_pass(name);
  std::vector<Any> all = default_args(named);
  if (args.size() > all.size())
    throw Error("too-many-arguments", "the pass `{}` takes {} arguments, not {}", name, all.size(),
                args.size())
        .kind("TypeError");
  std::copy(args.begin(), args.end(), all.begin());
  const Pass& pass = named.chosen ? named.chosen(all) : named;
  return make<PrimFuncPassNode>(pass_info(pass), &pass, Array<Any>(all.begin(), all.end()));
}

Array<Any> vtcm_compaction_passes() {
  Array<Any> passes;
  for (std::string_view name :
       {"s_tir.LowerInitBlock", "s_tir.PlanAndUpdateBufferAllocationLocation", "s_tir.ConvertBlocksToOpaque",
        "s_tir.CompactBufferAllocation", "s_tir.LowerMatchBuffer", "s_tir.InjectSoftwarePipeline",
        "s_tir.LowerOpaqueBlock", "tirx.FlattenBuffer", "tirx.StmtSimplify", "tirx.VectorizeLoop",
        "tirx.StorageRewrite"}) {
    passes.push_back(pass_object(name));
  }
  return passes;
}
IRModule run_in_sequence(const Any& pass, Host& host, const IRModule& mod) {
  return run_enabled(pass.cast<PassObject>(), host, mod, false);
}

std::span<const ApiRow> pass_rows() {
  static std::vector<ApiRow> rows;
  for (const Pass* pass : all_passes()) {
    rows.push_back(
        {ApiKind::kFunction, keep("tvm." + std::string(pass->owner)), pass->signature, pass->doc, make_pass});
  }
  return rows;
}

std::span<const ApiRow> pass_object_rows() {
  static const ApiRow rows[] = {
      {ApiKind::kClass, "tvm.transform", "Pass()", "What takes a module and gives a module.",
       +[](ApiCall& call) -> Any {
         throw refuse(refusals["not-constructible"]).kind("TypeError").at(call.span);
       },
       "mlc.transform.Pass", "tvm.ir.transform.Pass"},
      {ApiKind::kClass, "tvm.transform", "ModulePass(pass_func, pass_info, instance=None)",
       "A function of a module and the context, as a pass.",
       native(
           [](Any func, PassInfo info, Any instance) { return make<ModulePassNode>(info, func, instance); }),
       "mlc.transform.ModulePass", "tvm.ir.transform.ModulePass"},
      {ApiKind::kClass, "tvm.relax.transform", "FunctionPass(pass_func, pass_info, instance=None)",
       "A function of a module and the context that changes graphs one by one, as a pass.",
       native([](Any func, PassInfo info, Any instance) { return make<GraphPassNode>(info, func, instance); }),
       "mlc.relax.FunctionPass", "tvm.relax.transform.transform.FunctionPass"},
      {ApiKind::kClass, "tvm.relax.transform", "DataflowBlockPass(pass_func, pass_info, instance=None)",
       "A function of a module and the context that changes dataflow blocks one by one, as a pass.",
       native([](Any func, PassInfo info, Any instance) { return make<BlockPassNode>(info, func, instance); }),
       "mlc.relax.DataflowBlockPass", "tvm.relax.transform.transform.DataflowBlockPass"},
      {ApiKind::kClass, "tvm.tirx.transform", "PrimFuncPass(pass_func, pass_info, instance=None)",
       "A function of a PrimFunc, its module and the context, as a pass.",
       native([](Any func, PassInfo info, Any instance) {
         if (info->subject != PassSubject::kPrimFunc)
           info = with(info, [](PassInfoNode& copy) { copy.subject = PassSubject::kPrimFunc; });
         return make<PrimFuncPassNode>(info, func, instance);
       }),
       "mlc.tirx.PrimFuncPass", "tvm.tirx.transform.function_pass.PrimFuncPass"},
      {ApiKind::kFunction, "tvm.tirx.transform", "Apply(ftransform)",
       "A pass that puts what the function makes of each PrimFunc in its place.", native([](Any ftransform) {
         return make<PrimFuncPassNode>(
             make<PassInfoNode>(0, "Apply", Array<String>{}, false, PassSubject::kPrimFunc), ftransform,
             Any(nullptr), PrimFuncPassNode::How::kTransform);
       })},
      {ApiKind::kFunction, "tvm.tirx.transform", "Filter(fcond)",
       "A pass that keeps the PrimFuncs for which the function answers True.", native([](Any fcond) {
         return make<PrimFuncPassNode>(
             make<PassInfoNode>(0, "tirx.Filter", Array<String>{}, false, PassSubject::kPrimFunc), fcond,
             Any(nullptr), PrimFuncPassNode::How::kCondition);
       })},
      {ApiKind::kClass, "tvm.transform",
       "Sequential(passes=None, opt_level=0, name='sequential', required=None, traceable=False)",
       "A pass that runs passes one after the other, as far as the context enables them.",
       native([](Any passes, int64_t opt_level, String name, Any required, bool traceable) {
         Array<Any> list = as_list(passes);
         for (const Any& one : list) {
           if (!one.as<PassObjectNode>())
             throw refuse_as(pass_refusals["wrong-type"], "a sequence of passes holds `{}`", type_name(one));
         }
         return make<SequentialNode>(make<PassInfoNode>(opt_level, name, as_names(required), traceable),
                                     list);
       }),
       "mlc.transform.Sequential", "tvm.ir.transform.Sequential"},
      {ApiKind::kProperty, "mlc.transform.Sequential", "passes", "The passes in order.",
       +[](ApiCall& call) -> Any { return call.args[0].as<SequentialNode>()->passes; }},
      {ApiKind::kMethod, "mlc.transform.Pass", "__call__(mod)", "The module after the pass.",
       native([](ApiCall& call, PassObject pass, IRModule mod) { return run(pass, call.host, mod, true); })},
      {ApiKind::kProperty, "mlc.transform.Pass", "info", "Its name, level and what it needs.",
       native([](PassObject pass) { return pass->info; })},
      {ApiKind::kProperty, "mlc.transform.Pass", "pass_info", "Its name, level and what it needs.",
       native([](PassObject pass) { return pass->info; })},
      {ApiKind::kMethod, "mlc.transform.Pass", "__repr__()", "The pass as a call.",
       native([](PassObject pass) { return String(shown(pass)); })},
      {ApiKind::kMethod, "mlc.transform.Pass", "__getattr__(name)", "What the object behind the pass has.",
       native([](ApiCall& call, PassObject pass, std::string name) -> Any {
         Any out;
         if (pass->instance != nullptr && call.host.find_attribute(pass->instance, name, out)) return out;
         throw refuse_as(pass_refusals["no-attribute"], "the pass `{}` has no attribute '{}'",
                         text(pass->info->name), name);
       })},
  };
  return rows;
}

}  // namespace mlc::transform
