// SPDX-License-Identifier: Apache-2.0
#include "ir/registry/older_arguments.h"

#include <tvm/ffi/container/list.h>

#include <algorithm>

#include "ir/core/split_words.h"
#include "ir/registry/classic_names.h"
#include "ir/relax/expr.h"

namespace mlc::ir {
namespace {

// A keyword of a function, or of those whose names begin so (`int*`).
struct IdleKeyword {
  std::string_view keyword;
  std::string_view module;
  std::string_view names;  // separated by blanks
};
constexpr IdleKeyword idle_keywords[] = {
    // a size is a variable like others
    {"is_size_var", "tvm.script.tirx", "int* uint* handle"},
    // functions keep the names that they have in their module
    {"name", "tvm", "build compile"},
    // the operands decide the type of a result
    {"dtype", "tvm.script.tirx", "fabs filter max min tvm_global_barrier_kinit tvm_storage_sync tvm_warp_*"},
};

struct RenamedKeyword {
  std::string_view keyword;
  std::string_view now;
  std::string_view module;
  std::string_view names;
};
constexpr RenamedKeyword renamed_keywords[] = {
    {"dtype", "ty", "tvm.tirx", "Var"},
    {"dtype", "ty", "tvm.ir", "Var"},
    {"min_val", "min", "tvm.tirx", "For"},
};

bool has_name(std::string_view names, std::string_view wanted) {
  return any_word(names, [&](std::string_view one) {
    return one == wanted || (one.ends_with('*') && wanted.starts_with(one.substr(0, one.size() - 1)));
  });
}

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

bool takes(const Api& api, std::string_view parameter) {
  return std::any_of(api.params.begin(), api.params.end(),
                     [&](const ApiParam& one) { return one.name == parameter; });
}

// What a keyword that the function does not take is called everywhere today, or "": `out_sinfo` is `out_ty`.
std::string_view renamed_everywhere(const Api& api, std::string_view keyword) {
  if (takes(api, keyword)) return "";
  const ClassicName* row = find_classic(ClassicName::Kind::kKeyword, keyword);
  return row != nullptr && takes(api, row->to) ? row->to : std::string_view();
}

// The values of a shape or tuple, of a list, or the one value.
std::vector<Any> values_of(const Any& given) {
  auto all = [](const auto& many) { return std::vector<Any>(many.begin(), many.end()); };
  if (auto* shape = given.as<relax::ShapeExprNode>()) return all(shape->values);
  if (auto* tuple = given.as<TupleNode>()) return all(tuple->elements);
  if (auto array = given.as<Array<Any>>()) return all(*array);
  if (auto list = given.as<tvm::ffi::List<Any>>()) return all(*list);
  return {given};
}

// call_tir(f, (x,), out_ty, tir_vars=R.shape([n])), until 2026: scalars are arguments as others today, the
// last ones.
std::optional<RenewedArguments> scalars_apart(const Api& api, const ApiArguments& given) {
  if (takes(api, "tir_vars") || !takes(api, "args")) return std::nullopt;
  RenewedArguments all = copy_of(given);
  Any scalars = taken(all, "tir_vars");
  Any* args = all.positional.size() > 1 ? &all.positional[1] : nullptr;
  for (auto& [name, value] : all.keywords) {
    if (name == "args") args = &value;
  }
  if (args == nullptr) return std::nullopt;
  if (scalars == nullptr) return all;
  std::vector<Any> together = values_of(*args);
  for (Any& one : values_of(scalars)) together.push_back(std::move(one));
  *args = Array<Any>(together.begin(), together.end());
  return all;
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

bool is_idle_keyword(std::string_view module, std::string_view name, std::string_view keyword) {
  return std::any_of(std::begin(idle_keywords), std::end(idle_keywords), [&](const IdleKeyword& row) {
    return row.keyword == keyword && row.module == module && has_name(row.names, name);
  });
}

std::string_view renamed_keyword(std::string_view module, std::string_view name, std::string_view keyword) {
  for (const RenamedKeyword& row : renamed_keywords) {
    if (row.keyword == keyword && row.module == module && has_name(row.names, name)) return row.now;
  }
  return "";
}

std::optional<RenewedArguments> renewed_arguments(const Api& api, const ApiArguments& given) {
  if (api.name == "transform_layout" && api.row.kind == ApiKind::kMethod) return buffer_in_two(given);
  if (api.row.kind != ApiKind::kFunction && api.row.kind != ApiKind::kClass) return std::nullopt;
  for (size_t k = 0; k < given.keywords.size(); ++k) {
    std::string_view keyword = given.keywords[k].first;
    if (keyword == "tir_vars") {
      if (auto renewed = scalars_apart(api, given)) return renewed;
    }
    std::string_view now = renamed_keyword(api.row.owner, api.name, keyword);
    if (now.empty()) now = renamed_everywhere(api, keyword);
    if (now.empty() && !is_idle_keyword(api.row.owner, api.name, keyword)) continue;
    RenewedArguments all = copy_of(given);
    if (now.empty()) {
      taken(all, keyword);
    } else {
      all.keywords[k].first = now;
    }
    return all;
  }
  return std::nullopt;
}

}  // namespace mlc::ir
