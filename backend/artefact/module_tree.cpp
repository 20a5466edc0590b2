// SPDX-License-Identifier: Apache-2.0
#include "backend/artefact/module_tree.h"

#include <algorithm>
#include <cstdint>

#include "ir/core/refusal.h"

namespace mlc::backend {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "not-exportable",
         .message = "a module of the kind `{}` cannot be exported: it is what a file was loaded into, or was never "
                    "compiled"},
    }};
MLC_REFUSALS(artefact_module_tree, refusals);

namespace {

namespace ffi = ir::ffi;

void put(std::string& to, uint64_t number) {
  for (int i = 0; i < 8; ++i) to.push_back(static_cast<char>(number >> (8 * i) & 0xFF));
}
void put(std::string& to, std::string_view text) {
  put(to, text.size());
  to += text;
}
void put(std::string& to, const std::vector<uint64_t>& numbers) {
  put(to, numbers.size());
  for (uint64_t number : numbers) put(to, number);
}

bool is_compiled(const ffi::Module& module) {
  return (module->GetPropertyMask() & ffi::Module::kCompilationExportable) != 0;
}

// All compiled modules are one place of the tree: the library itself.
struct Places {
  std::vector<std::vector<ffi::Module>> modules;

  size_t of(const ffi::Module& module) {
    auto same = [&](const std::vector<ffi::Module>& place) {
      return (is_compiled(module) && is_compiled(place[0])) || place[0].same_as(module);
    };
    auto found = std::find_if(modules.begin(), modules.end(), same);
    if (found == modules.end()) {
      modules.push_back({module});
      return modules.size() - 1;
    }
    bool known = std::any_of(found->begin(), found->end(), [&](const ffi::Module& each) { return each.same_as(module); });
    if (!known) found->push_back(module);
    return static_cast<size_t>(found - modules.begin());
  }
};

}  // namespace

ModuleTree module_tree(const ffi::Module& root) {
  Places places;
  places.of(root);
  std::vector<std::vector<uint64_t>> children;
  // A place may get more modules while its imports are looked at.
  for (bool more = true; more;) {
    more = false;
    children.resize(places.modules.size());
    for (size_t place = 0; place < places.modules.size(); ++place) {
      for (size_t i = 0; i < places.modules[place].size(); ++i) {
        ffi::Module module = places.modules[place][i];
        for (const ir::Any& import : module->imports()) {
          size_t before = places.modules.size();
          uint64_t child = places.of(import.cast<ffi::Module>());
          more = more || places.modules.size() != before;
          children.resize(places.modules.size());
          std::vector<uint64_t>& known = children[place];
          if (child != place && std::find(known.begin(), known.end(), child) == known.end()) {
            known.push_back(child);
            more = true;
          }
        }
      }
    }
  }

  ModuleTree tree;
  std::string values;
  std::vector<uint64_t> starts{0}, all_children;
  bool serialized = false;
  for (size_t place = 0; place < places.modules.size(); ++place) {
    const ffi::Module& first = places.modules[place][0];
    all_children.insert(all_children.end(), children[place].begin(), children[place].end());
    starts.push_back(all_children.size());
    if (is_compiled(first)) {
      tree.compiled = places.modules[place];
      put(values, "_lib");
      continue;
    }
    if ((first->GetPropertyMask() & ffi::Module::kBinarySerializable) == 0 || std::string_view(first->kind()) == "library")
      throw ir::refuse(refusals["not-exportable"], first->kind());
    serialized = true;
    put(values, first->kind());
    ffi::Bytes bytes = first->SaveToBytes();
    put(values, std::string_view(bytes.data(), bytes.size()));
  }
  if (!serialized) return tree;
  std::string body;
  put(body, starts);
  put(body, all_children);
  body += values;
  put(tree.bytes, body.size());
  tree.bytes += body;
  return tree;
}

}  // namespace mlc::backend
