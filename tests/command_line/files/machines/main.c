/* SPDX-License-Identifier: Apache-2.0 */
/* Calls what mlc generated and compares with C. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels.h"

static int wrong = 0;
static void expect(int holds, const char* what, int i) {
  if (!holds) printf("%s: element %d is wrong\n", what, i), ++wrong;
}
static int close_to(double value, double expected) {
  return (isnan(value) && isnan(expected)) || value == expected ||
         fabs(value - expected) <= 4e-7 * fabs(expected) + 1e-30;
}
static float wide(uint16_t bits) { /* of float16 */
  int exponent = bits >> 10 & 31;
  float value = exponent == 0 ? ldexpf((float)(bits & 1023), -24) : ldexpf((float)(bits & 1023 | 1024), exponent - 25);
  if (exponent == 31) value = bits & 1023 ? NAN : INFINITY;
  return bits >> 15 ? -value : value;
}
static float wide_b(uint16_t bits) { /* of bfloat16 */
  uint32_t word = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &word, 4);
  return value;
}
static int floor_div(int a, int b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

int main(void) {
  float x[37], y[37];
  for (int i = 0; i < 37; ++i) x[i] = i * 0.5f, y[i] = -i;
  expect(axpy(x, y, 3, 37) == 0, "axpy", -1);
  for (int i = 0; i < 37; ++i) expect(y[i] == i * 0.5f, "axpy", i);
  expect(axpy(x, NULL, 3, 37) != 0 && strstr(mlc_last_error(), "NULL") != NULL, "an error", -1);

  uint16_t a[19], b[19], c[19];
  for (int i = 0; i < 19; ++i) a[i] = 0x3000 + i * 977; /* 0.125 to infinity and beyond */
  a[17] = 0x7c00, a[18] = 0x7e00;
  expect(half(a, b, c) == 0, "half", -1);
  for (int i = 0; i < 19; ++i) {
    double value = wide(a[i]);
    if (value > 50000 && value < INFINITY) continue;
    double sum = value * 0.0999755859375 + value;
    expect(wide(b[i]) == sum || isnan(sum) || fabs(wide(b[i]) - sum) <= fabs(sum) / 1024, "half", i);
    expect(wide_b(c[i]) == value * value || isnan(value) || fabs(wide_b(c[i]) - value * value) <= value * value / 64, "half to bfloat16", i);
    expect(!isnan(value) || (isnan(wide(b[i])) && isnan(wide_b(c[i]))), "NaN of half", i);
  }

  float f[32], g[160];
  double d[32];
  for (int i = 0; i < 32; ++i) f[i] = (i - 16) * 0.37f;
  f[30] = INFINITY, f[31] = NAN;
  expect(functions(f, g, d) == 0, "functions", -1);
  for (int i = 0; i < 32; ++i) {
    double v = f[i];
    expect(close_to(g[i], exp(v)), "exp", i);
    expect(close_to(g[32 + i], tanh(v)), "tanh", i);
    expect(close_to(g[64 + i], erf(v)), "erf", i);
    expect(close_to(g[96 + i], sin(v)), "sin", i);
    expect(close_to(g[128 + i], pow(fabs(v), 0.3f)), "pow", i);
    expect(close_to(d[i], log((double)(f[i] * f[i]) + 0.5)), "log", i);
  }

  int32_t m[40], n[40], out[160];
  int64_t sum, expected = 0;
  for (int i = 0; i < 40; ++i) m[i] = (i - 20) * 107374182, n[i] = i % 2 ? 7 + i : -3 - i;
  expect(integers(m, n, out, &sum) == 0, "integers", -1);
  for (int i = 0; i < 40; ++i) {
    expected += (int64_t)m[i] * n[i];
    expect(out[i] == floor_div(m[i], n[i]), "floordiv", i);
    expect(out[40 + i] == m[i] - floor_div(m[i], n[i]) * n[i], "floormod", i);
    expect(out[80 + i] == m[i] / n[i], "truncdiv", i);
    expect(out[120 + i] == m[i] >> i % 32, "shift_right", i);
  }
  expect(sum == expected, "sum", 0);
  puts(wrong == 0 ? "all right" : "wrong");
  return wrong != 0;
}
