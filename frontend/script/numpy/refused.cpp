// SPDX-License-Identifier: Apache-2.0
// Names of numpy that are left out, each with what serves instead. What stays is what programs about tensors
// call: TVM's library, tutorials and tests, the courses about it, and programs that prepare models.
#include "frontend/script/numpy/rows.h"
#include "ir/core/split_words.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;

namespace {

struct Owner {
  std::string_view path, shown;
  ApiKind kind;  // members of types are refused as properties
};
constexpr Owner owners[] = {{"numpy", "np", ApiKind::kValue},
                            {"numpy.linalg", "np.linalg", ApiKind::kValue},
                            {"numpy.random", "np.random", ApiKind::kValue},
                            {"numpy.testing", "np.testing", ApiKind::kValue},
                            {kNdarray, "ndarray", ApiKind::kProperty},
                            {"mlc.np.ufunc", "ufunc", ApiKind::kProperty}};

constexpr std::string_view kComplex = "complex numbers are not part of the language";
constexpr std::string_view kStreams = "the streams here are PCG64 (default_rng) and MT19937 (RandomState)";
constexpr std::string_view kDistributions =
    "the distributions here are uniform and normal; np.random.exponential is there too, and others are made "
    "of them";
constexpr std::string_view kOtherDistributions =
    "beta binomial chisquare dirichlet f gamma geometric gumbel hypergeometric laplace logistic lognormal "
    "logseries "
    "multinomial multivariate_normal negative_binomial noncentral_chisquare noncentral_f pareto poisson "
    "power rayleigh "
    "standard_cauchy standard_exponential standard_gamma standard_t triangular vonmises wald weibull zipf";

struct Refusal {
  std::string_view owners, names, reason;
};
constexpr Refusal refusals[] = {
    {"numpy",
     "complex64 complex128 complex256 cdouble csingle clongdouble complexfloating sort_complex emath real "
     "imag "
     "isreal iscomplex isrealobj iscomplexobj real_if_close angle conj conjugate",
     kComplex},
    {"numpy", "fft", "Fourier transforms need complex numbers, which are not part of the language"},
    {"numpy", "str_ bytes_ char strings character",
     "arrays of texts are not part of np here; lists of str do the same"},
    {"numpy", "object_ frompyfunc",
     "arrays hold numbers, not objects; a list holds anything, and np.vectorize applies a function"},
    {"numpy", "matrix asmatrix mat bmat",
     "NumPy advises against it; two-dimensional arrays and `@` do the same"},
    {"numpy", "ma", "masked arrays are not part of np here; use np.where"},
    {"numpy",
     "poly1d polynomial poly polyadd polysub polymul polydiv polyder polyint polyfit polyval vander roots",
     "polynomials are not part of np here; np.convolve multiplies their coefficients"},
    {"numpy", "savetxt loadtxt genfromtxt fromregex fromstring",
     "arrays are kept by np.save and np.savez; for texts use open(), str.split and np.array"},
    {"numpy",
     "intersect1d union1d setdiff1d setxor1d in1d unique_all unique_counts unique_inverse unique_values",
     "use np.unique, and `in` of a set"},
    {"numpy",
     "nanprod nanvar nanstd nanargmax nanargmin nancumsum nancumprod nanmedian nanquantile nanpercentile",
     "use np.where(np.isnan(a), value, a) or a[~np.isnan(a)] first"},
    {"numpy", "histogram histogram2d histogramdd histogram_bin_edges digitize",
     "np.unique(a, return_counts=True) counts, and np.searchsorted finds the bins"},
    {"numpy", "cov corrcoef correlate", "write it with `@` on the differences from the mean, or np.convolve"},
    {"numpy", "column_stack", "use np.stack(arrays, axis=1)"},
    {"numpy", "savez_compressed", "np.savez writes the arrays as they are"},
    {"numpy", "array_repr array_str printoptions", "use repr(a) and str(a) after np.set_printoptions"},
    {"numpy", "geterr", "floating-point errors are neither warned of nor raised here"},
    {"numpy", "gradient trapezoid interp unwrap ediff1d", "use np.diff"},
    {"numpy", "hanning blackman bartlett kaiser sinc i0", "write the formula; np.hamming is there"},
    {"numpy", "put putmask place extract compress choose piecewise fill_diagonal",
     "use a[mask] = values, a[mask], np.take or np.where"},
    {"numpy", "r_ c_ ogrid index_exp", "use np.concatenate, np.meshgrid, np.indices or np.s_"},
    {"numpy", "tril_indices_from triu_indices_from diag_indices diag_indices_from mask_indices",
     "use np.nonzero(np.tril(np.ones((n, n))))"},
    {"numpy", "dstack hsplit vsplit dsplit block unstack atleast_3d resize trim_zeros",
     "use np.stack, np.concatenate, np.split or an index"},
    {"numpy", "rollaxis permute_dims matrix_transpose",
     "use np.flip, np.transpose, np.moveaxis or np.swapaxes"},
    {"numpy", "argpartition", "use np.argsort"},
    {"numpy", "lexsort", "use np.argsort(kind='stable') once per key, the last one first"},
    {"numpy", "vdot vecdot matvec vecmat kron cross", "use np.einsum"},
    {"numpy", "binary_repr base_repr format_float_positional format_float_scientific",
     "use format(): f\"{x:b}\", f\"{x:.3e}\""},
    {"numpy", "spacing", "use np.nextafter(x, np.inf) - x"},
    {"numpy", "ptp", "use np.max(a) - np.min(a)"},
    {"numpy", "fix", "use np.trunc"},
    {"numpy", "deg2rad radians", "use x * (np.pi / 180)"},
    {"numpy", "rad2deg degrees", "use x * (180 / np.pi)"},
    {"numpy", "divmod modf", "use np.floor_divide and np.remainder, or np.trunc"},
    {"numpy", "frexp", "use np.floor(np.log2(x)) and np.ldexp"},
    {"numpy", "heaviside", "use np.where"},
    {"numpy", "fromiter apply_over_axes",
     "use np.indices, np.array of a list, np.vectorize or a loop over np.ndindex"},
    {"numpy", "logspace geomspace", "use np.power(base, np.linspace(start, stop, num))"},
    {"numpy.linalg", "outer cross tensordot trace diagonal", "np's function of the same name is there"},
    {"numpy.linalg", "matrix_norm vector_norm", "use np.linalg.norm"},
    {"numpy.linalg", "multi_dot matrix_power vecdot matrix_transpose", "use `@`, np.einsum and np.swapaxes"},
    {"numpy.linalg",
     "eig eigvals eigh eigvalsh svd svdvals qr cholesky slogdet matrix_rank pinv lstsq cond tensorsolve "
     "tensorinv",
     "decompositions are not part of np here; there are norm, inv, solve and det"},
    {"numpy.random", "Philox SFC64 PCG64DXSM MT19937 BitGenerator get_bit_generator set_bit_generator",
     kStreams},
    {"numpy.random", "SeedSequence", "np.random.default_rng takes the seeds themselves"},
    {"numpy.random", "get_state set_state", "np.random.seed starts the stream anew"},
    {"numpy.random", "random_integers tomaxint bytes ranf sample", "use randint and random_sample"},
    {"numpy.random", kOtherDistributions, kDistributions},
    {"numpy.testing",
     "assert_approx_equal assert_array_compare assert_array_max_ulp assert_array_almost_equal_nulp",
     "use np.testing.assert_allclose with its tolerances"},
    {"numpy.testing", "assert_no_warnings SkipTest KnownFailureException IgnoreException",
     "use `assert` and pytest"},
    {"mlc.np.ndarray", "real imag conj conjugate", kComplex},
    {"mlc.np.ndarray", "mT", "use np.swapaxes(a, -1, -2)"},
    {"mlc.np.ndarray", "put choose compress partition argpartition",
     "use a[mask] = values, a[mask], np.where, np.sort or np.argsort"},
    {"mlc.np.ndarray", "byteswap", "use a.view('uint8'), and reverse the bytes of each element"},
    {"mlc.np.ndarray", "to_device",
     "an array is in the memory of the CPU; tvm.runtime.tensor(a, device) is not"},
    {"mlc.np.ufunc", "accumulate", "use np.cumsum and np.cumprod"},
    {"mlc.np.ufunc", "reduceat", "use np.NAME.reduce on each stretch"},
    {"mlc.np.ufunc", "outer", "use np.NAME(a[:, None], b)"},
    {"mlc.np.ufunc", "nin nout nargs ntypes types identity signature",
     "what a ufunc takes is said by help()"},
};

Any refuse(ApiCall& call) {
  for (const Refusal& row : refusals) {
    if (!ir::has_word(row.names, call.api.name) || !ir::has_word(row.owners, call.api.row.owner)) continue;
    for (const Owner& owner : owners) {
      if (owner.path != call.api.row.owner) continue;
      raise("AttributeError", call.span, "left-out", "`{}.{}` is left out here: {}", owner.shown,
            call.api.name, row.reason);
    }
  }
  MLC_CHECK(false, "`{}` is not refused", call.api.name);
}

}  // namespace

std::span<const ir::ApiRow> np_refused_rows() {
  static const std::vector<ApiRow> rows = [] {
    std::vector<ApiRow> made;
    for (const Refusal& row : refusals) {
      for (const Owner& owner : owners) {
        if (!ir::has_word(row.owners, owner.path)) continue;
        ir::each_word(row.names, [&](std::string_view name) {
          made.push_back({owner.kind, owner.path, name, "Not part of np here.", refuse});
        });
      }
    }
    return made;
  }();
  return rows;
}

}  // namespace mlc::script
