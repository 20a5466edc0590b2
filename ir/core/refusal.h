// SPDX-License-Identifier: Apache-2.0
// What is refused, as rows at the top of the file that refuses it:
//
//   static constexpr ir::Refusals refusals{kScheduleError, {
//       {.name = "split-not-covering",
//        .message = "factors multiply to {}, less than the extent {} of loop `{}`",
//        .help = "leave one factor to be inferred: `None`"},
//   }};
//   MLC_REFUSALS(primitive_split, refusals);  // FOLDER_FILE
//   ...
//   throw refuse(refusals["split-not-covering"], have, need, name).at(span);
//
// The name must be a row's and the arguments must fit its message, or the file does not compile. The build
// collects the rows of each file for `mlc explain` (cmake/registry.cmake).
#pragma once

#include <functional>
#include <span>

#include "ir/core/error.h"

namespace mlc::ir {

struct Refusal {
  std::string_view name;          // stable, kebab-case: what `mlc explain` knows and goldens show
  const char* kind = nullptr;     // the Python class of the error, where it is not the table's
  // Format; lower case, no final period, code in backticks, actual values. Empty where each statement that
  // refuses has a message of its own (refuse_as).
  std::string_view message = {};
  std::string_view help = {};     // what would work, where the statement that refuses has no help of its own
  std::string_view meaning = {};  // the reason of the rule, for `mlc explain`
  // Statements that are refused, and their like that are not, behind the head of their room
  // (repl/shell/explain_refusal.cpp); a test runs both.
  std::string_view wrong = {}, right = {};
};

// A row, and the Python class under which scripts catch its errors.
struct RefusalRow {
  const Refusal* refusal;
  const char* kind;

  constexpr std::string_view name() const { return refusal->name; }
  constexpr RefusalRow as(const char* other) const { return {refusal, other}; }
};

template <size_t N>
struct Refusals {
  const char* kind;
  Refusal rows[N];

  // NOLINTNEXTLINE(modernize-avoid-c-arrays): deduces N from the rows
  consteval Refusals(const char* kind, const Refusal (&given)[N]) : kind(kind) {
    for (size_t i = 0; i < N; ++i) rows[i] = given[i];
  }
  consteval RefusalRow operator[](std::string_view name) const {
    for (const Refusal& each : rows) {
      if (each.name == name) return {&each, each.kind == nullptr ? kind : each.kind};
    }
    throw "the table has no row of that name";  // ends the compilation
  }
};

// A row whose message takes arguments of these types.
template <class... Args>
struct CheckedRow {
  RefusalRow row;
  consteval CheckedRow(RefusalRow row) : row(row) {  // NOLINT(google-explicit-constructor)
    if (row.refusal->message.empty()) throw "the row has no message; use refuse_as";  // ends the compilation
    fmt::format_string<Args...> checked(row.refusal->message);
    static_cast<void>(checked);
  }
};

Error make_refusal(const RefusalRow& row, fmt::string_view message, fmt::format_args args);

template <class... Args>
Error refuse(std::type_identity_t<CheckedRow<const Args&...>> checked, const Args&... args) {
  return make_refusal(checked.row, checked.row.refusal->message, fmt::make_format_args(args...));
}
// The same rule, with a message for the case.
template <class... Args>
Error refuse_as(RefusalRow row, fmt::format_string<const Args&...> message, const Args&... args) {
  return make_refusal(row, message, fmt::make_format_args(args...));
}

// All rows of one file.
struct RefusalList {
  const char* kind;
  std::span<const Refusal> rows;

  template <size_t N>
  constexpr RefusalList(const Refusals<N>& table) : kind(table.kind), rows(table.rows) {}  // NOLINT
};

// Names the rows of the file FOLDER/FILE.cpp so that the build finds them.
#define MLC_REFUSALS(folder_file, table)                      \
  extern const ::mlc::ir::RefusalList refusals_##folder_file; \
  const ::mlc::ir::RefusalList refusals_##folder_file = table

// An error whose report shows more than its message: what takes time to find out (lines of a module, an
// example) is found when the report is shown, not where a search tries the next step.
class RefusedError final : public Error {
 public:
  using Complete = std::function<void(Diagnostic&)>;
  RefusedError(Error error, std::shared_ptr<Complete> complete)
      : Error(std::move(error)), complete_(std::move(complete)) {}
  const std::shared_ptr<Complete>& pending() const { return complete_; }
  // Once, before the report is shown.
  void complete();

 private:
  std::shared_ptr<Complete> complete_;
};

}  // namespace mlc::ir
