// SPDX-License-Identifier: Apache-2.0
// UnicodeEncodeError and UnicodeDecodeError: exceptions that keep the encoding, the object, where in it the
// bad part lies, and the reason. Their text is made of these, also after a program has changed them.
#include "frontend/script/core/machine.h"
#include "frontend/script/types/letters.h"

namespace mlc::script {

namespace {

const Symbol kFields[] = {Symbol("encoding"), Symbol("object"), Symbol("start"), Symbol("end"),
                          Symbol("reason")};

bool is_codec_error(const ClassNode& cls) {
  static const ClassNode* classes[] = {exception_classes().at("UnicodeDecodeError").get(),
                                       exception_classes().at("UnicodeEncodeError").get()};
  return cls.derives_from(classes[0]) || cls.derives_from(classes[1]);
}

std::string text_of_fields(std::string_view encoding, const Any& object, int64_t start, int64_t end,
                           std::string_view reason) {
  std::string what;
  bool one = end == start + 1;
  if (is_bytes(object)) {
    std::string bytes = bytes_of(object);
    one = one && start >= 0 && static_cast<size_t>(start) < bytes.size();
    what = one ? fmt::format("byte 0x{:02x} in position {}", static_cast<unsigned char>(bytes[start]), start)
               : fmt::format("bytes in position {}-{}", start, end - 1);
    return fmt::format("'{}' codec can't decode {}: {}", encoding, what, reason);
  }
  std::string_view rest = text_of(object);
  one = one && start >= 0 && static_cast<size_t>(start) < utf8_length(rest);
  if (one) {
    uint32_t point = 0;
    for (int64_t i = 0; i <= start; ++i) point = take_point(rest);
    std::string shown = point < 0x100     ? fmt::format("\\x{:02x}", point)
                        : point < 0x10000 ? fmt::format("\\u{:04x}", point)
                                          : fmt::format("\\U{:08x}", point);
    what = fmt::format("character '{}' in position {}", shown, start);
  } else {
    what = fmt::format("characters in position {}-{}", start, end - 1);
  }
  return fmt::format("'{}' codec can't encode {}: {}", encoding, what, reason);
}

}  // namespace

void set_codec_fields(InstanceNode* exception, std::span<const Any> args) {
  if (args.size() != std::size(kFields) || !is_codec_error(*exception->cls)) return;
  for (size_t i = 0; i < args.size(); ++i) exception->set(kFields[i], args[i]);
}

bool codec_error_text(Evaluator&, InstanceNode* exception, std::string& text) {
  if (!is_codec_error(*exception->cls)) return false;
  const Any* field[std::size(kFields)];
  for (size_t i = 0; i < std::size(kFields); ++i) {
    field[i] = exception->own(kFields[i]);
    if (field[i] == nullptr) return false;
  }
  bool fits = is_str(*field[0]) && (is_str(*field[1]) || is_bytes(*field[1])) && is_int(*field[2]) &&
              is_int(*field[3]) && is_str(*field[4]);
  if (!fits) return false;
  text = text_of_fields(text_of(*field[0]), *field[1], raw_int(*field[2]), raw_int(*field[3]),
                        text_of(*field[4]));
  return true;
}

void throw_codec_error(const char* name, std::string_view encoding, Any object, size_t start, size_t end,
                       std::string_view reason, ir::Span span) {
  Any args[] = {str_value(encoding), object, static_cast<int64_t>(start), static_cast<int64_t>(end),
                str_value(reason)};
  Ref<InstanceNode> made = ir::make<InstanceNode>(exception_classes().at(name));
  auto* exception = const_cast<InstanceNode*>(made.get());
  set_exception_args(exception, args);
  exception->raised_at = span;
  ir::Diagnostic diagnostic;
  diagnostic.name = "bad-text";
  diagnostic.kind = name;
  diagnostic.message =
      text_of_fields(encoding, object, static_cast<int64_t>(start), static_cast<int64_t>(end), reason);
  diagnostic.span = span;
  throw ScriptError(std::move(diagnostic), Any(made));
}

}  // namespace mlc::script
