// SPDX-License-Identifier: Apache-2.0
// Universal functions: one row each, with a loop per type of elements. Calls resolve types as NumPy 2 does,
// broadcast, and take out=, where=, dtype= and casting=; reduce, accumulate, outer and at follow from the
// row.
#pragma once

#include <array>

#include "frontend/script/numpy/loop.h"

namespace mlc::script {

// Pointers to inputs, then outputs.
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
  int8_t inputs, outputs;
  Loops loops{};
  Loops folds{};
  // Running folds in place: pointers[0] holds the first of n elements, steps[0] apart.
  Loops scans{};
  std::optional<DataType> result = {};  // of all loops; the loop's own type where there is none
  std::optional<DataType> last = {};    // of the last of two outputs, where it is another one
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
  std::vector<Any> out;  // None where not given
  Any where;             // None: everywhere
  DataType dtype = DataType::Void();
  Casting casting = Casting::kSameKind;
};
// The outputs as scalars or arrays; out= arrays are given back themselves.
std::vector<Any> call_ufunc(Evaluator& evaluator, const UfuncRow& row, std::span<const Any> inputs,
                            ir::Span span, const UfuncOptions& options = {});
inline Any call_ufunc1(Evaluator& evaluator, const UfuncRow& row, std::initializer_list<Any> inputs,
                       ir::Span span, const UfuncOptions& options = {}) {
  return call_ufunc(evaluator, row, std::span(inputs.begin(), inputs.size()), span, options)[0];
}

struct FoldOptions {
  std::vector<bool> axes = {};  // which dimensions go
  bool keepdims = false;
  DataType dtype = DataType::Void();
  std::optional<ffi::Tensor> initial = {};
  std::optional<ffi::Tensor> where = {};
};
// row.reduce over a tensor; the result has no reduced dimensions (or those of extent 1).
ffi::Tensor fold_tensor(const UfuncRow& row, const ffi::Tensor& tensor, const FoldOptions& options,
                        ir::Span span);
ffi::Tensor accumulate_tensor(const UfuncRow& row, const ffi::Tensor& tensor, int64_t axis, DataType dtype,
                              ir::Span span);

const UfuncRow& find_ufunc(std::string_view name);  // "add"
std::span<const UfuncRow> arithmetic_ufuncs();
std::span<const UfuncRow> math_ufuncs();

// ---- making loops ----

template <class T>
inline T load(const char* at) {
  return *reinterpret_cast<const T*>(at);
}

// f(Compute<T>) -> R
template <class F, class T, class R>
void unary_loop(char* const* p, int64_t n, const int64_t* s) {
  const char* a = p[0];
  char* o = p[1];
  if (s[0] == sizeof(T) && s[1] == sizeof(R)) {
    const auto* x = reinterpret_cast<const T*>(a);
    auto* r = reinterpret_cast<R*>(o);
#pragma GCC ivdep
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
  auto each = [](C x, C y) { return static_cast<R>(F::apply(x, y)); };
  if (s[2] == sizeof(R)) {
    const auto* x = reinterpret_cast<const T*>(a);
    const auto* y = reinterpret_cast<const T*>(b);
    auto* r = reinterpret_cast<R*>(o);
    if (s[0] == sizeof(T) && s[1] == sizeof(T)) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) r[i] = each(static_cast<C>(x[i]), static_cast<C>(y[i]));
      return;
    }
    if (s[0] == sizeof(T) && s[1] == 0) {
      C right = static_cast<C>(*y);
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) r[i] = each(static_cast<C>(x[i]), right);
      return;
    }
    if (s[0] == 0 && s[1] == sizeof(T)) {
      C left = static_cast<C>(*x);
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) r[i] = each(left, static_cast<C>(y[i]));
      return;
    }
  }
  for (int64_t i = 0; i < n; ++i, a += s[0], b += s[1], o += s[2])
    *reinterpret_cast<R*>(o) = each(static_cast<C>(load<T>(a)), static_cast<C>(load<T>(b)));
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

template <class F, class T>
void scan_loop(char* const* p, int64_t n, const int64_t* s) {
  T sum = load<T>(p[0]);
  char* at = p[0];
  for (int64_t i = 1; i < n; ++i) {
    at += s[0];
    sum = static_cast<T>(F::apply(static_cast<Compute<T>>(sum), static_cast<Compute<T>>(load<T>(at))));
    *reinterpret_cast<T*>(at) = sum;
  }
}

// A fold whose order does not matter: eight at once.
template <class F, class T>
void free_fold_loop(char* const* p, int64_t n, const int64_t* s) {
  if (s[1] != sizeof(T) || n < 16 || is_small_float<T>) return fold_loop<F, T>(p, n, s);
  const auto* x = reinterpret_cast<const T*>(p[1]);
  constexpr int64_t kLanes = 64 / sizeof(T);
  T lanes[kLanes];
  std::fill_n(lanes, kLanes, load<T>(p[0]));
  if constexpr (!is_small_float<T>) {
    // The first block stands for the start as well: max, min, and, or of a value with itself are that value.
    if constexpr (!F::idempotent) std::fill_n(lanes + 1, kLanes - 1, static_cast<T>(F::start));
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int64_t k = 0; k < kLanes; ++k) lanes[k] = static_cast<T>(F::apply(lanes[k], x[i + k]));
    }
    T sum = lanes[0];
    for (int64_t k = 1; k < kLanes; ++k) sum = static_cast<T>(F::apply(sum, lanes[k]));
    for (; i < n; ++i) sum = static_cast<T>(F::apply(sum, x[i]));
    *reinterpret_cast<T*>(p[0]) = sum;
  }
}

// Tables over all types that `F::on<T>` takes.
template <class F, class Result = void>
constexpr Loops unary_loops() {
  Loops loops{};
  [&]<size_t... I>(std::index_sequence<I...>) {
    (([&] {
       using T = Element<static_cast<Kind>(I)>;
       using R = std::conditional_t<std::is_void_v<Result>, T, Result>;
       if constexpr (F::template on<T>) loops[I] = unary_loop<F, T, R>;
     }()),
     ...);
  }
  (std::make_index_sequence<kPlainKinds>());
  return loops;
}
template <class F, class Result = void>
constexpr Loops binary_loops() {
  Loops loops{};
  [&]<size_t... I>(std::index_sequence<I...>) {
    (([&] {
       using T = Element<static_cast<Kind>(I)>;
       using R = std::conditional_t<std::is_void_v<Result>, T, Result>;
       if constexpr (F::template on<T>) loops[I] = binary_loop<F, T, R>;
     }()),
     ...);
  }
  (std::make_index_sequence<kPlainKinds>());
  return loops;
}
template <class F>
constexpr Loops fold_loops() {
  Loops loops{};
  [&]<size_t... I>(std::index_sequence<I...>) {
    (([&] {
       using T = Element<static_cast<Kind>(I)>;
       if constexpr (F::template on<T>) {
         if constexpr (F::template free<T>)
           loops[I] = free_fold_loop<F, T>;
         else
           loops[I] = fold_loop<F, T>;
       }
     }()),
     ...);
  }
  (std::make_index_sequence<kPlainKinds>());
  return loops;
}

template <class F>
constexpr Loops scan_loops() {
  Loops loops{};
  [&]<size_t... I>(std::index_sequence<I...>) {
    (([&] {
       using T = Element<static_cast<Kind>(I)>;
       if constexpr (F::template on<T>) loops[I] = scan_loop<F, T>;
     }()),
     ...);
  }
  (std::make_index_sequence<kPlainKinds>());
  return loops;
}

template <class T>
constexpr bool is_whole = std::is_integral_v<T> && !std::is_same_v<T, bool>;

}  // namespace mlc::script
