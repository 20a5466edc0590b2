// SPDX-License-Identifier: Apache-2.0
// Methods of bytes: what reading and writing binary files takes.
#include <algorithm>

#include "frontend/script/core/machine.h"

namespace mlc::script {
namespace {

std::string self(const Arguments& args) { return bytes_of(args[0]); }
Any bytes_value(std::string_view bytes) { return ffi::Bytes(std::string(bytes)); }
std::string argument(Evaluator& evaluator, const Arguments& args, size_t i) {
  if (!is_bytes(args[i])) {
    raise("TypeError", args.span_of(i), "wrong-type", "a bytes-like object is required, not '{}'",
          type_name_of(evaluator, args[i]));
  }
  return bytes_of(args[i]);
}
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

Any hex(Evaluator&, const Arguments& args) {
  std::string text;
  for (unsigned char c : self(args)) text += fmt::format("{:02x}", c);
  return str_value(text);
}
Any fromhex(Evaluator& evaluator, const Arguments& args) {
  if (!is_str(args[0])) {
    raise("TypeError", args.span_of(0), "wrong-type", "fromhex() argument must be str, not {}",
          type_name_of(evaluator, args[0]));
  }
  std::string_view text = text_of(args[0]);
  auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = static_cast<char>(c | 32);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  std::string bytes;
  for (size_t i = 0; i < text.size();) {
    if (is_space(text[i])) {
      ++i;
      continue;
    }
    int high = digit(text[i]), low = i + 1 < text.size() ? digit(text[i + 1]) : -1;
    if (high < 0 || low < 0) {
      raise("ValueError", args.span_of(0), "not-a-number",
            "non-hexadecimal number found in fromhex() arg at position {}", high < 0 ? i : i + 1);
    }
    bytes += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return bytes_value(bytes);
}
Any decode(Evaluator&, const Arguments& args) {
  const Any* encoding = args.size() > 1 ? &args[1] : args.keyword("encoding");
  const Any* errors = args.size() > 2 ? &args[2] : args.keyword("errors");
  return text_of_bytes(self(args), word_or(encoding, "utf-8", "encoding", args.span), args.span,
                       word_or(errors, "strict", "errors", args.span));
}

Any split(Evaluator& evaluator, const Arguments& args) {
  std::string text = self(args);
  const Any* separator = args.size() > 1 ? &args[1] : args.keyword("sep");
  const Any* limit = args.size() > 2 ? &args[2] : args.keyword("maxsplit");
  int64_t most = limit == nullptr ? -1 : index_value(evaluator, *limit, args.span, "maxsplit");
  List parts;
  auto full = [&] { return most >= 0 && static_cast<int64_t>(parts.size()) == most; };
  if (separator == nullptr || is_none(*separator)) {
    size_t begin = 0;
    for (;;) {
      while (begin < text.size() && is_space(text[begin])) ++begin;
      if (begin == text.size()) return parts;
      size_t stop = full() ? text.size() : begin;
      if (full()) {
        parts.push_back(bytes_value(std::string_view(text).substr(begin, stop - begin)));
        return parts;
      }
      while (stop < text.size() && !is_space(text[stop])) ++stop;
      parts.push_back(bytes_value(std::string_view(text).substr(begin, stop - begin)));
      begin = stop;
    }
  }
  if (!is_bytes(*separator)) {
    raise("TypeError", args.span, "wrong-type", "a bytes-like object is required, not '{}'",
          type_name_of(evaluator, *separator));
  }
  std::string by = bytes_of(*separator);
  if (by.empty()) raise("ValueError", args.span, "empty-separator", "empty separator");
  for (size_t begin = 0;;) {
    size_t at = full() ? std::string::npos : text.find(by, begin);
    parts.push_back(
        bytes_value(std::string_view(text).substr(begin, at == std::string::npos ? at : at - begin)));
    if (at == std::string::npos) return parts;
    begin = at + by.size();
  }
}
Any join(Evaluator& evaluator, const Arguments& args) {
  std::string result, separator = self(args);
  if (!evaluator.state().iterable(args[1]))
    raise("TypeError", args.span_of(1), "not-iterable", "can only join an iterable");
  size_t i = 0;
  for (const Any& element : evaluator.elements_of(args[1], args.span_of(1))) {
    if (!is_bytes(element)) {
      raise("TypeError", args.span_of(1), "wrong-type",
            "sequence item {}: expected a bytes-like object, {} found", i, type_name_of(evaluator, element));
    }
    if (i++ > 0) result += separator;
    result += bytes_of(element);
  }
  return bytes_value(result);
}
Any replace(Evaluator& evaluator, const Arguments& args) {
  std::string text = self(args), from = argument(evaluator, args, 1), to = argument(evaluator, args, 2);
  int64_t most = args.size() > 3 ? index_value(evaluator, args[3], args.span_of(3), "count") : -1;
  std::string result;
  size_t at = 0;
  for (; most != 0; --most) {
    size_t found = text.find(from, at);
    if (found == std::string::npos || (from.empty() && found >= text.size())) {
      if (from.empty() && found == text.size()) result += to;
      break;
    }
    result.append(text, at, found - at);
    result += to;
    if (from.empty()) result += text[found];
    at = found + std::max<size_t>(from.size(), 1);
  }
  if (at < text.size()) result.append(text, at);
  return bytes_value(result);
}

// What find, count and the like look for: bytes, or the number of one byte.
std::string wanted(Evaluator& evaluator, const Arguments& args) {
  if (!is_integer(args[1]) && !is_bytes(args[1])) {
    raise("TypeError", args.span_of(1), "wrong-type",
          "argument should be integer or bytes-like object, not '{}'", type_name_of(evaluator, args[1]));
  }
  if (!is_integer(args[1])) return argument(evaluator, args, 1);
  int64_t byte = raw_int(args[1]);
  if (byte < 0 || byte > 255)
    raise("ValueError", args.span_of(1), "out-of-range", "byte must be in range(0, 256)");
  return std::string(1, static_cast<char>(byte));
}
// Start and end arguments; start > size: nothing is found, not even nothing.
std::pair<int64_t, int64_t> part(Evaluator& evaluator, const Arguments& args, size_t length) {
  auto size = static_cast<int64_t>(length);
  auto bound = [&](size_t i, int64_t otherwise) {
    if (args.size() <= i || is_none(args[i])) return otherwise;
    int64_t at = index_value(evaluator, args[i], args.span_of(i), "slice indices or None");
    return std::max<int64_t>(at < 0 ? at + size : at, 0);
  };
  return {bound(2, 0), std::min(bound(3, size), size)};
}
int64_t find_in(Evaluator& evaluator, const Arguments& args, bool last) {
  std::string text = self(args);
  auto [begin, end] = part(evaluator, args, text.size());
  std::string what = wanted(evaluator, args);
  if (begin > end) return -1;
  std::string_view range =
      std::string_view(text).substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  size_t at = last ? range.rfind(what) : range.find(what);
  return at == std::string_view::npos ? -1 : begin + static_cast<int64_t>(at);
}
Any find(Evaluator& e, const Arguments& args) { return find_in(e, args, false); }
Any rfind(Evaluator& e, const Arguments& args) { return find_in(e, args, true); }
Any index(Evaluator& e, const Arguments& args) {
  int64_t at = find_in(e, args, false);
  if (at < 0) raise("ValueError", args.span, "substring-not-found", "subsection not found");
  return at;
}
Any count(Evaluator& evaluator, const Arguments& args) {
  std::string text = self(args);
  auto [begin, end] = part(evaluator, args, text.size());
  std::string what = wanted(evaluator, args);
  if (begin > end) return int64_t{0};
  if (what.empty()) return end - begin + 1;
  int64_t n = 0;
  auto stop = static_cast<size_t>(end);
  for (size_t at = text.find(what, static_cast<size_t>(begin));
       at != std::string::npos && at + what.size() <= stop; at = text.find(what, at + what.size()))
    ++n;
  return n;
}
bool matches_end(Evaluator& evaluator, const Arguments& args, bool start, std::string_view method) {
  std::string text = self(args);
  auto [begin, end] = part(evaluator, args, text.size());
  bool inside = begin <= end;
  std::string_view range =
      inside ? std::string_view(text).substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin))
             : std::string_view();
  auto one = [&](const Any& affix) {
    if (!is_bytes(affix) && args[1].type_index() == kTVMFFIArray) {
      raise("TypeError", args.span_of(1), "wrong-type", "a bytes-like object is required, not '{}'",
            type_name_of(evaluator, affix));
    }
    if (!is_bytes(affix)) {
      raise("TypeError", args.span_of(1), "wrong-type",
            "{} first arg must be bytes or a tuple of bytes, not {}", method, type_name_of(evaluator, affix));
    }
    std::string bytes = bytes_of(affix);
    return inside && (start ? range.starts_with(bytes) : range.ends_with(bytes));
  };
  if (args[1].type_index() != kTVMFFIArray) return one(args[1]);
  for (const Any& affix : elements(args[1])) {
    if (one(affix)) return true;
  }
  return false;
}
Any startswith(Evaluator& e, const Arguments& args) { return matches_end(e, args, true, "startswith"); }
Any endswith(Evaluator& e, const Arguments& args) { return matches_end(e, args, false, "endswith"); }
Any stripped(Evaluator& evaluator, const Arguments& args, bool left, bool right) {
  std::string text = self(args);
  bool spaces = args.size() == 1 || is_none(args[1]);
  std::string set = spaces ? "" : argument(evaluator, args, 1);
  auto drops = [&](char c) { return spaces ? is_space(c) : set.find(c) != std::string::npos; };
  std::string_view rest = text;
  while (left && !rest.empty() && drops(rest.front())) rest.remove_prefix(1);
  while (right && !rest.empty() && drops(rest.back())) rest.remove_suffix(1);
  return bytes_value(rest);
}
Any strip(Evaluator& e, const Arguments& args) { return stripped(e, args, true, true); }
Any lstrip(Evaluator& e, const Arguments& args) { return stripped(e, args, true, false); }
Any rstrip(Evaluator& e, const Arguments& args) { return stripped(e, args, false, true); }

constexpr BuiltinRow rows[] = {
    {"hex", "()", "Two digits of base 16 per byte.", hex, 0, 0},
    {"decode", "(encoding='utf-8', errors='strict')", "The text that these bytes encode.", decode, 0, 2,
     "encoding errors"},
    {"split", "(sep=None, maxsplit=-1)", "The parts between separators.", split, 0, 2, "sep maxsplit"},
    {"join", "(iterable)", "The bytes objects, with this one between them.", join, 1, 1},
    {"replace", "(old, new, count=-1)", "With each old replaced by new.", replace, 2, 3},
    {"find", "(sub, start, end)", "The index of the first sub, or -1.", find, 1, 3},
    {"rfind", "(sub, start, end)", "The index of the last sub, or -1.", rfind, 1, 3},
    {"index", "(sub, start, end)", "As find; an error when there is none.", index, 1, 3},
    {"count", "(sub, start, end)", "How often sub occurs.", count, 1, 3},
    {"startswith", "(prefix, start, end)", "Do the bytes start so?", startswith, 1, 3},
    {"endswith", "(suffix, start, end)", "Do the bytes end so?", endswith, 1, 3},
    {"strip", "(bytes=None)", "Without white space (or bytes) at both ends.", strip, 0, 1},
    {"lstrip", "(bytes=None)", "Without white space (or bytes) at the start.", lstrip, 0, 1},
    {"rstrip", "(bytes=None)", "Without white space (or bytes) at the end.", rstrip, 0, 1},
};
constexpr BuiltinRow fromhex_row = {"fromhex", "(string)", "The bytes of these digits.", fromhex, 1, 1};

}  // namespace

std::span<const BuiltinRow> bytes_methods() { return rows; }
const BuiltinRow& bytes_fromhex() { return fromhex_row; }

}  // namespace mlc::script
