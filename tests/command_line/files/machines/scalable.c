/* SPDX-License-Identifier: Apache-2.0 */
/* Calls what mlc generated for vectors of the machine's length, and compares with C. */
#include <math.h>
#include <stdio.h>

#include "scalable.h"

static int wrong = 0;
static void expect(int holds, const char* what, int i) {
  if (!holds) printf("%s: element %d is wrong\n", what, i), ++wrong;
}
static int close_to(double value, double expected) { return fabs(value - expected) <= 4e-7 * fabs(expected); }

int main(void) {
  int32_t most = 0;
  expect(pieces(&most) == 0 && most >= 1, "pieces", 0);

  static float x[1000], y[3000];
  for (int n = 0; n < 140; ++n) { /* what lies behind the last element stays as it is */
    for (int i = 0; i < 150; ++i) x[i] = (float)i, y[i] = 0.5f;
    expect(axpy(x, y, 3, n) == 0, "axpy", -1);
    for (int i = 0; i < 150; ++i) expect(y[i] == (i < n ? 0.5f + 3 * i : 0.5f), "axpy", i);
  }

  static int16_t narrow[512];
  static int64_t wide[256];
  for (int i = 0; i < 512; ++i) narrow[i] = (int16_t)(i * 1237);
  expect(spread(narrow, wide, 256) == 0, "spread", -1); /* 256 is a multiple of all lengths */
  for (int i = 0; i < 256; ++i) expect(wide[255 - i] == narrow[2 * i] + i % (2 * most), "spread", i);

  static uint8_t narrower[1000];
  for (int i = 0; i < 37; ++i) x[i] = (i - 18) * 0.37f;
  expect(functions(x, y, narrower, 37) == 0, "functions", -1);
  for (int i = 0; i < 37; ++i) {
    expect(close_to(y[i], exp(x[i])), "exp", i);
    expect(close_to(y[37 + i], sin(x[i])), "sin", i);
    /* Two bits of mantissa: within an eighth. */
    expect(fabs(y[74 + i] - x[i]) <= 0.125 * fabs(x[i]), "float8", i);
  }
  printf(wrong == 0 ? "all right where vscale is %d\n" : "wrong where vscale is %d\n", most);
  return wrong != 0;
}
