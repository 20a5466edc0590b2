/* SPDX-License-Identifier: Apache-2.0 */
/* What use.c and use.cpp share: calls of every function, compared with plain loops. */
#include <shapes.h>
#include <stdio.h>
#include <stdlib.h>

static int use_all(void) {
  static float a[33 * 20], b[20 * 17], c[33 * 17];
  int i, j, k, wrong = 0;
  for (i = 0; i < 33 * 20; ++i) a[i] = (float)(i % 7);
  for (i = 0; i < 20 * 17; ++i) b[i] = (float)(i % 5);
  if (matmul(a, b, c) != 0) return 1;
  for (i = 0; i < 33; ++i) {
    for (j = 0; j < 17; ++j) {
      float sum = 0;
      for (k = 0; k < 20; ++k) sum += a[i * 20 + k] * b[k * 17 + j];
      wrong += c[i * 17 + j] != sum;
    }
  }
  printf("matmul: %d wrong\n", wrong);

  wrong = 0;
  if (scale(a, c, 2.5F, 3, 4) != 0) return 1; /* [3, 4] to [3, 4 * 2] */
  for (i = 0; i < 24; ++i) wrong += c[i] != a[i / 2] * 2.5F;
  printf("scale: %d wrong, %d for no rows\n", wrong, scale(NULL, NULL, 1, 0, 4));

  int32_t table[6] = {1, 2, 3, 4, 5, 6}, second[3] = {0, 0, 0};
  if (column(table + 1, second, 3, 2) != 0) return 1;
  printf("column: %d %d %d\n", (int)second[0], (int)second[1], (int)second[2]);

  double out[5];
  if (scalars(true, -3, UINT64_C(1) << 63, 0x3e00, 0.125, out) != 0) return 1;
  printf("scalars: %g %g %g %g %g\n", out[0], out[1], out[2], out[3], out[4]);

  if (shapes(a, c, 0, 24) != 0) return 1;
  printf("main: %d\n", c[23] == a[23]);

  printf("%s", mlc_last_error());
  printf("%d ", matmul(NULL, b, c));
  puts(mlc_last_error());
  printf("%d ", matmul((float*)((char*)a + 2), b, c));
  puts(mlc_last_error());
  printf("%d ", scale(a, c, 1, -1, 4));
  puts(mlc_last_error());
  printf("%d ", scale(a, c, 1, 1, INT64_C(1) << 40));
  puts(mlc_last_error());
  return 0;
}
