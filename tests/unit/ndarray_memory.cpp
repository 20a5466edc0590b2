// SPDX-License-Identifier: Apache-2.0
// Memory of arrays that were freed is given to the next ones of its size, the oldest first, up to a limit.
#include <catch2/catch.hpp>

#include "ir/core/ndarray.h"
#include "ir/core/sanitizers.h"

#if !defined(MLC_ASAN)  // which watches over freed memory itself

using namespace mlc;      // NOLINT
using namespace mlc::ir;  // NOLINT

namespace {

// Sizes that no other test asks for.
constexpr int64_t kSmall = (int64_t{1} << 20) + 64 * 77;
constexpr int64_t kLarge = (int64_t{3} << 20) + 64 * 77;
constexpr int64_t kMoreThanHalf = (int64_t{40} << 20) + 64 * 77;  // of what is kept

ffi::Tensor bytes(int64_t count) { return make_tensor(std::vector<int64_t>{count}, DataType::UInt(8)); }
// The address of an array that is freed again.
const void* freed(int64_t count) { return bytes(count).data_ptr(); }

}  // namespace

TEST_CASE("freed memory goes to an array of the same size", "[ndarray]") {
  const void* small = nullptr;
  const void* large = nullptr;
  {
    ffi::Tensor one = bytes(kSmall), other = bytes(kLarge);
    small = one.data_ptr(), large = other.data_ptr();
  }
  CHECK(freed(kLarge) == large);
  CHECK(freed(kSmall) == small);
  CHECK(freed(kLarge - 63) == large);  // sizes are rounded up to 64 bytes
  ffi::Tensor again = bytes(kSmall), another = bytes(kSmall);
  CHECK(again.data_ptr() == small);
  CHECK(another.data_ptr() != small);
}

TEST_CASE("of what is kept the oldest goes back to the system first", "[ndarray]") {
  const void* newer = nullptr;
  {
    ffi::Tensor second = bytes(kMoreThanHalf);
    newer = second.data_ptr();
    bytes(kMoreThanHalf);
  }
  CHECK(freed(kMoreThanHalf) == newer);
}

#endif
