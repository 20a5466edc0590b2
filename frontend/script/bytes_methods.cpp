// SPDX-License-Identifier: Apache-2.0
// Methods of bytes.
#include <algorithm>

#include "frontend/script/machine.h"

namespace mlc::script {
namespace {

bool is_bytes(const Any& value) {
  return value.type_index() == kTVMFFIBytes || value.type_index() == kTVMFFISmallBytes;
}
std::string bytes_of(const Any& value) {
  auto bytes = value.cast<ffi::Bytes>();
  return std::string(bytes.data(), bytes.size());
}
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
  for (char c : self(args)) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
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
Any decode(Evaluator& evaluator, const Arguments& args) {
  const Any* encoding = args.size() > 1 ? &args[1] : args.keyword("encoding");
  if (args.size() > 2 || args.keyword("errors") != nullptr) {
    const Any& errors = args.size() > 2 ? args[2] : *args.keyword("errors");
    if (!is_str(errors) || text_of(errors) != "strict") {
      raise("NotImplementedError", args.span, "not-supported", "decode() knows errors='strict' only, not {}",
            evaluator.repr(errors));
    }
  }
  return text_of_bytes(self(args), encoding == nullptr ? "utf-8" : text_of(*encoding), args.span);
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
        while (is_space(text[stop - 1])) --stop;
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
  if (!is_int(args[1])) return argument(evaluator, args, 1);
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
    int64_t at = index_value(evaluator, args[i], args.span_of(i), "index");
    return std::max<int64_t>(at < 0 ? at + size : at, 0);
  };
  return {bound(2, 0), std::min(bound(3, size), size)};
}
int64_t find_in(Evaluator& evaluator, const Arguments& args, bool last) {
  std::string text = self(args), what = wanted(evaluator, args);
  auto [begin, end] = part(evaluator, args, text.size());
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
  std::string text = self(args), what = wanted(evaluator, args);
  auto [begin, end] = part(evaluator, args, text.size());
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
  if (begin > end) return false;
  std::string_view range =
      std::string_view(text).substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  auto one = [&](const Any& affix) {
    if (!is_bytes(affix)) {
      raise("TypeError", args.span_of(1), "wrong-type",
            "{} first arg must be bytes or a tuple of bytes, not {}", method, type_name_of(evaluator, affix));
    }
    std::string bytes = bytes_of(affix);
    return start ? range.starts_with(bytes) : range.ends_with(bytes);
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
  std::string text = self(args), affix = argument(e, args, 1);
  return bytes_value(text.starts_with(affix) ? text.substr(affix.size()) : text);
}
Any removesuffix(Evaluator& e, const Arguments& args) {
  std::string text = self(args), affix = argument(e, args, 1);
  return bytes_value(text.ends_with(affix) ? text.substr(0, text.size() - affix.size()) : text);
}

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

// The case of bytes is that of ASCII, in Python too.
Any upper(Evaluator&, const Arguments& args) {
  std::string text = self(args);
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return bytes_value(text);
}
Any lower(Evaluator&, const Arguments& args) {
  std::string text = self(args);
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return bytes_value(text);
}

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
    {"removeprefix", "(prefix)", "Without that prefix.", removeprefix, 1, 1},
    {"removesuffix", "(suffix)", "Without that suffix.", removesuffix, 1, 1},
    {"strip", "(bytes=None)", "Without white space (or bytes) at both ends.", strip, 0, 1},
    {"lstrip", "(bytes=None)", "Without white space (or bytes) at the start.", lstrip, 0, 1},
    {"rstrip", "(bytes=None)", "Without white space (or bytes) at the end.", rstrip, 0, 1},
    {"upper", "()", "With ASCII letters in capitals.", upper, 0, 0},
    {"lower", "()", "With ASCII letters small.", lower, 0, 0},
};
constexpr BuiltinRow fromhex_row = {"fromhex", "(string)", "The bytes of these digits.", fromhex, 1, 1};

}  // namespace

Any text_of_bytes(std::string_view bytes, std::string_view encoding, ir::Span span) {
  std::string name;
  for (char c : encoding) name += c == '_' ? '-' : static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  if (name == "latin-1" || name == "iso-8859-1" || name == "latin1") {
    std::string text;
    for (char c : bytes) append_utf8(text, static_cast<unsigned char>(c));
    return str_value(text);
  }
  bool ascii = name == "ascii";
  if (!ascii && name != "utf-8" && name != "utf8")
    raise("LookupError", span, "unknown-encoding", "unknown encoding: {}", encoding);
  for (size_t i = 0; i < bytes.size();) {
    auto at = [&](size_t k) {
      return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : static_cast<unsigned char>(0);
    };
    unsigned char c = at(i);
    size_t size = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
    if (c >= 0x80 && (c < 0xC2 || ascii)) size = 0;
    bool good = size != 0;
    bool ends = false;  // before the character does
    for (size_t k = 1; k < size && good; ++k) {
      ends = i + k >= bytes.size();
      good = (at(i + k) & 0xC0) == 0x80;
    }
    // Overlong forms, surrogates and what is beyond Unicode.
    if (good && size > 2) {
      unsigned char d = at(i + 1);
      good = !(c == 0xE0 && d < 0xA0) && !(c == 0xED && d >= 0xA0) && !(c == 0xF0 && d < 0x90) &&
             !(c == 0xF4 && d >= 0x90);
    }
    if (!good) {
      raise("UnicodeDecodeError", span, "bad-text",
            "'{}' codec can't decode byte 0x{:02x} in position {}: {}", ascii ? "ascii" : "utf-8", c, i,
            ascii       ? "ordinal not in range(128)"
            : size == 0 ? "invalid start byte"
            : ends      ? "unexpected end of data"
                        : "invalid continuation byte");
    }
    i += size;
  }
  return str_value(bytes);
}

std::span<const BuiltinRow> bytes_methods() { return rows; }
const BuiltinRow& bytes_fromhex() { return fromhex_row; }

}  // namespace mlc::script
