// SPDX-License-Identifier: Apache-2.0
// Instructions of PTX as operators, one for each form: `tirx.ptx.ld_vec`, spelled T.ptx.ld. The rows of ptx/ are the
// list; what they do to memory is not looked at.
#include <algorithm>
#include <deque>

#include "ir/tir/op.h"
#include "ir/tir/ptx.h"

namespace mlc::ir {

namespace {

// The column of the n-th form of a row, with its `$` names expanded.
std::string column(std::string_view text, size_t n) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') {
      size_t begin = i + 1, end = text.find(']', i);
      i = end;
      for (size_t skip = n; skip > 0; --skip) begin = text.find(';', begin) + 1;
      out += column(text.substr(begin, std::min(end, text.find(';', begin)) - begin), n);
    } else if (text[i] == '$') {
      size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", i + 1);
      std::string_view name = text.substr(i + 1, end - i - 1);
      for (const PtxWord& word : ptx_words()) {
        if (word.name == name) out += word.text;
      }
      i = std::min(end, text.size()) - 1;
    } else {
      out += text[i];
    }
  }
  return out;
}

// The forms of a row: as many as its name has alternatives.
size_t count_forms(std::string_view name) {
  return 1 + static_cast<size_t>(std::count(name.begin(), name.end(), ';'));
}

}  // namespace

const std::vector<PtxRow>& ptx_rows() {
  static const std::vector<PtxRow> all = [] {
    static std::deque<std::string> texts;  // what the columns are views of
    std::vector<PtxRow> made;
    for (std::span<const PtxRow> part :
         {ptx_arithmetic_rows(), ptx_logic_rows(), ptx_conversion_rows(), ptx_memory_rows(), ptx_synchronisation_rows(),
          ptx_mbarrier_rows(), ptx_async_copy_rows(), ptx_matrix_rows(), ptx_tcgen05_rows()}) {
      for (const PtxRow& row : part) {
        for (size_t n = 0; n < count_forms(row.name); ++n) {
          auto text = [&](std::string_view of) -> std::string_view { return texts.emplace_back(column(of, n)); };
          made.push_back({text(row.name), row.family, text(row.slots), text(row.operands), text(row.rules)});
        }
      }
    }
    // The first form of a family that takes the operands is meant; their names decide which is first.
    std::sort(made.begin(), made.end(), [](const PtxRow& a, const PtxRow& b) { return a.name < b.name; });
    return made;
  }();
  return all;
}

std::span<const OpRow> ptx_op_rows() {
  static const std::vector<OpRow> rows = [] {
    static std::deque<std::string> texts;  // what the rows' names are views of
    std::vector<OpRow> made = {{"tirx.ptx.addr", "ptx.addr", -1, Effect::kPure}};
    for (const PtxRow& row : ptx_rows()) {
      // Keywords of the language are written with an underscore.
      bool keyword = row.family == "and" || row.family == "or" || row.family == "not";
      const std::string& name = texts.emplace_back("tirx.ptx." + std::string(row.name));
      const std::string& spelling = texts.emplace_back("ptx." + std::string(row.family) + (keyword ? "_" : ""));
      made.push_back({name, spelling, -1, Effect::kOpaque});
    }
    return made;
  }();
  return rows;
}

}  // namespace mlc::ir
