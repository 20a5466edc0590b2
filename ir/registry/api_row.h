// SPDX-License-Identifier: Apache-2.0
// Everything scripts can call is one row each: a function with its Python-style signature, its doc and its
// C++ body. Argument checking, keyword arguments, defaults, help, completion and the reference pages follow
// from the row.
#pragma once

#include <span>
#include <tuple>

#include "ir/core/object.h"
#include "ir/registry/host.h"

namespace mlc::ir {

struct Api;

// One call: arguments are bound to parameters in declaration order (defaults filled in; `*args` as one
// Array<Any>, `**kwargs` as one Map<String, Any>). For methods args[0] is the object.
struct ApiCall {
  const Api& api;
  Host& host;
  std::span<Any> args;
  Span span;                        // the whole call expression
  std::span<const Span> arg_spans;  // per parameter; empty spans for defaults

  Span span_of(size_t i) const { return i < arg_spans.size() && arg_spans[i] ? arg_spans[i] : span; }
};
using Native = Any (*)(ApiCall&);

enum class ApiKind : uint8_t {
  kFunction,  // owner is a module path: "tvm.te"
  kClass,     // as kFunction; the constructor of `type_key`, also the target of isinstance
  kMethod,    // owner is a type key: "mlc.ir.IRModule"
  kProperty,  // as kMethod, without arguments
  kValue,     // owner is a module path: a constant, computed once
};

struct ApiRow {
  ApiKind kind;
  std::string_view owner;
  std::string_view signature;  // "split(loop, factors, preserve_unit_iters=True)"; methods omit self
  std::string_view doc;        // first line: one sentence; then details
  Native body;
  std::string_view type_key = {};  // kClass: the type it makes
  std::string_view shown_as = {};  // kClass: what type(x) prints: "tvm.s_tir.schedule.schedule.Schedule"
};

struct ApiParam {
  enum class Kind : uint8_t { kPositional, kVarArgs, kKeywordOnly, kVarKeywords };
  std::string name;
  Kind kind = Kind::kPositional;
  bool has_default = false;
  Any default_value;         // None, bool, int, float, str; [] and () make an empty Array
  std::string default_text;  // as written in the signature
};

// A registered row with its parsed signature.
struct Api {
  ApiRow row;
  std::string name;              // "split"
  std::vector<ApiParam> params;  // methods and properties: params[0] is `self`

  std::string path() const;  // "tvm.te.compute", "Schedule.split"
};
// What values are called in messages: "int", "str", "list", "Schedule", "prim_func", ...
std::string type_name(const Any& value);
[[noreturn]] void wrong_argument(const ApiCall& call, size_t index, std::string_view expected);

namespace detail {

template <class T>
std::string expected_name() {
  if constexpr (std::is_same_v<T, bool>)
    return "bool";
  else if constexpr (std::is_integral_v<T>)
    return "int";
  else if constexpr (std::is_floating_point_v<T>)
    return "float";
  else if constexpr (std::is_same_v<T, String> || std::is_same_v<T, std::string>)
    return "str";
  else
    return ffi::TypeTraits<T>::TypeStr();
}

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// Argument `index` as a T. std::optional<T> takes None as nullopt; Any takes everything.
template <class T>
T argument(ApiCall& call, size_t index) {
  const Any& value = call.args[index];
  if constexpr (std::is_same_v<T, Any>) {
    return value;
  } else if constexpr (is_optional<T>) {
    if (value == nullptr) return std::nullopt;
    return argument<typename T::value_type>(call, index);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (auto text = value.try_cast<String>()) return std::string(*text);
    wrong_argument(call, index, "str");
  } else if constexpr (requires { requires std::is_base_of_v<ObjectRef, T> && T::_type_is_nullable; }) {
    if (value == nullptr) wrong_argument(call, index, expected_name<T>());
    if (auto cast = value.try_cast<T>()) return *std::move(cast);
    wrong_argument(call, index, expected_name<T>());
  } else {
    if (auto cast = value.try_cast<T>()) return *std::move(cast);
    wrong_argument(call, index, expected_name<T>());
  }
}

template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) const> {
  using Result = R;
  using Arguments = std::tuple<std::remove_cvref_t<A>...>;
};

}  // namespace detail

// Makes a row's body from a captureless lambda with typed parameters; the first may be `ApiCall&`.
//   native([](ApiCall& call, Schedule sch, LoopRV loop, int64_t n) { ... })
// Parameters: bool, int64_t, double, std::string, String, Any, any node reference (never null),
// std::optional of those (None is nullopt).
template <class F>
constexpr Native native(F) {
  static_assert(std::is_empty_v<F>, "the body of an api row captures nothing");
  return +[](ApiCall& call) -> Any {
    using Args = typename detail::Signature<F>::Arguments;
    using Result = typename detail::Signature<F>::Result;
    constexpr size_t count = std::tuple_size_v<Args>;
    constexpr bool takes_call = [] {
      if constexpr (count == 0)
        return false;
      else
        return std::is_same_v<std::tuple_element_t<0, Args>, ApiCall>;
    }();
    constexpr size_t skip = takes_call ? 1 : 0;
    F fn;
    auto invoke = [&]<size_t... I>(std::index_sequence<I...>)->Any {
      auto run = [&]() -> decltype(auto) {
        if constexpr (takes_call) {
          return fn(call, detail::argument<std::tuple_element_t<I + skip, Args>>(call, I)...);
        } else {
          return fn(detail::argument<std::tuple_element_t<I, Args>>(call, I)...);
        }
      };
      if constexpr (std::is_void_v<Result>) {
        run();
        return Any(nullptr);
      } else {
        return Any(run());
      }
    };
    return invoke(std::make_index_sequence<count - skip>{});
  };
}

}  // namespace mlc::ir
