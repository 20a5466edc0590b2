// SPDX-License-Identifier: Apache-2.0
// Functions of `math` that CPython computes itself, to the last place as it does: libm's differ there.
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>
#include <utility>

namespace mlc::script {

double gamma_function(double x);
double log_gamma(double x);
double distance(std::span<const double> coordinates);

namespace {

constexpr double kPi = 3.141592653589793238462643383279502884197;
constexpr double kLogPi = 1.144729885849400174143427351353058711647;

// C. Lanczos, "A precision approximation of the gamma function" (1964), in the rational form that Boost gives
// it for doubles: gamma(x) = (x + g - 0.5) ** (x - 0.5) / exp(x + g - 0.5) * sum(x).
constexpr double kG = 6.024680040776729583740234375;
constexpr double kGBelow = 5.524680040776729583740234375;  // g - 0.5
constexpr int kTerms = 13;
constexpr double kAbove[kTerms] = {
    23531376880.410759688572007674451636754734846804940, 42919803642.649098768957899047001988850926355848959,
    35711959237.355668049440185451547166705960488635843, 17921034426.037209699919755754458931112671403265390,
    6039542586.3520280050642916443072979210699388420708, 1439720407.3117216736632230727949123939715485786372,
    248874557.86205415651146038641322942321632125127801, 31426415.585400194380614231628318205362874684987640,
    2876370.6289353724412254090516208496135991145378768, 186056.26539522349504029498971604569928220784236328,
    8071.6720023658162106380029022722506138218516325024, 210.82427775157934587250973392071336271166969580291,
    2.5066282746310002701649081771338373386264310793408};
constexpr double kBelow[kTerms] = {0,       39916800, 120543840, 150917976, 105258076, 45995730, 13339535,
                                   2637558, 357423,   32670,     1925,      66,        1};

double lanczos_sum(double x) {
  double above = 0, below = 0;
  if (x < 5) {
    for (int i = kTerms; i-- > 0;) {
      above = above * x + kAbove[i];
      below = below * x + kBelow[i];
    }
  } else {
    for (int i = 0; i < kTerms; ++i) {
      above = above / x + kAbove[i];
      below = below / x + kBelow[i];
    }
  }
  return above / below;
}

// sin(pi * x), exact where it is a whole number.
double sine_of_turns(double x) {
  double y = std::fmod(std::fabs(x), 2.0);
  double result = 0;
  switch (static_cast<int>(std::round(2.0 * y))) {
    case 0:
      result = std::sin(kPi * y);
      break;
    case 1:
      result = std::cos(kPi * (y - 0.5));
      break;
    case 2:
      result = std::sin(kPi * (1.0 - y));
      break;
    case 3:
      result = -std::cos(kPi * (y - 1.5));
      break;
    default:
      result = std::sin(kPi * (y - 2.0));
  }
  return std::copysign(1.0, x) * result;
}

}  // namespace

// NaN where there is no value, infinity where it is too large.
double gamma_function(double x) {
  if (!std::isfinite(x)) return x > 0 || std::isnan(x) ? x : std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == std::floor(x)) {
    if (x < 0) return std::numeric_limits<double>::quiet_NaN();
    if (x <= 23) {  // factorials that a double holds exactly
      double product = 1;
      for (int i = 2; i < static_cast<int>(x); ++i) product *= i;
      return product;
    }
  }
  double size = std::fabs(x);
  if (size < 1e-20) return 1.0 / x;
  if (size > 200.0) return x < 0 ? 0.0 / sine_of_turns(x) : HUGE_VAL;
  double y = size + kGBelow;
  // What the sum y lost, put right below.
  double lost = size > kGBelow ? (y - size) - kGBelow : (y - kGBelow) - size;
  double z = lost * kG / y;
  double result = 0;
  double power = size < 140.0 ? std::pow(y, size - 0.5) : std::pow(y, size / 2.0 - 0.25);
  if (x < 0) {
    result = -kPi / sine_of_turns(size) / size * std::exp(y) / lanczos_sum(size);
    result -= z * result;
    result /= power;
    if (size >= 140.0) result /= power;
  } else {
    result = lanczos_sum(size) / std::exp(y);
    result += z * result;
    result *= power;
    if (size >= 140.0) result *= power;
  }
  return result;
}

double log_gamma(double x) {
  if (!std::isfinite(x)) return std::isnan(x) ? x : HUGE_VAL;
  if (x == std::floor(x) && x <= 2.0) return x <= 0 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  double size = std::fabs(x);
  if (size < 1e-20) return -std::log(size);
  double result = std::log(lanczos_sum(size)) - kG;
  result += (size - 0.5) * (std::log(size + kG - 0.5) - 1);
  if (x < 0) result = kLogPi - std::log(std::fabs(sine_of_turns(size))) - std::log(size) - result;
  return result;
}

// The square root of the sum of squares. Squares are split in halves without error (T. J. Dekker, 1971) and
// summed with compensation (A. Neumaier, 1974); one step of Newton's method puts the root right.
double distance(std::span<const double> coordinates) {
  double most = 0;
  bool nan = false;
  for (double each : coordinates) {
    nan = nan || std::isnan(each);
    most = std::fabs(each) > most ? std::fabs(each) : most;
  }
  if (std::isinf(most)) return most;
  if (nan) return std::numeric_limits<double>::quiet_NaN();
  if (most == 0.0 || coordinates.size() <= 1) return most;
  double sum = 1.0, high_lost = 0, middle_lost = 0, low_lost = 0;
  auto add = [&](double value, double& lost) {
    double before = sum;
    sum += value;
    lost += (before - sum) + value;
  };
  auto split = [](double value) {
    double scaled = value * 134217729.0;  // 2 ** 27 + 1
    double high = scaled - (scaled - value);
    return std::pair(high, value - high);
  };
  int exponent = 0;
  std::frexp(most, &exponent);
  if (exponent < -1023) {  // the scale would be infinite
    for (double each : coordinates) {
      double x = std::fabs(each) / most;
      add(x * x, high_lost);
    }
    return most * std::sqrt(sum - 1.0 + high_lost);
  }
  double scale = std::ldexp(1.0, -exponent);
  for (double each : coordinates) {
    auto [high, low] = split(std::fabs(each) * scale);
    add(high * high, high_lost);
    add(2.0 * high * low, middle_lost);
    low_lost += low * low;
  }
  double root = std::sqrt(sum - 1.0 + (high_lost + middle_lost + low_lost));
  auto [high, low] = split(root);
  add(-high * high, high_lost);
  add(-2.0 * high * low, middle_lost);
  add(-low * low, low_lost);
  double rest = sum - 1.0 + (high_lost + middle_lost + low_lost);
  return (root + rest / (2.0 * root)) / scale;
}

}  // namespace mlc::script
