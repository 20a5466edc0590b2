// SPDX-License-Identifier: Apache-2.0
// Methods of str, save those about the case and class of letters (str_case.cpp).
#include <algorithm>

#include "frontend/script/core/machine.h"
#include "frontend/script/types/letters.h"
#include "frontend/script/types/text_points.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "empty-separator",
                                            .message = "empty separator",
                                            .meaning = "Text cannot be cut at an empty text.",
                                            .wrong = R"("abc".split(""))",
                                            .right = R"(list("abc"))"},
                                           {.name = "substring-not-found",
                                            .message = "substring not found",
                                            .meaning = "The text does not occur. `find` gives -1 instead.",
                                            .wrong = R"("abc".index("x"))",
                                            .right = R"("abc".find("x"))"},
                                       }};
MLC_REFUSALS(types_str_methods, refusals);

namespace {

std::string_view self(const Arguments& args) { return text_of(args[0]); }

std::string_view text_argument(Evaluator& evaluator, const Arguments& args, size_t i,
                               std::string_view method) {
  if (!is_str(args[i])) {
    raise("TypeError", args.span_of(i), "wrong-type", "{}() argument {} must be str, not {}", method, i,
          type_name_of(evaluator, args[i]));
  }
  return text_of(args[i]);
}

// The characters of a text by their starts, from both ends.
uint32_t first_point(std::string_view text) { return take_point(text); }
size_t last_size(std::string_view text) {
  size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[text.size() - size]) & 0xC0) == 0x80) ++size;
  return size;
}
size_t first_size(std::string_view text) { return advanced(text, 0, 1); }

// strip, lstrip, rstrip
std::string_view stripped(Evaluator& evaluator, const Arguments& args, bool left, bool right,
                          std::string_view method) {
  std::string_view text = self(args);
  std::string_view set;
  bool spaces = args.size() == 1 || is_none(args[1]);
  if (!spaces) {
    if (!is_str(args[1]))
      raise("TypeError", args.span_of(1), "wrong-type", "{} arg must be None or str", method);
    set = text_of(args[1]);
  }
  auto drops = [&](std::string_view c) {
    return spaces ? is_space(first_point(c)) : set.find(c) != std::string_view::npos;
  };
  while (left && !text.empty() && drops(text.substr(0, first_size(text))))
    text.remove_prefix(first_size(text));
  while (right && !text.empty() && drops(text.substr(text.size() - last_size(text))))
    text.remove_suffix(last_size(text));
  return text;
}
Any strip(Evaluator& e, const Arguments& args) { return str_value(stripped(e, args, true, true, "strip")); }
Any lstrip(Evaluator& e, const Arguments& args) {
  return str_value(stripped(e, args, true, false, "lstrip"));
}
Any rstrip(Evaluator& e, const Arguments& args) {
  return str_value(stripped(e, args, false, true, "rstrip"));
}

Any split_text(Evaluator& evaluator, const Arguments& args, bool from_right) {
  std::string_view text = self(args);
  const Any* separator = args.size() > 1 ? &args[1] : args.keyword("sep");
  const Any* limit = args.size() > 2 ? &args[2] : args.keyword("maxsplit");
  int64_t most = limit == nullptr ? -1 : index_value(evaluator, *limit, args.span, "maxsplit");
  if (!from_right && most < 0 && separator != nullptr && is_str(*separator) && !text_of(*separator).empty()) {
    std::string_view by = text_of(*separator);
    List result;
    for (;;) {
      size_t at = by.size() == 1 ? text.find(by[0]) : text.find(by);
      result.emplace_back(str_value(text.substr(0, at)));
      if (at == std::string_view::npos) return result;
      text.remove_prefix(at + by.size());
    }
  }
  // Parts are taken from the side where the search begins.
  std::vector<std::string_view> parts;
  auto full = [&] { return most >= 0 && static_cast<int64_t>(parts.size()) == most; };
  if (separator == nullptr || is_none(*separator)) {
    auto space_next = [&](std::string_view t) {
      return !t.empty() && is_space(first_point(from_right ? t.substr(t.size() - last_size(t)) : t));
    };
    auto drop = [&](std::string_view& t) {
      from_right ? t.remove_suffix(last_size(t)) : t.remove_prefix(first_size(t));
    };
    for (;;) {
      while (space_next(text)) drop(text);
      if (text.empty()) break;
      std::string_view rest = text;
      while (!rest.empty() && (full() || !space_next(rest))) drop(rest);
      parts.push_back(from_right ? text.substr(rest.size()) : text.substr(0, text.size() - rest.size()));
      text = rest;
    }
  } else {
    if (!is_str(*separator)) {
      raise("TypeError", args.span, "wrong-type", "must be str or None, not {}",
            type_name_of(evaluator, *separator));
    }
    std::string_view by = text_of(*separator);
    if (by.empty()) raise(refusals["empty-separator"], args.span);
    for (;;) {
      size_t at = full() ? std::string_view::npos : from_right ? text.rfind(by) : text.find(by);
      if (at == std::string_view::npos) break;
      size_t behind = at + by.size();
      parts.push_back(from_right ? text.substr(behind) : text.substr(0, at));
      text = from_right ? text.substr(0, at) : text.substr(behind);
    }
    parts.push_back(text);
  }
  if (from_right) std::reverse(parts.begin(), parts.end());
  List result;
  result.reserve(static_cast<int64_t>(parts.size()));
  for (std::string_view part : parts) result.emplace_back(str_value(part));
  return result;
}
Any split(Evaluator& evaluator, const Arguments& args) { return split_text(evaluator, args, false); }
Any rsplit(Evaluator& evaluator, const Arguments& args) { return split_text(evaluator, args, true); }
Any splitlines(Evaluator& evaluator, const Arguments& args) {
  std::string_view text = self(args);
  const Any* keep = args.size() > 1 ? &args[1] : args.keyword("keepends");
  bool keeps = keep != nullptr && evaluator.truth(*keep, args.span);
  List result;
  while (!text.empty()) {
    size_t end = std::min(text.find_first_of("\r\n"), text.size());
    size_t next = std::min(text.size(), end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
    result.push_back(str_value(text.substr(0, keeps ? next : end)));
    text.remove_prefix(next);
  }
  return result;
}

Any join(Evaluator& evaluator, const Arguments& args) {
  std::string result;
  std::string separator(self(args));
  bool first = true;
  size_t i = 0;
  if (!evaluator.state().iterable(args[1]))
    raise("TypeError", args.span_of(1), "not-iterable", "can only join an iterable");
  for (const Any& element : evaluator.elements_of(args[1], args.span_of(1))) {
    const Any& value = builtin_value_of(element);
    if (!is_str(value)) {
      raise("TypeError", args.span_of(1), "wrong-type", "sequence item {}: expected str instance, {} found",
            i, type_name_of(evaluator, value));
    }
    if (!first) result += separator;
    first = false;
    result += text_of(value);
    ++i;
  }
  return str_value(result);
}

Any replace(Evaluator& evaluator, const Arguments& args) {
  std::string_view text = self(args);
  std::string_view from = text_argument(evaluator, args, 1, "replace");
  std::string_view to = text_argument(evaluator, args, 2, "replace");
  int64_t most = args.size() > 3 ? index_value(evaluator, args[3], args.span_of(3), "count") : -1;
  std::string result;
  size_t at = 0;
  while (most != 0) {
    size_t found = text.find(from, at);
    if (found == std::string_view::npos) break;
    if (from.empty()) {
      result += to;
      if (found >= text.size()) {
        at = text.size();
        break;
      }
      size_t size = first_size(text.substr(found));
      result += text.substr(found, size);
      at = found + size;
    } else {
      result += text.substr(at, found - at);
      result += to;
      at = found + from.size();
    }
    --most;
  }
  result += text.substr(at);
  return str_value(result);
}

// The part of the text between optional start and end arguments; `offset`: code points before it.
std::string_view part(Evaluator& evaluator, const Arguments& args, int64_t& offset) {
  std::string_view text = self(args);
  if (args.size() <= 2) return text;
  int64_t size = text_length(args[0]);
  auto bound = [&](size_t i, int64_t otherwise) {
    if (args.size() <= i || is_none(args[i])) return otherwise;
    int64_t at = index_value(evaluator, args[i], args.span_of(i), "slice indices or None");
    return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  };
  int64_t begin = bound(2, 0), end = bound(3, size);
  if (args.size() > 2 && is_int(args[2]) && raw_int(args[2]) > size) return std::string_view();
  offset = begin;
  if (end < begin) return std::string_view();
  return text_slice(args[0], begin, end - begin);
}
int64_t find_in(Evaluator& evaluator, const Arguments& args, bool last, std::string_view method) {
  int64_t offset = 0;
  std::string_view text = part(evaluator, args, offset);
  std::string_view wanted = text_argument(evaluator, args, 1, method);
  if (text.data() == nullptr) return -1;
  size_t at = last ? text.rfind(wanted) : text.find(wanted);
  if (at == std::string_view::npos) return -1;
  return offset + static_cast<int64_t>(utf8_length(text.substr(0, at)));
}
template <bool last>
Any find(Evaluator& e, const Arguments& args) {
  return find_in(e, args, last, last ? "rfind" : "find");
}
template <bool last>
Any index(Evaluator& e, const Arguments& args) {
  int64_t at = find_in(e, args, last, last ? "rindex" : "index");
  if (at < 0) raise(refusals["substring-not-found"], args.span);
  return at;
}
Any count(Evaluator& evaluator, const Arguments& args) {
  int64_t offset = 0;
  std::string_view text = part(evaluator, args, offset);
  std::string_view wanted = text_argument(evaluator, args, 1, "count");
  if (text.data() == nullptr) return int64_t{0};
  if (wanted.empty()) return static_cast<int64_t>(utf8_length(text)) + 1;
  int64_t n = 0;
  for (size_t at = text.find(wanted); at != std::string_view::npos;
       at = text.find(wanted, at + wanted.size()))
    ++n;
  return n;
}

bool matches_end(Evaluator& evaluator, const Arguments& args, bool start, std::string_view method) {
  int64_t offset = 0;
  std::string_view text = part(evaluator, args, offset);
  auto one = [&](const Any& affix) {
    if (!is_str(affix) && args[1].type_index() == kTVMFFIArray) {
      raise("TypeError", args.span_of(1), "wrong-type", "tuple for {} must only contain str, not {}", method,
            type_name_of(evaluator, affix));
    }
    if (!is_str(affix)) {
      raise("TypeError", args.span_of(1), "wrong-type", "{} first arg must be str or a tuple of str, not {}",
            method, type_name_of(evaluator, affix));
    }
    if (text.data() == nullptr) return false;
    return start ? text.starts_with(text_of(affix)) : text.ends_with(text_of(affix));
  };
  if (args[1].type_index() != kTVMFFIArray) return one(args[1]);
  for (const Any& affix : elements(args[1])) {
    if (one(affix)) return true;
  }
  return false;
}
Any startswith(Evaluator& e, const Arguments& args) { return matches_end(e, args, true, "startswith"); }
Any endswith(Evaluator& e, const Arguments& args) { return matches_end(e, args, false, "endswith"); }
Any removeprefix(Evaluator& e, const Arguments& args) {
  std::string_view text = self(args), affix = text_argument(e, args, 1, "removeprefix");
  return str_value(text.starts_with(affix) ? text.substr(affix.size()) : text);
}
Any removesuffix(Evaluator& e, const Arguments& args) {
  std::string_view text = self(args), affix = text_argument(e, args, 1, "removesuffix");
  return str_value(text.ends_with(affix) ? text.substr(0, text.size() - affix.size()) : text);
}
Any cut(Evaluator& evaluator, const Arguments& args, bool last) {
  std::string_view text = self(args), by = text_argument(evaluator, args, 1, "partition");
  if (by.empty()) raise(refusals["empty-separator"], args.span_of(1));
  size_t at = last ? text.rfind(by) : text.find(by);
  if (at == std::string_view::npos) {
    return last ? Tuple{str_value(""), str_value(""), args[0]} : Tuple{args[0], str_value(""), str_value("")};
  }
  return Tuple{str_value(text.substr(0, at)), args[1], str_value(text.substr(at + by.size()))};
}
Any partition(Evaluator& e, const Arguments& args) { return cut(e, args, false); }
Any rpartition(Evaluator& e, const Arguments& args) { return cut(e, args, true); }

Any aligned(Evaluator& evaluator, const Arguments& args, char align) {
  int64_t width = index_value(evaluator, args[1], args.span_of(1), "width");
  std::string_view text = self(args);
  std::string fill = args.size() > 2 ? std::string(text_argument(evaluator, args, 2, "fill")) : " ";
  if (utf8_length(fill) != 1) {
    raise("TypeError", args.span_of(2), "wrong-type",
          "The fill character must be exactly one character long");
  }
  int64_t missing = width - static_cast<int64_t>(utf8_length(text));
  if (missing <= 0) return args[0];
  if (missing > 100'000'000)
    raise("MemoryError", args.span, "too-large", "a text of {} characters is too large", width);
  int64_t left = align == '<' ? 0 : align == '>' ? missing : missing / 2 + (missing & width & 1);
  std::string result;
  for (int64_t i = 0; i < left; ++i) result += fill;
  result += text;
  for (int64_t i = left; i < missing; ++i) result += fill;
  return str_value(result);
}
Any ljust(Evaluator& e, const Arguments& args) { return aligned(e, args, '<'); }
Any rjust(Evaluator& e, const Arguments& args) { return aligned(e, args, '>'); }
Any center(Evaluator& e, const Arguments& args) { return aligned(e, args, '^'); }
Any zfill(Evaluator& evaluator, const Arguments& args) {
  int64_t width = index_value(evaluator, args[1], args.span_of(1), "width");
  std::string text(self(args));
  int64_t missing = width - static_cast<int64_t>(utf8_length(text));
  if (missing <= 0) return args[0];
  size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  text.insert(at, static_cast<size_t>(missing), '0');
  return str_value(text);
}
Any format(Evaluator& evaluator, const Arguments& args) {
  return str_value(format_method(evaluator, self(args), args));
}
Any encode(Evaluator&, const Arguments& args) {
  const Any* encoding = args.size() > 1 ? &args[1] : args.keyword("encoding");
  const Any* errors = args.size() > 2 ? &args[2] : args.keyword("errors");
  return bytes_of_text(self(args), word_or(encoding, "utf-8", "encoding", args.span),
                       word_or(errors, "strict", "errors", args.span), args.span);
}

constexpr BuiltinRow str_methods_table[] = {
    {"strip", "(chars=None)", "Without white space (or chars) at both ends.", strip, 0, 1},
    {"lstrip", "(chars=None)", "Without white space (or chars) at the start.", lstrip, 0, 1},
    {"rstrip", "(chars=None)", "Without white space (or chars) at the end.", rstrip, 0, 1},
    {"split", "(sep=None, maxsplit=-1)", "The parts between separators.", split, 0, 2, "sep maxsplit"},
    {"rsplit", "(sep=None, maxsplit=-1)", "As split, from the right.", rsplit, 0, 2, "sep maxsplit"},
    {"splitlines", "(keepends=False)", "The lines.", splitlines, 0, 1, "keepends"},
    {"join", "(iterable)", "The texts, with this one between them.", join, 1, 1},
    {"replace", "(old, new, count=-1)", "With each old replaced by new.", replace, 2, 3},
    {"find", "(sub, start, end)", "The index of the first sub, or -1.", find<false>, 1, 3},
    {"rfind", "(sub, start, end)", "The index of the last sub, or -1.", find<true>, 1, 3},
    {"index", "(sub, start, end)", "As find; an error when there is none.", index<false>, 1, 3},
    {"rindex", "(sub, start, end)", "As rfind; an error when there is none.", index<true>, 1, 3},
    {"count", "(sub, start, end)", "How often sub occurs.", count, 1, 3},
    {"startswith", "(prefix, start, end)", "Does the text start so?", startswith, 1, 3},
    {"endswith", "(suffix, start, end)", "Does the text end so?", endswith, 1, 3},
    {"removeprefix", "(prefix)", "Without that prefix.", removeprefix, 1, 1},
    {"removesuffix", "(suffix)", "Without that suffix.", removesuffix, 1, 1},
    {"partition", "(sep)", "What is before, the first sep, what is after.", partition, 1, 1},
    {"rpartition", "(sep)", "What is before, the last sep, what is after.", rpartition, 1, 1},
    {"ljust", "(width, fillchar=' ')", "Filled at the right.", ljust, 1, 2},
    {"rjust", "(width, fillchar=' ')", "Filled at the left.", rjust, 1, 2},
    {"center", "(width, fillchar=' ')", "Filled at both sides.", center, 1, 2},
    {"zfill", "(width)", "Filled with zeros behind the sign.", zfill, 1, 1},
    {"format", "(*args, **kwargs)", "With the fields in braces replaced.", format, 0, 127, "*"},
    {"encode", "(encoding='utf-8', errors='strict')", "As bytes.", encode, 0, 2, "encoding errors"},
};

}  // namespace

std::span<const BuiltinRow> str_methods() { return str_methods_table; }

}  // namespace mlc::script
