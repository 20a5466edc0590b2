// SPDX-License-Identifier: Apache-2.0
// Rules whose root is a division or a remainder. For c > 0 and any integers:
//   (q * c + r) // c == q + r // c   and   (q * c + r) % c == r % c.
#include "transform/arith/rules.h"

namespace mlc::transform {

const Rule kFloorDivRules[] = {
    {"broadcast(x, l) // broadcast(y, l)", "broadcast(x // y, l)"},
    {"ramp(x, c1, l) // broadcast(c2, l)", "ramp(x // c2, c1 // c2, l)", "c2 > 0, c1 % c2 == 0"},
    // nested
    {"(x // c1) // c2", "x // (c1 * c2)", "c1 > 0, c2 > 0"},
    {"(x // c1 + c2) // c3", "(x + c1 * c2) // (c1 * c3)", "c1 > 0, c3 > 0"},
    {"(x * c1) // c2", "x * (c1 // c2)", "c2 > 0, c1 % c2 == 0"},
    {"(x * c1) // c2", "x // (c2 // c1)", "c1 > 0, c2 > 0, c2 % c1 == 0"},
    {"(x * c1 + c2) // c3", "(x + c2 // c1) // (c3 // c1)", "c1 > 0, c3 > 0, c3 % c1 == 0"},
    {"x // x", "1"},
    {"(x * c1) // x", "c1"},
    {"(c1 * x) // x", "c1"},
    {"(x * y) // x", "y"},
    {"(y * x) // x", "y"},
    {"(x % c1) // c2", "0", "c1 > 0, c2 >= c1"},
    // a sum with a divisible part
    {"(x * c1 + y) // c2", "x * (c1 // c2) + y // c2", "c2 > 0, c1 % c2 == 0"},
    {"(y + x * c1) // c2", "y // c2 + x * (c1 // c2)", "c2 > 0, c1 % c2 == 0"},
    {"(x * c1 - y) // c2", "x * (c1 // c2) + (0 - y) // c2", "c2 > 0, c1 % c2 == 0"},
    {"(y - x * c1) // c2", "y // c2 - x * (c1 // c2)", "c2 > 0, c1 % c2 == 0"},
    {"(x * c1 + y + z) // c2", "x * (c1 // c2) + (y + z) // c2", "c2 > 0, c1 % c2 == 0"},
    {"(y + x * c1 + z) // c2", "x * (c1 // c2) + (y + z) // c2", "c2 > 0, c1 % c2 == 0"},
    {"(x + c1) // c2", "x // c2 + c1 // c2", "c2 > 0, c1 % c2 == 0"},
    {"(x * c1 + y) // c2", "x // (c2 // c1)", "c1 > 0, c2 > 0, c2 % c1 == 0, y >= 0, y < c1"},
    {"(x + y) // x", "y // x + 1", "x > 0"},
    {"(y + x) // x", "y // x + 1", "x > 0"},
    {"(x * y + z) // x", "y + z // x", "x > 0"},
    {"(y * x + z) // x", "y + z // x", "x > 0"},
    {"(z + x * y) // x", "z // x + y", "x > 0"},
    {"(z + y * x) // x", "z // x + y", "x > 0"},
    {"((x + y) + z) // x", "(y + z) // x + 1", "x > 0"},
    {"(x * z) // (y * z)", "x // y", "z > 0"},
    {"(x * z) // (z * y)", "x // y", "z > 0"},
    {"(z * x) // (y * z)", "x // y", "z > 0"},
    {"(z * x) // (z * y)", "x // y", "z > 0"},
    {"min(x * c1, y) // c2", "min(x * (c1 // c2), y // c2)", "c2 > 0, c1 % c2 == 0"},
    {"min(x, y * c1) // c2", "min(x // c2, y * (c1 // c2))", "c2 > 0, c1 % c2 == 0"},
    {"max(x * c1, y) // c2", "max(x * (c1 // c2), y // c2)", "c2 > 0, c1 % c2 == 0"},
    {"max(x, y * c1) // c2", "max(x // c2, y * (c1 // c2))", "c2 > 0, c1 % c2 == 0"},
    {"x // y", "0", "x >= 0, x < y"},
    {"x // c1", "-1", "c1 > 0, x < 0, x >= 0 - c1"},
};

const Rule kFloorModRules[] = {
    {"broadcast(x, l) % broadcast(y, l)", "broadcast(x % y, l)"},
    {"ramp(x, c1, l) % broadcast(c2, l)", "broadcast(x % c2, l)", "c2 > 0, c1 % c2 == 0"},
    {"x % y", "x", "x >= 0, x < y"},
    {"(x * c1) % c2", "(x * (c1 % c2)) % c2", "c2 > 0, c1 >= c2"},
    {"(x * c1 + y) % c2", "y % c2", "c2 > 0, c1 % c2 == 0"},
    {"(y + x * c1) % c2", "y % c2", "c2 > 0, c1 % c2 == 0"},
    {"(x * c1 + y) % c2", "(x % (c2 // c1)) * c1 + y", "c1 > 0, c2 > 0, c2 % c1 == 0, y >= 0, y < c1"},
    {"(x + c1) % c2", "x % c2", "c2 > 0, c1 % c2 == 0"},
    {"(x + c1) % c2", "(x + c1 % c2) % c2", "c2 > 0, c1 < 0"},
    {"(x + c1) % c2", "(x + c1 % c2) % c2", "c2 > 0, c1 >= c2"},
    {"(x + y * c1) % c2", "(x + y * (c1 % c2)) % c2", "c2 > 0, c1 >= c2"},
    {"(x + y * c1) % c2", "(x + y * (c1 % c2)) % c2", "c2 > 0, c1 < 0"},
    {"(x * c1) % c2", "(x * (c1 % c2)) % c2", "c2 > 0, c1 < 0"},
    {"(x + c1 * y) % x", "(c1 * y) % x"},
    {"x % x", "0"},
    {"(x * y) % x", "0"},
    {"(y * x) % x", "0"},
    {"(x + y) % x", "y % x", "x > 0"},
    {"(y + x) % x", "y % x", "x > 0"},
    {"(x * y + z) % x", "z % x", "x > 0"},
    {"(y * x + z) % x", "z % x", "x > 0"},
    {"(z + x * y) % x", "z % x", "x > 0"},
    {"(z + y * x) % x", "z % x", "x > 0"},
    {"(x * z) % (y * z)", "(x % y) * z", "z > 0"},
    {"(x % c1) % c2", "x % c2", "c1 > 0, c2 > 0, c1 % c2 == 0"},
    {"(x % c1 + y) % c2", "(x + y) % c2", "c2 > 0, c1 > 0, c1 % c2 == 0"},
    {"(y + x % c1) % c2", "(y + x) % c2", "c2 > 0, c1 > 0, c1 % c2 == 0"},
};

// Truncating division equals flooring division on values that are not negative.
const Rule kTruncDivRules[] = {
    {"tdiv(broadcast(x, l), broadcast(y, l))", "broadcast(tdiv(x, y), l)"},
    {"tdiv(tdiv(x, c1), c2)", "tdiv(x, c1 * c2)", "c1 > 0, c2 > 0"},
    {"tdiv(x * c1, c2)", "x * tdiv(c1, c2)", "c2 > 0, c1 % c2 == 0"},
    {"tdiv(x * c1, c2)", "tdiv(x, tdiv(c2, c1))", "c1 > 0, c2 > 0, c2 % c1 == 0"},
    {"tdiv(x * c1 + y, c2)", "x * tdiv(c1, c2) + tdiv(y, c2)",
     "c1 >= 0, c2 > 0, c1 % c2 == 0, x >= 0, y >= 0"},
    {"tdiv(x + c1, c2)", "tdiv(x, c2) + tdiv(c1, c2)", "c1 > 0, c2 > 0, c1 % c2 == 0, x >= 0"},
    {"tdiv(x, x)", "1"},
    {"tdiv(x * y, x)", "y"},
    {"tdiv(y * x, x)", "y"},
    {"tdiv(x, y)", "0", "x >= 0, x < y"},
};

const Rule kTruncModRules[] = {
    {"tmod(broadcast(x, l), broadcast(y, l))", "broadcast(tmod(x, y), l)"},
    {"tmod(x * c1, c2)", "0", "c2 != 0, c1 % c2 == 0"},
    {"tmod(x * c1 + y, c2)", "tmod(y, c2)", "c2 > 0, c1 % c2 == 0, x * c1 >= 0, y >= 0"},
    {"tmod(x + c1, c2)", "tmod(x, c2)", "c1 >= 0, c2 > 0, c1 % c2 == 0, x >= 0"},
    {"tmod(x, y)", "x", "x >= 0, x < y"},
};

std::span<const Rule> floordiv_rules() { return kFloorDivRules; }
std::span<const Rule> floormod_rules() { return kFloorModRules; }
std::span<const Rule> truncdiv_rules() { return kTruncDivRules; }
std::span<const Rule> truncmod_rules() { return kTruncModRules; }

}  // namespace mlc::transform
