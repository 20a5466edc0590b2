/* SPDX-License-Identifier: Apache-2.0 */
#include "use.h"

int main(void) { return use_all(); }
