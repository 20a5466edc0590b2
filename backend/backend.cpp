// SPDX-License-Identifier: Apache-2.0
#include "backend/backend.h"

#include <algorithm>

#include "ir/core/error.h"
#include "ir/core/refusal.h"
#include "ir/core/split_words.h"

namespace mlc::backend {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "no-backend",
         .message = "no code can be generated for target `{}`",
         .meaning = "Code is generated for the kinds of targets that `mlc targets` lists."},
        {.name = "unknown-emit-kind", .message = "nothing can be emitted as `{}`"},
    }};
MLC_REFUSALS(backend_backend, refusals);

using ir::Error;

bool is_spent_hint(std::string_view attr_key) {
  return ir::has_word(
      "pragma_auto_unroll_max_step pragma_nontemporal_store pragma_unroll_explicit pragma_scope "
      "pragma_loop_partition_hint storage_alignment device_id device_type compute_scope target hand_threaded",
      attr_key);
}

const Backend* find_backend(const ir::Target& target) {
  const Backend* simulator = simulator_of(target);
  return simulator != nullptr ? simulator : backend_of_hardware(target);
}

const Backend* backend_of_hardware(const ir::Target& target) {
  std::string_view kind(target->kind.data(), target->kind.size());
  for (const Backend* one : all_backends()) {
    if (std::ranges::find(one->targets, kind) != one->targets.end()) return one;
  }
  return nullptr;
}

const Backend& backend_of(const ir::Target& target) {
  if (const Backend* found = find_backend(target)) return *found;
  std::vector<std::string> kinds;
  for (const Backend* one : all_backends()) {
    for (std::string_view kind : one->targets) kinds.push_back(fmt::format("`{}`", kind));
  }
  throw ir::refuse(refusals["no-backend"], std::string(target->kind))
      .help(fmt::format("targets that code is generated for are {}", fmt::join(kinds, ", ")));
}

const Backend& default_backend() {
  const auto& all = all_backends();
  auto found = std::ranges::find_if(all, [](const Backend* one) { return one->is_default; });
  MLC_CHECK(found != all.end(), "no backend is the default one");
  return **found;
}

std::string default_target_kind() { return std::string(default_backend().targets.front()); }

const Artefact* find_artefact(const Backend& backend, std::string_view name) {
  auto found = std::ranges::find(backend.artefacts, name, &Artefact::name);
  return found == backend.artefacts.end() ? nullptr : &*found;
}

Choice choose_artefact(std::string_view name, const Backend& preferred) {
  if (const Artefact* own = find_artefact(preferred, name)) return {&preferred, own};
  if (const Artefact* usual = find_artefact(default_backend(), name)) return {&default_backend(), usual};
  for (const Backend* one : all_backends()) {
    if (const Artefact* found = find_artefact(*one, name)) return {one, found};
  }
  throw ir::refuse(refusals["unknown-emit-kind"], name)
      .help(fmt::format("there are {}", fmt::join(artefact_names(), ", ")));
}

namespace {

// The default backend's first: help begins with what most people want.
std::vector<const Artefact*> each_artefact_once() {
  std::vector<const Artefact*> all;
  auto add = [&](const Backend& backend) {
    for (const Artefact& one : backend.artefacts) {
      if (std::ranges::none_of(all, [&](const Artefact* known) { return known->name == one.name; }))
        all.push_back(&one);
    }
  };
  add(default_backend());
  for (const Backend* one : all_backends()) add(*one);
  return all;
}

}  // namespace

std::vector<std::string> artefact_names() {
  std::vector<std::string> names;
  for (const Artefact* one : each_artefact_once()) names.emplace_back(one->name);
  return names;
}

std::string artefact_help() {
  std::string text;
  for (const Artefact* one : each_artefact_once())
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", one->name, one->what);
  return text + fmt::format(" (default {})", default_backend().artefacts.front().name);
}

}  // namespace mlc::backend
