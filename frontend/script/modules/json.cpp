// SPDX-License-Identifier: Apache-2.0
// What stdlib/python/json.mlc stands on: the module _json.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "frontend/script/core/generator.h"
#include "frontend/script/numpy/array.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "circular-reference",
         .message = "Circular reference detected",
         .meaning = "A container that holds itself has no text in JSON."},
        {.name = "not-a-key",
         .kind = "TypeError",
         .message = "keys must be str, int, float, bool or None, not {}",
         .meaning = "The keys of a JSON object are texts; numbers, bools and None become such.",
         .wrong = R"(import json
json.dumps({(1, 2): 3}))",
         .right = R"(import json
json.dumps({"1,2": 3}))"},
    }};
MLC_REFUSALS(modules_json, refusals);

using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;
using ir::native;

namespace {

class Writer {
 public:
  Evaluator& evaluator;
  ir::Span span;
  bool ascii = true, sorted = false, indented = false;
  std::string indent, item_separator = ", ", key_separator = ": ";
  Any otherwise;  // `default=`
  std::string text;

  Writer(Evaluator& evaluator, ir::Span span) : evaluator(evaluator), span(span) {}

  void value(const Any& given) {
    evaluator.state().check_interrupt(span);
    const Any plain = builtin_value_of(given);
    if (is_str(plain)) return string(text_of(plain));
    if (std::string word = scalar(plain); !word.empty()) return static_cast<void>(text += word);
    bool list = plain.type_index() == kTVMFFIList || plain.type_index() == kTVMFFIArray;
    bool dict = plain.type_index() == kTVMFFIDict || plain.type_index() == kTVMFFIMap;
    if (!list && !dict) {
      enter(given);
      value(evaluator.call(otherwise, std::span<const Any>(&given, 1)));
      around_.pop_back();
      return;
    }
    enter(plain);
    ++level_;
    list ? array(plain) : object(plain);
    --level_;
    around_.pop_back();
  }

 private:
  std::vector<const ffi::Object*> around_;  // the objects that are being written
  size_t level_ = 0;                        // the containers among them

  void enter(const Any& container) {
    const ffi::Object* object = is_object(container) ? raw_object(container) : nullptr;
    if (object != nullptr && std::find(around_.begin(), around_.end(), object) != around_.end())
      raise(refusals["circular-reference"], span);
    if (around_.size() > 900) evaluator.state().recursion_error();
    around_.push_back(object);
  }
  void line(size_t level) {
    if (!indented) return;
    text += '\n';
    for (size_t i = 0; i < level; ++i) text += indent;
  }
  // None and numbers, as values and as keys; empty for all else.
  std::string scalar(const Any& plain) {
    if (is_none(plain)) return "null";
    if (is_bool(plain)) return raw_int(plain) != 0 ? "true" : "false";
    if (is_int(plain)) return std::to_string(raw_int(plain));
    if (as_wide(plain) != nullptr) return whole_text(plain);
    if (!is_float(plain)) return "";
    double value = raw_float(plain);
    if (std::isfinite(value)) return float_repr(value);
    return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  }
  void string(std::string_view value) { text += nlohmann::json(value).dump(-1, ' ', ascii); }
  void array(const Any& list) {
    std::vector<Any> all = evaluator.elements_of(list);
    text += '[';
    for (size_t i = 0; i < all.size(); ++i) {
      if (i > 0) text += item_separator;
      line(level_);
      value(all[i]);
    }
    close(all.empty(), ']');
  }
  void object(const Any& dict) {
    std::vector<std::pair<Any, Any>> all;
    for (const auto& [key, element] : *static_cast<ffi::MapBaseObj*>(raw_object(dict)))
      all.emplace_back(plain_key(key), element);
    if (sorted) {
      std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
        return evaluator.truth(evaluator.compare(syntax::CmpOperator::kLt, a.first, b.first, span));
      });
    }
    text += '{';
    bool empty = true;
    for (const auto& [key, element] : all) {
      const Any plain = builtin_value_of(key);
      std::string name = is_str(plain) ? std::string(text_of(plain)) : scalar(plain);
      if (name.empty() && !is_str(plain)) raise(refusals["not-a-key"], span, type_name_of(evaluator, key));
      if (!empty) text += item_separator;
      empty = false;
      line(level_);
      string(name);
      text += key_separator;
      value(element);
    }
    close(empty, '}');
  }
  void close(bool empty, char bracket) {
    if (!empty) line(level_ - 1);
    text += bracket;
  }
};

class Reader {
 public:
  Evaluator& evaluator;
  ir::Span span;
  const Any& document;
  Any error;  // the class of errors, called with a message, the document and a position

  Reader(Evaluator& evaluator, ir::Span span, const Any& document, Any error)
      : evaluator(evaluator),
        span(span),
        document(document),
        error(std::move(error)),
        text(text_of(document)) {}
  Any read() {
    blanks();
    Any result = value();
    blanks();
    if (at != text.size()) fail("Extra data", at);
    return result;
  }

 private:
  std::string_view text;
  size_t at = 0;
  int depth = 0;

  [[noreturn]] void fail(std::string_view what, size_t where) {
    Any args[] = {str_value(what), document, static_cast<int64_t>(utf8_length(text.substr(0, where)))};
    throw_given(evaluator.state(), evaluator.call(error, args));
  }
  void blanks() {
    while (at < text.size() && std::string_view(" \t\n\r").find(text[at]) != std::string_view::npos) ++at;
  }
  bool take(std::string_view word) {
    if (!text.substr(at).starts_with(word)) return false;
    at += word.size();
    return true;
  }
  Any value() {
    evaluator.state().check_interrupt();
    if (at >= text.size()) fail("Expecting value", at);
    if (++depth > 900) evaluator.state().recursion_error();
    Any result;
    if (text[at] == '"') {
      result = str_value(string());
    } else if (text[at] == '{') {
      result = object();
    } else if (text[at] == '[') {
      result = array();
    } else if (take("null")) {
      result = nullptr;
    } else if (take("true")) {
      result = true;
    } else if (take("false")) {
      result = false;
    } else if (take("NaN")) {
      result = NAN;
    } else if (take("Infinity")) {
      result = HUGE_VAL;
    } else if (take("-Infinity")) {
      result = -HUGE_VAL;
    } else {
      result = number();
    }
    --depth;
    return result;
  }
  Any number() {
    size_t begin = at, i = at;
    auto digits = [&] {
      size_t first = i;
      while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
      return i > first;
    };
    if (i < text.size() && text[i] == '-') ++i;
    size_t whole = i;
    if (!digits()) fail("Expecting value", begin);
    if (text[whole] == '0') i = whole + 1;
    bool real = false;
    if (size_t dot = i; i < text.size() && text[i] == '.') {
      ++i;
      digits() ? static_cast<void>(real = true) : static_cast<void>(i = dot);
    }
    if (size_t mark = i; i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
      ++i;
      if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
      digits() ? static_cast<void>(real = true) : static_cast<void>(i = mark);
    }
    std::string_view word = text.substr(begin, i - begin);
    at = i;
    if (real) return std::strtod(std::string(word).c_str(), nullptr);
    int64_t result = 0;
    auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), result);
    if (status == std::errc::result_out_of_range)
      return whole_of_text(word.substr(word[0] == '-' ? 1 : 0), 10, word[0] == '-');
    return result;
  }
  uint32_t hex(size_t where) {
    uint32_t point = 0;
    auto [end, status] =
        std::from_chars(text.data() + at, text.data() + std::min(at + 4, text.size()), point, 16);
    if (status != std::errc() || end != text.data() + at + 4) fail("Invalid \\uXXXX escape", where);
    at += 4;
    return point;
  }
  std::string string() {
    size_t begin = at++;
    std::string result;
    for (;;) {
      if (at >= text.size()) fail("Unterminated string starting at", begin);
      char c = text[at++];
      if (c == '"') return result;
      if (static_cast<unsigned char>(c) < 0x20) fail("Invalid control character at", at - 1);
      if (c != '\\') {
        result += c;
        continue;
      }
      if (at >= text.size()) fail("Unterminated string starting at", begin);
      char e = text[at++];
      constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
      if (size_t i = letters.find(e); i != std::string_view::npos) {
        result += meant[i];
      } else if (e == 'u') {
        uint32_t point = hex(at - 1);
        if (point >= 0xD800 && point < 0xDC00 && text.substr(at).starts_with("\\u")) {
          size_t back = at;
          at += 2;
          uint32_t low = hex(at - 1);
          if (low >= 0xDC00 && low < 0xE000)
            point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
          else
            at = back;
        }
        append_utf8(result, point);
      } else {
        fail(fmt::format("Invalid \\escape"), at - 2);
      }
    }
  }
  Any array() {
    List result;
    ++at;
    blanks();
    if (take("]")) return result;
    for (;;) {
      blanks();
      result.push_back(value());
      blanks();
      if (take("]")) return result;
      if (!take(",")) fail("Expecting ',' delimiter", at);
    }
  }
  Any object() {
    Dict result;
    ++at;
    blanks();
    bool more = !take("}");
    while (more) {
      blanks();
      if (at >= text.size() || text[at] != '"') fail("Expecting property name enclosed in double quotes", at);
      Any name = str_value(string());
      blanks();
      if (!take(":")) fail("Expecting ':' delimiter", at);
      blanks();
      dict_set(evaluator, result, name, value());
      blanks();
      more = !take("}");
      if (more && !take(",")) fail("Expecting ',' delimiter", at);
    }
    return result;
  }
};

const ApiRow json_table[] = {
    {ApiKind::kFunction, "_json",
     "encode(obj, ensure_ascii, indent, item_separator, key_separator, default, sort_keys)",
     "The value as JSON text.",
     native([](ApiCall& call, Any obj, bool ascii, Any indent, std::string item_separator,
               std::string key_separator, Any otherwise, bool sorted) {
       Writer writer(evaluator_of(call.host), call.span);
       writer.ascii = ascii;
       writer.sorted = sorted;
       writer.otherwise = otherwise;
       writer.item_separator = item_separator;
       writer.key_separator = key_separator;
       writer.indented = !is_none(indent);
       if (is_str(indent)) {
         writer.indent = text_of(indent);
       } else if (is_integer(indent)) {
         writer.indent = std::string(static_cast<size_t>(std::max<int64_t>(raw_int(indent), 0)), ' ');
       } else if (!is_none(indent)) {
         raise("TypeError", call.span, "wrong-type", "indent must be None, an int or a str, not {}",
               type_name_of(writer.evaluator, indent));
       }
       writer.value(obj);
       return str_value(writer.text);
     })},
    {ApiKind::kFunction, "_json", "decode(s, error)", "The value of JSON text.",
     native([](ApiCall& call, Any text, Any error) {
       return Reader(evaluator_of(call.host), call.span, text, error).read();
     })},
};

}  // namespace

std::span<const ApiRow> json_rows() { return json_table; }

}  // namespace mlc::script
