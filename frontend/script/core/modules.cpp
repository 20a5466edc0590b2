// SPDX-License-Identifier: Apache-2.0
// The standard modules that scripts use: math, time, sys, and the exception classes of tvm.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <thread>

#include "frontend/script/numpy/array.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/inputs.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "math-domain",
         .meaning = "The function has no value there.",
         .wrong = R"(import math
math.sqrt(-1))",
         .right = R"(import math
math.sqrt(1))"},
        {.name = "math-range",
         .kind = "OverflowError",
         .message = "math range error",
         .meaning = "The result is larger than any float.",
         .wrong = R"(import math
math.exp(1000))",
         .right = R"(import math
math.exp(100))"},
        {.name = "negative-time",
         .message = "sleep length must be non-negative",
         .meaning = "There is no sleeping back.",
         .wrong = R"(import time
time.sleep(-1))",
         .right = R"(import time
time.sleep(0))"},
    }};
MLC_REFUSALS(core_modules, refusals);

using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;
using ir::native;

namespace {

// The square root of the sum of squares. A long double holds the squares of all doubles, and more digits than the
// root needs.
double distance(std::span<const double> coordinates) {
  long double sum = 0;
  for (double each : coordinates) {
    if (std::isinf(each)) return HUGE_VAL;
    sum += static_cast<long double>(each) * each;
  }
  return static_cast<double>(std::sqrt(sum));
}

}  // namespace

// sys.stdout and sys.stderr.
struct StreamNode final : ffi::Object {
  bool error;
  explicit StreamNode(bool error) : error(error) {}
  MLC_NODE("mlc.script.TextIOWrapper", StreamNode, ffi::Object);
};

void write_stream(Evaluator& evaluator, const Any& stream, std::string_view text, ir::Span span) {
  if (auto* own = as<StreamNode>(stream)) {
    own->error ? evaluator.err(text) : evaluator.out(text);
    return;
  }
  Any write = evaluator.attribute(stream, Symbol("write"), span);
  Any argument = str_value(text);
  evaluator.call(write, std::span<const Any>(&argument, 1), {}, span);
}

namespace {

// Where the program's output goes, as a function; what `_set_output` takes back.
std::function<void(std::string_view)>& output_of(Evaluator& evaluator, std::string_view stream) {
  return stream == "stderr" ? evaluator.err : evaluator.out;
}
Any output(ApiCall& call) {
  auto& evaluator = dynamic_cast<Evaluator&>(call.host);
  std::function<void(std::string_view)> now = output_of(evaluator, text_of(call.args[0]));
  return ffi::Function::FromTyped([now](const String& text) { now({text.data(), text.size()}); });
}
Any set_output(ApiCall& call) {
  auto& evaluator = dynamic_cast<Evaluator&>(call.host);
  std::string_view stream = text_of(call.args[0]);
  Any target = call.args[1];
  auto& out = output_of(evaluator, stream);
  if (auto function = target.as<ffi::Function>()) {
    out = [function = *function](std::string_view text) { function(String(std::string(text))); };
    return nullptr;
  }
  // The stream itself, as it is now.
  if (auto* own = as<StreamNode>(target); own != nullptr && own->error == (stream == "stderr"))
    return nullptr;
  if (is_none(target)) {
    out = [](std::string_view) {};
  } else {
    out = [&evaluator, target](std::string_view text) { write_stream(evaluator, target, text, {}); };
  }
  return nullptr;
}
double number(ApiCall& call, const Any& value, size_t i) {
  Any plain = plain_number(value);
  if (is_float(plain)) return raw_float(plain);
  if (auto* wide = as_wide(plain)) return double_of(*wide);
  if (is_int(plain) || is_bool(plain)) return static_cast<double>(raw_int(plain));
  Any result;
  Evaluator& evaluator = evaluator_of(call.host);
  if (evaluator.state().special(value, known().real, {}, result, call.span) && is_float(result))
    return raw_float(result);
  raise("TypeError", call.span_of(i), "wrong-type", "must be real number, not {}",
        type_name_of(evaluator, value));
}

template <class F>
Any real_function(ApiCall& call, const Any& value, F f) {
  double x = number(call, value, 0);
  double y = f(x);
  if (std::isnan(y) && !std::isnan(x)) raise_as(refusals["math-domain"], call.span, "math domain error");
  if (std::isinf(y) && std::isfinite(x)) {
    raise(refusals["math-range"], call.span);
  }
  return y;
}
Any whole(ApiCall& call, const Any& value, double (*f)(double)) {
  if (is_int(value) || is_bool(value)) return raw_int(value);
  return whole_of_float(f(number(call, value, 0)), call.span);
}
// An object may say itself what it is rounded to.
Any rounded(ApiCall& call, const Any& x, std::string_view method, double (*f)(double)) {
  Any result;
  if (as<InstanceNode>(x) != nullptr &&
      evaluator_of(call.host).state().special(x, Symbol(method), {}, result, call.span))
    return result;
  return whole(call, x, f);
}
Any logarithm(ApiCall& call, const Any& value, double (*f)(double)) {
  double x = number(call, value, 0);
  if (x <= 0) raise_as(refusals["math-domain"], call.span, "math domain error");
  return f(x);
}
int64_t integer(ApiCall& call, const Any& value, size_t i) {
  return index_value(evaluator_of(call.host), value, call.span_of(i), "argument");
}

Any remainder(ApiCall& call, const Any& x, const Any& y) {
  double a = number(call, x, 0), b = number(call, y, 1);
  double result = std::fmod(a, b);
  if (std::isnan(result) && !std::isnan(a) && !std::isnan(b))
    raise_as(refusals["math-domain"], call.span, "math domain error");
  return result;
}

Any gcd(ApiCall& call, const Tuple& values) {
  int64_t result = 0;
  for (size_t i = 0; i < values.size(); ++i)
    result = std::gcd(result, integer(call, values[static_cast<int64_t>(i)], 0));
  return result;
}
Any lcm(ApiCall& call, const Tuple& values) {
  int64_t result = 1;
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t value = integer(call, values[static_cast<int64_t>(i)], 0);
    if (value == 0) result = 0;
    if (result == 0) continue;
    if (value == INT64_MIN ||
        __builtin_mul_overflow(result, std::abs(value) / std::gcd(result, value), &result))
      raise("OverflowError", call.span, "integer-overflow",
            "the least common multiple does not fit in 64 bits");
  }
  return result;
}
Any factorial(ApiCall& call, const Any& value) {
  int64_t n = integer(call, value, 0);
  if (n < 0)
    raise_as(refusals["math-domain"], call.span_of(0), "factorial() not defined for negative values");
  Any result = int64_t{1};
  for (int64_t i = 2; i <= n; ++i) result = whole_binary(syntax::BinOperator::kMult, result, i, call.span);
  return result;
}
// n * (n - 1) * ... of k factors, divided by k! as it grows, which is always exact.
Any choices(ApiCall& call, const Any& from, const Any& of) {
  int64_t n = integer(call, from, 0), k = integer(call, of, 1);
  if (n < 0 || k < 0) {
    raise_as(refusals["math-domain"], call.span, "{} must be a non-negative integer", n < 0 ? "n" : "k");
  }
  if (k > n) return int64_t{0};
  Any result = int64_t{1};
  for (int64_t i = 0; i < std::min(k, n - k); ++i) {
    result = whole_binary(syntax::BinOperator::kMult, result, n - i, call.span);
    result = whole_binary(syntax::BinOperator::kFloorDiv, result, i + 1, call.span);
  }
  return result;
}
Any integer_root(ApiCall& call, const Any& value) {
  int64_t n = integer(call, value, 0);
  if (n < 0) raise_as(refusals["math-domain"], call.span_of(0), "isqrt() argument must be nonnegative");
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  while (root > 0 && root > n / root) --root;
  while ((root + 1) <= n / (root + 1)) ++root;
  return root;
}
Any product_of(ApiCall& call, const Any& iterable, const Any& start) {
  Evaluator& evaluator = evaluator_of(call.host);
  Any result = start;
  evaluator.each_of(iterable, call.span_of(0), [&](Any& value) {
    result = evaluator.binary(syntax::BinOperator::kMult, result, value, call.span);
    return true;
  });
  return result;
}
using Clock = std::chrono::steady_clock;
double seconds_since_start() {
  static const Clock::time_point start = Clock::now();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Any exit_script(ApiCall& call, const Any& code) {
  Evaluator& evaluator = evaluator_of(call.host);
  std::vector<Any> args;
  if (!is_none(code)) args.push_back(code);
  evaluator.state().throw_exception(evaluator.call(Any(exception_classes().at("SystemExit")), args),
                                    call.span);
}

Any environment(ApiCall& call, const Any& name, const Any& otherwise) {
  if (!is_str(name))
    raise("TypeError", call.span_of(0), "wrong-type", "str expected, not {}",
          type_name_of(evaluator_of(call.host), name));
  const char* value = std::getenv(std::string(text_of(name)).c_str());
  return value == nullptr ? otherwise : str_value(value);
}

#define MLC_MATH(name, text, expression)                                                \
  ApiRow {                                                                              \
    ApiKind::kFunction, "math", name "(x)", text, native([](ApiCall& call, Any value) { \
      return real_function(call, value, [](double x) { return expression; });           \
    })                                                                                  \
  }
#define MLC_EXCEPTION(module, name)                                       \
  ApiRow {                                                                \
    ApiKind::kValue, module, name, "An exception class.",                 \
        [](ApiCall&) -> Any { return Any(exception_classes().at(name)); } \
  }

const ApiRow modules_table[] = {
    MLC_MATH("sqrt", "The square root.", std::sqrt(x)),
    MLC_MATH("exp", "e to the power of x.", std::exp(x)),
    MLC_MATH("expm1", "exp(x) - 1.", std::expm1(x)),
    MLC_MATH("sin", "The sine.", std::sin(x)),
    MLC_MATH("cos", "The cosine.", std::cos(x)),
    MLC_MATH("tan", "The tangent.", std::tan(x)),
    MLC_MATH("asin", "The arc sine.", std::asin(x)),
    MLC_MATH("acos", "The arc cosine.", std::acos(x)),
    MLC_MATH("atan", "The arc tangent.", std::atan(x)),
    MLC_MATH("sinh", "The hyperbolic sine.", std::sinh(x)),
    MLC_MATH("cosh", "The hyperbolic cosine.", std::cosh(x)),
    MLC_MATH("tanh", "The hyperbolic tangent.", std::tanh(x)),
    MLC_MATH("asinh", "The inverse hyperbolic sine.", std::asinh(x)),
    MLC_MATH("acosh", "The inverse hyperbolic cosine.", std::acosh(x)),
    MLC_MATH("atanh", "The inverse hyperbolic tangent.", std::atanh(x)),
    MLC_MATH("erfc", "1 - erf(x).", std::erfc(x)),
    MLC_MATH("exp2", "2 to the power of x.", std::exp2(x)),
    MLC_MATH("cbrt", "The cube root.", std::cbrt(x)),
    MLC_MATH("erf", "The error function.", std::erf(x)),
    MLC_MATH("fabs", "The absolute value, a float.", std::fabs(x)),
    {ApiKind::kFunction, "math", "radians(x)", "Degrees as radians.",
     native([](ApiCall& call, Any x) { return number(call, x, 0) * (3.141592653589793 / 180.0); })},
    {ApiKind::kFunction, "math", "degrees(x)", "Radians as degrees.",
     native([](ApiCall& call, Any x) { return number(call, x, 0) * (180.0 / 3.141592653589793); })},
    {ApiKind::kFunction, "math", "floor(x)", "The greatest integer not above x.",
     native([](ApiCall& call, Any x) { return rounded(call, x, "__floor__", std::floor); })},
    {ApiKind::kFunction, "math", "ceil(x)", "The least integer not below x.",
     native([](ApiCall& call, Any x) { return rounded(call, x, "__ceil__", std::ceil); })},
    {ApiKind::kFunction, "math", "trunc(x)", "The integer part.", native([](ApiCall& call, Any x) {
       Any result;
       if (evaluator_of(call.host).state().special(x, Symbol("__trunc__"), {}, result, call.span)) return result;
       if (!is_number(plain_number(x))) {
         raise("TypeError", call.span_of(0), "wrong-type", "type {} doesn't define __trunc__ method",
               type_name_of(evaluator_of(call.host), x));
       }
       return whole(call, x, std::trunc);
     })},
    {ApiKind::kFunction, "math", "log(x, base=None)", "The logarithm, natural unless a base is given.",
     native([](ApiCall& call, Any x, Any base) -> Any {
       double value = raw_float(logarithm(call, x, std::log));
       return is_none(base) ? value : value / std::log(number(call, base, 1));
     })},
    {ApiKind::kFunction, "math", "log2(x)", "The logarithm to base 2.",
     native([](ApiCall& call, Any x) { return logarithm(call, x, std::log2); })},
    {ApiKind::kFunction, "math", "log10(x)", "The logarithm to base 10.",
     native([](ApiCall& call, Any x) { return logarithm(call, x, std::log10); })},
    {ApiKind::kFunction, "math", "log1p(x)", "log(1 + x).",
     native([](ApiCall& call, Any x) { return real_function(call, x, [](double v) { return std::log1p(v); }); })},
    {ApiKind::kFunction, "math", "pow(x, y)", "x to the power of y, a float.",
     native([](ApiCall& call, Any x, Any y) -> Any {
       double base = number(call, x, 0), exponent = number(call, y, 1);
       double result = std::pow(base, exponent);
       bool finite = std::isfinite(base) && std::isfinite(exponent);
       if (finite && (std::isnan(result) || (base == 0 && std::isinf(result))))
         raise_as(refusals["math-domain"], call.span, "math domain error");
       if (finite && std::isinf(result)) raise(refusals["math-range"], call.span);
       return result;
     })},
    {ApiKind::kFunction, "math", "fmod(x, y)", "The remainder with the sign of x.",
     native(calls<remainder>)},
    {ApiKind::kFunction, "math", "atan2(y, x)", "The angle of the point (x, y).",
     native([](ApiCall& call, Any y, Any x) { return std::atan2(number(call, y, 0), number(call, x, 1)); })},
    {ApiKind::kFunction, "math", "hypot(*coordinates)", "The distance from the origin.",
     native([](ApiCall& call, Tuple values) {
       std::vector<double> point;
       for (size_t i = 0; i < values.size(); ++i) point.push_back(number(call, values[i], i));
       return distance(point);
     })},
    {ApiKind::kFunction, "math", "copysign(x, y)", "x with the sign of y.",
     native([](ApiCall& call, Any x, Any y) { return std::copysign(number(call, x, 0), number(call, y, 1)); })},
    {ApiKind::kFunction, "math", "isnan(x)", "Is it not a number?",
     native([](ApiCall& call, Any x) { return std::isnan(number(call, x, 0)); })},
    {ApiKind::kFunction, "math", "isinf(x)", "Is it infinite?",
     native([](ApiCall& call, Any x) { return std::isinf(number(call, x, 0)); })},
    {ApiKind::kFunction, "math", "isfinite(x)", "Is it a finite number?",
     native([](ApiCall& call, Any x) { return std::isfinite(number(call, x, 0)); })},
    {ApiKind::kFunction, "math", "isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0)", "Are the numbers close?",
     native([](ApiCall& call, Any a, Any b, double relative, double absolute) {
       double x = number(call, a, 0), y = number(call, b, 1);
       if (relative < 0 || absolute < 0) raise("ValueError", call.span, "out-of-range", "tolerances must be non-negative");
       if (std::isinf(x) || std::isinf(y)) return x == y;
       return x == y || std::abs(x - y) <= std::max(relative * std::max(std::abs(x), std::abs(y)), absolute);
     })},
    {ApiKind::kFunction, "math", "gcd(*integers)", "The greatest common divisor.",
     native(calls<gcd>)},
    {ApiKind::kFunction, "math", "lcm(*integers)", "The least common multiple.",
     native(calls<lcm>)},
    {ApiKind::kFunction, "math", "factorial(n)", "The product of 1 to n.",
     native(calls<factorial>)},
    {ApiKind::kFunction, "math", "comb(n, k)", "How many choices of k things of n there are.",
     native(calls<choices>)},
    {ApiKind::kFunction, "math", "ldexp(x, i)", "x * 2 ** i.", native([](ApiCall& call, Any x, int64_t i) -> Any {
       double value = number(call, x, 0);
       double result = std::ldexp(value, static_cast<int>(std::clamp<int64_t>(i, -5000, 5000)));
       if (std::isinf(result) && std::isfinite(value)) raise(refusals["math-range"], call.span);
       return result;
     })},
    {ApiKind::kFunction, "math", "isqrt(n)", "The integer part of the square root.",
     native(calls<integer_root>)},
    {ApiKind::kFunction, "math", "prod(iterable, *, start=1)", "The product of the elements.",
     native(calls<product_of>)},
    {ApiKind::kValue, "math", "pi", "3.14159...", [](ApiCall&) -> Any { return 3.141592653589793; }},
    {ApiKind::kValue, "math", "e", "2.71828...", [](ApiCall&) -> Any { return 2.718281828459045; }},
    {ApiKind::kValue, "math", "tau", "2 pi.", [](ApiCall&) -> Any { return 6.283185307179586; }},
    {ApiKind::kValue, "math", "inf", "Infinity.", [](ApiCall&) -> Any { return HUGE_VAL; }},
    {ApiKind::kValue, "math", "nan", "Not a number.", [](ApiCall&) -> Any { return static_cast<double>(NAN); }},

    {ApiKind::kFunction, "time", "time()", "Seconds since 1970.", native([] {
       return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
     })},
    {ApiKind::kFunction, "time", "perf_counter()", "Seconds on the clock for measuring.", native([] { return seconds_since_start(); })},
    {ApiKind::kFunction, "time", "monotonic()", "Seconds on a clock that never goes back.", native([] { return seconds_since_start(); })},
    {ApiKind::kFunction, "time", "process_time()", "Seconds of processor time.",
     native([] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; })},
    {ApiKind::kFunction, "time", "perf_counter_ns()", "Nanoseconds on the clock for measuring.",
     native([] { return static_cast<int64_t>(seconds_since_start() * 1e9); })},
    {ApiKind::kFunction, "time", "time_ns()", "Nanoseconds since 1970.", native([] {
       return static_cast<int64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count());
     })},
    {ApiKind::kFunction, "time", "sleep(secs)", "Waits.", native([](ApiCall& call, Any seconds) {
       double left = number(call, seconds, 0);
       if (left < 0) raise(refusals["negative-time"], call.span_of(0));
       while (left > 0) {
         double step = std::min(left, 0.05);
         std::this_thread::sleep_for(std::chrono::duration<double>(step));
         evaluator_of(call.host).state().check_interrupt();
         left -= step;
       }
     })},

    {ApiKind::kValue, "sys", "argv", "The program and its arguments.", [](ApiCall& call) -> Any {
       List list;
       for (const std::string& arg : evaluator_of(call.host).argv) list.push_back(str_value(arg));
       return list;
     }},
    {ApiKind::kFunction, "sys", "exit(code=None)", "Ends the program.", native(calls<exit_script>)},
    {ApiKind::kFunction, "sys", "getrecursionlimit()", "How deep calls may nest.",
     native([](ApiCall& call) { return static_cast<int64_t>(evaluator_of(call.host).recursion_limit); })},
    {ApiKind::kFunction, "sys", "setrecursionlimit(limit)", "Sets how deep calls may nest.", native([](ApiCall& call, int64_t limit) {
       if (limit < 1) raise("ValueError", call.span_of(0), "out-of-range", "recursion limit must be greater or equal than 1");
       evaluator_of(call.host).recursion_limit = static_cast<int>(std::min<int64_t>(limit, 1'000'000));
     })},
    {ApiKind::kValue, "sys", "executable", "The program that runs this one.", [](ApiCall&) -> Any {
       ir::Inputs::global().beyond();
       std::error_code ignored;
       return str_value(std::filesystem::read_symlink("/proc/self/exe", ignored).string());
     }},
    {ApiKind::kValue, "sys", "maxsize", "The greatest int.", [](ApiCall&) -> Any { return INT64_MAX; }},
    {ApiKind::kValue, "sys", "platform", "The system.", [](ApiCall&) -> Any { return str_value("linux"); }},
    {ApiKind::kValue, "sys", "byteorder", "The order of bytes.", [](ApiCall&) -> Any { return str_value("little"); }},
    {ApiKind::kFunction, "sys", "_output(stream)", "Where this output goes, for contextlib.", output},
    {ApiKind::kFunction, "sys", "_set_output(stream, target)", "Sends this output elsewhere, for contextlib.", set_output},
    {ApiKind::kValue, "sys", "stdout", "The output.", [](ApiCall&) -> Any { return Any(ir::make<StreamNode>(false)); }},
    {ApiKind::kValue, "sys", "stderr", "The error output.", [](ApiCall&) -> Any { return Any(ir::make<StreamNode>(true)); }},
    {ApiKind::kMethod, "mlc.script.TextIOWrapper", "write(text)", "Writes the text.", native([](ApiCall& call, Any self, std::string text) {
       write_stream(evaluator_of(call.host), self, text, call.span);
       return static_cast<int64_t>(utf8_length(text));
     })},
    {ApiKind::kMethod, "mlc.script.TextIOWrapper", "flush()", "Writes what is held back.",
     native([](Any) { std::fflush(stdout); })},

    {ApiKind::kFunction, "os", "getcwd()", "The current directory.",
     native([] { return str_value(std::filesystem::current_path().string()); })},
    {ApiKind::kFunction, "os", "getenv(key, default=None)", "An environment variable.",
     native(calls<environment>)},
    {ApiKind::kFunction, "os", "cpu_count()", "The number of processors.",
     native([] { return static_cast<int64_t>(std::thread::hardware_concurrency()); })},
    {ApiKind::kFunction, "os", "getpid()", "The process id.", native([] { return static_cast<int64_t>(getpid()); })},
    {ApiKind::kValue, "os", "sep", "The separator of paths.", [](ApiCall&) -> Any { return str_value("/"); }},
    {ApiKind::kValue, "os", "linesep", "The end of a line.", [](ApiCall&) -> Any { return str_value("\n"); }},

    MLC_EXCEPTION("tvm", "TVMError"),
    MLC_EXCEPTION("tvm.error", "TVMError"),
    MLC_EXCEPTION("tvm.error", "InternalError"),
    MLC_EXCEPTION("tvm.error", "DiagnosticError"),
    MLC_EXCEPTION("tvm.error", "OpError"),
    MLC_EXCEPTION("tvm.error", "OpNotImplemented"),
    MLC_EXCEPTION("tvm.error", "OpAttributeRequired"),
    MLC_EXCEPTION("tvm.error", "OpAttributeInvalid"),
    MLC_EXCEPTION("tvm.error", "OpAttributeUnImplemented"),
    MLC_EXCEPTION("tvm.error", "RPCError"),
    MLC_EXCEPTION("tvm.error", "RPCSessionTimeoutError"),
    MLC_EXCEPTION("tvm.s_tir", "ScheduleError"),
    MLC_EXCEPTION("tvm.s_tir.schedule", "ScheduleError"),
    MLC_EXCEPTION("numpy.exceptions", "AxisError"),
    MLC_EXCEPTION("numpy.exceptions", "DTypePromotionError"),
    MLC_EXCEPTION("numpy.linalg", "LinAlgError"),
};

}  // namespace

std::span<const ir::ApiRow> standard_module_rows() { return modules_table; }

}  // namespace mlc::script
