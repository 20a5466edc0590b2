// SPDX-License-Identifier: Apache-2.0
// Methods of bytes.
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

Any hex(Evaluator& evaluator, const Arguments& args) {
  const Any* separator = args.size() > 1 ? &args[1] : args.keyword("sep");
  const Any* given = args.size() > 2 ? &args[2] : args.keyword("bytes_per_sep");
  std::string between;
  if (separator != nullptr) {
    if (evaluator.length(*separator, args.span) != 1)
      raise("ValueError", args.span, "wrong-type", "sep must be length 1.");
    if (!is_str(*separator) && !is_bytes(*separator))
      raise("TypeError", args.span, "wrong-type", "sep must be str or bytes.");
    between = is_bytes(*separator) ? bytes_of(*separator) : std::string(text_of(*separator));
    if (between.size() != 1) raise("ValueError", args.span, "wrong-type", "sep must be ASCII.");
  }
  int64_t every = given == nullptr ? 1 : index_value(evaluator, *given, args.span, "bytes_per_sep");
  std::string bytes = self(args), text;
  auto size = static_cast<int64_t>(bytes.size());
  for (int64_t i = 0; i < size; ++i) {
    int64_t counted = every > 0 ? size - i : i;  // from the right unless it is negative
    if (i > 0 && every != 0 && counted % std::abs(every) == 0) text += between;
    text += fmt::format("{:02x}", static_cast<unsigned char>(bytes[static_cast<size_t>(i)]));
  }
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
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_letter(char c) { return is_upper(c) || is_lower(c); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char upper_of(char c) { return is_lower(c) ? static_cast<char>(c - 32) : c; }
char lower_of(char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; }
// `change(c, first, inside)`; inside: behind a letter.
template <class F>
Any changed(const Arguments& args, F change) {
  std::string text = self(args);
  bool first = true, inside = false;
  for (char& c : text) {
    bool letter = is_letter(c);
    c = change(c, first, inside);
    first = false;
    inside = letter;
  }
  return bytes_value(text);
}
Any upper(Evaluator&, const Arguments& args) {
  return changed(args, [](char c, bool, bool) { return upper_of(c); });
}
Any lower(Evaluator&, const Arguments& args) {
  return changed(args, [](char c, bool, bool) { return lower_of(c); });
}
Any swapcase(Evaluator&, const Arguments& args) {
  return changed(args, [](char c, bool, bool) { return is_upper(c) ? lower_of(c) : upper_of(c); });
}
Any capitalize(Evaluator&, const Arguments& args) {
  return changed(args, [](char c, bool first, bool) { return first ? upper_of(c) : lower_of(c); });
}
Any title(Evaluator&, const Arguments& args) {
  return changed(args, [](char c, bool, bool inside) { return inside ? lower_of(c) : upper_of(c); });
}
template <bool (*wanted)(char)>
Any every(Evaluator&, const Arguments& args) {
  std::string text = self(args);
  return !text.empty() && std::all_of(text.begin(), text.end(), wanted);
}
bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }
// Are there letters, and all of this case?
template <bool (*wanted)(char)>
Any cased(Evaluator&, const Arguments& args) {
  std::string text = self(args);
  return std::any_of(text.begin(), text.end(), is_letter) &&
         std::all_of(text.begin(), text.end(), [](char c) { return !is_letter(c) || wanted(c); });
}

Any aligned(Evaluator& evaluator, const Arguments& args, char align) {
  std::string_view name = align == '<' ? "ljust" : align == '>' ? "rjust" : "center";
  int64_t width = index_value(evaluator, args[1], args.span_of(1), "width");
  if (args.size() > 2 && !is_bytes(args[2])) {
    raise("TypeError", args.span_of(2), "wrong-type",
          "{}() argument 2 must be a byte string of length 1, not {}", name,
          type_name_of(evaluator, args[2]));
  }
  std::string text = self(args), fill = args.size() > 2 ? argument(evaluator, args, 2) : " ";
  if (fill.size() != 1)
    raise("TypeError", args.span_of(2), "wrong-type",
          "{}() argument 2 must be a byte string of length 1, not bytes", name);
  int64_t missing = std::max<int64_t>(width - static_cast<int64_t>(text.size()), 0);
  if (missing > 100'000'000) raise("MemoryError", args.span, "too-large", "{} bytes are too many", width);
  int64_t left = align == '<' ? 0 : align == '>' ? missing : missing / 2 + (missing & width & 1);
  std::string padded(static_cast<size_t>(left), fill[0]);
  return bytes_value(padded + text + std::string(static_cast<size_t>(missing - left), fill[0]));
}
Any ljust(Evaluator& e, const Arguments& args) { return aligned(e, args, '<'); }
Any rjust(Evaluator& e, const Arguments& args) { return aligned(e, args, '>'); }
Any center(Evaluator& e, const Arguments& args) { return aligned(e, args, '^'); }
Any zfill(Evaluator& evaluator, const Arguments& args) {
  std::string text = self(args);
  int64_t missing =
      index_value(evaluator, args[1], args.span_of(1), "width") - static_cast<int64_t>(text.size());
  if (missing > 0) {
    size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    text.insert(at, static_cast<size_t>(missing), '0');
  }
  return bytes_value(text);
}
Any cut(Evaluator& evaluator, const Arguments& args, bool last) {
  std::string text = self(args), by = argument(evaluator, args, 1);
  if (by.empty()) raise("ValueError", args.span_of(1), "empty-separator", "empty separator");
  size_t at = last ? text.rfind(by) : text.find(by);
  Any none = bytes_value("");
  if (at == std::string::npos) return last ? Tuple{none, none, args[0]} : Tuple{args[0], none, none};
  return Tuple{bytes_value(text.substr(0, at)), bytes_value(by), bytes_value(text.substr(at + by.size()))};
}
Any partition(Evaluator& e, const Arguments& args) { return cut(e, args, false); }
Any rpartition(Evaluator& e, const Arguments& args) { return cut(e, args, true); }
Any splitlines(Evaluator& evaluator, const Arguments& args) {
  std::string text = self(args);
  const Any* keep = args.size() > 1 ? &args[1] : args.keyword("keepends");
  bool keeps = keep != nullptr && evaluator.truth(*keep);
  List lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    size_t next = std::min(end + (text.compare(end, 2, "\r\n") == 0 ? 2 : 1), text.size());
    lines.push_back(bytes_value(text.substr(begin, (keeps ? next : end) - begin)));
    begin = next;
  }
  return lines;
}
Any isascii(Evaluator&, const Arguments& args) {
  std::string text = self(args);
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}
// From the right: the parts of the reversed bytes, each reversed again.
Any rsplit(Evaluator& evaluator, const Arguments& args) {
  auto reversed = [](const Any& value) {
    std::string bytes = bytes_of(value);
    return bytes_value(std::string(bytes.rbegin(), bytes.rend()));
  };
  std::vector<Any> positional(args.positional.begin(), args.positional.end());
  std::vector<std::pair<std::string_view, Any>> keywords(args.keywords.begin(), args.keywords.end());
  positional[0] = reversed(positional[0]);
  if (positional.size() > 1 && is_bytes(positional[1])) positional[1] = reversed(positional[1]);
  for (auto& [name, value] : keywords) {
    if (is_bytes(value)) value = reversed(value);
  }
  Any parts = split(evaluator, {positional, keywords, args.span, args.spans});
  std::vector<Any> all;
  for (const Any& part : elements(parts)) all.insert(all.begin(), reversed(part));
  return List(all.begin(), all.end());
}
Any rindex(Evaluator& e, const Arguments& args) {
  int64_t at = find_in(e, args, true);
  if (at < 0) raise("ValueError", args.span, "substring-not-found", "subsection not found");
  return at;
}

// Byte by byte through a table of 256, without those to delete.
Any translate(Evaluator& evaluator, const Arguments& args) {
  const Any* removed = args.size() > 2 ? &args[2] : args.keyword("delete");
  if (!is_none(args[1]) && !is_bytes(args[1])) {
    raise("TypeError", args.span_of(1), "wrong-type", "a bytes-like object is required, not '{}'",
          type_name_of(evaluator, args[1]));
  }
  std::string table = is_none(args[1]) ? std::string() : bytes_of(args[1]);
  if (!is_none(args[1]) && table.size() != 256)
    raise("ValueError", args.span_of(1), "wrong-length", "translation table must be 256 characters long");
  if (removed != nullptr && !is_bytes(*removed)) {
    raise("TypeError", args.span, "wrong-type", "a bytes-like object is required, not '{}'",
          type_name_of(evaluator, *removed));
  }
  std::string without = removed == nullptr ? std::string() : bytes_of(*removed);
  std::string text = self(args), result;
  for (char c : text) {
    if (without.find(c) != std::string::npos) continue;
    result += table.empty() ? c : table[static_cast<unsigned char>(c)];
  }
  return bytes_value(result);
}
Any maketrans(Evaluator& evaluator, const Arguments& args) {
  for (size_t i = 0; i < 2; ++i) {
    if (is_bytes(args[i])) continue;
    raise("TypeError", args.span_of(i), "wrong-type", "a bytes-like object is required, not '{}'",
          type_name_of(evaluator, args[i]));
  }
  std::string from = bytes_of(args[0]), to = bytes_of(args[1]), table(256, 0);
  if (from.size() != to.size())
    raise("ValueError", args.span, "wrong-length", "maketrans arguments must have same length");
  for (size_t i = 0; i < 256; ++i) table[i] = static_cast<char>(i);
  for (size_t i = 0; i < from.size(); ++i) table[static_cast<unsigned char>(from[i])] = to[i];
  return bytes_value(table);
}
Any expandtabs(Evaluator& evaluator, const Arguments& args) {
  const Any* given = args.size() > 1 ? &args[1] : args.keyword("tabsize");
  int64_t width = given == nullptr ? 8 : index_value(evaluator, *given, args.span, "tabsize");
  std::string result;
  int64_t column = 0;
  for (char c : self(args)) {
    if (c == '\t') {
      int64_t fill = width > 0 ? width - column % width : 0;
      result.append(static_cast<size_t>(fill), ' ');
      column += fill;
      continue;
    }
    result += c;
    column = c == '\n' || c == '\r' ? 0 : column + 1;
  }
  return bytes_value(result);
}
// Each word begins with a capital, and has small letters behind it.
Any istitle(Evaluator&, const Arguments& args) {
  bool inside = false, any = false;
  for (char c : self(args)) {
    bool upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z';
    if ((upper && inside) || (lower && !inside)) return false;
    any = any || upper;
    inside = upper || lower;
  }
  return any;
}

constexpr BuiltinRow rows[] = {
    {"translate", "(table, delete=b'')", "Each byte through a table of 256.", translate, 1, 2, "delete"},
    {"expandtabs", "(tabsize=8)", "With blanks for tabs.", expandtabs, 0, 1, "tabsize"},
    {"istitle", "()", "Does each word begin with a capital, and only it?", istitle, 0, 0},
    {"hex", "(sep, bytes_per_sep=1)", "Two digits of base 16 per byte.", hex, 0, 2, "sep bytes_per_sep"},
    {"title", "()", "Each word with a capital.", title, 0, 0},
    {"capitalize", "()", "With one capital at the start.", capitalize, 0, 0},
    {"swapcase", "()", "Capitals as small letters, and the reverse.", swapcase, 0, 0},
    {"isdigit", "()", "Are there only digits?", every<is_digit>, 0, 0},
    {"isalpha", "()", "Are there only letters?", every<is_letter>, 0, 0},
    {"isalnum", "()", "Are there only letters and digits?", every<is_alphanumeric>, 0, 0},
    {"isspace", "()", "Is there only white space?", every<is_space>, 0, 0},
    {"isupper", "()", "Are all letters capitals?", cased<is_upper>, 0, 0},
    {"islower", "()", "Are all letters small?", cased<is_lower>, 0, 0},
    {"ljust", "(width, fillbyte=b' ')", "Filled at the right.", ljust, 1, 2},
    {"rjust", "(width, fillbyte=b' ')", "Filled at the left.", rjust, 1, 2},
    {"center", "(width, fillbyte=b' ')", "Filled at both ends.", center, 1, 2},
    {"zfill", "(width)", "Filled with zeros behind the sign.", zfill, 1, 1},
    {"partition", "(sep)", "What is before, the first sep, what is after.", partition, 1, 1},
    {"rpartition", "(sep)", "What is before, the last sep, what is after.", rpartition, 1, 1},
    {"isascii", "()", "Are all bytes below 128?", isascii, 0, 0},
    {"rsplit", "(sep=None, maxsplit=-1)", "As split, from the right.", rsplit, 0, 2, "sep maxsplit"},
    {"splitlines", "(keepends=False)", "The lines.", splitlines, 0, 1, "keepends"},
    {"rindex", "(sub, start, end)", "As rfind; an error when there is none.", rindex, 1, 3},
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
constexpr BuiltinRow maketrans_row = {"maketrans", "(from, to)", "A table for translate.", maketrans, 2, 2};
constexpr BuiltinRow fromhex_row = {"fromhex", "(string)", "The bytes of these digits.", fromhex, 1, 1};

}  // namespace

std::span<const BuiltinRow> bytes_methods() { return rows; }
const BuiltinRow& bytes_fromhex() { return fromhex_row; }
const BuiltinRow& bytes_maketrans() { return maketrans_row; }

}  // namespace mlc::script
