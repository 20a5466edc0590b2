// SPDX-License-Identifier: Apache-2.0
// Matrices of one instruction: their types and shapes as PTX names them, their products, and where
// descriptors say that they lie in shared memory.
#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "backend/interp/gpu/async.h"
#include "backend/interp/number.h"
#include "ir/core/small_float.h"
#include "ir/core/span.h"

namespace mlc::interp {

struct AccessPoint;
struct Thread;
struct ThreadBlock;
using ir::Span;

// How elements lie in memory: `unit` of them in 16 bytes, one behind the other from the first bit on. Floats
// of 4 and 6 bits are packed, or 16 of them begin at a multiple of 16 bytes and leave the rest empty.
struct ElementFormat {
  const Number* number = nullptr;               // null: of less than 8 bits
  const ir::SmallFloat* small_float = nullptr;  // of such
  int bits = 0, unit = 0;

  static ElementFormat of(const Number& number) {
    return {&number, nullptr, number.bytes * 8, 16 / number.bytes};
  }
  static ElementFormat narrow(ir::DataType type, int unit) {
    return {nullptr, ir::narrow_format(type), type.bits(), unit};
  }
  int room() const { return 128 / unit; }  // bits that each has on average
  // Element `i` of those that begin there.
  Lane load(const char* at, int i) const;
  // A number of its kind: is it a float?
  const Number& in_memory() const { return number != nullptr ? *number : number_of(ir::DataType::Float(32)); }
};

// m, n, k of "m16n8k16".
std::array<int, 3> matrix_shape(std::string_view text);
// The type that PTX calls so. Error: interpret-unsupported.
ir::DataType matrix_type(std::string_view name, Span span);

// d = a * b + c over dense matrices, a row-major m x k, b row-major k x n.
void multiply_matrices(const Number& in, const Number& accumulator, bool as_tf32, std::array<int, 3> shape,
                       const Lane* a, const Lane* b, const Lane* c, Lane* d);

// Floats of a matrix of `rows` x `cols` elements, row-major, with rows for columns.
std::vector<Lane> transposed(const std::vector<Lane>& matrix, int rows, int cols, bool negated);

// Element `i` of those that a lane holds of each operand of mma, as row and column; `word` elements are in
// one register of 32 bits (PTX ISA, chapter "Matrix fragments for mma").
struct FragmentPosition {
  int row, col;
};
FragmentPosition fragment_of_a(int lane, int i, int word, int m);
FragmentPosition fragment_of_b(int lane, int i, int word);
FragmentPosition fragment_of_c(int lane, int i);

// A matrix in shared memory, in atoms of 8 rows of 16 bytes, or of 32, 64 or 128 that are swizzled (PTX ISA,
// "Canonical layouts").
struct MatrixDescriptor {
  int64_t start, leading, stride;  // bytes
  int swizzle;                     // of rows of 16 << swizzle bytes; 0: none
  // Of an element of row `mn` of A, or column `mn` of B; `mn_major`: neighbours along mn lie side by side.
  int64_t address(int64_t mn, int64_t k, int bytes, bool mn_major) const;
  // In the shared memory of a block: descriptors have no more of an address than what is the same in all.
  MatrixDescriptor in(const ThreadBlock& block) const;
};
MatrixDescriptor wgmma_descriptor(int64_t bits, Span span);
MatrixDescriptor tcgen05_descriptor(int64_t bits, Span span);

// Elements `first` and on along mn, as `agent` reads them: mn x k, row-major.
void load_matrix(Thread& thread, const Epoch& agent, const MatrixDescriptor& from, int64_t first,
                 int64_t mn_count, int64_t k_count, const ElementFormat& format, bool mn_major,
                 const AccessPoint& point, Lane* out);

// A row of k elements of a sparse matrix: of four in a row two are there, `packed` without the zeros. The
// metadata of four: 2 bits for each of the two. Error: sparse-metadata.
void expand_row(const Lane* packed, int k, int row, bool ordered,
                const std::function<uint32_t(int chunk)>& metadata, Span span, Lane* out);

}  // namespace mlc::interp
