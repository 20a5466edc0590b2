// SPDX-License-Identifier: Apache-2.0
#include "use.h"

int main() { return use_all(); }
