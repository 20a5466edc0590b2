// SPDX-License-Identifier: Apache-2.0
// str.format.
#include <algorithm>
#include <charconv>
#include <optional>

#include "frontend/script/core/machine.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-format"},
        {.name = "format-arguments",
         .kind = "IndexError",
         .message = "Replacement index {} out of range for positional args tuple"},
    }};
MLC_REFUSALS(types_format, refusals);

// str.format: args[0] is the format itself.
std::string format_method(Evaluator& evaluator, std::string_view format, const Arguments& args) {
  std::string result;
  size_t automatic = 0;
  bool numbered = false;
  struct Reader {
    Evaluator& evaluator;
    const Arguments& args;
    size_t& automatic;
    bool& numbered;

    [[noreturn]] void refuse(std::string_view message) {
      raise_as(refusals["bad-format"], args.span, "{}", message);
    }
    // A whole number without a sign, or nothing.
    std::optional<int64_t> index_of(std::string_view text) {
      if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return {};
      int64_t index = 0;
      if (std::from_chars(text.data(), text.data() + text.size(), index).ec != std::errc{})
        refuse("Too many decimal digits in format string");
      return index;
    }

    Any first_of(std::string_view first) {
      std::optional<int64_t> given = index_of(first);
      if (!given && !first.empty()) {
        const Any* found = args.keyword(first);
        if (found == nullptr) key_error(evaluator, str_value(first), args.span);
        return *found;
      }
      if (given && automatic > 0)
        refuse("cannot switch from automatic field numbering to manual field specification");
      if (!given && numbered)
        refuse("cannot switch from manual field specification to automatic field numbering");
      numbered = numbered || given;
      int64_t index = given ? *given : static_cast<int64_t>(automatic++);
      if (static_cast<size_t>(index) + 1 >= args.size()) {
        raise(refusals["format-arguments"], args.span, index);
      }
      return args[static_cast<size_t>(index) + 1];
    }
    // `0.name[key]`
    Any field(std::string_view name) {
      size_t end = std::min(name.find_first_of(".["), name.size());
      Any value = first_of(name.substr(0, end));
      while (end < name.size()) {
        bool indexed = name[end] == '[';
        if (!indexed && name[end] != '.') refuse("Only '.' or '[' may follow ']' in format field specifier");
        size_t close = indexed ? name.find(']', end) : name.find_first_of(".[", end + 1);
        if (indexed && close == std::string_view::npos) refuse("Missing ']' in format string");
        close = std::min(close, name.size());
        std::string_view key = name.substr(end + 1, close - end - 1);
        if (key.empty()) refuse("Empty attribute in format string");
        if (indexed) {
          std::optional<int64_t> i = index_of(key);
          value = evaluator.subscript(value, i ? Any(*i) : str_value(key), args.span);
        } else {
          value = evaluator.attribute(value, Symbol(key), args.span);
        }
        end = close + (indexed ? 1 : 0);
      }
      return value;
    }
    // The field that begins at `i`, behind its brace; leaves `i` behind the closing one.
    std::string replaced(std::string_view text, size_t& i, int depth) {
      size_t begin = i;
      char c = 0;
      while (i < text.size()) {
        c = text[i++];
        if (c == '{') refuse("unexpected '{' in field name");
        if (c == '[') i = std::min(text.find(']', i), text.size());
        if (c == '}' || c == ':' || c == '!') break;
      }
      if (c != '}' && c != ':' && c != '!') refuse("expected '}' before end of string");
      std::string_view name = text.substr(begin, i - 1 - begin);
      char conversion = 0;
      if (c == '!') {
        if (i == text.size()) refuse("end of string while looking for conversion specifier");
        conversion = text[i++];
        if (i < text.size()) {
          c = text[i++];
          if (c != '}' && c != ':') refuse("expected ':' after conversion specifier");
        }
      }
      std::string_view spec;
      if (c != '}') {
        begin = i;
        int nesting = 1;
        while (i < text.size() && nesting > 0) {
          nesting += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
          ++i;
        }
        if (nesting > 0) refuse("unmatched '{' in format spec");
        spec = text.substr(begin, i - 1 - begin);
      }
      Any value = field(name);
      if (conversion == 'r')
        value = str_value(evaluator.repr(value));
      else if (conversion == 'a')
        value = str_value(ascii_text(evaluator.repr(value)));
      else if (conversion == 's')
        value = str_value(evaluator.str(value));
      else if (conversion != 0)
        raise_as(refusals["bad-format"], args.span, "Unknown conversion specifier {}", conversion);
      bool nested = spec.find('{') != std::string_view::npos;
      return format_value(evaluator, value, nested ? expand(spec, depth + 1) : std::string(spec), args.span);
    }
    std::string expand(std::string_view text, int depth) {
      if (depth > 2) refuse("Max string recursion exceeded");
      std::string out;
      for (size_t i = 0; i < text.size();) {
        char c = text[i++];
        bool doubled = i < text.size() && text[i] == c;
        if (c != '{' && c != '}') {
          out += c;
        } else if (doubled) {
          out += c;
          ++i;
        } else if (c == '}') {
          refuse("Single '}' encountered in format string");
        } else if (i == text.size()) {
          refuse("Single '{' encountered in format string");
        } else {
          out += replaced(text, i, depth);
        }
      }
      return out;
    }
  } reader{evaluator, args, automatic, numbered};
  return reader.expand(format, 1);
}

}  // namespace mlc::script
