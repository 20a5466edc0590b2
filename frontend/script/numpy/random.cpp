// SPDX-License-Identifier: Apache-2.0
// np.random with NumPy's own streams: the legacy functions on the Mersenne Twister (M. Matsumoto, T.
// Nishimura, 1998), and default_rng on PCG64 XSL-RR (M. O'Neill, 2014) seeded through SeedSequence.
#include <random>

#include "frontend/script/core/library.h"
#include "frontend/script/numpy/errors.h"
#include "frontend/script/numpy/random.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/inputs.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;
using ir::native;

namespace {

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

}  // namespace

uint32_t seed_of_system() {
  ir::Inputs::global().beyond();
  return std::random_device()();
}

MersenneTwister& legacy_stream() {
  static MersenneTwister generator = [] {
    MersenneTwister made;
    made.seed(seed_of_system());
    return made;
  }();
  return generator;
}
Shape size_argument(ApiCall& call, const Any& size) {
  Shape shape = shape_argument(evaluator_of(call.host), size, call.span);
  for (int64_t extent : shape) {
    if (extent < 0)
      raise("ValueError", call.span, "negative-dimension", "negative dimensions are not allowed");
  }
  return shape;
}

namespace {

using Values = std::span<Any>;

// An array of drawn values, or one value where the size is None.
template <class F>
Any draw(ApiCall& call, const Any& size, DataType dtype, bool python_number, F one) {
  if (is_none(size)) {
    auto value = one();
    if (python_number) return Any(value);
    return scalar_value(dtype, value);
  }
  ffi::Tensor tensor = make_array(size_argument(call, size), dtype);
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    T* data = data_of<T>(tensor);
    for (int64_t i = 0, n = tensor.numel(); i < n; ++i) data[i] = static_cast<T>(one());
  });
  return array_value(tensor);
}
template <class F>
Any draw_reals(ApiCall& call, const Any& size, F one) {
  return draw(call, size, DataType::Float(64), true, one);
}

// The same, into an array where one is given.
template <class F>
Any draw_into(ApiCall& call, const Any& size, const Any& out, DataType dtype, F one) {
  auto* array = as<ir::NDArrayNode>(out);
  if (array == nullptr) return draw(call, size, dtype, true, one);
  if (DataType(array->tensor.dtype()) != dtype) {
    raise("TypeError", call.span, "unsupported-dtype",
          "Supplied output array has the wrong type. Expected {}, got {}", dtype.str(),
          DataType(array->tensor.dtype()).str());
  }
  Tuple shape;
  for (int64_t extent : array->tensor.shape()) shape.push_back(extent);
  if (!is_none(size) && size_argument(call, size) != shape_of(array->tensor))
    raise("ValueError", call.span, "shape-mismatch", "size must match out.shape when used together");
  return into_out(to_tensor(evaluator_of(call.host), draw(call, Any(shape), dtype, true, one), call.span),
                  out, call.span);
}

// Doubles of a generator, whose stream stays in registers meanwhile.
template <class F>
Any draw_doubles(ApiCall& call, const Any& size, const Any& out, const RandomGenerator& self, F one) {
  Pcg64& stream = stream_of(self);
  if (is_none(size) || !is_none(out))
    return draw_into(call, size, out, DataType::Float(64), [&] { return one(stream); });
  ffi::Tensor tensor = make_array(size_argument(call, size), DataType::Float(64));
  auto* data = data_of<double>(tensor);
  Pcg64 local = stream;
  for (int64_t i = 0, n = tensor.numel(); i < n; ++i) data[i] = one(local);
  stream = local;
  return array_value(tensor);
}

struct IntRange {
  int64_t low;
  uint64_t range;
  DataType dtype;
};
IntRange int_range(ApiCall& call, const Any& low_value, const Any& high_value, const Any& dtype,
                   bool endpoint) {
  Evaluator& evaluator = evaluator_of(call.host);
  DataType type = is_none(dtype) ? DataType::Int(64) : dtype_argument(evaluator, dtype, call.span);
  if (type.is_floating()) {
    raise("TypeError", call.span, "unsupported-dtype", "Unsupported dtype dtype('{}') for {}", type.str(),
          call.api.name);
  }
  auto bound = [&](const Any& value, std::string_view name) {
    Any plain = plain_number(value);
    if (is_float(plain)) return static_cast<int64_t>(std::floor(raw_float(plain)));
    return index_value(evaluator, plain, call.span, name);
  };
  int64_t low = is_none(high_value) ? 0 : bound(low_value, "low");
  const Any& last = is_none(high_value) ? low_value : high_value;
  if (type == DataType::UInt(64) && as_wide(last) != nullptr) {
    // Bounds above 2**63 - 1: 2**64 is one where the bound itself is left out.
    Any greatest =
        endpoint ? last : whole_binary(syntax::BinOperator::kSub, last, Any(int64_t{1}), call.span);
    std::optional<uint64_t> high = unsigned_of(greatest);
    if (is_int(greatest) && raw_int(greatest) >= 0) high = static_cast<uint64_t>(raw_int(greatest));
    if (low < 0) raise("ValueError", call.span, "out-of-range", "low is out of bounds for uint64");
    if (!high) raise("ValueError", call.span, "out-of-range", "high is out of bounds for uint64");
    return {low, *high - static_cast<uint64_t>(low), type};
  }
  int64_t high = bound(last, "high");
  if (!endpoint) --high;
  int64_t least = type.is_bool() || type.is_uint() ? 0 : INT64_MIN >> (64 - type.bits());
  uint64_t greatest = type.is_bool() ? 1 : ~uint64_t{0} >> (64 - type.bits() + (type.is_uint() ? 0 : 1));
  if (low < least) raise("ValueError", call.span, "out-of-range", "low is out of bounds for {}", type.str());
  if (high >= 0 && static_cast<uint64_t>(high) > greatest)
    raise("ValueError", call.span, "out-of-range", "high is out of bounds for {}", type.str());
  if (low > high) {
    raise("ValueError", call.span, "empty-range", "{}",
          endpoint                          ? "low > high"
          : is_none(high_value) && high < 0 ? "high <= 0"
                                            : "low >= high");
  }
  return {low, static_cast<uint64_t>(high) - static_cast<uint64_t>(low), type};
}

bool is_many(const Any& value) {
  auto* array = as<ir::NDArrayNode>(value);
  return is_list_like(value) || (array != nullptr && array->tensor.ndim() > 0);
}
// Bounds that are arrays: one draw per pair.
template <class F>
Any draw_between(ApiCall& call, const Any& low, const Any& high, const Any& size, const Any& dtype,
                 bool endpoint, F bounded) {
  Evaluator& evaluator = evaluator_of(call.host);
  DataType type = is_none(dtype) ? DataType::Int(64) : dtype_argument(evaluator, dtype, call.span);
  if (type.bits() < 32) {
    raise("NotImplementedError", call.span, "not-supported",
          "arrays as bounds are taken for integers of 32 and 64 bits, not for {}", type.str());
  }
  bool one = is_none(high);
  ffi::Tensor least = to_tensor(evaluator, one ? Any(int64_t{0}) : low, call.span, DataType::Int(64));
  ffi::Tensor most = to_tensor(evaluator, one ? low : high, call.span, DataType::Int(64));
  Shape shape = broadcast_shapes(shape_of(least), shape_of(most), call.span);
  if (!is_none(size)) {
    Shape wanted = size_argument(call, size);
    if (common_shape(shape, wanted) != wanted) {
      raise("ValueError", call.span, "shape-mismatch",
            "Output size {} is not compatible with broadcast dimensions of inputs {}.", shape_text(wanted),
            shape_text(shape));
    }
    shape = wanted;
  }
  least = row_major(broadcast_to(least, shape), DataType::Int(64));
  most = row_major(broadcast_to(most, shape), DataType::Int(64));
  ffi::Tensor result = make_array(shape, DataType::Int(64));
  for (int64_t i = 0; i < result.numel(); ++i) {
    IntRange range = int_range(call, data_of<int64_t>(least)[i], data_of<int64_t>(most)[i], dtype, endpoint);
    data_of<int64_t>(result)[i] =
        static_cast<int64_t>(static_cast<uint64_t>(range.low) + bounded(range.range));
  }
  return array_value(cast_to(result, type));
}

// ---- the legacy stream ----

Any rand(ApiCall& call, MersenneTwister& stream, Values args) {
  auto dims = args[0].cast<Tuple>();
  return draw_reals(call, dims.empty() ? Any(nullptr) : Any(dims), [&] { return stream.uniform(); });
}
Any randn(ApiCall& call, MersenneTwister& stream, Values args) {
  auto dims = args[0].cast<Tuple>();
  return draw_reals(call, dims.empty() ? Any(nullptr) : Any(dims), [&] { return stream.gauss(); });
}
Any random_sample(ApiCall& call, MersenneTwister& stream, Values args) {
  return draw_reals(call, args[0], [&] { return stream.uniform(); });
}
Any standard_normal(ApiCall& call, MersenneTwister& stream, Values args) {
  return draw_reals(call, args[0], [&] { return stream.gauss(); });
}
Any randint(ApiCall& call, MersenneTwister& stream, Values args) {
  if (is_many(args[0]) || is_many(args[1])) {
    return draw_between(call, args[0], args[1], args[2], args[3], false,
                        [&](uint64_t range) { return stream.bounded(range); });
  }
  IntRange range = int_range(call, args[0], args[1], args[3], false);
  int bits = range.dtype.is_bool() ? 1 : range.dtype.bits();
  uint32_t buffer = 0;
  int left = 0;
  uint64_t mask = range.range;
  for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  return draw(call, args[2], range.dtype, is_none(args[3]), [&]() -> int64_t {
    if (bits >= 32)
      return static_cast<int64_t>(static_cast<uint64_t>(range.low) + stream.bounded(range.range));
    if (range.range == 0) return range.low;
    for (;;) {
      if (left == 0) {
        buffer = stream.next32();
        left = 32 / bits - 1;
      } else {
        buffer >>= bits;
        --left;
      }
      uint64_t part = buffer & ((1U << bits) - 1) & mask;
      if (part <= range.range) return range.low + static_cast<int64_t>(part);
    }
  });
}
Any tomaxint(ApiCall& call, MersenneTwister& stream, Values args) {
  return draw(call, args[0], DataType::Int(64), true,
              [&] { return static_cast<int64_t>(stream.next64() >> 1); });
}
Any seed(ApiCall& call, MersenneTwister& stream, Values args) {
  if (is_none(args[0])) {
    stream.seed(seed_of_system());
    return nullptr;
  }
  if (is_list_like(args[0]) || as<ir::NDArrayNode>(args[0])) {
    std::vector<uint32_t> key;
    for (int64_t word : shape_argument(evaluator_of(call.host), args[0], call.span)) {
      if (word < 0 || word > 0xffffffffLL)
        raise("ValueError", call.span, "seed-out-of-range", "Seed must be between 0 and 2**32 - 1");
      key.push_back(static_cast<uint32_t>(word));
    }
    if (key.empty()) raise("ValueError", call.span, "wrong-value", "Seed must be non-empty");
    stream.seed(key);
    return nullptr;
  }
  int64_t value = index_value(evaluator_of(call.host), args[0], call.span, "seed");
  if (value < 0 || value > 0xffffffffLL)
    raise("ValueError", call.span, "seed-out-of-range", "Seed must be between 0 and 2**32 - 1");
  stream.seed(static_cast<uint32_t>(value));
  return nullptr;
}
// 0 .. n - 1, shuffled down to `first`.
template <class F>
Any shuffled(int64_t n, int64_t first, F bounded) {
  int64_t dims[] = {n};
  ffi::Tensor tensor = make_array(dims, DataType::Int(64));
  auto* data = data_of<int64_t>(tensor);
  for (int64_t i = 0; i < n; ++i) data[i] = i;
  for (int64_t i = n - 1; i >= first; --i) std::swap(data[i], data[bounded(static_cast<uint64_t>(i))]);
  return array_value(tensor);
}
Any shuffled_legacy(ApiCall&, MersenneTwister& stream, Values args) {
  return shuffled(args[0].cast<int64_t>(), 1, [&](uint64_t top) { return stream.bounded(top); });
}
// shuffle, permutation and choice are written in the language, for both kinds of stream.
Any in_language(ApiCall& call, std::string_view name, const Any& self, Values args) {
  std::vector<Any> all{self};
  all.insert(all.end(), args.begin(), args.end());
  Evaluator& evaluator = evaluator_of(call.host);
  return evaluator.call(library_member(call.host, "np.random", name), all, {}, call.span);
}

using LegacyBody = Any (*)(ApiCall&, MersenneTwister&, Values);
template <LegacyBody body>
Any of_state(ApiCall& call) {
  auto* state = const_cast<RandomStateNode*>(call.args[0].as<RandomStateNode>());
  return body(call, state->stream, call.args.subspan(1));
}
template <LegacyBody body>
Any of_module(ApiCall& call) {
  return body(call, legacy_stream(), call.args);
}
Any of_state_in_language(ApiCall& call) {
  return in_language(call, "legacy_" + call.api.name, call.args[0], call.args.subspan(1));
}
// The module's own stream as an object: np.random itself has the methods.
Any of_module_in_language(ApiCall& call) {
  return in_language(call, "module_" + call.api.name, nullptr, call.args);
}

constexpr std::string_view kState = kRandomState;
constexpr std::string_view kGenerator = kRandomGenerator;

#define MLC_NP_LEGACY(signature, doc, body)                                             \
  ApiRow{ApiKind::kFunction, "numpy.random", signature, doc, of_module<body>}, ApiRow { \
    ApiKind::kMethod, kState, signature, doc, of_state<body>                            \
  }
#define MLC_NP_LEGACY_LANGUAGE(signature, doc)                                                \
  ApiRow{ApiKind::kFunction, "numpy.random", signature, doc, of_module_in_language}, ApiRow { \
    ApiKind::kMethod, kState, signature, doc, of_state_in_language                            \
  }

// ---- generators ----

Any default_rng(ApiCall& call, const Any& seed_value) {
  if (as<RandomGeneratorNode>(seed_value)) return seed_value;
  std::vector<uint32_t> entropy;
  auto add = [&](int64_t value) {
    if (value < 0) raise("ValueError", call.span_of(0), "negative-seed", "expected non-negative integer");
    entropy.push_back(static_cast<uint32_t>(value));
    if (value >> 32 != 0) entropy.push_back(static_cast<uint32_t>(value >> 32));
  };
  if (is_none(seed_value)) {
    for (int i = 0; i < 4; ++i) entropy.push_back(seed_of_system());
  } else if (is_list_like(seed_value) || as<ir::NDArrayNode>(seed_value)) {
    for (int64_t word : shape_argument(evaluator_of(call.host), seed_value, call.span_of(0))) add(word);
  } else {
    add(index_value(evaluator_of(call.host), seed_value, call.span_of(0), "seed"));
  }
  return Any(ir::make<RandomGeneratorNode>(SeedSequence(entropy).words()));
}
bool wants_float32(ApiCall& call, const Any& dtype) {
  if (is_none(dtype)) return false;
  DataType type = dtype_argument(evaluator_of(call.host), dtype, call.span);
  if (type == DataType::Float(32)) return true;
  if (type == DataType::Float(64)) return false;
  raise("TypeError", call.span, "unsupported-dtype", "Unsupported dtype dtype('{}') for {}", type.str(),
        call.api.name);
}
Any integers(ApiCall& call, const RandomGenerator& self, const Any& low, const Any& high, const Any& size,
             const Any& dtype, bool endpoint) {
  if (is_many(low) || is_many(high)) {
    return draw_between(call, low, high, size, dtype, endpoint,
                        [&](uint64_t range) { return stream_of(self).bounded(range); });
  }
  IntRange range = int_range(call, low, high, dtype, endpoint);
  Pcg64& stream = stream_of(self);
  int bits = range.dtype.is_bool() ? 1 : range.dtype.bits();
  uint32_t buffer = 0;
  int left = 0;
  return draw(call, size, range.dtype, false, [&]() -> int64_t {
    if (bits == 1) return range.low + (range.range == 0 ? 0 : stream.next_part(1, buffer, left));
    if (bits < 32)
      return range.low + stream.bounded_part(static_cast<uint32_t>(range.range), bits, buffer, left);
    return static_cast<int64_t>(static_cast<uint64_t>(range.low) + stream.bounded(range.range));
  });
}
Any of_generator_in_language(ApiCall& call) {
  return in_language(call, "generator_" + call.api.name, call.args[0], call.args.subspan(1));
}

const ApiRow rows[] = {
    MLC_NP_LEGACY("seed(seed=None)", "Starts the stream anew.", seed),
    MLC_NP_LEGACY("rand(*dims)", "Uniform values in [0, 1).", rand),
    MLC_NP_LEGACY("random(size=None)", "Uniform values in [0, 1).", random_sample),
    MLC_NP_LEGACY("random_sample(size=None)", "Uniform values in [0, 1).", random_sample),
    MLC_NP_LEGACY("ranf(size=None)", "Uniform values in [0, 1).", random_sample),
    MLC_NP_LEGACY("sample(size=None)", "Uniform values in [0, 1).", random_sample),
    MLC_NP_LEGACY("randn(*dims)", "Standard normal values.", randn),
    MLC_NP_LEGACY("standard_normal(size=None)", "Standard normal values.", standard_normal),
    MLC_NP_LEGACY("randint(low, high=None, size=None, dtype=None)", "Integers in [low, high).", randint),
    MLC_NP_LEGACY("tomaxint(size=None)", "Integers that are not negative.", tomaxint),
    MLC_NP_LEGACY_LANGUAGE("multinomial(n, pvals, size=None)", "Counts of n trials with several outcomes."),
    MLC_NP_LEGACY_LANGUAGE("dirichlet(alpha, size=None)", "Parts that add up to 1."),
    MLC_NP_LEGACY_LANGUAGE("bytes(length)", "Random bytes."),
    MLC_NP_LEGACY_LANGUAGE("random_integers(low, high=None, size=None)", "Integers in [low, high]."),
    MLC_NP_LEGACY("_shuffled(n)", "The numbers below n, shuffled.", shuffled_legacy),
    MLC_NP_LEGACY_LANGUAGE("shuffle(x)", "Shuffles in place, along the first dimension."),
    MLC_NP_LEGACY_LANGUAGE("permutation(x)", "A shuffled copy, or the numbers below x, shuffled."),
    MLC_NP_LEGACY_LANGUAGE("choice(a, size=None, replace=True, p=None)", "Values picked from the array."),
    {ApiKind::kClass, "numpy.random", "RandomState(seed=None)", "A legacy stream of its own.",
     native([](ApiCall& call, Any seed_value) {
       Ref<RandomStateNode> made = ir::make<RandomStateNode>();
       seed(call, const_cast<RandomStateNode*>(made.get())->stream, std::span<Any>(&seed_value, 1));
       return Any(made);
     }),
     kState, "numpy.random.mtrand.RandomState"},
    {ApiKind::kClass, "numpy.random", "Generator(bit_generator)", "A stream of random values.",
     native([](ApiCall&, RandomGenerator generator) { return generator; }), kGenerator,
     "numpy.random._generator.Generator"},
    {ApiKind::kFunction, "numpy.random", "PCG64(seed=None)", "The stream that default_rng makes.",
     native([](ApiCall& call, Any seed_value) { return default_rng(call, seed_value); })},
    {ApiKind::kFunction, "numpy.random", "default_rng(seed=None)", "A generator of its own.",
     native([](ApiCall& call, Any seed_value) { return default_rng(call, seed_value); })},
    {ApiKind::kMethod, kGenerator, "random(size=None, dtype=None, out=None)", "Uniform values in [0, 1).",
     native([](ApiCall& call, RandomGenerator self, Any size, Any dtype, Any out) {
       if (wants_float32(call, dtype))
         return draw_into(call, size, out, DataType::Float(32),
                          [&] { return static_cast<double>(stream_of(self).uniform32()); });
       return draw_doubles(call, size, out, self, [](Pcg64& stream) { return stream.uniform(); });
     })},
    {ApiKind::kMethod, kGenerator, "standard_normal(size=None, dtype=None, out=None)",
     "Standard normal values.", native([](ApiCall& call, RandomGenerator self, Any size, Any dtype, Any out) {
       if (wants_float32(call, dtype))
         return draw_into(call, size, out, DataType::Float(32),
                          [&] { return static_cast<double>(stream_of(self).normal32()); });
       return draw_doubles(call, size, out, self, [](Pcg64& stream) { return stream.normal(); });
     })},
    {ApiKind::kMethod, kGenerator, "standard_exponential(size=None)", "Exponential values.",
     native([](ApiCall& call, RandomGenerator self, Any size) {
       return draw_reals(call, size, [&] { return stream_of(self).exponential(); });
     })},
    {ApiKind::kMethod, kGenerator, "integers(low, high=None, size=None, dtype=None, endpoint=False)",
     "Integers in [low, high).",
     native([](ApiCall& call, RandomGenerator self, Any low, Any high, Any size, Any dtype, bool endpoint) {
       return integers(call, self, low, high, size, dtype, endpoint);
     })},
    {ApiKind::kMethod, kGenerator, "_shuffled(n, first=1, masked=False)",
     "The numbers below n, shuffled down to the first.",
     native([](RandomGenerator self, int64_t n, int64_t first, bool masked) {
       return shuffled(n, first, [&](uint64_t top) {
         return masked ? stream_of(self).masked(top) : stream_of(self).bounded(top);
       });
     })},
    {ApiKind::kMethod, kGenerator, "_bounded(top)", "A number from 0 to top.",
     native([](RandomGenerator self, int64_t top) {
       return static_cast<int64_t>(stream_of(self).bounded(static_cast<uint64_t>(top)));
     })},
    {ApiKind::kMethod, kGenerator, "multinomial(n, pvals, size=None)",
     "Counts of n trials with several outcomes.", of_generator_in_language},
    {ApiKind::kMethod, kGenerator, "dirichlet(alpha, size=None)", "Parts that add up to 1.",
     of_generator_in_language},
    {ApiKind::kMethod, kGenerator, "bytes(length)", "Random bytes.", of_generator_in_language},
    {ApiKind::kMethod, kGenerator, "permuted(x, *, axis=None, out=None)",
     "A copy whose lines are shuffled, each by itself.", of_generator_in_language},
    {ApiKind::kMethod, kGenerator, "shuffle(x, axis=0)", "Shuffles in place along a dimension.",
     of_generator_in_language},
    {ApiKind::kMethod, kGenerator, "permutation(x, axis=0)",
     "A shuffled copy, or the numbers below x, shuffled.", of_generator_in_language},
    {ApiKind::kMethod, kGenerator, "choice(a, size=None, replace=True, p=None, axis=0, shuffle=True)",
     "Values picked from the array.", of_generator_in_language},
};

}  // namespace

std::span<const ir::ApiRow> np_random_rows() { return rows; }

}  // namespace mlc::script
