// SPDX-License-Identifier: Apache-2.0
// Functions of numpy that are written in the language, on whole arrays: stdlib/np/*.mlc.
#include <deque>

#include "frontend/script/core/library.h"
#include "frontend/script/numpy/rows.h"
#include "ir/core/split_words.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;

namespace {

struct Member {
  std::string_view owner, name;
  const char* module;
  std::string_view doc;
};
// clang-format off
constexpr Member members[] = {
    {"numpy", "atleast_1d", "np.shape", "The arrays with at least one dimension."},
    {"numpy", "atleast_2d", "np.shape", "The arrays with at least two dimensions."},
    {"numpy", "vstack", "np.shape", "The arrays joined row by row."},
    {"numpy", "hstack", "np.shape", "The arrays joined column by column."},
    {"numpy", "array_split", "np.shape", "The array in so many parts, as equal as can be."},
    {"numpy", "split", "np.shape", "The array in equal parts."},
    {"numpy", "flip", "np.shape", "The elements in reverse order."},
    {"numpy", "moveaxis", "np.shape", "Dimensions moved to other places."},
    {"numpy", "roll", "np.shape", "The elements shifted around."},
    {"numpy", "tile", "np.shape", "The array so many times."},
    {"numpy", "append", "np.shape", "The values behind those of the array."},
    {"numpy", "pad", "np.shape", "The array with a border."},
    {"numpy", "broadcast_arrays", "np.shape", "The arrays seen in their common shape."},
    {"numpy", "meshgrid", "np.shape", "Coordinates of a grid."},
    {"numpy", "indices", "np.shape", "The indices of a grid."},
    {"numpy", "shape", "np.shape", "The extents."},
    {"numpy", "ndim", "np.shape", "The number of dimensions."},
    {"numpy", "size", "np.shape", "The number of elements."},
    {"numpy", "squeeze", "np.shape", "Without dimensions of extent 1."},
    {"numpy", "expand_dims", "np.shape", "With dimensions of extent 1 more."},
    {"numpy", "swapaxes", "np.shape", "Two dimensions exchanged, a view."},
    {"numpy", "take", "np.shape", "The elements at these places of a dimension."},
    {"numpy", "repeat", "np.shape", "Each element so many times."},
    {"numpy", "broadcast_shapes", "np.shape", "The shape that arrays of these shapes make together."},
    {"numpy", "linspace", "np.shape", "So many values from start to stop."},
    {"numpy", "eye", "np.shape", "Ones on a diagonal."},
    {"numpy", "identity", "np.shape", "The identity matrix."},
    {"numpy", "tri", "np.select", "Ones on and below a diagonal."},
    {"numpy", "tril", "np.select", "The lower triangle."},
    {"numpy", "triu", "np.select", "The upper triangle."},
    {"numpy", "diagonal", "np.select", "A diagonal, a view."},
    {"numpy", "diag", "np.select", "A diagonal, or a matrix with it."},
    {"numpy", "trace", "np.select", "The sum of a diagonal."},
    {"numpy", "unravel_index", "np.select", "Flat indices as coordinates."},
    {"numpy", "take_along_axis", "np.select", "The elements at places that an array gives per line."},
    {"numpy", "put_along_axis", "np.select", "Sets the elements at places that an array gives per line."},
    {"numpy", "copyto", "np.select", "Copies values into an array."},
    {"numpy", "argwhere", "np.select", "The indices of the elements that are not zero."},
    {"numpy", "flatnonzero", "np.select", "The flat indices of the elements that are not zero."},
    {"numpy", "count_nonzero", "np.select", "The number of elements that are not zero."},
    {"numpy", "unique", "np.select", "The different elements in order."},
    {"numpy", "partition", "np.select", "The elements with the kth in its place."},
    {"numpy", "clip", "np.numeric", "Each element brought into the range."},
    {"numpy", "round", "np.numeric", "Each element rounded, half to even."},
    {"numpy", "mean", "np.numeric", "The mean of the elements."},
    {"numpy", "var", "np.numeric", "The variance of the elements."},
    {"numpy", "std", "np.numeric", "The standard deviation of the elements."},
    {"numpy", "median", "np.numeric", "The middle of the sorted elements."},
    {"numpy", "percentile", "np.numeric", "The elements below which so many percent lie."},
    {"numpy", "nan_to_num", "np.numeric", "nan and infinities replaced by numbers."},
    {"numpy", "isposinf", "np.numeric", "Is it plus infinity?"},
    {"numpy", "isneginf", "np.numeric", "Is it minus infinity?"},
    {"numpy", "diff", "np.numeric", "The differences of neighbours."},
    {"numpy", "convolve", "np.numeric", "The convolution of two sequences."},
    {"numpy", "outer", "np.numeric", "Each element of a times each of b."},
    {"numpy", "tensordot", "np.numeric", "Sums of products over these dimensions."},
    {"numpy", "isclose", "np.numeric", "Which elements are close?"},
    {"numpy", "allclose", "np.numeric", "Are all elements close?"},
    {"numpy", "array_equal", "np.numeric", "Same shape and elements?"},
    {"numpy", "isscalar", "np.numeric", "Is it a scalar?"},
    {"numpy", "hamming", "np.numeric", "The Hamming window."},
    {"numpy.linalg", "inv", "np.linalg", "The inverse matrix."},
    {"numpy.linalg", "solve", "np.linalg", "x of a @ x = b."},
    {"numpy.linalg", "det", "np.linalg", "The determinant."},
    {"numpy.linalg", "norm", "np.linalg", "The norm of a vector or matrix."},
    {"numpy", "around", "np.numeric", "Each element rounded, half to even."},
    {"numpy", "ldexp", "np.numeric", "x1 * 2 ** x2."},
    {"numpy", "seterr", "np.core", "What floating-point errors did: nothing."},
    {"numpy", "errstate", "np.core", "Floating-point errors within a `with`."},
    {"numpy", "ndindex", "np.core", "All indices of a shape."},
    {"numpy", "ndenumerate", "np.core", "All indices with their elements."},
    {"numpy", "finfo", "np.core", "The limits of a type of floats."},
    {"numpy", "iinfo", "np.core", "The limits of a type of integers."},
    {"ml_dtypes", "iinfo", "np.core", "The limits of a type of integers."},
    {"numpy", "s_", "np.core", "The index that stands in brackets."},
    {"numpy", "vectorize", "np.core", "A function of numbers as a function of arrays."},
    {"numpy.lib.stride_tricks", "sliding_window_view", "np.core", "All windows of a shape, a view."},
    {"numpy", "save", "np.file", "Writes an array as .npy."},
    {"numpy", "savez", "np.file", "Writes arrays as .npz, stored."},
    {"numpy", "fromfile", "np.file", "The bytes of a file as an array."},
    {"numpy", "load", "np.file", "The array of a .npy file, or those of a .npz file by name."},
    {"numpy.testing", "assert_array_equal", "np.testing", "AssertionError unless all elements are equal."},
    {"numpy.testing", "assert_allclose", "np.testing", "Raises AssertionError with a report unless all elements are close."},
    {"numpy.testing", "assert_array_almost_equal", "np.testing", "AssertionError unless they agree to so many decimals."},
    {"numpy.testing", "assert_equal", "np.testing", "AssertionError unless the values are equal."},
    {"numpy.testing", "assert_almost_equal", "np.testing", "AssertionError unless they agree to so many decimals."},
    {"numpy", "fliplr", "np.shape", "The columns in reverse order."},
    {"numpy", "flipud", "np.shape", "The rows in reverse order."},
    {"numpy", "rot90", "np.shape", "The array turned by right angles."},
    {"numpy", "apply_along_axis", "np.core", "What a function makes of each line."},
    {"numpy", "fromfunction", "np.core", "What a function makes of the indices of a grid."},
    {"numpy", "select", "np.places", "Of each element the first choice whose condition holds."},
    {"numpy", "isin", "np.places", "Which elements are among these?"},
    {"numpy", "bincount", "np.places", "How often each number occurs."},
    {"numpy", "ravel_multi_index", "np.places", "Coordinates as flat indices."},
    {"numpy", "ix_", "np.places", "Indices of rows and columns as those of a grid."},
    {"numpy", "mgrid", "np.places", "The indices of a grid, by slices."},
    {"numpy", "tril_indices", "np.places", "Where the lower triangle is."},
    {"numpy", "triu_indices", "np.places", "Where the upper triangle is."},
    {"numpy", "diagflat", "np.places", "A matrix with this diagonal."},
    {"numpy", "delete", "np.places", "The array without these elements."},
    {"numpy", "insert", "np.places", "The array with values put in."},
    {"numpy", "packbits", "np.places", "Eight elements as the bits of a byte."},
    {"numpy", "unpackbits", "np.places", "The bits of bytes as elements."},
    {"numpy", "nansum", "np.sums", "The sum of what is a number."},
    {"numpy", "nanmax", "np.sums", "The greatest that is a number."},
    {"numpy", "nanmin", "np.sums", "The least that is a number."},
    {"numpy", "nanmean", "np.sums", "The mean of what is a number."},
    {"numpy", "average", "np.sums", "The mean by weights."},
    {"numpy", "quantile", "np.sums", "The elements below which such a part lies."},
    {"numpy", "inner", "np.sums", "Sums of products along the last dimensions."},
    {"numpy", "gcd", "np.sums", "The greatest common divisors."},
    {"numpy.testing", "assert_array_less", "np.testing", "AssertionError unless all elements are less."},
    {"numpy.testing", "assert_", "np.testing", "AssertionError unless it holds."},
    {"numpy.testing", "assert_raises", "np.testing", "The block, or the call, must raise this."},
    {"numpy.testing", "assert_raises_regex", "np.testing", "The block, or the call, must raise this with such words."},
    {"numpy.testing", "assert_string_equal", "np.testing", "AssertionError unless the texts are equal."},
    {"numpy.random", "seed", "np.random", "Starts the stream anew."},
    {"numpy.random", "rand", "np.random", "Uniform values in [0, 1)."},
    {"numpy.random", "random", "np.random", "Uniform values in [0, 1)."},
    {"numpy.random", "random_sample", "np.random", "Uniform values in [0, 1)."},
    {"numpy.random", "randn", "np.random", "Standard normal values."},
    {"numpy.random", "standard_normal", "np.random", "Standard normal values."},
    {"numpy.random", "uniform", "np.random", "Uniform values in [low, high)."},
    {"numpy.random", "normal", "np.random", "Normal values."},
    {"numpy.random", "exponential", "np.random", "Exponential values."},
    {"numpy.random", "randint", "np.random", "Integers in [low, high)."},
    {"numpy.random", "shuffle", "np.random", "Shuffles in place, along the first dimension."},
    {"numpy.random", "permutation", "np.random", "A shuffled copy, or the numbers below x, shuffled."},
    {"numpy.random", "choice", "np.random", "Values picked from the array."},
    {"numpy.random", "RandomState", "np.random", "A legacy stream of its own."},
    {"numpy.random", "Generator", "np.random", "A stream of random values."},
    {"numpy.random", "PCG64", "np.random", "The stream that default_rng makes."},
    {"numpy.random", "default_rng", "np.random", "A generator of its own."},
};
// clang-format on

Any library_value(ApiCall& call) {
  for (const Member& member : members) {
    if (member.name == call.api.name && member.owner == call.api.row.owner)
      return library_member(call.host, member.module, member.name);
  }
  MLC_CHECK(false, "`{}` is in no module of the library", call.api.name);
}
// A method is the function of the same name with the array before its arguments.
template <const char* module>
Any library_method(ApiCall& call) {
  return evaluator_of(call.host).call(library_member(call.host, module, call.api.name), call.args, {},
                                      call.span);
}

constexpr char kNumeric[] = "np.numeric", kSelect[] = "np.select", kCore[] = "np.core", kShape[] = "np.shape",
               kFile[] = "np.file";
const ApiRow methods[] = {
    {ApiKind::kMethod, kNdarray, "clip(min=None, max=None, out=None)", "Each element brought into the range.",
     library_method<kNumeric>},
    {ApiKind::kMethod, kNdarray, "round(decimals=0, out=None)", "Each element rounded, half to even.",
     library_method<kNumeric>},
    {ApiKind::kMethod, kNdarray, "mean(axis=None, dtype=None, out=None, keepdims=False)",
     "The mean of the elements.", library_method<kNumeric>},
    {ApiKind::kMethod, kNdarray, "var(axis=None, dtype=None, out=None, ddof=0, keepdims=False)",
     "The variance of the elements.", library_method<kNumeric>},
    {ApiKind::kMethod, kNdarray, "std(axis=None, dtype=None, out=None, ddof=0, keepdims=False)",
     "The standard deviation of the elements.", library_method<kNumeric>},
    {ApiKind::kMethod, kNdarray, "squeeze(axis=None)", "Without dimensions of extent 1.",
     library_method<kShape>},
    {ApiKind::kMethod, kNdarray, "swapaxes(axis1, axis2)", "Two dimensions exchanged, a view.",
     library_method<kShape>},
    {ApiKind::kMethod, kNdarray, "take(indices, axis=None, out=None, mode='raise')",
     "The elements at these places of a dimension.", library_method<kShape>},
    {ApiKind::kMethod, kNdarray, "repeat(repeats, axis=None)", "Each element so many times.",
     library_method<kShape>},
    {ApiKind::kMethod, kNdarray, "diagonal(offset=0, axis1=0, axis2=1)", "A diagonal, a view.",
     library_method<kSelect>},
    {ApiKind::kMethod, kNdarray, "trace(offset=0, axis1=0, axis2=1, dtype=None, out=None)",
     "The sum of a diagonal.", library_method<kSelect>},
    {ApiKind::kMethod, kNdarray, "tofile(fid, sep='', format='%s')", "Writes the bytes of the elements.",
     library_method<kFile>},
    {ApiKind::kValue, "ml_dtypes", "finfo", "The limits of a type of floats.",
     [](ApiCall& call) { return library_member(call.host, "np.core", "added_finfo"); }},
    {ApiKind::kValue, "tvm.testing", "assert_allclose", "AssertionError with a report unless all are close.",
     [](ApiCall& call) { return library_member(call.host, "np.testing", "tvm_assert_allclose"); }},
    {ApiKind::kProperty, kNdarray, "flags", "How the elements lie in memory.", library_method<kCore>},
};

}  // namespace

std::span<const ir::ApiRow> np_library_rows() {
  static const std::vector<ApiRow> rows = [] {
    std::vector<ApiRow> made(std::begin(methods), std::end(methods));
    for (const Member& member : members)
      made.push_back({ApiKind::kValue, member.owner, member.name, member.doc, library_value});
    return made;
  }();
  return rows;
}

std::vector<ApiRow> with_methods(std::span<const ApiRow> rows, std::string_view names) {
  static auto& signatures = *new std::deque<std::string>;  // rows point into it as long as the program runs
  std::vector<ApiRow> all(rows.begin(), rows.end());
  for (const ApiRow& row : rows) {
    std::string_view signature = row.signature;
    size_t open = signature.find('(');
    if (row.kind != ApiKind::kFunction || !ir::has_word(names, signature.substr(0, open))) continue;
    // "sum(a, axis=None)" of the module is "sum(axis=None)" of an array.
    size_t rest = signature.find_first_of(",)", open);
    if (signature[rest] == ',') rest += 2;
    signatures.push_back(std::string(signature.substr(0, open + 1)) + std::string(signature.substr(rest)));
    all.push_back({ApiKind::kMethod, kNdarray, signatures.back(), row.doc, row.body});
  }
  return all;
}

}  // namespace mlc::script
