// SPDX-License-Identifier: Apache-2.0
// Instructions of PTX. A row is the whole definition of one form: its operator, how it is spelled, and which modifiers
// and operands it takes, as frontend/tvmscript/device reads them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace mlc::ir {

// One form of an instruction. Columns, each a list separated by spaces:
//   slots     `name=a|b` one of the modifiers a and b; `name?=a|b` or none of them
//   operands  `name:role...`: r read, w written, u both; `=types` (a/b, table(slots), or @slot: the
//   modifier); `~` lanes may be
//             discarded; a address (`=space`, `+`: may have a byte offset), p pointer, i immediate (`{0|1}`);
//             `*n` registers (a number or table(slots)). The type `pred` is a predicate register.
//             A number may be counted out: `#` is the number that the modifier of the last slot has in it, `n` the
//             one behind its letter n; `2#` is twice as many, `#/4` a quarter, but at least one.
//   rules     `s=a|b>t=c|-`: with a or b in slot s, slot t holds c or nothing; `&` joins conditions;
//             `s!a`: a is never in slot s
// In the tables of ptx/, a row with `[a;b]` in its columns defines two forms, the first with each a, the second with
// each b; `$name` is one of the lists that rows share.
struct PtxRow {
  std::string_view name;    // the operator is tirx.ptx.<name>
  std::string_view family;  // as spelled: T.ptx.<family>
  std::string_view slots;
  std::string_view operands = {};
  std::string_view rules = {};
};
// A value that depends on modifiers: the first of `values`, which are `a|b,*=value` (the first modifier is a or b, the
// second any), that fits; otherwise `otherwise`. The value `&name` is that of another table for the last modifier.
struct PtxTable {
  std::string_view name;
  std::string_view otherwise;
  std::string_view values;
};
struct PtxWord {
  std::string_view name;
  std::string_view text;
};

// The rows by chapter of the PTX ISA, one file each in ptx/.
std::span<const PtxRow> ptx_arithmetic_rows();
std::span<const PtxRow> ptx_logic_rows();
std::span<const PtxRow> ptx_conversion_rows();
std::span<const PtxRow> ptx_memory_rows();
std::span<const PtxRow> ptx_synchronisation_rows();
std::span<const PtxRow> ptx_mbarrier_rows();
std::span<const PtxRow> ptx_async_copy_rows();
std::span<const PtxRow> ptx_matrix_rows();
std::span<const PtxRow> ptx_tcgen05_rows();
std::span<const PtxTable> ptx_tables();
std::span<const PtxWord> ptx_words();
// All forms, each as a row of its own.
const std::vector<PtxRow>& ptx_rows();

}  // namespace mlc::ir
