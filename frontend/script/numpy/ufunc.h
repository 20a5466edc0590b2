// SPDX-License-Identifier: Apache-2.0
// Universal functions: one row each, with a loop per type of elements. Calls resolve types as NumPy 2 does,
// broadcast, and take out=, dtype= and casting=; reduce and at follow from the row.
#pragma once

#include <array>

#include "frontend/script/numpy/loop.h"

namespace mlc::script {

// Pointers to the inputs, then to the output.
using Loop = void (*)(char* const* pointers, int64_t n, const int64_t* steps);
// Folds n elements at pointers[1] into the one at pointers[0].
using Loops = std::array<Loop, kKinds>;  // null for narrow floats, which go through float32

enum class Rule : uint8_t {
  kUsual,    // the first loop that the common type can be cast to safely
  kDivide,   // the same; integers go to float64
  kCompare,  // integers of both signs are compared by value
  kShift,
};

struct UfuncRow {
  std::string_view name;
  std::string_view doc;
  int8_t inputs;
  Loops loops{};
  Loops folds{};
  std::optional<DataType> result = {};  // of all loops; the loop's own type where there is none
  std::optional<double> identity = {};
  Rule rule = Rule::kUsual;
  // A check of the inputs before the loop runs (negative integer powers).
  void (*check)(const std::vector<ffi::Tensor>& inputs, ir::Span span) = nullptr;
};

struct NumpyUfuncNode final : ffi::Object {
  const UfuncRow* row;
  explicit NumpyUfuncNode(const UfuncRow* row) : row(row) {}
  MLC_NODE("mlc.np.ufunc", NumpyUfuncNode, ffi::Object);
};

struct UfuncOptions {
  Any out = nullptr;  // an array, or None
  DataType dtype = DataType::Void();
  Casting casting = Casting::kSameKind;
};
// The result as a scalar or array; an out= array is given back itself.
Any call_ufunc(Evaluator& evaluator, const UfuncRow& row, std::span<const Any> inputs, ir::Span span,
               const UfuncOptions& options = {});
inline Any call_ufunc(Evaluator& evaluator, const UfuncRow& row, std::initializer_list<Any> inputs,
                      ir::Span span, const UfuncOptions& options = {}) {
  return call_ufunc(evaluator, row, std::span(inputs.begin(), inputs.size()), span, options);
}

struct FoldOptions {
  std::vector<bool> axes = {};  // which dimensions go
  bool keepdims = false;
  DataType dtype = DataType::Void();
  std::optional<ffi::Tensor> initial = {};
};
// row.reduce over a tensor; the result has no reduced dimensions (or those of extent 1).
ffi::Tensor fold_tensor(const UfuncRow& row, const ffi::Tensor& tensor, const FoldOptions& options,
                        ir::Span span);
ffi::Tensor accumulate_tensor(const UfuncRow& row, const ffi::Tensor& tensor, int64_t axis, DataType dtype,
                              ir::Span span);

// Raises NotImplementedError unless `where` is True.
void refuse_where(const Any& where, ir::Span span);
const UfuncRow& find_ufunc(std::string_view name);  // "add"
std::span<const UfuncRow> arithmetic_ufuncs();
std::span<const UfuncRow> math_ufuncs();

// ---- making loops ----

// Which types a function takes.
struct AllTypes {
  template <class T>
  static constexpr bool on = true;
};
struct Number {
  template <class T>
  static constexpr bool on = !std::is_same_v<T, bool>;
};
struct Real {
  template <class T>
  static constexpr bool on = is_real<T>;
};
struct Integral {
  template <class T>
  static constexpr bool on = std::is_integral_v<T>;
};
// The function that an expression is.
template <class Types, auto function>
struct Of : Types {
  template <class... T>
  static auto apply(T... x) {
    return function(x...);
  }
};

template <class T>
inline T load(const char* at) {
  return *reinterpret_cast<const T*>(at);
}

// In front of a loop whose iterations do not read what others write.
#ifdef __clang__
#define MLC_NP_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define MLC_NP_INDEPENDENT _Pragma("GCC ivdep")
#endif

// f(Compute<T>) -> R
template <class F, class T, class R>
void unary_loop(char* const* p, int64_t n, const int64_t* s) {
  const char* a = p[0];
  char* o = p[1];
  if (s[0] == sizeof(T) && s[1] == sizeof(R)) {
    const auto* x = reinterpret_cast<const T*>(a);
    auto* r = reinterpret_cast<R*>(o);
MLC_NP_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) r[i] = static_cast<R>(F::apply(static_cast<Compute<T>>(x[i])));
    return;
  }
  for (int64_t i = 0; i < n; ++i, a += s[0], o += s[1])
    *reinterpret_cast<R*>(o) = static_cast<R>(F::apply(static_cast<Compute<T>>(load<T>(a))));
}

// f(Compute<T>, Compute<T>) -> R
template <class F, class T, class R>
void binary_loop(char* const* p, int64_t n, const int64_t* s) {
  const char *a = p[0], *b = p[1];
  char* o = p[2];
  using C = Compute<T>;
  if (s[2] == sizeof(R)) {
    const auto* x = reinterpret_cast<const T*>(a);
    const auto* y = reinterpret_cast<const T*>(b);
    auto* r = reinterpret_cast<R*>(o);
    // Each side steps by one element or stands still.
    auto run = [&](auto left_moves, auto right_moves) {
      C left = static_cast<C>(*x), right = static_cast<C>(*y);
MLC_NP_INDEPENDENT
      for (int64_t i = 0; i < n; ++i) {
        if constexpr (left_moves.value) left = static_cast<C>(x[i]);
        if constexpr (right_moves.value) right = static_cast<C>(y[i]);
        r[i] = static_cast<R>(F::apply(left, right));
      }
    };
    if (s[0] == sizeof(T) && s[1] == sizeof(T)) return run(std::true_type(), std::true_type());
    if (s[0] == sizeof(T) && s[1] == 0) return run(std::true_type(), std::false_type());
    if (s[0] == 0 && s[1] == sizeof(T)) return run(std::false_type(), std::true_type());
  }
  for (int64_t i = 0; i < n; ++i, a += s[0], b += s[1], o += s[2])
    *reinterpret_cast<R*>(o) =
        static_cast<R>(F::apply(static_cast<C>(load<T>(a)), static_cast<C>(load<T>(b))));
}

// Folds in order; float16 is rounded once, at the end.
template <class F, class T>
void fold_loop(char* const* p, int64_t n, const int64_t* s) {
  const char* a = p[1];
  if constexpr (std::is_same_v<T, BFloat16>) {
    T sum = load<T>(p[0]);
    for (int64_t i = 0; i < n; ++i, a += s[1])
      sum = static_cast<T>(F::apply(static_cast<float>(sum), static_cast<float>(load<T>(a))));
    *reinterpret_cast<T*>(p[0]) = sum;
  } else {
    auto sum = static_cast<Compute<T>>(load<T>(p[0]));
    if (s[1] == sizeof(T)) {
      const auto* x = reinterpret_cast<const T*>(a);
      for (int64_t i = 0; i < n; ++i)
        sum = static_cast<Compute<T>>(F::apply(sum, static_cast<Compute<T>>(x[i])));
    } else {
      for (int64_t i = 0; i < n; ++i, a += s[1])
        sum = static_cast<Compute<T>>(F::apply(sum, static_cast<Compute<T>>(load<T>(a))));
    }
    *reinterpret_cast<T*>(p[0]) = static_cast<T>(sum);
  }
}

// A table with an entry of `make` for each type that `F::on<T>` takes.
template <class F, class Make>
constexpr Loops loops_of(Make make) {
  Loops loops{};
  [&]<size_t... I>(std::index_sequence<I...>) {
    (([&] {
       using T = std::tuple_element_t<I, Elements>;
       if constexpr (F::template on<T>) loops[I] = make(T{});
     }()),
     ...);
  }
  (std::make_index_sequence<kPlainKinds>());
  return loops;
}
template <class T, class Result>
using ResultOr = std::conditional_t<std::is_void_v<Result>, T, Result>;
template <class F, class Result = void>
constexpr Loops unary_loops() {
  return loops_of<F>([]<class T>(T) -> Loop { return unary_loop<F, T, ResultOr<T, Result>>; });
}
template <class F, class Result = void>
constexpr Loops binary_loops() {
  return loops_of<F>([]<class T>(T) -> Loop { return binary_loop<F, T, ResultOr<T, Result>>; });
}
template <class F>
constexpr Loops fold_loops() {
  return loops_of<F>([]<class T>(T) -> Loop { return fold_loop<F, T>; });
}
template <class F>
constexpr UfuncRow unary(std::string_view name, std::string_view doc) {
  return {.name = name, .doc = doc, .inputs = 1, .loops = unary_loops<F>()};
}
template <class F>
constexpr UfuncRow binary(std::string_view name, std::string_view doc) {
  return {.name = name, .doc = doc, .inputs = 2, .loops = binary_loops<F>()};
}
// Answers with a bool.
template <class F>
constexpr UfuncRow predicate(std::string_view name, std::string_view doc) {
  return {.name = name, .doc = doc, .inputs = 1, .loops = unary_loops<F, bool>(), .result = DataType::Bool()};
}

template <class T>
constexpr bool is_whole = std::is_integral_v<T> && !std::is_same_v<T, bool>;

}  // namespace mlc::script
