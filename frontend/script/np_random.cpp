// SPDX-License-Identifier: Apache-2.0
// np.random with NumPy's own streams: the legacy functions on the Mersenne Twister (M. Matsumoto, T.
// Nishimura, 1998), and default_rng on PCG64 XSL-RR (M. O'Neill, 2014) seeded through SeedSequence.
#include <array>
#include <cmath>
#include <random>

#include "frontend/script/mersenne_twister.h"
#include "frontend/script/np_array.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;
using ir::native;

namespace {

MersenneTwister& legacy() {
  static MersenneTwister generator = [] {
    MersenneTwister made;
    made.seed(std::random_device()());
    return made;
  }();
  return generator;
}

// NumPy's SeedSequence: four words of pool, mixed by multiplication and xor.
class SeedSequence {
 public:
  explicit SeedSequence(const std::vector<uint32_t>& entropy) {
    uint32_t constant = 0x43b0d7e5U;
    auto hashed = [&](uint32_t value) {
      value ^= constant;
      constant *= 0x931e8875U;
      value *= constant;
      return value ^ value >> 16;
    };
    auto mix = [](uint32_t x, uint32_t y) {
      uint32_t result = 0xca01f9ddU * x - 0x4973f715U * y;
      return result ^ result >> 16;
    };
    for (size_t i = 0; i < 4; ++i) pool_[i] = hashed(i < entropy.size() ? entropy[i] : 0);
    for (size_t from = 0; from < 4; ++from) {
      for (size_t to = 0; to < 4; ++to) {
        if (from != to) pool_[to] = mix(pool_[to], hashed(pool_[from]));
      }
    }
    for (size_t i = 4; i < entropy.size(); ++i) {
      for (size_t to = 0; to < 4; ++to) pool_[to] = mix(pool_[to], hashed(entropy[i]));
    }
  }
  std::array<uint64_t, 4> words() const {
    uint32_t constant = 0x8b51f9ddU;
    std::array<uint32_t, 8> half{};
    for (size_t i = 0; i < 8; ++i) {
      uint32_t value = pool_[i % 4] ^ constant;
      constant *= 0x58f38dedU;
      value *= constant;
      half[i] = value ^ value >> 16;
    }
    std::array<uint64_t, 4> result{};
    for (size_t i = 0; i < 4; ++i) result[i] = static_cast<uint64_t>(half[2 * i + 1]) << 32 | half[2 * i];
    return result;
  }

 private:
  std::array<uint32_t, 4> pool_{};
};

using uint128 = unsigned __int128;

}  // namespace

struct RandomGeneratorNode final : ffi::Object {
  uint128 state = 0, increment = 0;
  bool has_half = false;
  uint32_t half = 0;

  explicit RandomGeneratorNode(const std::array<uint64_t, 4>& seed) {
    increment = ((static_cast<uint128>(seed[2]) << 64 | seed[3]) << 1) | 1;
    step();
    state += static_cast<uint128>(seed[0]) << 64 | seed[1];
    step();
  }
  void step() {
    constexpr uint128 multiplier =
        static_cast<uint128>(2549297995355413924ULL) << 64 | 4865540595714422341ULL;
    state = state * multiplier + increment;
  }
  uint64_t next64() {
    step();
    auto folded = static_cast<uint64_t>(state >> 64) ^ static_cast<uint64_t>(state);
    auto turn = static_cast<unsigned>(state >> 122);
    return folded >> turn | folded << ((-turn) & 63);
  }
  uint32_t next32() {
    if (has_half) {
      has_half = false;
      return half;
    }
    uint64_t whole = next64();
    has_half = true;
    half = static_cast<uint32_t>(whole >> 32);
    return static_cast<uint32_t>(whole);
  }
  double uniform() { return static_cast<double>(next64() >> 11) * (1.0 / 9007199254740992.0); }
  float uniform32() { return static_cast<float>(next32() >> 8) * (1.0F / 16777216.0F); }
  // 0 .. range, both included (D. Lemire, 2019).
  uint64_t bounded(uint64_t range) {
    if (range == 0) return 0;
    if (range == 0xffffffffU) return next32();
    if (range < 0xffffffffU) {
      auto count = static_cast<uint32_t>(range) + 1;
      uint64_t product = static_cast<uint64_t>(next32()) * count;
      auto low = static_cast<uint32_t>(product);
      if (low < count) {
        uint32_t threshold = (0xffffffffU - static_cast<uint32_t>(range)) % count;
        while (low < threshold) {
          product = static_cast<uint64_t>(next32()) * count;
          low = static_cast<uint32_t>(product);
        }
      }
      return product >> 32;
    }
    if (range == ~uint64_t{0}) return next64();
    uint64_t count = range + 1;
    uint128 product = static_cast<uint128>(next64()) * count;
    auto low = static_cast<uint64_t>(product);
    if (low < count) {
      uint64_t threshold = (~uint64_t{0} - range) % count;
      while (low < threshold) {
        product = static_cast<uint128>(next64()) * count;
        low = static_cast<uint64_t>(product);
      }
    }
    return static_cast<uint64_t>(product >> 64);
  }
  MLC_NODE("mlc.np.random.Generator", RandomGeneratorNode, ffi::Object);
};
using RandomGenerator = ir::Ref<RandomGeneratorNode>;

namespace {

RandomGeneratorNode& mutable_generator(const RandomGenerator& generator) {
  return *const_cast<RandomGeneratorNode*>(generator.get());
}

// An array of drawn values, or one value where the size is None.
template <class F>
Any draw(ApiCall& call, const Any& size, size_t index, DataType dtype, bool python_number, F one) {
  if (is_none(size)) {
    auto value = one();
    if (python_number) return Any(value);
    return scalar_value(dtype, value);
  }
  Shape shape = shape_argument(evaluator_of(call.host), size, call.span_of(index));
  ffi::Tensor tensor = ir::make_tensor(shape, dtype);
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < tensor.numel(); ++i) data_of<T>(tensor)[i] = static_cast<T>(one());
  });
  return array_value(tensor);
}

struct IntRange {
  int64_t low;
  uint64_t range;
};
IntRange int_range(ApiCall& call, const Any& low_value, const Any& high_value, bool endpoint) {
  Evaluator& evaluator = evaluator_of(call.host);
  int64_t low = is_none(high_value) ? 0 : index_value(evaluator, low_value, call.span_of(0), "low");
  int64_t high = index_value(evaluator, is_none(high_value) ? low_value : high_value, call.span, "high");
  if (!endpoint) --high;
  if (low > high) raise("ValueError", call.span, "empty-range", "low >= high");
  return {low, static_cast<uint64_t>(high) - static_cast<uint64_t>(low)};
}
DataType int_dtype(ApiCall& call, const Any& dtype) {
  if (is_none(dtype)) return DataType::Int(64);
  DataType type = dtype_argument(evaluator_of(call.host), dtype, call.span);
  if (type.is_float() || type.bits() < 32) {
    raise("TypeError", call.span, "unsupported-dtype", "Unsupported dtype dtype('{}') for randint",
          type.str());
  }
  return type;
}

Any sized_by_arguments(const Tuple& dims) { return dims.empty() ? Any(nullptr) : Any(dims); }

Any default_rng(ApiCall& call, const Any& seed) {
  std::vector<uint32_t> entropy;
  if (is_none(seed)) {
    std::random_device device;
    for (int i = 0; i < 4; ++i) entropy.push_back(device());
  } else {
    int64_t value = index_value(evaluator_of(call.host), seed, call.span_of(0), "seed");
    if (value < 0) raise("ValueError", call.span_of(0), "negative-seed", "expected non-negative integer");
    entropy.push_back(static_cast<uint32_t>(value));
    if (value >> 32 != 0) entropy.push_back(static_cast<uint32_t>(value >> 32));
  }
  return Any(ir::make<RandomGeneratorNode>(SeedSequence(entropy).words()));
}

constexpr std::string_view kGenerator = "mlc.np.random.Generator";

const ApiRow rows[] = {
    {ApiKind::kFunction, "numpy.random", "seed(seed=None)", "Starts the legacy stream anew.",
     native([](ApiCall& call, Any seed) {
       if (is_none(seed)) {
         legacy().seed(std::random_device()());
         return;
       }
       int64_t value = index_value(evaluator_of(call.host), seed, call.span_of(0), "seed");
       if (value < 0 || value > 0xffffffffLL) {
         raise("ValueError", call.span_of(0), "seed-out-of-range", "Seed must be between 0 and 2**32 - 1");
       }
       legacy().seed(static_cast<uint32_t>(value));
     })},
    {ApiKind::kFunction, "numpy.random", "rand(*dims)", "Uniform values in [0, 1).",
     native([](ApiCall& call, Tuple dims) {
       return draw(call, sized_by_arguments(dims), 0, DataType::Float(64), true,
                   [] { return legacy().uniform(); });
     })},
    {ApiKind::kFunction, "numpy.random", "random(size=None)", "Uniform values in [0, 1).",
     native([](ApiCall& call, Any size) {
       return draw(call, size, 0, DataType::Float(64), true, [] { return legacy().uniform(); });
     })},
    {ApiKind::kFunction, "numpy.random", "random_sample(size=None)", "Uniform values in [0, 1).",
     native([](ApiCall& call, Any size) {
       return draw(call, size, 0, DataType::Float(64), true, [] { return legacy().uniform(); });
     })},
    {ApiKind::kFunction, "numpy.random", "uniform(low=0.0, high=1.0, size=None)",
     "Uniform values in [low, high).", native([](ApiCall& call, double low, double high, Any size) {
       return draw(call, size, 2, DataType::Float(64), true,
                   [&] { return low + (high - low) * legacy().uniform(); });
     })},
    {ApiKind::kFunction, "numpy.random", "randn(*dims)", "Standard normal values.",
     native([](ApiCall& call, Tuple dims) {
       return draw(call, sized_by_arguments(dims), 0, DataType::Float(64), true,
                   [] { return legacy().gauss(); });
     })},
    {ApiKind::kFunction, "numpy.random", "standard_normal(size=None)", "Standard normal values.",
     native([](ApiCall& call, Any size) {
       return draw(call, size, 0, DataType::Float(64), true, [] { return legacy().gauss(); });
     })},
    {ApiKind::kFunction, "numpy.random", "normal(loc=0.0, scale=1.0, size=None)", "Normal values.",
     native([](ApiCall& call, double loc, double scale, Any size) {
       return draw(call, size, 2, DataType::Float(64), true, [&] { return loc + scale * legacy().gauss(); });
     })},
    {ApiKind::kFunction, "numpy.random", "randint(low, high=None, size=None, dtype=None)",
     "Integers in [low, high).", native([](ApiCall& call, Any low, Any high, Any size, Any dtype) {
       IntRange range = int_range(call, low, high, false);
       return draw(call, size, 2, int_dtype(call, dtype), is_none(dtype), [&] {
         return static_cast<int64_t>(static_cast<uint64_t>(range.low) + legacy().bounded(range.range));
       });
     })},
    {ApiKind::kFunction, "numpy.random", "default_rng(seed=None)", "A generator of its own.",
     native([](ApiCall& call, Any seed) { return default_rng(call, seed); })},
    {ApiKind::kMethod, kGenerator, "random(size=None, dtype=None)", "Uniform values in [0, 1).",
     native([](ApiCall& call, RandomGenerator self, Any size, Any dtype) {
       DataType type = is_none(dtype) ? DataType::Float(64)
                                      : dtype_argument(evaluator_of(call.host), dtype, call.span_of(2));
       if (type.is_float() && type.bits() == 32) {
         return draw(call, size, 1, type, false,
                     [&] { return static_cast<double>(mutable_generator(self).uniform32()); });
       }
       return draw(call, size, 1, DataType::Float(64), true,
                   [&] { return mutable_generator(self).uniform(); });
     })},
    {ApiKind::kMethod, kGenerator, "uniform(low=0.0, high=1.0, size=None)", "Uniform values in [low, high).",
     native([](ApiCall& call, RandomGenerator self, double low, double high, Any size) {
       return draw(call, size, 3, DataType::Float(64), true,
                   [&] { return low + (high - low) * mutable_generator(self).uniform(); });
     })},
    {ApiKind::kMethod, kGenerator, "integers(low, high=None, size=None, dtype=None, endpoint=False)",
     "Integers in [low, high).",
     native([](ApiCall& call, RandomGenerator self, Any low, Any high, Any size, Any dtype, bool endpoint) {
       IntRange range = int_range(call, low, high, endpoint);
       return draw(call, size, 3, int_dtype(call, dtype), false, [&] {
         return static_cast<int64_t>(static_cast<uint64_t>(range.low) +
                                     mutable_generator(self).bounded(range.range));
       });
     })},
};

}  // namespace

std::span<const ir::ApiRow> np_random_rows() { return rows; }

}  // namespace mlc::script
