// SPDX-License-Identifier: Apache-2.0
// The generator beneath the module `random` (stdlib/python/random.mlc): CPython's streams, number for number.
#include "frontend/script/numpy/array.h"
#include "frontend/script/numpy/random_streams.h"
#include "frontend/script/types/wide_int.h"

namespace mlc::script {

using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;
using ir::native;

namespace {

RandomNode* of(const Any& self) { return as<RandomNode>(self); }

Any seed(ApiCall& call, const Any& self, const Any& value) {
  if (is_none(value)) {
    *of(self) = RandomNode();
  } else if (is_int(value) || is_bool(value)) {
    int64_t number = raw_int(value);
    of(self)->seed(number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number));
  } else {
    of(self)->seed(static_cast<uint64_t>(evaluator_of(call.host).hash(value)));
  }
  return nullptr;
}

const ApiRow random_table[] = {
    {ApiKind::kFunction, "_random", "Random()", "A generator of its own.",
     native([] { return Any(ir::make<RandomNode>()); })},
    {ApiKind::kMethod, "mlc.script.Random", "seed(value=None)", "Starts the stream anew.",
     native(calls<seed>)},
    {ApiKind::kMethod, "mlc.script.Random", "random()", "A float of [0, 1).",
     native([](Any self) { return of(self)->twister.uniform(); })},
    {ApiKind::kMethod, "mlc.script.Random", "getrandbits(k)", "An int of k bits.",
     native([](ApiCall& call, Any self, int64_t k) {
       if (k < 0) raise("ValueError", call.span, "out-of-range", "number of bits must be non-negative");
       if (k > 63) {
         std::string bytes;
         for (int64_t left = k; left > 0; left -= 32) {
           uint64_t word = of(self)->bits(std::min<int64_t>(left, 32));
           for (int i = 0; i < 4; ++i) bytes += static_cast<char>(word >> (8 * i));
         }
         return whole_of_bytes(bytes, false);
       }
       return Any(k == 0 ? int64_t{0} : static_cast<int64_t>(of(self)->bits(k)));
     })},
    {ApiKind::kMethod, "mlc.script.Random", "below(n)", "An int of [0, n), n > 0.",
     native([](Any self, int64_t n) {
       int64_t width = 64 - __builtin_clzll(static_cast<uint64_t>(n));
       uint64_t value = of(self)->bits(width);
       while (value >= static_cast<uint64_t>(n)) value = of(self)->bits(width);
       return static_cast<int64_t>(value);
     })},
};

}  // namespace

std::span<const ApiRow> random_rows() { return random_table; }

}  // namespace mlc::script
