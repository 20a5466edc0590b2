// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"

#include <algorithm>

#include "ir/core/work.h"
#include "ir/relax/verify.h"
#include "ir/relax/visit.h"
#include "ir/tir/verify.h"
#include "transform/graph/rewrite_graphs.h"
#include "transform/pass/pass_config.h"
#include "transform/pass/pass_context.h"
#include "transform/pass/pipeline.h"
#include "transform/pass/refusals.h"

namespace mlc::transform {

std::optional<bool> PassOptions::config_flag(std::string_view key) const {
  auto found = config->find(String(std::string(key)));
  return found == config->end() ? std::nullopt : std::optional((*found).second.cast<bool>());
}
int64_t PassOptions::config_integer(std::string_view key, std::string_view entry, int64_t otherwise) const {
  auto found = config->find(String(std::string(key)));
  if (found == config->end()) return otherwise;
  Map<String, Any> entries = as_string_map((*found).second);
  auto value = entries.find(String(std::string(entry)));
  return value == entries.end() ? otherwise : (*value).second.cast<int64_t>();
}

// "s_tir.StmtSimplify": two families may have a pass of one name.
static bool is_in_family(const Pass& pass, std::string_view name) {
  std::string_view family = pass.owner.substr(0, pass.owner.find('.'));
  return name.size() == family.size() + 1 + pass.name.size() && name.starts_with(family) &&
         name[family.size()] == '.' && name.ends_with(pass.name);
}

const std::vector<const Pass*>& all_passes() {
  static const std::vector<const Pass*> all = [] {
    std::vector<const Pass*> both = all_tir_passes();
    both.insert(both.end(), all_relax_passes().begin(), all_relax_passes().end());
    return both;
  }();
  return all;
}

const Pass& find_pass(std::string_view name) {
  for (const Pass* pass : all_passes()) {
    if (pass->name == name || is_in_family(*pass, name)) return *pass;
  }
  std::vector<std::string> names;
  for (const Pass* pass : all_passes()) names.emplace_back(pass->name);
  throw refuse(pass_refusals["unknown-pass"], name).help(did_you_mean(name, names));
}

Expr data_of(const Buffer& buffer) {
  const BufferTypeNode* type = buffer->buffer();
  Type pointer = make<PointerTypeNode>(Type(prim_type(type->dtype)), type->storage_scope);
  return make<CallNode>(pointer, op("tirx.buffer_data"), Array<Expr>{buffer});
}

PassInfo pass_info(const Pass& pass) {
  bool graph = pass.owner.starts_with("relax.");  // passes of graphs have no family in their names
  std::string name = graph && pass.info_name.empty() ? std::string(pass.name)
                     : pass.info_name.empty()
                         ? fmt::format("{}.{}", pass.owner.substr(0, pass.owner.find('.')), pass.name)
                         : std::string(pass.info_name);
  return make<PassInfoNode>(pass.level, String(name), Array<String>{}, false,
                            pass.apply_module  ? PassSubject::kModule
                            : pass.apply_graph ? PassSubject::kRelaxFunction
                                               : PassSubject::kPrimFunc);
}
PassInfo pass_info(const PassPart& part) {
  return make<PassInfoNode>(0, String(std::string(part.info_name)), Array<String>{}, false,
                            PassSubject::kPrimFunc);
}

namespace {

IRModule apply_each(FunctionPass apply, const IRModule& mod, const PassOptions& options) {
  return map_prim_funcs(mod, [&](const PrimFunc& fn) { return apply(fn, options); });
}

Stage stage_of(const BaseFunc& function) {
  auto fn = Any(function).as<PrimFunc>();
  if (!fn || !(*fn)->body) return Stage::kSchedulable;
  bool blocks = any_below((*fn)->body, [](const Stmt& s) { return as<SBlockNode>(s) != nullptr; });
  return blocks ? Stage::kSchedulable : Stage::kLowered;
}

bool is_well_formed(const BaseFunc& function, Stage stage) {
  auto fn = Any(function).as<PrimFunc>();
  if (!fn) return false;
  try {
    verify(*fn, stage);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

// A pass takes no function back: what had no blocks has none afterwards. A fragment of a function, as
// schedules of tile primitives return it, has variables of what is around it: a pass may leave it as ill
// formed as it was. So it is with graphs, which are looked at as a module: they call each other. Whether they
// are pure is not asked: passes behind RemovePurityChecking, and LazySetOutput, make calls that are not, as
// TVM's do.
void verify_changed(const IRModule& before, const IRModule& after) {
  bool graphs_changed = false;
  for (const auto& [name, base] : after->functions) {
    auto found = before->functions.find(name);
    bool known = found != before->functions.end();
    if (known && (*found).second.same_as(base)) continue;
    Stage stage = known ? stage_of((*found).second) : Stage::kSchedulable;
    graphs_changed = graphs_changed || Any(base).as<relax::FunctionNode>() != nullptr;
    auto fn = Any(base).as<PrimFunc>();
    if (!fn) continue;
    try {
      verify(*fn, stage);
    } catch (const Error&) {
      if (!known || is_well_formed((*found).second, stage)) throw;
    }
  }
  if (!graphs_changed) return;
  auto wrong_in = [](const IRModule& mod) {
    std::vector<ir::Diagnostic> wrong = relax::verify(mod);
    std::erase_if(wrong, [](const ir::Diagnostic& one) { return one.name.starts_with("impure-call"); });
    return wrong;
  };
  if (std::vector<ir::Diagnostic> wrong = wrong_in(after); !wrong.empty() && wrong_in(before).empty())
    throw Error(wrong);
}

namespace {

IRModule apply_pass(const Pass& pass, const IRModule& mod, Host& host, std::span<const Any> args) {
  PassOptions options{args, &current_config(), &host};
  note_work(std::string(pass.name));
  IRModule result = mod;
  if (pass.apply) {
    result = apply_each(pass.apply, mod, options);
  } else if (pass.apply_graph) {
    result =
        rewrite_graphs(mod, [&](const relax::Function& fn) { return pass.apply_graph(fn, mod, options); });
  } else if (pass.apply_module) {
    result = pass.apply_module(mod, options);
  } else {
    for (const PassPart& part : pass.parts) {
      PassInfo info = pass_info(part);
      if (!is_enabled(info)) continue;
      FunctionPass apply = part.apply;
      if (!apply) apply = find_pass(part.info_name).apply;
      result = with_instruments(info, result,
                                [&](const IRModule& given) { return apply_each(apply, given, options); });
    }
  }
  if (verify_after_passes()) verify_changed(mod, result);
  return result;
}

}  // namespace

bool& verify_after_passes() {
#ifdef NDEBUG
  static bool wanted = false;
#else
  static bool wanted = true;
#endif
  return wanted;
}

void note_pass(Error& error, std::string_view name) {
  constexpr std::string_view kBegin = "in the pass `";
  std::vector<ir::Note>& notes = error.first().notes;
  bool known = std::any_of(notes.begin(), notes.end(),
                           [&](const ir::Note& note) { return note.message.starts_with(kBegin); });
  if (!known) notes.push_back({fmt::format("{}{}`", kBegin, name), {}});
}

IRModule run_pass(const Pass& pass, const IRModule& mod, Host& host, std::span<const Any> args) {
  try {
    if (current_context()->instruments.empty()) return apply_pass(pass, mod, host, args);
    return with_instruments(pass_info(pass), mod,
                            [&](const IRModule& given) { return apply_pass(pass, given, host, args); });
  } catch (Error& error) {
    note_pass(error, text(pass_info(pass)->name));
    throw;
  }
}

void register_pass_api() {
  static const ApiRow lowering[] = {
      {ApiKind::kFunction, "mlc.transform", "lower(mod, target='llvm', pipeline='default')",
       "The module lowered for the target: flat buffers, loops, vectors; what code generators take.",
       native([](ApiCall& call, IRModule mod, Any target, Any pipeline) {
         Target parsed = parse_target(target);
         return Pipeline(named_pipeline(pipeline, parsed, call.host), parsed, call.host).lower(mod);
       })},
      {ApiKind::kFunction, "mlc.transform", "lower_stages(mod, target='llvm')",
       "(pass name, module after it) for every pass of the pipeline that changed the module.",
       native([](ApiCall& call, IRModule mod, Any target) {
         Array<Any> stages;
         Target parsed = parse_target(target);
         Pipeline pipeline(named_pipeline(String("default"), parsed, call.host), parsed, call.host);
         for (auto& [name, stage] : pipeline.stages(mod)) {
           stages.push_back(Array<Any>{String(name), stage});
         }
         return stages;
       })},
  };
  ApiRegistry& registry = ApiRegistry::global();
  registry.add(pass_rows);
  registry.add(pass_context_rows);
  registry.add(pass_config_rows);
  registry.add(pass_object_rows);
  registry.add(lowering);
  registry.alias("tvm.ir.transform", "tvm.transform");
  registry.alias("tvm.ir.instrument", "tvm.instrument");
}

}  // namespace mlc::transform
