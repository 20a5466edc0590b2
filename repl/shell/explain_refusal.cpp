// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/explain_refusal.h"

#include <fmt/format.h>

#include <algorithm>

#include "repl/session/line_diff.h"

namespace mlc::repl {

namespace {

enum class Head : uint8_t {
  kNone,      // they are whole programs
  kFunction,  // the statements of a function with the parameters of kFunctionHead
  kSchedule,  // they go on behind kScheduleHead, which makes the schedule `sch`
};
// What stands before the examples of a room.
Head head_of(const RefusalRoom& room) {
  if (room.name == "mlc::ir" || room.name == "mlc::tvmscript") return Head::kFunction;
  return room.name == "mlc::transform" ? Head::kSchedule : Head::kNone;
}

constexpr std::string_view kFunctionHead =
    "@T.prim_func(s_tir=True)\n"
    "def f(A: T.Buffer((16,), \"float32\"), B: T.Buffer((16, 16), \"float32\"), n: T.int32, h: T.handle):\n";

// Of three blocks: `double` makes D of A, `product` P of D and B, `shifted` C of P.
constexpr std::string_view kScheduleHead = R"(import tvm
from tvm.script import ir as I, tirx as T


@T.prim_func(s_tir=True)
def main(
    A: T.Buffer((16, 16), "float32"),
    B: T.Buffer((16, 16), "float32"),
    C: T.Buffer((16, 16), "float32"),
):
    D = T.sblock_alloc_buffer((16, 16))
    P = T.sblock_alloc_buffer((16, 16))
    for i, j in T.grid(16, 16):
        with T.sblock("double"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = A[vi, vj] * 2.0
    for i, j, k in T.grid(16, 16, 16):
        with T.sblock("product"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                P[vi, vj] = 0.0
            P[vi, vj] = P[vi, vj] + D[vi, vk] * B[vk, vj]
    for i, j in T.grid(16, 16):
        with T.sblock("shifted"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = P[vi, vj] + 1.0


sch = tvm.s_tir.Schedule(main)
)";

std::string indented_example(std::string_view text) {
  std::string out;
  for (const std::string& line : lines_of(text)) out.append("    ").append(line).append("\n");
  return out;
}

std::string whole_program(Head head, std::string_view example) {
  auto begins = [&](std::string_view word) { return example.starts_with(word); };
  if (example.empty()) return "";
  if (head == Head::kSchedule) return fmt::format("{}{}\n", kScheduleHead, example);
  bool defines = begins("@") || (head == Head::kFunction && begins("def"));
  if (begins("import") || begins("from") || (head == Head::kNone && !defines))
    return fmt::format("{}\n", example);
  constexpr std::string_view kImports = "from tvm.script import ir as I, tirx as T\n\n";
  if (defines) return fmt::format("{}{}\n", kImports, example);
  return fmt::format("{}{}{}", kImports, kFunctionHead, indented_example(example));
}

}  // namespace

const std::vector<const ir::Refusal*>& all_refusals() {
  static const std::vector<const ir::Refusal*> all = [] {
    std::vector<const ir::Refusal*> rows;
    for (const RefusalRoom& room : all_refusal_rooms()) {
      for (const ir::RefusalList* list : room.lists()) {
        for (const ir::Refusal& row : list->rows) rows.push_back(&row);
      }
    }
    std::ranges::stable_sort(rows, {}, [](const ir::Refusal* row) {
      return std::pair(row->name, -static_cast<ptrdiff_t>(row->meaning.size()));
    });
    auto again = std::ranges::unique(rows, {}, &ir::Refusal::name);
    rows.erase(again.begin(), again.end());
    return rows;
  }();
  return all;
}

const ir::Refusal* find_refusal(std::string_view name) {
  auto found = std::ranges::lower_bound(all_refusals(), name, {}, &ir::Refusal::name);
  return found != all_refusals().end() && (*found)->name == name ? *found : nullptr;
}

std::string explain(const ir::Refusal& rule) {
  std::string message;  // with dots for what the program fills in
  for (size_t at = 0; at < rule.message.size(); ++at) {
    if (rule.message[at] == '{') {
      at = std::min(rule.message.find('}', at), rule.message.size());
      message += "…";
    } else {
      message += rule.message[at];
    }
  }
  std::string text = fmt::format("error {}\n", rule.name);
  if (!message.empty()) text += fmt::format("\n  {}\n", message);
  if (!rule.meaning.empty()) text += fmt::format("\n  {}\n", rule.meaning);
  if (!rule.help.empty()) text += fmt::format("\nhelp: {}\n", rule.help);
  if (rule.wrong.empty()) return text;
  text += "\nwrong:\n" + indented_example(rule.wrong);
  if (!rule.right.empty()) text += "\nright:\n" + indented_example(rule.right);
  if (rule.wrong.find("sch.") != std::string_view::npos || rule.right.find("sch.") != std::string_view::npos)
    text += "\n`sch` is a schedule of this:\n" + indented_example(kScheduleHead);
  return text;
}

std::vector<RefusalExample> refusal_examples() {
  std::vector<RefusalExample> all;
  for (const RefusalRoom& room : all_refusal_rooms()) {
    for (const ir::RefusalList* list : room.lists()) {
      for (const ir::Refusal& row : list->rows) {
        if (row.wrong.empty()) continue;
        all.push_back(
            {&row, whole_program(head_of(room), row.wrong), whole_program(head_of(room), row.right)});
      }
    }
  }
  return all;
}

}  // namespace mlc::repl
