// SPDX-License-Identifier: Apache-2.0
// The streams below stdlib/np/random.mlc, which give rows of numbers: the Mersenne Twister of the legacy
// functions, and the PCG64 of default_rng.
#include <random>

#include "frontend/script/numpy/array.h"
#include "frontend/script/numpy/random_streams.h"
#include "ir/core/interrupt.h"
#include "ir/core/inputs.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "negative-seed",
                                            .message = "a seed is not negative, and this one is {}",
                                            .meaning = "Seeds are not negative.",
                                            .wrong = R"(import numpy as np
np.random.default_rng(-1))",
                                            .right = R"(import numpy as np
np.random.default_rng(1))"},
                                       }};
MLC_REFUSALS(numpy_random, refusals);

using ir::ApiKind;
using ir::ApiRow;
using ir::native;

namespace {

constexpr std::string_view kTwister = "mlc.np.random.Twister", kPcg64 = "mlc.np.random.Pcg64";

using TwisterRef = ir::Ref<TwisterNode>;
using Pcg64Ref = ir::Ref<Pcg64Node>;

uint32_t seed_of_system() {
  ir::Inputs::global().beyond();
  return std::random_device()();
}
MersenneTwister& stream_of(const TwisterRef& self) {
  auto& state = const_cast<TwisterNode*>(self.get())->state;
  if (!state.seeded) state.stream.seed(seed_of_system());
  state.seeded = true;
  return state.stream;
}
Pcg64& stream_of(const Pcg64Ref& self) { return const_cast<Pcg64Node*>(self.get())->stream; }

template <class T, class F>
Any draw_row(int64_t count, DataType dtype, F one) {
  int64_t dims[] = {count};
  ffi::Tensor tensor = make_array(dims, dtype);
  for (int64_t i = 0; i < count; ++i) {
    if ((i & 0xffff) == 0xffff) ir::heed_interrupt();
    data_of<T>(tensor)[i] = one();
  }
  return array_value(tensor);
}
template <auto draw>
Any drawn(const TwisterRef& self, int64_t count) {
  MersenneTwister& stream = stream_of(self);
  return draw_row<double>(count, DataType::Float(64), [&] { return (stream.*draw)(); });
}
// While the stream stays in registers.
template <class T, auto draw>
Any drawn(const Pcg64Ref& self, int64_t count) {
  Pcg64 local = stream_of(self);
  Any values = draw_row<T>(count, DataType::Float(8 * sizeof(T)), [&] { return (local.*draw)(); });
  stream_of(self) = local;
  return values;
}
// Types of less than 32 bits take their share of a word each.
template <class Stream>
Any integers(ApiCall& call, Stream& stream, int64_t low, uint64_t range, int64_t count,
             const Any& dtype_value) {
  DataType dtype = dtype_argument(evaluator_of(call.host), dtype_value, call.span);
  int bits = dtype.is_bool() ? 1 : dtype.bits(), left = 0;
  uint32_t buffer = 0;
  int64_t dims[] = {count};
  ffi::Tensor tensor = make_array(dims, dtype);
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < count; ++i) {
      if ((i & 0xffff) == 0xffff) ir::heed_interrupt();
      uint64_t above = bits < 32 ? stream.bounded_part(static_cast<uint32_t>(range), bits, buffer, left)
                                 : stream.bounded(range);
      data_of<T>(tensor)[i] = static_cast<T>(static_cast<int64_t>(static_cast<uint64_t>(low) + above));
    }
  });
  return array_value(tensor);
}
// 0 .. n - 1, shuffled down to `first`.
template <class F>
Any shuffled(int64_t n, int64_t first, F bounded) {
  int64_t next = 0;
  Any row = draw_row<int64_t>(n, DataType::Int(64), [&] { return next++; });
  auto* data = data_of<int64_t>(as<ir::NDArrayNode>(row)->tensor);
  for (int64_t i = n - 1; i >= first; --i) std::swap(data[i], data[bounded(static_cast<uint64_t>(i))]);
  return row;
}

// Natural numbers below 2**32, several where one does not fit.
std::vector<uint32_t> seed_words(ApiCall& call, const Any& numbers) {
  std::vector<uint32_t> words;
  for (int64_t value : shape_argument(evaluator_of(call.host), numbers, call.span)) {
    if (value < 0) raise(refusals["negative-seed"], call.span, value);
    words.push_back(static_cast<uint32_t>(value));
    if (value >> 32 != 0) words.push_back(static_cast<uint32_t>(value >> 32));
  }
  return words;
}

const ApiRow random_table[] = {
    {ApiKind::kFunction, "numpy.random", "_twister()", "A Mersenne Twister that the system seeds.",
     native([] { return Any(ir::make<TwisterNode>()); })},
    {ApiKind::kMethod, kTwister, "seed(number)", "Starts the stream anew.",
     native([](TwisterRef self, int64_t number) { stream_of(self).seed(static_cast<uint32_t>(number)); })},
    {ApiKind::kMethod, kTwister, "seed_words(words)", "Starts the stream anew, from several numbers.",
     native(
         [](ApiCall& call, TwisterRef self, Any words) { stream_of(self).seed(seed_words(call, words)); })},
    {ApiKind::kMethod, kTwister, "uniform(count)", "Doubles in [0, 1).",
     native([](TwisterRef self, int64_t count) { return drawn<&MersenneTwister::uniform>(self, count); })},
    {ApiKind::kMethod, kTwister, "normal(count)", "Standard normal doubles.",
     native([](TwisterRef self, int64_t count) { return drawn<&MersenneTwister::gauss>(self, count); })},
    {ApiKind::kMethod, kTwister, "integers(low, range, count, dtype)", "Integers from low to low + range.",
     native([](ApiCall& call, TwisterRef self, int64_t low, int64_t range, int64_t count, Any dtype) {
       return integers(call, stream_of(self), low, static_cast<uint64_t>(range), count, dtype);
     })},
    {ApiKind::kMethod, kTwister, "shuffled(n)", "The numbers below n, shuffled.",
     native([](TwisterRef self, int64_t n) {
       return shuffled(n, 1, [&](uint64_t top) { return stream_of(self).bounded(top); });
     })},
    {ApiKind::kFunction, "numpy.random", "_pcg64(words)", "A PCG64 from these numbers; None: the system's.",
     native([](ApiCall& call, Any words) {
       std::vector<uint32_t> seeds;
       if (is_none(words))
         seeds = {seed_of_system(), seed_of_system(), seed_of_system(), seed_of_system()};
       else
         seeds = seed_words(call, words);
       return Any(ir::make<Pcg64Node>(mix_seeds(seeds)));
     })},
    {ApiKind::kMethod, kPcg64, "uniform(count)", "Doubles in [0, 1).",
     native([](Pcg64Ref self, int64_t count) { return drawn<double, &Pcg64::uniform>(self, count); })},
    {ApiKind::kMethod, kPcg64, "normal(count)", "Standard normal doubles.",
     native([](Pcg64Ref self, int64_t count) { return drawn<double, &Pcg64::normal>(self, count); })},
    {ApiKind::kMethod, kPcg64, "uniform32(count)", "Floats in [0, 1).",
     native([](Pcg64Ref self, int64_t count) { return drawn<float, &Pcg64::uniform32>(self, count); })},
    {ApiKind::kMethod, kPcg64, "normal32(count)", "Standard normal floats.",
     native([](Pcg64Ref self, int64_t count) { return drawn<float, &Pcg64::normal32>(self, count); })},
    {ApiKind::kMethod, kPcg64, "integers(low, range, count, dtype)", "Integers from low to low + range.",
     native([](ApiCall& call, Pcg64Ref self, int64_t low, int64_t range, int64_t count, Any dtype) {
       return integers(call, stream_of(self), low, static_cast<uint64_t>(range), count, dtype);
     })},
    {ApiKind::kMethod, kPcg64, "shuffled(n, first=1, masked=False)",
     "The numbers below n, shuffled down to the first.",
     native([](Pcg64Ref self, int64_t n, int64_t first, bool masked) {
       Pcg64& stream = stream_of(self);
       return shuffled(n, first,
                       [&](uint64_t top) { return masked ? stream.masked(top) : stream.bounded(top); });
     })},
    {ApiKind::kMethod, kPcg64, "bounded(top)", "A number from 0 to top.",
     native([](Pcg64Ref self, int64_t top) {
       return static_cast<int64_t>(stream_of(self).bounded(static_cast<uint64_t>(top)));
     })},
};

}  // namespace

std::span<const ir::ApiRow> np_random_rows() { return random_table; }

}  // namespace mlc::script
