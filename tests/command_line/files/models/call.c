/* SPDX-License-Identifier: Apache-2.0
 * Calls the graph of mlp.mlc for two rows, and writes the first result's numbers. */
#include <stdio.h>

#include "mlp.h"

int main(void) {
  float x[8], y[16], s[16];
  for (int i = 0; i < 8; ++i) x[i] = (float)i - 3;
  if (mlp(x, y, s) != 0) return fprintf(stderr, "%s\n", mlc_last_error()), 1;
  for (int i = 0; i < 16; ++i) printf("%.4f%c", y[i], i % 8 == 7 ? '\n' : ' ');
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += s[i];
  printf("%.4f\n", sum);
  printf("%d %s\n", mlp(x, NULL, s) != 0, mlc_last_error());
  return 0;
}
