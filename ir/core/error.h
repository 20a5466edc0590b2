// SPDX-License-Identifier: Apache-2.0
// What users did wrong (Error) and what we did wrong (MLC_CHECK).
#pragma once

#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/core/span.h"

namespace mlc::ir {

// A span that helps to understand a diagnostic, with a sentence about it.
struct Note {
  std::string message;
  Span span;
};

// A call that an error has passed on its way out: "`function` was called here".
struct PassedCall {
  enum class How : uint8_t { kCalled, kResumed, kImported };  // resumed: a generator, for its next value

  std::string function;
  How how = How::kCalled;
  Span span;            // where; empty while only a builtin is known to have made the call
  std::string by;       // the builtin that made it, `sorted`, or ""
  std::string values;   // "n is 3, name is 'x'": the parameters with short values
  size_t again = 0;     // how many more calls of this function from this span enclose it
  size_t left_out = 0;  // how many calls between this one and the next are not kept
};

// The exception that another one was raised from, or while it was handled.
struct Origin {
  bool cause = false;
  std::string message;  // "KeyError: 'x'"
  Span span;
  std::vector<PassedCall> calls;
};

// A message for a user. `name` is the stable kebab-case identifier that `mlc explain` knows and that
// goldens show; `kind` is the Python class under which scripts catch it.
struct Diagnostic {
  enum class Severity : uint8_t { kError, kWarning };

  Severity severity = Severity::kError;
  std::string name;
  std::string kind = "ValueError";
  std::string message;  // lower case, no final period, code in backticks, actual values
  Span span;            // the expression to blame; may be empty until a caller fills it in
  std::vector<Note> notes;
  std::vector<PassedCall> calls;  // innermost first; those in the middle of many are left out
  std::vector<Origin> origins;    // nearest first
  std::string help;               // what would work
};

// The one exception for what users did wrong:
//   throw Error("split-not-covering", "factors multiply to {}, less than the extent {}", f, e)
//       .at(call_span).note("loop `i` is made here", loop_span).help("use [None, 32]");
// The statement that runs the failing call fills in the span when it is still empty.
class Error : public std::exception {
 public:
  // What the template passes to the one function that formats.
  struct ErasedMessage {
    std::string_view name;
    fmt::string_view format;
    fmt::format_args args;
  };
  explicit Error(const ErasedMessage& message);
  template <class... Args>
  Error(std::string_view name, fmt::format_string<Args...> format, Args&&... args)
      : Error(ErasedMessage{name, format, fmt::make_format_args(args...)}) {}
  explicit Error(Diagnostic diagnostic);
  // Several errors of one text, found in one go. At least one.
  explicit Error(std::vector<Diagnostic> all);
  // Out of line: every throw would instantiate them again.
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error() override;

  Error&& at(Span span) &&;  // keeps a span that is already there
  Error&& kind(std::string python_class) &&;
  Error&& note(std::string message, Span span = {}) &&;
  Error&& help(std::string what_would_work) &&;
  // The error leaves a call. Of many calls the innermost and the outermost are kept.
  void passed(PassedCall call);

  Diagnostic& first() { return all_.front(); }
  const Diagnostic& first() const { return all_.front(); }
  const std::vector<Diagnostic>& all() const { return all_; }
  const char* what() const noexcept override { return first().message.c_str(); }

 private:
  std::vector<Diagnostic> all_;
};

// Thrown by MLC_CHECK: a defect of mlc itself, exit code 3.
class InternalError : public std::exception {
 public:
  InternalError(const char* file, int line, std::string message);
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

[[noreturn]] void throw_internal(const char* file, int line, fmt::string_view format, fmt::format_args args);
template <class... Args>
[[noreturn]] void check_failed(const char* file, int line, fmt::format_string<Args...> format,
                               Args&&... args) {
  throw_internal(file, line, format, fmt::make_format_args(args...));
}

#define MLC_CHECK(condition, ...)                                                            \
  do {                                                                                       \
    if (!(condition)) [[unlikely]] ::mlc::ir::check_failed(__FILE__, __LINE__, __VA_ARGS__); \
  } while (false)

// The notes of a diagnostic, then its calls and origins as notes: all that a report shows below its heading.
std::vector<Note> all_notes(const Diagnostic& diagnostic);

// The candidate nearest to `word` (Damerau-Levenshtein distance at most a third of its length), or "".
std::string closest(std::string_view word, const std::vector<std::string>& candidates);
// ": did you mean `x`?" or "", to append to a message's help.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace mlc::ir
