// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error.h"

#include <algorithm>
#include <utility>

namespace mlc::ir {

Error::Error(Diagnostic diagnostic) { all_.push_back(std::move(diagnostic)); }
Error::Error(std::vector<Diagnostic> all) : all_(std::move(all)) {}
Error::Error(const ErasedMessage& message) : Error(Diagnostic{}) {
  first().name = message.name;
  first().message = fmt::vformat(message.format, message.args);
}
Error::Error(const Error&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(const Error&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

Error&& Error::at(Span span) && {
  if (!first().span) first().span = span;
  return std::move(*this);
}
Error&& Error::kind(std::string python_class) && {
  first().kind = std::move(python_class);
  return std::move(*this);
}
Error&& Error::note(std::string message, Span span) && {
  first().notes.push_back({std::move(message), span});
  return std::move(*this);
}
Error&& Error::help(std::string what_would_work) && {
  if (!what_would_work.empty()) first().help = std::move(what_would_work);  // else that of its row stays
  return std::move(*this);
}

namespace {

// Of the calls around an error, so many are kept for tracebacks, and so many are shown in reports:
// one half of the innermost ones, the other of the outermost.
constexpr size_t kKept = 64;
constexpr size_t kShown = 8;

}  // namespace

void Error::passed(PassedCall call) {
  constexpr size_t kInnermost = kKept / 2;
  std::vector<PassedCall>& calls = first().calls;
  if (!calls.empty()) {
    PassedCall& last = calls.back();
    if (last.span && last.span == call.span && last.function == call.function && last.left_out == 0) {
      last.again += 1;
      return;
    }
  }
  calls.push_back(std::move(call));
  if (calls.size() <= kKept) return;
  calls[kInnermost - 1].left_out += 1 + calls[kInnermost].again + calls[kInnermost].left_out;
  calls.erase(calls.begin() + kInnermost);
}

namespace {

std::string describe(const PassedCall& call) {
  if (call.how == PassedCall::How::kImported) return fmt::format("while `{}` was imported", call.function);
  std::string text = fmt::format("`{}` was {}{} here", call.function,
                                 call.how == PassedCall::How::kResumed ? "asked for a value" : "called",
                                 call.by.empty() ? "" : fmt::format(" by `{}`", call.by));
  if (call.again > 0) text += fmt::format(", and {} more times around that", call.again);
  if (!call.values.empty()) text += fmt::format(": {}", call.values);
  return text;
}

void add_calls(const std::vector<PassedCall>& calls, std::vector<Note>& notes) {
  size_t hidden = 0;
  auto say_hidden = [&](size_t count) {
    if (count > 0) notes.push_back({fmt::format("... {} more calls between", count), {}});
  };
  for (size_t i = 0; i < calls.size(); ++i) {
    const PassedCall& call = calls[i];
    if (calls.size() > kShown && i >= kShown / 2 && i + kShown / 2 < calls.size()) {
      hidden += 1 + call.again + call.left_out;
      continue;
    }
    say_hidden(std::exchange(hidden, 0));
    if (call.span) notes.push_back({describe(call), call.span});
    say_hidden(call.left_out);
  }
}

}  // namespace

std::vector<Note> all_notes(const Diagnostic& diagnostic) {
  std::vector<Note> notes = diagnostic.notes;
  add_calls(diagnostic.calls, notes);
  for (const Origin& origin : diagnostic.origins) {
    notes.push_back(
        {fmt::format("{} {}", origin.cause ? "caused by" : "while handling", origin.message), origin.span});
    add_calls(origin.calls, notes);
  }
  return notes;
}

void throw_internal(const char* file, int line, fmt::string_view format, fmt::format_args args) {
  throw InternalError(file, line, fmt::vformat(format, args));
}

InternalError::InternalError(const char* file, int line, std::string message) {
  std::string_view path = file;
  size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path = path.substr(slash + 1);
  message_ = fmt::format("{} ({}:{})", message, path, line);
}

namespace {

// Optimal string alignment distance, two rows back for transpositions.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string closest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() < 2) return "";  // every other letter would be as near
  size_t best = std::max<size_t>(1, word.size() / 3) + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > word.size() + best || word.size() > candidate.size() + best) continue;
    size_t d = distance(word, candidate);
    if (d < best) {
      best = d;
      found = candidate;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  std::string found = closest(word, candidates);
  return found.empty() ? "" : "did you mean `" + found + "`?";
}

}  // namespace mlc::ir
