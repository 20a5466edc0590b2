// SPDX-License-Identifier: Apache-2.0
// Interned identifiers: equal names are equal numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace mlc::syntax {

// Four bytes, compared and hashed as a number. Id 0 is "no name". Names live as long as the process;
// the interner is not thread-safe: parsing and script evaluation belong to one thread.
class Symbol {
 public:
  constexpr Symbol() = default;
  explicit Symbol(std::string_view text);  // interns

  std::string_view str() const;
  uint32_t id() const { return id_; }
  explicit operator bool() const { return id_ != 0; }
  bool operator==(const Symbol&) const = default;
  auto operator<=>(const Symbol&) const = default;

 private:
  uint32_t id_ = 0;
};

}  // namespace mlc::syntax

template <>
struct std::hash<mlc::syntax::Symbol> {
  size_t operator()(mlc::syntax::Symbol s) const noexcept { return s.id() * 0x9E3779B97F4A7C15ULL; }
};
