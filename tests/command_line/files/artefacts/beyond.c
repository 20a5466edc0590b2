/* SPDX-License-Identifier: Apache-2.0 */
/* Two libraries in one program. The one that checks its bounds fails at its last index, on whichever thread has
 * that, and the caller learns which index it was. */
#include <checked.h>
#include <shapes.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  static float a[2000], b[2000];
  char index[32];
  int n, wrong = 0;
  for (n = 1000; n < 1999; ++n) {
    sprintf(index, "index %d is outside", n);
    wrong += checked_main(a, b, 1, n) == 0 || strstr(mlc_last_error(), index) == NULL;
  }
  printf("%d wrong\n", wrong);
  printf("%d\n", shapes(a, b, 0, 1));
  return 0;
}
