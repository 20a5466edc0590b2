// SPDX-License-Identifier: Apache-2.0
// What scripts are told of an argument of a wrong type: TVM's annotations of the parameters.
#include <algorithm>

#include "ir/core/try_get.h"
#include "transform/schedule/words.h"

namespace mlc::transform {
namespace {

struct Row {
  std::string_view primitive;  // empty: any
  std::string_view parameter;
  std::string_view expected;
  bool listed = false;  // a list of these
};
constexpr Row rows[] = {
    {"", "loops", "LoopRV", true},
    {"", "ordered_loops", "LoopRV", true},
    {"", "factors", "Union[int, Expr, None]", true},
    {"", "ann_val",
     "Union[str, int, float, Expr, List[Union[str, int, float, Expr]], Dict[str, Union[str, int, float, "
     "Expr, List[Union[str, int, float, Expr]]]]]"},
    {"reindex_cache_read", "read_buffer_index", "int"},
    {"reindex_cache_write", "write_buffer_index", "int"},
    {"rolling_buffer", "write_buffer_index", "int"},
    {"storage_align", "buffer_index", "int"},
    {"unsafe_set_dtype", "buffer_index", "int"},
    {"", "read_buffer_index", "Union[int, str, Var]"},
    {"", "write_buffer_index", "Union[int, str, Var]"},
    {"", "consumer_blocks", "Union[SBlockRV, str]", true},
    {"", "buffer", "Union[Tuple[str, int], str, Var]"},
    {"blockize", "target", "Union[LoopRV, List[SBlockRV]]"},
    {"", "index_map", "Union[IndexMap, Callable]"},
    {"", "gen_new_ranges", "Callable"},
    {"", "padding", "int", true},
    {"", "new_order", "int", true},
    {"", "buf_index_array", "int", true},
    {"", "candidates", "int", true},
    {"", "probs", "float", true},
    {"add_unit_loop", "block_or_loop", "Union[LoopRV, SBlockRV]"},
};

template <class F>
bool each_of(const Any& value, const F& visit) {
  size_t i = 0;
  if (auto list = value.as<ffi::List<Any>>()) {
    for (const Any& item : *list) visit(i++, item);
  } else if (auto tuple = value.as<Array<Any>>()) {
    for (const Any& item : *tuple) visit(i++, item);
  } else {
    return false;
  }
  return true;
}

bool fits(const Any& value, std::string_view expected) {
  int32_t type = value.type_index();
  bool integer = type == ffi::TypeIndex::kTVMFFIInt || type == ffi::TypeIndex::kTVMFFIBool;
  if (expected == "LoopRV") return ir::try_get<LoopRV>(value).has_value();
  if (expected == "int") return integer;
  if (expected == "float")
    return type == ffi::TypeIndex::kTVMFFIFloat || ir::try_get<FloatImm>(value).has_value();
  if (expected == "Union[SBlockRV, str]") return ir::try_get<SBlockRV>(value) || value.try_cast<String>();
  return integer || value == nullptr || ir::try_get<Expr>(value);  // a factor
}

// As TVM writes the type of a value: lists with what they hold.
std::string type_text(const Any& value) {
  bool tuple = value.as<Array<Any>>().has_value();
  std::vector<std::string> held;
  bool items = each_of(value, [&](size_t, const Any& item) {
    std::string text = type_text(item);
    if (tuple || std::find(held.begin(), held.end(), text) == held.end()) held.push_back(text);
  });
  if (!items) return ir::type_name(value);
  std::string list;
  for (const std::string& each : held) list += (list.empty() ? "" : ", ") + each;
  if (tuple) return "Tuple[" + list + "]";
  return held.size() == 1 ? "List[" + list + "]" : "List[Union[" + list + "]]";
}

}  // namespace

std::string wrong_type_words(std::string_view parameter, const Step& step) {
  auto row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& each) {
    return each.parameter == parameter && (each.primitive.empty() || each.primitive == step.primitive.name());
  });
  if (row == std::end(rows)) return "";
  const auto& params = step.call.api.params;
  auto at =
      std::find_if(params.begin(), params.end(), [&](const auto& each) { return each.name == parameter; });
  if (at == params.end()) return "";
  const Any& value = step.call.args[at - params.begin()];
  std::string name(parameter), gets = type_text(value);
  std::string_view expected = row->expected;
  if (row->listed) {
    bool found = false;
    bool list = each_of(value, [&](size_t i, const Any& item) {
      if (found || fits(item, expected)) return;
      found = true;
      name = fmt::format("{}[{}]", parameter, i);
      gets = type_text(item);
    });
    if (!list) expected = "list";
    if (list && !found) return "";
  }
  return fmt::format("In \"Schedule.{}\", \"{}\" has wrong type. Expected \"{}\", but gets: \"{}\"",
                     step.primitive.name(), name, expected, gets);
}

}  // namespace mlc::transform
