// SPDX-License-Identifier: Apache-2.0
// Methods of bytes: what reading and writing binary files takes.
#include <algorithm>

#include "frontend/script/core/machine.h"

namespace mlc::script {

namespace {

std::string bytes_self(const Arguments& args) { return bytes_of(args[0]); }
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
  for (unsigned char c : bytes_self(args)) text += fmt::format("{:02x}", c);
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
  return text_of_bytes(bytes_self(args), word_or(encoding, "utf-8", "encoding", args.span), args.span,
                       word_or(errors, "strict", "errors", args.span));
}

Any join(Evaluator& evaluator, const Arguments& args) {
  std::string result, separator = bytes_self(args);
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
  std::string text = bytes_self(args);
  auto [begin, end] = part(evaluator, args, text.size());
  std::string what = argument(evaluator, args, 1);
  if (begin > end) return -1;
  std::string_view range =
      std::string_view(text).substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  size_t at = last ? range.rfind(what) : range.find(what);
  return at == std::string_view::npos ? -1 : begin + static_cast<int64_t>(at);
}
Any find(Evaluator& e, const Arguments& args) { return find_in(e, args, false); }
Any rfind(Evaluator& e, const Arguments& args) { return find_in(e, args, true); }
Any startswith(Evaluator& e, const Arguments& args) {
  return bytes_self(args).starts_with(argument(e, args, 1));
}
Any endswith(Evaluator& e, const Arguments& args) { return bytes_self(args).ends_with(argument(e, args, 1)); }
constexpr BuiltinRow bytes_methods_table[] = {
    {"hex", "()", "Two digits of base 16 per byte.", hex, 0, 0},
    {"decode", "(encoding='utf-8', errors='strict')", "The text that these bytes encode.", decode, 0, 2,
     "encoding errors"},
    {"join", "(iterable)", "The bytes objects, with this one between them.", join, 1, 1},
    {"find", "(sub, start, end)", "The index of the first sub, or -1.", find, 1, 3},
    {"rfind", "(sub, start, end)", "The index of the last sub, or -1.", rfind, 1, 3},
    {"startswith", "(prefix)", "Do the bytes start so?", startswith, 1, 1},
    {"endswith", "(suffix)", "Do the bytes end so?", endswith, 1, 1},
};
constexpr BuiltinRow fromhex_row = {"fromhex", "(string)", "The bytes of these digits.", fromhex, 1, 1};

}  // namespace

std::span<const BuiltinRow> bytes_methods() { return bytes_methods_table; }
const BuiltinRow& bytes_fromhex() { return fromhex_row; }

}  // namespace mlc::script
