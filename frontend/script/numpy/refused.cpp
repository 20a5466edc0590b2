// SPDX-License-Identifier: Apache-2.0
// Names of numpy that are not here, each with what can be done instead.
#include "frontend/script/numpy/array.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;

namespace {

constexpr std::string_view kComplex = "complex numbers are not part of the language";
constexpr std::string_view kDates = "dates are not part of np here";
constexpr std::string_view kTexts = "arrays of texts are not part of np here; lists of str do the same";
constexpr std::string_view kObjects = "arrays hold numbers, not objects; a list holds anything";
constexpr std::string_view kRecords = "arrays of records are not part of np here; use an array per field";
constexpr std::string_view kMatrix = "NumPy advises against it; two-dimensional arrays and `@` do the same";
constexpr std::string_view kMasked = "masked arrays are not part of np here; use np.where or nan functions";
constexpr std::string_view kFourier =
    "Fourier transforms need complex numbers, which are not part of the language";
constexpr std::string_view kLong = "there is no type of floats wider than float64 here";
constexpr std::string_view kSeries =
    "polynomial classes are not part of np here; use np.polyval, np.polyfit and np.polymul";
constexpr std::string_view kEigen =
    "eigenvalues may be complex, which are not part of the language; np.linalg.eigh takes symmetric matrices";
constexpr std::string_view kStreams = "the streams here are PCG64 (default_rng) and MT19937 (RandomState)";
constexpr std::string_view kBuild = "it tells of an installation of NumPy, and this is mlc's own np";

struct Refusal {
  std::string_view owner, name, reason;
};
constexpr Refusal refusals[] = {
    {"numpy", "complex64", kComplex},
    {"numpy", "complex128", kComplex},
    {"numpy", "complex256", kComplex},
    {"numpy", "cdouble", kComplex},
    {"numpy", "csingle", kComplex},
    {"numpy", "clongdouble", kComplex},
    {"numpy", "complexfloating", kComplex},
    {"numpy", "sort_complex", kComplex},
    {"numpy", "emath", kComplex},
    {"numpy", "roots",
     "the zeros of a polynomial may be complex numbers, which are not part of the language"},
    {"numpy", "float128", kLong},
    {"numpy", "longdouble", kLong},
    {"numpy", "datetime64", kDates},
    {"numpy", "timedelta64", kDates},
    {"numpy", "datetime_data", kDates},
    {"numpy", "datetime_as_string", kDates},
    {"numpy", "busday_count", kDates},
    {"numpy", "busday_offset", kDates},
    {"numpy", "busdaycalendar", kDates},
    {"numpy", "is_busday", kDates},
    {"numpy", "isnat", kDates},
    {"numpy", "str_", kTexts},
    {"numpy", "bytes_", kTexts},
    {"numpy", "char", kTexts},
    {"numpy", "strings", kTexts},
    {"numpy", "character", kTexts},
    {"numpy", "object_", kObjects},
    {"numpy", "void", kRecords},
    {"numpy", "flexible", kRecords},
    {"numpy", "rec", kRecords},
    {"numpy", "record", kRecords},
    {"numpy", "recarray", kRecords},
    {"numpy", "matrix", kMatrix},
    {"numpy", "asmatrix", kMatrix},
    {"numpy", "mat", kMatrix},
    {"numpy", "bmat", kMatrix},
    {"numpy", "ma", kMasked},
    {"numpy", "fft", kFourier},
    {"numpy", "poly1d", kSeries},
    {"numpy", "polynomial", kSeries},
    {"numpy", "memmap", "files are read whole: use np.load"},
    {"numpy", "fromregex", "use `re` and np.array"},
    {"numpy", "einsum_path", "np.einsum takes its operands from left to right here"},
    {"numpy", "nested_iters", "use np.ndindex"},
    {"numpy", "busdays", kDates},
    {"numpy", "f2py", kBuild},
    {"numpy", "ctypeslib", kBuild},
    {"numpy", "get_include", kBuild},
    {"numpy", "show_config", kBuild},
    {"numpy", "show_runtime", kBuild},
    {"numpy", "test", kBuild},
    {"numpy", "info", "use help()"},
    {"numpy", "typing", "annotations are not looked at; leave the import out"},
    {"numpy", "seterrcall", "floating-point errors are ignored, warned of or raised: np.seterr"},
    {"numpy", "geterrcall", "floating-point errors are ignored, warned of or raised: np.seterr"},
    {"numpy", "setbufsize", "there is no buffer to set"},
    {"numpy", "getbufsize", "there is no buffer to set"},
    {"numpy", "histogramdd", "np.histogram2d counts in two dimensions"},
    {"numpy.linalg", "eig", kEigen},
    {"numpy.linalg", "eigvals", kEigen},
    {"numpy.random", "Philox", kStreams},
    {"numpy.random", "SFC64", kStreams},
    {"numpy.random", "PCG64DXSM", kStreams},
    {"numpy.random", "MT19937", kStreams},
    {"numpy.random", "BitGenerator", kStreams},
    {"numpy.random", "SeedSequence", "np.random.default_rng takes the seeds themselves"},
    {"numpy.random", "get_bit_generator", kStreams},
    {"numpy.random", "set_bit_generator", kStreams},
    {"numpy.random", "get_state", "np.random.seed starts the stream anew"},
    {"numpy.random", "set_state", "np.random.seed starts the stream anew"},
    {"numpy.random", "multivariate_normal",
     "its values depend on the signs of LAPACK's vectors; use mean + rng.standard_normal(n) @ "
     "np.linalg.cholesky(cov).T"},
    {"numpy.random", "hypergeometric", "it is not among the distributions here"},
};

Any refuse(ApiCall& call) {
  for (const Refusal& row : refusals) {
    if (row.name == call.api.name && row.owner == call.api.row.owner) {
      raise("AttributeError", call.span, "left-out", "module '{}' has no attribute '{}' here: {}", row.owner,
            row.name, row.reason);
    }
  }
  MLC_CHECK(false, "`{}` is not refused", call.api.name);
}

}  // namespace

std::span<const ir::ApiRow> np_refused_rows() {
  static const std::vector<ApiRow> rows = [] {
    std::vector<ApiRow> made;
    for (const Refusal& row : refusals)
      made.push_back({ApiKind::kValue, row.owner, row.name, "Not part of np here.", refuse});
    return made;
  }();
  return rows;
}

}  // namespace mlc::script
