// SPDX-License-Identifier: Apache-2.0
// Distributions of np.random, drawn as NumPy draws them from both kinds of stream: values of the same seed
// are the same. Parameters may be arrays.
#include <cmath>

#include "frontend/script/numpy/random.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;

namespace {

struct LegacySource {
  static constexpr bool legacy = true;
  MersenneTwister& stream;
  double uniform() { return stream.uniform(); }
  double normal() { return stream.gauss(); }
  double exponential() { return -std::log(1.0 - stream.uniform()); }
};
struct FreshSource {
  static constexpr bool legacy = false;
  Pcg64 stream;
  double uniform() { return stream.uniform(); }
  double normal() { return stream.normal(); }
  double exponential() { return stream.exponential(); }
};

// ---- building blocks ----

// G. Marsaglia, W. Tsang (2000) for shapes above 1, J. Ahrens, U. Dieter (1974) below.
template <class S>
double standard_gamma(S& s, double shape) {
  if (shape == 1.0) return s.exponential();
  if (shape == 0.0) return 0.0;
  if (shape < 1.0) {
    for (;;) {
      double u = s.uniform(), v = s.exponential();
      if (u <= 1.0 - shape) {
        double x = std::pow(u, 1.0 / shape);
        if (x <= v) return x;
      } else {
        double y = -std::log((1 - u) / shape);
        double x = std::pow(1.0 - shape + shape * y, 1.0 / shape);
        if (x <= v + y) return x;
      }
    }
  }
  double b = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9 * b);
  for (;;) {
    double x, v;
    do {
      x = s.normal();
      v = 1.0 + c * x;
    } while (v <= 0.0);
    v = v * v * v;
    double u = s.uniform();
    if (u < 1.0 - 0.0331 * (x * x) * (x * x)) return b * v;
    if (std::log(u) < 0.5 * x * x + b * (1.0 - v + std::log(v))) return b * v;
  }
}
template <class S>
double chi_square(S& s, double df) {
  return 2.0 * standard_gamma(s, df / 2.0);
}

// The logarithm of the gamma function by Stirling's series (S. Zhang, J. Jin, 1996).
double log_gamma(double x) {
  static constexpr double kTerms[] = {8.333333333333333e-02,  -2.777777777777778e-03, 7.936507936507937e-04,
                                      -5.952380952380952e-04, 8.417508417508418e-04,  -1.917526917526918e-03,
                                      6.410256410256410e-03,  -2.955065359477124e-02, 1.796443723688307e-01,
                                      -1.39243221690590e+00};
  if (x == 1.0 || x == 2.0) return 0.0;
  int64_t n = x < 7.0 ? static_cast<int64_t>(7 - x) : 0;
  double x0 = x + static_cast<double>(n);
  double x2 = (1.0 / x0) * (1.0 / x0);
  double sum = kTerms[9];
  for (int k = 8; k >= 0; --k) {
    sum *= x2;
    sum += kTerms[k];
  }
  double result = sum / x0 + 0.5 * 1.8378770664093453e+00 + (x0 - 0.5) * std::log(x0) - x0;
  for (int64_t k = 0; k < n; ++k) {
    result -= std::log(x0 - 1.0);
    x0 -= 1.0;
  }
  return result;
}

// W. Hormann (1993): transformed rejection for large means, products of uniforms for small ones.
template <class S>
int64_t poisson(S& s, double mean) {
  if (mean == 0) return 0;
  if (mean < 10) {
    double bound = std::exp(-mean), product = 1.0;
    for (int64_t count = 0;; ++count) {
      product *= s.uniform();
      if (product <= bound) return count;
    }
  }
  double root = std::sqrt(mean), log_mean = std::log(mean);
  double b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
  double inverse = 1.1239 + 1.1328 / (b - 3.4), quick = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    double u = s.uniform() - 0.5, v = s.uniform();
    double us = 0.5 - std::fabs(u);
    auto k = static_cast<int64_t>(std::floor((2 * a / us + b) * u + mean + 0.43));
    if (us >= 0.07 && v <= quick) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    auto kd = static_cast<double>(k);
    if (std::log(v) + std::log(inverse) - std::log(a / (us * us) + b) <=
        -mean + kd * log_mean - log_gamma(kd + 1))
      return k;
  }
}

template <class S>
int64_t binomial_by_inversion(S& s, int64_t n, double p) {
  auto count = static_cast<double>(n);
  double q = 1.0 - p;
  double none = S::legacy ? std::exp(count * std::log(q)) : std::exp(count * std::log1p(-p));
  double mean = count * p;
  auto bound = static_cast<int64_t>(std::min(count, mean + 10.0 * std::sqrt(mean * q + 1)));
  int64_t x = 0;
  double px = none, u = s.uniform();
  while (u > px) {
    if (++x > bound) {
      x = 0;
      px = none;
      u = s.uniform();
    } else {
      u -= px;
      px = (static_cast<double>(n - x + 1) * p * px) / (static_cast<double>(x) * q);
    }
  }
  return x;
}

// V. Kachitvichyanukul, B. Schmeiser (1988): algorithm BTPE, for n * p above 30.
template <class S>
int64_t binomial_by_rejection(S& s, int64_t n, double p) {
  auto count = static_cast<double>(n);
  double r = std::min(p, 1.0 - p), q = 1.0 - r;
  double fm = count * r + r;
  auto m = static_cast<int64_t>(std::floor(fm));
  auto md = static_cast<double>(m);
  double p1 = std::floor(2.195 * std::sqrt(count * r * q) - 4.6 * q) + 0.5;
  double xm = md + 0.5, xl = xm - p1, xr = xm + p1;
  double c = 0.134 + 20.5 / (15.3 + md);
  double a = (fm - xl) / (fm - xl * r);
  double left = a * (1.0 + a / 2.0);
  a = (xr - fm) / (xr * q);
  double right = a * (1.0 + a / 2.0);
  double p2 = p1 * (1.0 + 2.0 * c), p3 = p2 + c / left, p4 = p3 + c / right;
  double nrq = count * r * q;
  for (;;) {
    double u = s.uniform() * p4, v = s.uniform();
    int64_t y;
    if (u <= p1) {
      y = static_cast<int64_t>(std::floor(xm - p1 * v + u));
      return p > 0.5 ? n - y : y;
    }
    if (u <= p2) {
      double x = xl + (u - p1) / c;
      v = v * c + 1.0 - std::fabs(md - x + 0.5) / p1;
      if (v > 1.0) continue;
      y = static_cast<int64_t>(std::floor(x));
    } else if (u <= p3) {
      y = static_cast<int64_t>(std::floor(xl + std::log(v) / left));
      if (y < 0 || v == 0.0) continue;
      v = v * (u - p2) * left;
    } else {
      y = static_cast<int64_t>(std::floor(xr - std::log(v) / right));
      if (y > n || v == 0.0) continue;
      v = v * (u - p3) * right;
    }
    int64_t k = std::abs(y - m);
    auto kd = static_cast<double>(k), yd = static_cast<double>(y);
    bool taken;
    if (k <= 20 || kd >= nrq / 2.0 - 1) {
      double ratio = r / q, step = ratio * (count + 1), f = 1.0;
      for (int64_t i = m + 1; i <= y; ++i) f *= step / static_cast<double>(i) - ratio;
      for (int64_t i = y + 1; i <= m; ++i) f /= step / static_cast<double>(i) - ratio;
      taken = v <= f;
    } else {
      double rho = (kd / nrq) * ((kd * (kd / 3.0 + 0.625) + 0.16666666666666666) / nrq + 0.5);
      double t = -kd * kd / (2 * nrq), log_v = std::log(v);
      if (log_v < t - rho) {
        taken = true;
      } else if (log_v > t + rho) {
        taken = false;
      } else {
        double x1 = yd + 1, f1 = md + 1, z = count + 1 - md, w = count - yd + 1;
        auto series = [](double x) {
          double x2 = x * x;
          return (13680. - (462. - (132. - (99. - 140. / x2) / x2) / x2) / x2) / x / 166320.;
        };
        taken = log_v <= xm * std::log(f1 / x1) + (count - md + 0.5) * std::log(z / w) +
                             (yd - md) * std::log(w * r / (x1 * q)) + series(f1) + series(z) + series(x1) +
                             series(w);
      }
    }
    if (taken) return p > 0.5 ? n - y : y;
  }
}

template <class S>
int64_t binomial(S& s, int64_t n, double p) {
  if (n == 0 || p == 0.0) return 0;
  double less = p <= 0.5 ? p : 1.0 - p;
  bool small = less * static_cast<double>(n) <= 30.0;
  int64_t drawn = small ? binomial_by_inversion(s, n, less) : binomial_by_rejection(s, n, less);
  return p <= 0.5 ? drawn : n - drawn;
}

// ---- the distributions ----

// What a parameter must be.
enum class Must : uint8_t { kAny, kNotNegative, kPositive, kPart, kPositivePart, kAboveOne, kBelowOne };
struct Parameter {
  std::string_view name;
  Must must = Must::kAny;
};

#define MLC_NP_DISTRIBUTION(Name, ...)                       \
  struct Name {                                              \
    static constexpr Parameter parameters[] = {__VA_ARGS__}; \
    template <class S>                                       \
    static auto one([[maybe_unused]] S& s, [[maybe_unused]] const double* p)

MLC_NP_DISTRIBUTION(Uniform, {"low"}, {"high"}) { return p[0] + (p[1] - p[0]) * s.uniform(); }
};
MLC_NP_DISTRIBUTION(Normal, {"loc"}, {"scale", Must::kNotNegative}) { return p[0] + p[1] * s.normal(); }
};
MLC_NP_DISTRIBUTION(LogNormal, {"mean"}, {"sigma", Must::kNotNegative}) {
  return std::exp(p[0] + p[1] * s.normal());
}
}
;
MLC_NP_DISTRIBUTION(Exponential, {"scale", Must::kNotNegative}) { return p[0] * s.exponential(); }
}
;
MLC_NP_DISTRIBUTION(StandardExponential, {""}) { return s.exponential(); }
}
;
MLC_NP_DISTRIBUTION(StandardGamma, {"shape", Must::kNotNegative}) { return standard_gamma(s, p[0]); }
}
;
MLC_NP_DISTRIBUTION(Gamma, {"shape", Must::kNotNegative}, {"scale", Must::kNotNegative}) {
  return p[1] * standard_gamma(s, p[0]);
}
}
;
MLC_NP_DISTRIBUTION(Beta, {"a", Must::kPositive}, {"b", Must::kPositive}) {
  double a = p[0], b = p[1];
  if (a > 1.0 || b > 1.0) {
    double x = standard_gamma(s, a), y = standard_gamma(s, b);
    return x / (x + y);
  }
  constexpr double kTiny = 3e-103;
  if (!S::legacy && a < kTiny && b < kTiny) return (a + b) * s.uniform() < a ? 1.0 : 0.0;
  for (;;) {
    double u = s.uniform(), v = s.uniform();
    double x = std::pow(u, 1.0 / a), y = std::pow(v, 1.0 / b);
    if (x + y > 1.0 || u + v <= 0.0) continue;
    if (S::legacy ? x + y > 0 : x > 0 && y > 0) return x / (x + y);
    double log_x = std::log(u) / a, log_y = std::log(v) / b;
    double top = std::max(log_x, log_y);
    log_x -= top;
    log_y -= top;
    return std::exp(log_x - std::log(std::exp(log_x) + std::exp(log_y)));
  }
}
}
;
MLC_NP_DISTRIBUTION(ChiSquare, {"df", Must::kPositive}) { return chi_square(s, p[0]); }
}
;
template <class S>
double noncentral(S& s, double df, double nonc) {
  if (std::isnan(nonc)) return nonc;
  if (nonc == 0) return chi_square(s, df);
  if (df > 1) {
    double chi = chi_square(s, df - 1), n = s.normal() + std::sqrt(nonc);
    return chi + n * n;
  }
  int64_t i = poisson(s, nonc / 2.0);
  return chi_square(s, df + 2 * static_cast<double>(i));
}
MLC_NP_DISTRIBUTION(NoncentralChiSquare, {"df", Must::kPositive}, {"nonc", Must::kNotNegative}) {
  return noncentral(s, p[0], p[1]);
}
}
;
MLC_NP_DISTRIBUTION(F, {"dfnum", Must::kPositive}, {"dfden", Must::kPositive}) {
  double upper = chi_square(s, p[0]) * p[1];
  return upper / (chi_square(s, p[1]) * p[0]);
}
}
;
MLC_NP_DISTRIBUTION(NoncentralF, {"dfnum", Must::kPositive}, {"dfden", Must::kPositive},
                    {"nonc", Must::kNotNegative}) {
  double upper = noncentral(s, p[0], p[2]) * p[1];
  return upper / (chi_square(s, p[1]) * p[0]);
}
}
;
MLC_NP_DISTRIBUTION(StandardCauchy, {""}) {
  double x = s.normal();
  return x / s.normal();
}
}
;
MLC_NP_DISTRIBUTION(StandardT, {"df", Must::kPositive}) {
  double x = s.normal(), y = standard_gamma(s, p[0] / 2);
  return std::sqrt(p[0] / 2) * x / std::sqrt(y);
}
}
;
MLC_NP_DISTRIBUTION(Pareto, {"a", Must::kPositive}) {
  double x = s.exponential() / p[0];
  return S::legacy ? std::exp(x) - 1 : std::expm1(x);
}
}
;
MLC_NP_DISTRIBUTION(Weibull, {"a", Must::kNotNegative}) {
  return p[0] == 0.0 ? 0.0 : std::pow(s.exponential(), 1.0 / p[0]);
}
}
;
MLC_NP_DISTRIBUTION(Power, {"a", Must::kPositive}) {
  double x = s.exponential();
  return std::pow(S::legacy ? 1 - std::exp(-x) : -std::expm1(-x), 1.0 / p[0]);
}
}
;
MLC_NP_DISTRIBUTION(Laplace, {"loc"}, {"scale", Must::kNotNegative}) {
  for (;;) {
    double u = s.uniform();
    if (u >= 0.5) return p[0] - p[1] * std::log(2.0 - u - u);
    if (u > 0.0) return p[0] + p[1] * std::log(u + u);
  }
}
}
;
MLC_NP_DISTRIBUTION(Gumbel, {"loc"}, {"scale", Must::kNotNegative}) {
  for (;;) {
    double u = 1.0 - s.uniform();
    if (u < 1.0) return p[0] - p[1] * std::log(-std::log(u));
  }
}
}
;
MLC_NP_DISTRIBUTION(Logistic, {"loc"}, {"scale", Must::kNotNegative}) {
  for (;;) {
    double u = s.uniform();
    if (u > 0.0) return p[0] + p[1] * std::log(u / (1.0 - u));
  }
}
}
;
MLC_NP_DISTRIBUTION(Rayleigh, {"scale", Must::kNotNegative}) {
  return S::legacy ? p[0] * std::sqrt(-2.0 * std::log1p(-s.uniform()))
                   : p[0] * std::sqrt(2.0 * s.exponential());
}
}
;
MLC_NP_DISTRIBUTION(Wald, {"mean", Must::kPositive}, {"scale", Must::kPositive}) {
  double mean = p[0], scale = p[1], y = s.normal(), x;
  if (S::legacy) {
    y = mean * y * y;
    x = mean + mean / (2 * scale) * (y - std::sqrt(4 * scale * y + y * y));
  } else {
    y = mean * y * y;
    double d = 1 + std::sqrt(1 + 4 * scale / y);
    x = mean * (1 - 2 / d);
  }
  return s.uniform() <= mean / (mean + x) ? x : mean * mean / x;
}
}
;
MLC_NP_DISTRIBUTION(Triangular, {"left"}, {"mode"}, {"right"}) {
  double base = p[2] - p[0], left = p[1] - p[0], u = s.uniform();
  if (u <= left / base) return p[0] + std::sqrt(u * (left * base));
  return p[2] - std::sqrt((1.0 - u) * ((p[2] - p[1]) * base));
}
}
;
MLC_NP_DISTRIBUTION(VonMises, {"mu"}, {"kappa", Must::kNotNegative}) {
  constexpr double kPi = 3.14159265358979323846;
  double mu = p[0], kappa = p[1], spread, w;
  if (kappa < 1e-8) return kPi * (2 * s.uniform() - 1);
  if (kappa < 1e-5) {
    spread = 1.0 / kappa + kappa;
  } else if (kappa <= 1e6 || S::legacy) {
    double r = 1 + std::sqrt(1 + 4 * kappa * kappa);
    double rho = (r - std::sqrt(2 * r)) / (2 * kappa);
    spread = (1 + rho * rho) / (2 * rho);
  } else {
    double angle = mu + std::sqrt(1.0 / kappa) * s.normal();
    return angle < -kPi ? angle + 2 * kPi : angle > kPi ? angle - 2 * kPi : angle;
  }
  for (;;) {
    double z = std::cos(kPi * s.uniform());
    w = (1 + spread * z) / (spread + z);
    double y = kappa * (spread - w), v = s.uniform();
    if (y * (2 - y) - v >= 0 || std::log(y / v) + 1 - y >= 0) break;
  }
  double angle = std::acos(w);
  if (s.uniform() < 0.5) angle = -angle;
  angle += mu;
  double turned = std::fmod(std::fabs(angle) + kPi, 2 * kPi) - kPi;
  return angle < 0 ? -turned : turned;
}
}
;
MLC_NP_DISTRIBUTION(Poisson, {"lam", Must::kNotNegative}) { return poisson(s, p[0]); }
}
;
MLC_NP_DISTRIBUTION(Binomial, {"n", Must::kNotNegative}, {"p", Must::kPart}) {
  return binomial(s, static_cast<int64_t>(p[0]), p[1]);
}
}
;
MLC_NP_DISTRIBUTION(NegativeBinomial, {"n", Must::kPositive}, {"p", Must::kPositivePart}) {
  double mean = standard_gamma(s, p[0]);
  return poisson(s, (1 - p[1]) / p[1] * mean);
}
}
;
MLC_NP_DISTRIBUTION(Geometric, {"p", Must::kPositivePart}) {
  if (p[0] >= 0.333333333333333333333333) {
    double sum = p[0], product = p[0], u = s.uniform();
    int64_t x = 1;
    for (; u > sum; ++x) {
      product *= 1.0 - p[0];
      sum += product;
    }
    return x;
  }
  double z = S::legacy ? std::ceil(std::log1p(-s.uniform()) / std::log1p(-p[0]))
                       : std::ceil(-s.exponential() / std::log1p(-p[0]));
  return z >= 9.223372036854776e18 ? INT64_MAX : static_cast<int64_t>(z);
}
}
;
MLC_NP_DISTRIBUTION(LogSeries, {"p", Must::kBelowOne}) {
  double r = S::legacy ? std::log(1.0 - p[0]) : std::log1p(-p[0]);
  for (;;) {
    double v = s.uniform();
    if (v >= p[0]) return int64_t{1};
    double u = s.uniform();
    double q = S::legacy ? 1.0 - std::exp(r * u) : -std::expm1(r * u);
    if (v <= q * q) {
      auto result = static_cast<int64_t>(std::floor(1 + std::log(v) / std::log(q)));
      if (result < 1 || v == 0.0) continue;
      return result;
    }
    return v >= q ? int64_t{1} : int64_t{2};
  }
}
}
;
MLC_NP_DISTRIBUTION(Zipf, {"a", Must::kAboveOne}) {
  constexpr double kMost = 9223372036854775807.0;
  if (!S::legacy && p[0] >= 1025) return int64_t{1};
  double less = p[0] - 1.0, b = std::pow(2.0, less);
  double least = S::legacy ? 0.0 : std::pow(kMost, -less);
  for (;;) {
    double part = s.uniform();
    double u = S::legacy ? 1.0 - part : part * least + (1 - part);
    double v = s.uniform(), x = std::floor(std::pow(u, -1.0 / less));
    if (x > kMost || x < 1.0) continue;
    double t = std::pow(1.0 + 1.0 / x, less);
    if (v * x * (t - 1.0) / (b - 1.0) <= t / b) return static_cast<int64_t>(x);
  }
}
}
;
#undef MLC_NP_DISTRIBUTION

// ---- calls ----

void check(ApiCall& call, const Parameter& parameter, double value) {
  auto refuse = [&](std::string_view why) {
    raise("ValueError", call.span, "wrong-value", "{} {}", parameter.name, why);
  };
  std::string_view name = parameter.name;
  switch (parameter.must) {
    case Must::kAny:
      return;
    case Must::kNotNegative:
      if (!std::isnan(value) && std::signbit(value)) refuse("< 0");
      return;
    case Must::kPositive:
      if (!(value > 0)) refuse("<= 0");
      return;
    case Must::kPart:
      if (!(value >= 0 && value <= 1)) refuse(fmt::format("< 0, {} > 1 or {} is NaN", name, name));
      return;
    case Must::kPositivePart:
      if (!(value > 0 && value <= 1)) refuse(fmt::format("<= 0, {} > 1 or {} contains NaNs", name, name));
      return;
    case Must::kAboveOne:
      if (!(value > 1)) refuse(fmt::format("<= 1 or {} is NaN", name));
      return;
    case Must::kBelowOne:
      if (!(value >= 0 && value < 1)) refuse(fmt::format("< 0, {} >= 1 or {} is NaN", name, name));
      return;
  }
}

template <class D, class S>
Any drawn(ApiCall& call, S& source, std::span<Any> args) {
  constexpr bool kNone = D::parameters[0].name.empty();
  constexpr size_t kCount = kNone ? 0 : std::size(D::parameters);
  using Value = decltype(D::one(source, nullptr));
  const Any& size = args[kCount];
  Evaluator& evaluator = evaluator_of(call.host);
  double numbers[kCount + 1] = {};
  ffi::Tensor arrays[kCount + 1];
  Shape shape;
  bool plain = true;
  for (size_t i = 0; i < kCount; ++i) {
    if (is_number(plain_number(args[i]))) {
      numbers[i] = to_double(plain_number(args[i]));
      check(call, D::parameters[i], numbers[i]);
      continue;
    }
    plain = false;
    arrays[i] = row_major(to_tensor(evaluator, args[i], call.span_of(i)), DataType::Float(64));
    for (int64_t k = 0; k < arrays[i].numel(); ++k)
      check(call, D::parameters[i], data_of<double>(arrays[i])[k]);
    shape = broadcast_shapes(shape, shape_of(arrays[i]), call.span);
  }
  if (is_none(size) && (plain || shape.empty())) {
    for (size_t i = 0; i < kCount; ++i) {
      if (arrays[i].defined()) numbers[i] = data_of<double>(arrays[i])[0];
    }
    return Any(D::one(source, numbers));
  }
  if (!is_none(size)) {
    Shape wanted = size_argument(call, size);
    if (common_shape(shape, wanted) != wanted) {
      raise("ValueError", call.span, "shape-mismatch",
            "Output size {} is not compatible with broadcast dimensions of inputs {}.", shape_text(wanted),
            shape_text(shape));
    }
    shape = wanted;
  }
  ffi::Tensor result =
      make_array(shape, std::is_same_v<Value, double> ? DataType::Float(64) : DataType::Int(64));
  const double* values[kCount + 1] = {};
  ffi::Tensor wide[kCount + 1];
  for (size_t i = 0; i < kCount; ++i) {
    if (!arrays[i].defined()) continue;
    wide[i] = row_major(broadcast_to(arrays[i], shape), DataType::Float(64));
    values[i] = data_of<double>(wide[i]);
  }
  auto* data = data_of<Value>(result);
  int64_t n = result.numel();
  S local = source;  // for the registers of the loop
  if (plain) {
    for (int64_t k = 0; k < n; ++k) data[k] = D::one(local, numbers);
  } else {
    for (int64_t k = 0; k < n; ++k) {
      for (size_t i = 0; i < kCount; ++i) {
        if (values[i] != nullptr) numbers[i] = values[i][k];
      }
      data[k] = D::one(local, numbers);
    }
  }
  if constexpr (!S::legacy) source = local;
  return array_value(result);
}

template <class D>
Any of_module(ApiCall& call) {
  LegacySource source{legacy_stream()};
  return drawn<D>(call, source, call.args);
}
template <class D>
Any of_state(ApiCall& call) {
  auto* state = const_cast<RandomStateNode*>(call.args[0].as<RandomStateNode>());
  LegacySource source{state->stream};
  return drawn<D>(call, source, call.args.subspan(1));
}
template <class D>
Any of_generator(ApiCall& call) {
  auto* state = const_cast<RandomGeneratorNode*>(call.args[0].as<RandomGeneratorNode>());
  FreshSource source{state->stream};
  Any result = drawn<D>(call, source, call.args.subspan(1));
  state->stream = source.stream;
  return result;
}

#define MLC_NP_DRAW(signature, doc, D)                                              \
  ApiRow{ApiKind::kFunction, "numpy.random", signature, doc, of_module<D>},         \
      ApiRow{ApiKind::kMethod, kRandomState, signature, doc, of_state<D>}, ApiRow { \
    ApiKind::kMethod, kRandomGenerator, signature, doc, of_generator<D>             \
  }

const ApiRow rows[] = {
    MLC_NP_DRAW("uniform(low=0.0, high=1.0, size=None)", "Uniform values in [low, high).", Uniform),
    MLC_NP_DRAW("normal(loc=0.0, scale=1.0, size=None)", "Normal values.", Normal),
    MLC_NP_DRAW("lognormal(mean=0.0, sigma=1.0, size=None)", "Values whose logarithm is normal.", LogNormal),
    MLC_NP_DRAW("exponential(scale=1.0, size=None)", "Exponential values.", Exponential),
    MLC_NP_DRAW("gamma(shape, scale=1.0, size=None)", "Values of a gamma distribution.", Gamma),
    MLC_NP_DRAW("beta(a, b, size=None)", "Values of a beta distribution.", Beta),
    MLC_NP_DRAW("chisquare(df, size=None)", "Sums of squares of normal values.", ChiSquare),
    MLC_NP_DRAW("noncentral_chisquare(df, nonc, size=None)", "Sums of squares, off the center.",
                NoncentralChiSquare),
    MLC_NP_DRAW("f(dfnum, dfden, size=None)", "Ratios of sums of squares.", F),
    MLC_NP_DRAW("noncentral_f(dfnum, dfden, nonc, size=None)", "Ratios of sums of squares, off the center.",
                NoncentralF),
    MLC_NP_DRAW("standard_cauchy(size=None)", "Ratios of normal values.", StandardCauchy),
    MLC_NP_DRAW("standard_t(df, size=None)", "Values of Student's distribution.", StandardT),
    MLC_NP_DRAW("pareto(a, size=None)", "Values of a Pareto distribution.", Pareto),
    MLC_NP_DRAW("weibull(a, size=None)", "Values of a Weibull distribution.", Weibull),
    MLC_NP_DRAW("power(a, size=None)", "Values of a power distribution.", Power),
    MLC_NP_DRAW("laplace(loc=0.0, scale=1.0, size=None)", "Values of a Laplace distribution.", Laplace),
    MLC_NP_DRAW("gumbel(loc=0.0, scale=1.0, size=None)", "Values of a Gumbel distribution.", Gumbel),
    MLC_NP_DRAW("logistic(loc=0.0, scale=1.0, size=None)", "Values of a logistic distribution.", Logistic),
    MLC_NP_DRAW("rayleigh(scale=1.0, size=None)", "Values of a Rayleigh distribution.", Rayleigh),
    MLC_NP_DRAW("wald(mean, scale, size=None)", "Values of a Wald distribution.", Wald),
    MLC_NP_DRAW("triangular(left, mode, right, size=None)", "Values under a triangle.", Triangular),
    MLC_NP_DRAW("vonmises(mu, kappa, size=None)", "Angles around a mean.", VonMises),
    MLC_NP_DRAW("poisson(lam=1.0, size=None)", "Counts of rare events.", Poisson),
    MLC_NP_DRAW("binomial(n, p, size=None)", "Successes of n trials.", Binomial),
    MLC_NP_DRAW("negative_binomial(n, p, size=None)", "Failures before n successes.", NegativeBinomial),
    MLC_NP_DRAW("geometric(p, size=None)", "Trials up to a success.", Geometric),
    MLC_NP_DRAW("logseries(p, size=None)", "Values of a logarithmic series.", LogSeries),
    MLC_NP_DRAW("zipf(a, size=None)", "Values of a Zipf distribution.", Zipf),
    {ApiKind::kFunction, "numpy.random", "standard_exponential(size=None)", "Exponential values.",
     of_module<StandardExponential>},
    {ApiKind::kMethod, kRandomState, "standard_exponential(size=None)", "Exponential values.",
     of_state<StandardExponential>},
    {ApiKind::kFunction, "numpy.random", "standard_gamma(shape, size=None)",
     "Values of a gamma distribution.", of_module<StandardGamma>},
    {ApiKind::kMethod, kRandomState, "standard_gamma(shape, size=None)", "Values of a gamma distribution.",
     of_state<StandardGamma>},
    {ApiKind::kMethod, kRandomGenerator, "standard_gamma(shape, size=None)",
     "Values of a gamma distribution.", of_generator<StandardGamma>},
};

}  // namespace

std::span<const ir::ApiRow> np_distribution_rows() { return rows; }

}  // namespace mlc::script
