// SPDX-License-Identifier: Apache-2.0
// Functions of numpy that are written in the language, on whole arrays: stdlib/np/*.mlc.
#include <algorithm>

#include "frontend/script/library.h"
#include "frontend/script/np_array.h"
#include "frontend/script/stdlib.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;
using ir::native;

namespace {

struct Module {
  char name[16];
};
template <size_t n>
consteval Module module_named(const char (&name)[n]) {
  Module module{};
  std::copy_n(name, n, module.name);
  return module;
}
Any member_of(ir::Host& host, std::string_view module, std::string_view member) {
  std::string name(module);
  std::replace(name.begin(), name.end(), '/', '.');
  return library_member(host, std::string(module) + ".mlc", stdlib_text(name), member);
}
template <Module module>
Any library_value(ApiCall& call) {
  return member_of(call.host, module.name, call.api.name);
}
// A method is the function of the same name with the array before its arguments.
template <Module module>
Any library_method(ApiCall& call) {
  return evaluator_of(call.host).call(member_of(call.host, module.name, call.api.name), call.args, {},
                                      call.span);
}

constexpr std::string_view kArray = "mlc.np.ndarray";

#define MLC_NP_LIBRARY(owner, name, doc, module) \
  ApiRow { ApiKind::kValue, owner, name, doc, library_value<module_named(module)> }
#define MLC_NP_LIBRARY_METHOD(signature, doc, module) \
  ApiRow { ApiKind::kMethod, kArray, signature, doc, library_method<module_named(module)> }

const ApiRow rows[] = {
    MLC_NP_LIBRARY("numpy", "atleast_1d", "The arrays with at least one dimension.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "atleast_2d", "The arrays with at least two dimensions.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "atleast_3d", "The arrays with at least three dimensions.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "vstack", "The arrays joined row by row.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "hstack", "The arrays joined column by column.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "dstack", "The arrays joined along the third dimension.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "column_stack", "One-dimensional arrays as the columns of one.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "array_split", "The array in so many parts, as equal as can be.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "split", "The array in equal parts.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "hsplit", "The array in equal parts along the columns.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "vsplit", "The array in equal parts along the rows.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "dsplit", "The array in equal parts along the third dimension.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "unstack", "The parts along a dimension.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "flip", "The elements in reverse order.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "flipud", "The rows in reverse order.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "fliplr", "The columns in reverse order.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "rot90", "The array turned by quarters.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "moveaxis", "Dimensions moved to other places.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "rollaxis", "A dimension moved back to a place.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "roll", "The elements shifted around.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "tile", "The array so many times.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "append", "The values behind those of the array.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "delete", "The array without some elements.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "insert", "The array with values between its own.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "resize", "The elements repeated into a shape.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "block", "An array of nested lists of blocks.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "pad", "The array with a border.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "broadcast_arrays", "The arrays seen in their common shape.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "meshgrid", "Coordinates of a grid.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "indices", "The indices of a grid.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "ix_", "Indices of a cross product.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "mgrid", "Coordinates of a grid, by slices.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "ogrid", "Coordinates of an open grid, by slices.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "r_", "Joins along the first dimension, by brackets.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "c_", "Joins columns, by brackets.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "s_", "The index that stands in brackets.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "index_exp", "The index that stands in brackets.", "np/shape"),
    MLC_NP_LIBRARY("numpy", "tri", "Ones on and below a diagonal.", "np/select"),
    MLC_NP_LIBRARY("numpy", "tril", "The lower triangle.", "np/select"),
    MLC_NP_LIBRARY("numpy", "triu", "The upper triangle.", "np/select"),
    MLC_NP_LIBRARY("numpy", "tril_indices", "Where the lower triangle is.", "np/select"),
    MLC_NP_LIBRARY("numpy", "triu_indices", "Where the upper triangle is.", "np/select"),
    MLC_NP_LIBRARY("numpy", "tril_indices_from", "Where the lower triangle of the array is.", "np/select"),
    MLC_NP_LIBRARY("numpy", "triu_indices_from", "Where the upper triangle of the array is.", "np/select"),
    MLC_NP_LIBRARY("numpy", "diag_indices", "Where the main diagonal is.", "np/select"),
    MLC_NP_LIBRARY("numpy", "diagonal", "A diagonal, a view.", "np/select"),
    MLC_NP_LIBRARY("numpy", "diag", "A diagonal, or a matrix with it.", "np/select"),
    MLC_NP_LIBRARY("numpy", "diagflat", "A matrix with the elements on a diagonal.", "np/select"),
    MLC_NP_LIBRARY("numpy", "trace", "The sum of a diagonal.", "np/select"),
    MLC_NP_LIBRARY("numpy", "fill_diagonal", "Sets the main diagonal.", "np/select"),
    MLC_NP_LIBRARY("numpy", "unravel_index", "Flat indices as coordinates.", "np/select"),
    MLC_NP_LIBRARY("numpy", "ravel_multi_index", "Coordinates as flat indices.", "np/select"),
    MLC_NP_LIBRARY("numpy", "take_along_axis", "The elements at places that an array gives per line.",
                   "np/select"),
    MLC_NP_LIBRARY("numpy", "put_along_axis", "Sets the elements at places that an array gives per line.",
                   "np/select"),
    MLC_NP_LIBRARY("numpy", "put", "Sets elements by flat indices.", "np/select"),
    MLC_NP_LIBRARY("numpy", "putmask", "Sets elements where a mask is true.", "np/select"),
    MLC_NP_LIBRARY("numpy", "place", "Sets elements where a mask is true, from the first value on.",
                   "np/select"),
    MLC_NP_LIBRARY("numpy", "copyto", "Copies values into an array.", "np/select"),
    MLC_NP_LIBRARY("numpy", "extract", "The elements where the condition holds.", "np/select"),
    MLC_NP_LIBRARY("numpy", "compress", "The parts of a dimension where the condition holds.", "np/select"),
    MLC_NP_LIBRARY("numpy", "choose", "Elements of the array that each index names.", "np/select"),
    MLC_NP_LIBRARY("numpy", "select", "The first choice whose condition holds.", "np/select"),
    MLC_NP_LIBRARY("numpy", "piecewise", "A function by cases.", "np/select"),
    MLC_NP_LIBRARY("numpy", "argwhere", "The indices of the elements that are not zero.", "np/select"),
    MLC_NP_LIBRARY("numpy", "flatnonzero", "The flat indices of the elements that are not zero.",
                   "np/select"),
    MLC_NP_LIBRARY("numpy", "count_nonzero", "The number of elements that are not zero.", "np/select"),
    MLC_NP_LIBRARY("numpy", "unique", "The different elements in order.", "np/select"),
    MLC_NP_LIBRARY("numpy", "isin", "Which elements are among the others?", "np/select"),
    MLC_NP_LIBRARY("numpy", "in1d", "Which elements are among the others?", "np/select"),
    MLC_NP_LIBRARY("numpy", "intersect1d", "The elements of both.", "np/select"),
    MLC_NP_LIBRARY("numpy", "union1d", "The elements of either.", "np/select"),
    MLC_NP_LIBRARY("numpy", "setdiff1d", "The elements of the first alone.", "np/select"),
    MLC_NP_LIBRARY("numpy", "setxor1d", "The elements of exactly one.", "np/select"),
    MLC_NP_LIBRARY("numpy", "partition", "The elements with the kth in its place.", "np/select"),
    MLC_NP_LIBRARY("numpy", "argpartition", "The indices that put the kth in its place.", "np/select"),
    MLC_NP_LIBRARY("numpy", "lexsort", "The indices that sort by several keys, the last one first.",
                   "np/select"),
    MLC_NP_LIBRARY("numpy", "digitize", "The bins that values fall into.", "np/select"),
    MLC_NP_LIBRARY("numpy", "histogram_bin_edges", "The edges of the bins of a histogram.", "np/select"),
    MLC_NP_LIBRARY("numpy", "histogram", "How many values fall into each bin.", "np/select"),
    MLC_NP_LIBRARY("numpy", "clip", "Each element brought into the range.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "round", "Each element rounded, half to even.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "fix", "Each element rounded towards zero.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "ptp", "The distance of the greatest and the least element.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "average", "The mean, perhaps weighted.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "median", "The middle of the sorted elements.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "quantile", "The elements below which such parts of all lie.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "percentile", "The elements below which so many percent lie.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "cov", "The covariance matrix.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "corrcoef", "The correlation coefficients.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "nansum", "The sum, nan aside.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "nanprod", "The product, nan aside.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "nancumsum", "Running sums, nan aside.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "nanmean", "The mean, nan aside.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "nanvar", "The variance, nan aside.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "nanstd", "The standard deviation, nan aside.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "nanargmax", "The index of the greatest element, nan aside.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "nanargmin", "The index of the least element, nan aside.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "nan_to_num", "nan and infinities replaced by numbers.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "isposinf", "Is it plus infinity?", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "isneginf", "Is it minus infinity?", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "diff", "The differences of neighbours.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "ediff1d", "The differences of neighbours, flat.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "gradient", "The slope by central differences.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "trapezoid", "The integral by trapezoids.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "interp", "A piecewise linear function.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "convolve", "The convolution of two sequences.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "correlate", "The correlation of two sequences.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "outer", "Each element of a times each of b.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "inner", "Sums of products over the last dimensions.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "vdot", "The product of the flattened arrays.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "vecdot", "Sums of products along a dimension.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "tensordot", "Sums of products over these dimensions.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "kron", "The Kronecker product.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "cross", "The cross product.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "isclose", "Which elements are close?", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "allclose", "Are all elements close?", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "array_equal", "Same shape and elements?", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "array_equiv", "The same elements, broadcast?", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "isscalar", "Is it a scalar?", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "isrealobj", "Is it of a real type?", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "iscomplexobj", "Is it of a complex type?", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "sinc", "sin(pi x) / (pi x).", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "polyval", "A polynomial at these places.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "hanning", "The Hann window.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "hamming", "The Hamming window.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "blackman", "The Blackman window.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "bartlett", "The Bartlett window.", "np/numeric"),
    MLC_NP_LIBRARY("numpy.linalg", "norm", "The norm of a vector or matrix.", "np/numeric"),
    MLC_NP_LIBRARY("numpy.linalg", "matrix_power", "A power of a matrix.", "np/numeric"),
    MLC_NP_LIBRARY("numpy.linalg", "multi_dot", "The product of several matrices.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "errstate", "Floating-point errors within a `with`.", "np/core"),
    MLC_NP_LIBRARY("numpy", "printoptions", "Options of printing within a `with`.", "np/core"),
    MLC_NP_LIBRARY("numpy", "ndindex", "All indices of a shape.", "np/core"),
    MLC_NP_LIBRARY("numpy", "ndenumerate", "All indices with their elements.", "np/core"),
    MLC_NP_LIBRARY("numpy", "fromfunction", "An array of a function of the indices.", "np/core"),
    MLC_NP_LIBRARY("numpy", "fromiter", "An array of what an iterator gives.", "np/core"),
    MLC_NP_LIBRARY("numpy", "apply_along_axis", "A function of each line along a dimension.", "np/core"),
    MLC_NP_LIBRARY("numpy", "apply_over_axes", "A function over several dimensions in turn.", "np/core"),
    MLC_NP_LIBRARY("numpy", "vectorize", "A function of numbers as a function of arrays.", "np/core"),
    MLC_NP_LIBRARY("numpy", "logspace", "Evenly spaced exponents.", "np/core"),
    MLC_NP_LIBRARY("numpy", "geomspace", "A geometric sequence.", "np/core"),
    MLC_NP_LIBRARY("numpy", "vander", "A Vandermonde matrix.", "np/core"),
    MLC_NP_LIBRARY("numpy", "isfortran", "Does the first index vary fastest in memory?", "np/core"),
    MLC_NP_LIBRARY("numpy", "asfortranarray", "The array with the first index fastest in memory.", "np/core"),
    MLC_NP_LIBRARY("numpy.lib.stride_tricks", "sliding_window_view", "All windows of a shape, a view.",
                   "np/core"),
    MLC_NP_LIBRARY("numpy.testing", "assert_array_equal",
                   "Raises AssertionError unless all elements are equal.", "np/testing"),
    MLC_NP_LIBRARY("numpy.testing", "assert_allclose",
                   "Raises AssertionError with a report unless all elements are close.", "np/testing"),
    MLC_NP_LIBRARY("numpy.testing", "assert_array_almost_equal",
                   "Raises AssertionError unless the elements agree to so many decimals.", "np/testing"),
    MLC_NP_LIBRARY("numpy.testing", "assert_array_less", "Raises AssertionError unless each element is less.",
                   "np/testing"),
    MLC_NP_LIBRARY("numpy.testing", "assert_equal", "Raises AssertionError unless the values are equal.",
                   "np/testing"),
    MLC_NP_LIBRARY("numpy.testing", "assert_almost_equal",
                   "Raises AssertionError unless the values agree to so many decimals.", "np/testing"),
    MLC_NP_LIBRARY("numpy.testing", "assert_approx_equal",
                   "Raises AssertionError unless the values agree to so many digits.", "np/testing"),
    MLC_NP_LIBRARY("numpy.testing", "assert_", "Raises AssertionError unless the value is true.",
                   "np/testing"),
    MLC_NP_LIBRARY("numpy.testing", "assert_raises", "Raises AssertionError unless the error is raised.",
                   "np/testing"),
    MLC_NP_LIBRARY("numpy.testing", "assert_string_equal",
                   "Raises AssertionError unless the texts are equal.", "np/testing"),
    MLC_NP_LIBRARY("numpy", "load", "The array of a .npy file, or those of a .npz file by name.", "np/file"),
    MLC_NP_LIBRARY("numpy", "savetxt", "Writes an array as text.", "np/file"),
    MLC_NP_LIBRARY("numpy", "loadtxt", "An array from a text file.", "np/file"),
    MLC_NP_LIBRARY("numpy", "iterable", "Can it be iterated over?", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "real", "The real part.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "imag", "The imaginary part: zeros.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "isreal", "Which elements are real?", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "iscomplex", "Which elements are not real?", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "nanmedian", "The middle of the sorted elements, nan aside.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "matrix_transpose", "The last two dimensions exchanged.", "np/numeric"),
    MLC_NP_LIBRARY("numpy", "trim_zeros", "Without zeros at the ends.", "np/numeric"),
    MLC_NP_LIBRARY("numpy.linalg", "slogdet", "Sign and logarithm of the determinant.", "np/numeric"),
    MLC_NP_LIBRARY("numpy.linalg", "qr", "The factors of an orthogonal and a triangular matrix.",
                   "np/numeric"),
    MLC_NP_LIBRARY("numpy.linalg", "outer", "Each element of a times each of b.", "np/numeric"),
    MLC_NP_LIBRARY("numpy.linalg", "cross", "The cross product.", "np/numeric"),
    MLC_NP_LIBRARY("numpy.linalg", "tensordot", "Sums of products over these dimensions.", "np/numeric"),
    MLC_NP_LIBRARY("numpy.linalg", "vecdot", "Sums of products along a dimension.", "np/numeric"),
    MLC_NP_LIBRARY("numpy.linalg", "matrix_transpose", "The last two dimensions exchanged.", "np/numeric"),
    MLC_NP_LIBRARY("numpy.linalg", "trace", "The sum of a diagonal.", "np/select"),
    MLC_NP_LIBRARY("numpy.linalg", "diagonal", "A diagonal, a view.", "np/select"),
    MLC_NP_LIBRARY("numpy", "around", "Each element rounded, half to even.", "np/numeric"),
    MLC_NP_LIBRARY("numpy.lib", "stride_tricks_window", "All windows of a shape, a view.", "np/core"),
    MLC_NP_LIBRARY_METHOD("clip(min=None, max=None, out=None)", "Each element brought into the range.",
                          "np/numeric"),
    MLC_NP_LIBRARY_METHOD("round(decimals=0, out=None)", "Each element rounded, half to even.", "np/numeric"),
    MLC_NP_LIBRARY_METHOD("diagonal(offset=0, axis1=0, axis2=1)", "A diagonal, a view.", "np/select"),
    MLC_NP_LIBRARY_METHOD("trace(offset=0, axis1=0, axis2=1, dtype=None, out=None)", "The sum of a diagonal.",
                          "np/select"),
    MLC_NP_LIBRARY_METHOD("put(indices, values, mode='raise')", "Sets elements by flat indices.",
                          "np/select"),
    MLC_NP_LIBRARY_METHOD("choose(choices, out=None, mode='raise')",
                          "Elements of the array that each index names.", "np/select"),
    MLC_NP_LIBRARY_METHOD("compress(condition, axis=None, out=None)",
                          "The parts of a dimension where the condition holds.", "np/select"),
    MLC_NP_LIBRARY_METHOD("argpartition(kth, axis=-1, kind='introselect', order=None)",
                          "The indices that put the kth in its place.", "np/select"),
    {ApiKind::kProperty, kArray, "flags", "How the elements lie in memory.",
     library_method<module_named("np/core")>},
};

}  // namespace

std::span<const ir::ApiRow> np_library_rows() { return rows; }

}  // namespace mlc::script
