// SPDX-License-Identifier: Apache-2.0
// str.format.
#include <charconv>

#include "frontend/script/machine.h"

namespace mlc::script {

// str.format: args[0] is the format itself.
std::string format_method(Evaluator& evaluator, std::string_view format, const Arguments& args,
                          const Any* mapping) {
  std::string result;
  size_t automatic = 0;
  bool numbered = false;
  struct Reader {
    Evaluator& evaluator;
    const Arguments& args;
    const Any* mapping;
    size_t& automatic;
    bool& numbered;

    Any field(std::string_view name) {
      size_t end = 0;
      while (end < name.size() && name[end] != '.' && name[end] != '[') ++end;
      std::string_view first = name.substr(0, end);
      Any value;
      int64_t index = 0;
      auto [stop, status] = std::from_chars(first.data(), first.data() + first.size(), index);
      bool is_number = !first.empty() && status == std::errc{} && stop == first.data() + first.size();
      if (first.empty() || is_number) {
        if (is_number) {
          if (automatic > 0) {
            raise("ValueError", args.span, "bad-format",
                  "cannot switch from automatic field numbering to manual field specification");
          }
          numbered = true;
        } else {
          if (numbered) {
            raise("ValueError", args.span, "bad-format",
                  "cannot switch from manual field specification to automatic field numbering");
          }
          index = static_cast<int64_t>(automatic++);
        }
        if (mapping != nullptr)
          raise("ValueError", args.span, "bad-format", "Format string contains positional fields");
        if (static_cast<size_t>(index) + 1 >= args.size()) {
          raise("IndexError", args.span, "format-arguments",
                "Replacement index {} out of range for positional args tuple", index);
        }
        value = args[static_cast<size_t>(index) + 1];
      } else {
        const Any* found = args.keyword(first);
        if (mapping == nullptr && found == nullptr) key_error(evaluator, str_value(first), args.span);
        value = mapping != nullptr ? evaluator.subscript(*mapping, str_value(first), args.span) : *found;
      }
      while (end < name.size()) {
        if (name[end] == '.') {
          size_t stop_at = name.find_first_of(".[", end + 1);
          if (stop_at == std::string_view::npos) stop_at = name.size();
          value = evaluator.attribute(value, Symbol(name.substr(end + 1, stop_at - end - 1)), args.span);
          end = stop_at;
        } else {
          size_t close = name.find(']', end);
          if (close == std::string_view::npos)
            raise("ValueError", args.span, "bad-format", "Missing ']' in format string");
          std::string_view key = name.substr(end + 1, close - end - 1);
          int64_t i = 0;
          auto [at, ok] = std::from_chars(key.data(), key.data() + key.size(), i);
          bool whole = !key.empty() && ok == std::errc{} && at == key.data() + key.size();
          value = evaluator.subscript(value, whole ? Any(i) : str_value(key), args.span);
          end = close + 1;
        }
      }
      return value;
    }
    std::string expand(std::string_view text, int depth) {
      if (depth > 2) raise("ValueError", args.span, "bad-format", "Max string recursion exceeded");
      std::string out;
      for (size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '{' && i + 1 < text.size() && text[i + 1] == '{') {
          out += '{';
          ++i;
        } else if (c == '}') {
          if (i + 1 >= text.size() || text[i + 1] != '}') {
            raise("ValueError", args.span, "bad-format", "Single '}}' encountered in format string");
          }
          out += '}';
          ++i;
        } else if (c == '{') {
          int nesting = 1;
          size_t end = i + 1;
          while (end < text.size() && nesting > 0) {
            if (text[end] == '{') ++nesting;
            if (text[end] == '}') --nesting;
            ++end;
          }
          if (nesting > 0) {
            if (i + 1 == text.size()) {
              raise("ValueError", args.span, "bad-format", "Single '{{' encountered in format string");
            }
            raise("ValueError", args.span, "bad-format", "expected '}}' before end of string");
          }
          std::string_view inside = text.substr(i + 1, end - i - 2);
          size_t colon = inside.find_first_of("!:");
          // A '[' key may hold these characters.
          size_t bracket = inside.find('[');
          if (bracket != std::string_view::npos && colon != std::string_view::npos && bracket < colon) {
            size_t close = inside.find(']', bracket);
            colon = close == std::string_view::npos ? colon : inside.find_first_of("!:", close);
          }
          std::string_view name = inside.substr(0, colon);
          std::string_view rest = colon == std::string_view::npos ? "" : inside.substr(colon);
          Any value = field(name);
          if (!rest.empty() && rest[0] == '!') {
            if (rest.size() < 2)
              raise("ValueError", args.span, "bad-format",
                    "end of string while looking for conversion specifier");
            char conversion = rest[1];
            if (conversion == 'r')
              value = str_value(evaluator.repr(value));
            else if (conversion == 'a')
              value = str_value(ascii_text(evaluator.repr(value)));
            else if (conversion == 's')
              value = str_value(evaluator.str(value));
            else
              raise("ValueError", args.span, "bad-format", "Unknown conversion specifier {}", conversion);
            rest.remove_prefix(2);
          }
          if (!rest.empty()) rest.remove_prefix(1);
          out += format_value(evaluator, value, rest.empty() ? "" : expand(rest, depth + 1), args.span);
          i = end - 1;
        } else {
          out += c;
        }
      }
      return out;
    }
  } reader{evaluator, args, mapping, automatic, numbered};
  return reader.expand(format, 1);
}

}  // namespace mlc::script
