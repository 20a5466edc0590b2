// SPDX-License-Identifier: Apache-2.0
#include "ir/older_arguments.h"

#include <algorithm>

namespace mlc::ir {
namespace {

// A keyword of all functions directly below a module whose name begins so.
struct IdleKeyword {
  std::string_view module;
  std::string_view name_begins;
  std::string_view keyword;
};
constexpr IdleKeyword idle_keywords[] = {
    {"tvm.script.tirx", "int", "is_size_var"},  // a size is a variable like others
    {"tvm.script.tirx", "uint", "is_size_var"},
    {"tvm.script.tirx", "handle", "is_size_var"},
    {"tvm", "build", "name"},  // functions keep the names that they have in their module
    {"tvm", "compile", "name"},
};

bool is_side(const Any& value) {
  auto text = value.try_cast<String>();
  return text && (*text == "read" || *text == "write");
}
bool is_number(const Any& value) { return value.type_index() == kTVMFFIInt; }

RenewedArguments copy_of(const ApiArguments& given) {
  RenewedArguments copy;
  copy.positional.assign(given.positional.begin(), given.positional.end());
  copy.keywords.assign(given.keywords.begin(), given.keywords.end());
  copy.positional_spans.assign(given.positional_spans.begin(), given.positional_spans.end());
  copy.positional_spans.resize(copy.positional.size());
  copy.keyword_spans.assign(given.keyword_spans.begin(), given.keyword_spans.end());
  copy.keyword_spans.resize(copy.keywords.size());
  return copy;
}

Any taken(RenewedArguments& all, std::string_view keyword) {
  for (size_t k = 0; k < all.keywords.size(); ++k) {
    if (all.keywords[k].first != keyword) continue;
    Any value = all.keywords[k].second;
    all.keywords.erase(all.keywords.begin() + static_cast<std::ptrdiff_t>(k));
    all.keyword_spans.erase(all.keyword_spans.begin() + static_cast<std::ptrdiff_t>(k));
    return value;
  }
  return nullptr;
}

// transform_layout(block, 0, "write", f), and set_axis_separator likewise, until 2022: the buffer is one
// argument today, ("write", 0). The schedule comes first.
std::optional<RenewedArguments> buffer_in_two(const ApiArguments& given) {
  auto by_name = [&](std::string_view name) {
    return std::any_of(given.keywords.begin(), given.keywords.end(),
                       [&](const auto& keyword) { return keyword.first == name; });
  };
  bool side_follows = given.positional.size() > 3 && is_side(given.positional[3]);
  bool number_there = given.positional.size() > 2 && is_number(given.positional[2]);
  if (!by_name("buffer_index_type") && !(number_there && side_follows)) return std::nullopt;
  RenewedArguments all = copy_of(given);
  Any side = taken(all, "buffer_index_type");
  if (side == nullptr && side_follows) {
    side = all.positional[3];
    all.positional.erase(all.positional.begin() + 3);
    all.positional_spans.erase(all.positional_spans.begin() + 3);
  }
  Any number = number_there ? all.positional[2] : taken(all, "buffer_index");
  if (!is_number(number) || side == nullptr) return std::nullopt;
  Array<Any> buffer = {side, number};
  if (number_there) {
    all.positional[2] = buffer;
  } else {
    all.keywords.emplace_back("buffer", buffer);
    all.keyword_spans.emplace_back();
  }
  return all;
}

}  // namespace

bool is_idle_keyword(std::string_view path, std::string_view keyword) {
  size_t dot = path.rfind('.');
  if (dot == path.npos) return false;
  return std::any_of(std::begin(idle_keywords), std::end(idle_keywords), [&](const IdleKeyword& row) {
    return row.keyword == keyword && row.module == path.substr(0, dot) &&
           path.substr(dot + 1).starts_with(row.name_begins);
  });
}

std::optional<RenewedArguments> renewed_arguments(const Api& api, const ApiArguments& given) {
  if (api.name == "transform_layout" && api.row.kind == ApiKind::kMethod) return buffer_in_two(given);
  for (const auto& [name, value] : given.keywords) {
    if (name != "is_size_var" && name != "name") continue;
    if (!is_idle_keyword(api.path(), name)) continue;
    RenewedArguments all = copy_of(given);
    taken(all, name);
    return all;
  }
  return std::nullopt;
}

}  // namespace mlc::ir
