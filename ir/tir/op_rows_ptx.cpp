// SPDX-License-Identifier: Apache-2.0
// Instructions of PTX as operators, one for each form: `tirx.ptx.ld_vec`, spelled T.ptx.ld. The rows of ptx/ are the
// list; what they do to memory is not looked at.
#include <algorithm>
#include <deque>

#include "ir/tir/op.h"
#include "ir/tir/ptx.h"

namespace mlc::ir {

const std::vector<const PtxRow*>& ptx_rows() {
  static const std::vector<const PtxRow*> all = [] {
    std::vector<const PtxRow*> made;
    for (std::span<const PtxRow> part :
         {ptx_arithmetic_rows(), ptx_logic_rows(), ptx_conversion_rows(), ptx_memory_rows(), ptx_synchronisation_rows(), ptx_mbarrier_rows(), ptx_async_copy_rows(), ptx_matrix_rows(), ptx_tcgen05_rows()}) {
      for (const PtxRow& row : part) made.push_back(&row);
    }
    return made;
  }();
  return all;
}

std::span<const OpRow> ptx_op_rows() {
  static const std::vector<OpRow> rows = [] {
    static std::deque<std::string> texts;  // what the rows' names are views of
    std::vector<OpRow> made = {{"tirx.ptx.addr", "ptx.addr", -1, Effect::kPure}};
    for (const PtxRow* row : ptx_rows()) {
      // Keywords of the language are written with an underscore.
      bool keyword = row->family == "and" || row->family == "or" || row->family == "not";
      const std::string& name = texts.emplace_back("tirx.ptx." + std::string(row->name));
      const std::string& spelling = texts.emplace_back("ptx." + std::string(row->family) + (keyword ? "_" : ""));
      made.push_back({name, spelling, -1, Effect::kOpaque});
    }
    std::sort(made.begin(), made.end(), [](const OpRow& a, const OpRow& b) { return a.name < b.name; });
    return made;
  }();
  return rows;
}

}  // namespace mlc::ir
