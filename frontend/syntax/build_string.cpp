// SPDX-License-Identifier: Apache-2.0
// Numbers, strings, f-strings: from spelling to value.
#include <charconv>
#include <cstdlib>

#include "frontend/syntax/build.h"
#include "frontend/syntax/characters.h"

namespace mlc::syntax {

Expr* TreeBuilder::number(const SourceToken& token, bool negated) {
  std::string digits(text_.substr(token.begin, token.end - token.begin));
  std::erase(digits, '_');
  ir::Span at{tree_.file, token.begin, token.end};
  auto* node = tree_.make<Constant>(at);
  if (token.type == MlcParser::FLOAT) {
    node->type = Constant::Type::kFloat;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), node->real);
    // Too large is infinity and too small is zero, as strtod says and from_chars does not.
    if (error == std::errc::result_out_of_range) node->real = std::strtod(digits.c_str(), nullptr);
    return node;
  }
  node->type = Constant::Type::kInt;
  int base = 10;
  const char* first = digits.data();
  if (digits.size() > 2 && digits[0] == '0') {
    char letter = static_cast<char>(digits[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
    if (base != 10) first += 2;
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(first, digits.data() + digits.size(), value, base);
  constexpr uint64_t kLimit = uint64_t{1} << 63;
  if (error == std::errc::result_out_of_range || value > kLimit || (value == kLimit && !negated)) {
    node->type = Constant::Type::kWideInt;
    node->text = keep_text(digits);
    return node;
  }
  node->integer = static_cast<int64_t>(value);
  return node;
}

namespace {

void append_utf8(uint32_t c, std::string& out) {
  auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

// Appends the value of the characters `body`, which stand at offset `begin` of the text.
void TreeBuilder::decode(std::string_view body, size_t begin, bool raw, bool bytes, std::string& out) {
  auto at = [&](size_t offset, size_t size) {
    return ir::Span{tree_.file, static_cast<uint32_t>(begin + offset),
                    static_cast<uint32_t>(begin + offset + size)};
  };
  size_t i = 0;
  while (i < body.size()) {
    char c = body[i];
    if (c == '\r') {  // every newline in a string is \n, whatever the file uses
      out += '\n';
      i += i + 1 < body.size() && body[i + 1] == '\n' ? 2 : 1;
      continue;
    }
    if (bytes && static_cast<unsigned char>(c) >= 0x80) {
      fail(at(i, decode_utf8(body, i).size), "a bytes literal holds ASCII characters only", "write `\\xhh`");
    }
    if (c != '\\' || raw || i + 1 >= body.size()) {
      out += c;
      ++i;
      continue;
    }
    char e = body[i + 1];
    size_t start = i;
    i += 2;
    // `count` hexadecimal digits, all of them.
    auto hex = [&](size_t count) {
      uint32_t value = 0;
      for (size_t k = 0; k < count; ++k, ++i) {
        if (i >= body.size() || !is_hex_digit(body[i])) {
          fail(at(start, i - start), fmt::format("`\\{}` needs {} hexadecimal digits after it", e, count));
        }
        value = value * 16 + hex_value(body[i]);
      }
      return value;
    };
    switch (e) {
      case '\n':
        break;
      case '\r':
        if (i < body.size() && body[i] == '\n') ++i;
        break;
      case '\\':
      case '\'':
      case '"':
        out += e;
        break;
      case 'a':
        out += '\a';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'v':
        out += '\v';
        break;
      case 'x': {
        uint32_t value = hex(2);
        if (bytes) {
          out += static_cast<char>(value);
        } else {
          append_utf8(value, out);
        }
        break;
      }
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7': {
        uint32_t value = static_cast<uint32_t>(e - '0');
        for (int k = 0; k < 2 && i < body.size() && body[i] >= '0' && body[i] <= '7'; ++k, ++i) {
          value = value * 8 + static_cast<uint32_t>(body[i] - '0');
        }
        if (bytes) {
          out += static_cast<char>(value);
        } else {
          append_utf8(value, out);
        }
        break;
      }
      case 'u':
      case 'U':
      case 'N':
        if (!bytes) {
          if (e == 'N') {
            throw ir::Error("left-out", "characters by name, `\\N{{...}}`, are not part of the language")
                .at(at(start, 2))
                .kind("SyntaxError")
                .help("write the character itself, or its number after `\\u`");
          }
          uint32_t value = hex(e == 'u' ? 4 : 8);
          if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
            fail(at(start, i - start), fmt::format("U+{:04X} is not a character", value));
          }
          append_utf8(value, out);
          break;
        }
        [[fallthrough]];
      default:  // as in Python, an unknown escape is its two characters
        out += '\\';
        --i;
    }
  }
}

// The growing value of adjacent literals: text so far, and the parts before it.
class TreeBuilder::StringParts {
 public:
  explicit StringParts(TreeBuilder& builder) : builder_(builder) {}

  std::string text;
  ir::Span text_span;  // of what `text` came from
  std::vector<Expr*> values;

  void cover(ir::Span span) { text_span = ir::Span::cover(text_span, span); }
  void flush() {
    if (text.empty()) return;
    auto* node = builder_.tree_.make<Constant>(text_span);
    node->type = Constant::Type::kStr;
    node->text = builder_.keep_text(text);
    values.push_back(node);
    text.clear();
    text_span = {};
  }
  JoinedStr* join(ir::Span span) {
    flush();
    auto* node = builder_.tree_.make<JoinedStr>(span);
    node->values = builder_.each<Expr>(values, [&](Expr* one) { return builder_.own(node, one); });
    return node;
  }

 private:
  TreeBuilder& builder_;
};

namespace {

struct Literal {
  bool raw = false;
  bool bytes = false;
  size_t body = 0;   // offset of the first character inside the quotes
  size_t marks = 0;  // 1 or 3
};

Literal literal_of(std::string_view spelling) {
  Literal literal;
  size_t quote = spelling.find_first_of("\"'");
  for (char c : spelling.substr(0, quote)) {
    literal.raw |= (c | 0x20) == 'r';
    literal.bytes |= (c | 0x20) == 'b';
  }
  std::string_view rest = spelling.substr(quote);
  literal.marks = rest.size() >= 3 && rest[1] == rest[0] && rest[2] == rest[0] ? 3 : 1;
  literal.body = quote + literal.marks;
  return literal;
}

}  // namespace

Expr* TreeBuilder::strings(MlcParser::StringsContext* context) {
  StringParts parts(*this);
  bool formatted = false;
  bool bytes = false;
  ir::Span whole = span(context);
  for (MlcParser::StringPartContext* part : context->parts) {
    std::string_view spelling = text_of(part->start);
    Literal literal = literal_of(spelling);
    if (part == context->parts[0]) {
      bytes = literal.bytes;
    } else if (literal.bytes != bytes) {
      fail(span(part), "bytes and text cannot be joined", "give both literals a `b`, or none");
    }
    parts.cover(span(part));
    if (part->text == nullptr) {
      formatted = true;
      fstring_pieces(part->pieces, literal.raw, parts);
      continue;
    }
    // A string that was never closed is in Problems already; its tail may lack the quotes.
    size_t closing = spelling.size() >= literal.body + literal.marks ? literal.marks : 0;
    std::string_view body = spelling.substr(literal.body, spelling.size() - literal.body - closing);
    decode(body, source_token(part->text).begin + literal.body, literal.raw, bytes, parts.text);
  }
  if (formatted) return parts.join(whole);
  auto* node = tree_.make<Constant>(whole);
  node->type = bytes ? Constant::Type::kBytes : Constant::Type::kStr;
  node->text = keep_text(parts.text);
  return node;
}

void TreeBuilder::fstring_pieces(const std::vector<MlcParser::FstringPieceContext*>& pieces, bool raw,
                                 StringParts& parts) {
  for (MlcParser::FstringPieceContext* piece : pieces) {
    if (piece->field != nullptr) {
      fstring_field(piece->field, raw, parts);
      continue;
    }
    parts.cover(span(piece));
    std::string_view body = text_of(piece->text);
    size_t begin = source_token(piece->text).begin;
    // Doubled braces stand for one; the text between them is decoded like any other.
    size_t start = 0;
    for (size_t i = 0; i + 1 < body.size(); ++i) {
      if ((body[i] != '{' && body[i] != '}') || body[i + 1] != body[i]) continue;
      decode(body.substr(start, i + 1 - start), begin + start, raw, false, parts.text);
      start = i + 2;
      ++i;
    }
    decode(body.substr(start), begin + start, raw, false, parts.text);
  }
}

void TreeBuilder::fstring_field(MlcParser::FstringFieldContext* context, bool raw, StringParts& parts) {
  if (context->debug != nullptr) {
    // `{x = }` prints its own text: all between the brace and what follows the `=`.
    uint32_t begin = source_token(context->open).end;
    uint32_t end = tokens_.at(source_token(context->debug).index + 1).begin;
    parts.text += text_.substr(begin, end - begin);
    parts.cover({tree_.file, begin, end});
  }
  parts.flush();
  auto* node = tree_.make<FormattedValue>(span(context));
  node->value =
      own(node, context->yielded != nullptr ? yield(context->yielded) : expression_list(context->value));
  if (context->conversion != nullptr) {
    std::string_view name = text_of(context->conversion);
    if (name != "r" && name != "s" && name != "a") {
      fail(span(context->conversion), fmt::format("expected `r`, `s` or `a` after `!`, found `{}`", name));
    }
    node->conversion = name[0];
  } else if (context->debug != nullptr && context->colon == nullptr) {
    node->conversion = 'r';
  }
  if (context->colon != nullptr) {
    StringParts inner(*this);
    fstring_pieces(context->spec, raw, inner);
    ir::Span spec{tree_.file, source_token(context->colon).end, source_token(context->close).begin};
    JoinedStr* joined = inner.join(spec);
    node->format_spec = own(node, joined);
  }
  parts.values.push_back(node);
}

}  // namespace mlc::syntax
