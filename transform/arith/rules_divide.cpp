// SPDX-License-Identifier: Apache-2.0
// Rules whose root is a division or a remainder. For c > 0 and any integers:
//   (q * c + r) // c == q + r // c   and   (q * c + r) % c == r % c.
// What needs residues or bounds is in rewrite_division.cpp and comes first.
#include "transform/arith/rules.h"

namespace mlc::transform {

const Rule kFloorDivRules[] = {
    {"x // x", "1"},
    {"(x * c1) // x", "c1"},
    {"(c1 * x) // x", "c1"},
    {"(x % 2 + 1) // 2", "x % 2"},
    {"min(x * c1, y) // c2", "min(x * (c1 // c2), y // c2)", "c2 > 0, c1 % c2 == 0"},
    {"max(x * c1, y) // c2", "max(x * (c1 // c2), y // c2)", "c2 > 0, c1 % c2 == 0"},
    {"min(y, x * c1) // c2", "min(y // c2, x * (c1 // c2))", "c2 > 0, c1 % c2 == 0"},
    {"max(y, x * c1) // c2", "max(y // c2, x * (c1 // c2))", "c2 > 0, c1 % c2 == 0"},
    // a sum with a divisible part
    {"(x * c1 + y + z) // c2", "x * (c1 // c2) + (y + z) // c2", "c2 > 0, c1 % c2 == 0"},
    {"(x * c1 + y + z) // c2", "x // (c2 // c1)", "c1 > 0, c2 > 0, c2 % c1 == 0, y + z >= 0, y + z < c1"},
    {"(x * c1 - y + z) // c2", "x * (c1 // c2) + (z - y) // c2", "c2 > 0, c1 % c2 == 0"},
    {"(x * c1 + y - z) // c2", "x * (c1 // c2) + (y - z) // c2", "c2 > 0, c1 % c2 == 0"},
    {"(y + x * c1 + z) // c2", "x * (c1 // c2) + (y + z) // c2", "c2 > 0, c1 % c2 == 0"},
    {"(x + c1) // c2", "x // c2 + c1 // c2", "c2 > 0, c1 % c2 == 0"},
    {"(x * c1) // (x * c2)", "c1 // c2", "c2 > 0"},
    {"(x + y) // x", "y // x + 1", "x >= 0"},
    {"(y + x) // x", "y // x + 1", "x >= 0"},
    {"((x + y) + z) // x", "(y + z) // x + 1", "x >= 0"},
    {"((y + x) + z) // x", "(y + z) // x + 1", "x >= 0"},
    {"(y + (z + x)) // x", "(y + z) // x + 1", "x >= 0"},
    {"(y + (x + z)) // x", "(y + z) // x + 1", "x >= 0"},
    {"(x * y) // y", "x", "y >= 0"},
    {"(y * x) // y", "x", "y >= 0"},
    {"(x * z + y) // z", "x + y // z", "z >= 0"},
    {"(z * x + y) // z", "x + y // z", "z >= 0"},
    {"(y + x * z) // z", "y // z + x", "z >= 0"},
    {"(y + z * x) // z", "y // z + x", "z >= 0"},
    {"(x - x % c1) // c1", "x // c1", "c1 != 0"},
};

const Rule kFloorModRules[] = {
    {"x % c1", "0", "c1 == 0 - 1"},
    {"(x * c1) % c2", "x * (c1 % c2) % c2", "c2 != 0"},
    {"(x * c1 + y) % c2", "(x % (c2 // c1)) * c1 + y", "c1 > 0, c2 > 0, c2 % c1 == 0, y >= 0, y < c1"},
    {"(x + c1) % c2", "x % c2", "c2 > 0, c1 % c2 == 0"},
    {"(x + c1) % c2", "(x + c1 % c2) % c2", "c2 > 0, c1 >= c2"},
    {"(x + c1) % c2", "(x + c1 % c2) % c2", "c2 > 0, c1 < 0"},
    {"(x + y * c1) % c2", "x % c2", "c2 > 0, c1 % c2 == 0"},
    {"(x * c1 + y) % c2", "y % c2", "c2 > 0, c1 % c2 == 0"},
    {"(x * c1) % (x * c2)", "x * (c1 % c2)", "c2 != 0"},
    {"(x * y) % y", "0"},
    {"(y * x) % y", "0"},
};

// Truncating division equals flooring division on values that are not negative.
const Rule kTruncDivRules[] = {
    {"tdiv(broadcast(x, l), broadcast(y, l))", "broadcast(tdiv(x, y), l)"},
    {"tdiv(ramp(x, c1, l), broadcast(c2, l))", "ramp(tdiv(x, c2), tdiv(c1, c2), l)",
     "c2 != 0, c1 % c2 == 0, tmod(x, c2) == 0"},
    {"tdiv(ramp(x, c1, l), broadcast(c2, l))", "ramp(tdiv(x, c2), tdiv(c1, c2), l)",
     "c2 != 0, c1 % c2 == 0, c1 >= 0, x >= 0"},
    {"tdiv(tdiv(x, c1), c2)", "tdiv(x, c1 * c2)", "c1 > 0, c2 > 0"},
    {"tdiv(tdiv(x, c1) + c2, c3)", "tdiv(x + c1 * c2, c1 * c3)", "c1 > 0, c2 >= 0, c3 > 0, x >= 0"},
    {"tdiv(x * c1, c2)", "tdiv(x, tdiv(c2, c1))", "c1 > 0, c2 > 0, c2 % c1 == 0"},
    {"tdiv(x * c1, c2)", "x * tdiv(c1, c2)", "c1 > 0, c2 > 0, c1 % c2 == 0"},
    {"tdiv(x, x)", "1"},
    {"tdiv(x * c1, x)", "c1"},
    {"tdiv(c1 * x, x)", "c1"},
    {"tdiv(x * c1 + y, c2)", "x * tdiv(c1, c2) + tdiv(y, c2)",
     "c1 >= 0, c2 > 0, c1 % c2 == 0, x >= 0, y >= 0"},
    {"tdiv(min(x * c1, y), c2)", "min(x * tdiv(c1, c2), tdiv(y, c2))",
     "c1 >= 0, c2 > 0, c1 % c2 == 0, x >= 0, y >= 0"},
    {"tdiv(max(x * c1, y), c2)", "max(x * tdiv(c1, c2), tdiv(y, c2))",
     "c1 >= 0, c2 > 0, c1 % c2 == 0, x >= 0, y >= 0"},
    {"tdiv(y + x * c1, c2)", "tdiv(y, c2) + x * tdiv(c1, c2)",
     "c1 >= 0, c2 > 0, c1 % c2 == 0, x >= 0, y >= 0"},
    {"tdiv(min(y, x * c1), c2)", "min(tdiv(y, c2), x * tdiv(c1, c2))",
     "c1 >= 0, c2 > 0, c1 % c2 == 0, x >= 0, y >= 0"},
    {"tdiv(max(y, x * c1), c2)", "max(tdiv(y, c2), x * tdiv(c1, c2))",
     "c1 >= 0, c2 > 0, c1 % c2 == 0, x >= 0, y >= 0"},
    {"tdiv(x * c1 + y + z, c2)", "x * tdiv(c1, c2) + tdiv(y + z, c2)",
     "c1 >= 0, c2 > 0, c1 % c2 == 0, x >= 0, y + z >= 0"},
    {"tdiv(x * c1 - y + z, c2)", "x * tdiv(c1, c2) + tdiv(z - y, c2)",
     "c1 >= 0, c2 > 0, c1 % c2 == 0, x >= 0, z - y >= 0"},
    {"tdiv(x * c1 + y - z, c2)", "x * tdiv(c1, c2) + tdiv(y - z, c2)",
     "c1 >= 0, c2 > 0, c1 % c2 == 0, x >= 0, y - z >= 0"},
    {"tdiv(y + x * c1 + z, c2)", "x * tdiv(c1, c2) + tdiv(y + z, c2)",
     "c1 > 0, c2 > 0, c1 % c2 == 0, x >= 0, y + z >= 0"},
    {"tdiv(x + c1, c2)", "tdiv(x, c2) + tdiv(c1, c2)", "c1 > 0, c2 > 0, c1 % c2 == 0, x >= 0"},
    {"tdiv(x + y, x)", "tdiv(y, x) + 1", "x >= 0, y >= 0"},
    {"tdiv(y + x, x)", "tdiv(y, x) + 1", "x >= 0, y >= 0"},
    {"tdiv((x + y) + z, x)", "tdiv(y + z, x) + 1", "x >= 0, y + z >= 0"},
    {"tdiv((y + x) + z, x)", "tdiv(y + z, x) + 1", "x >= 0, y + z >= 0"},
    {"tdiv(y + (z + x), x)", "tdiv(y + z, x) + 1", "x >= 0, y + z >= 0"},
    {"tdiv(y + (x + z), x)", "tdiv(y + z, x) + 1", "x >= 0, y + z >= 0"},
    {"tdiv(x * y, y)", "x", "x >= 0, y >= 0"},
    {"tdiv(y * x, y)", "x", "x >= 0, y >= 0"},
    {"tdiv(x * z + y, z)", "x + tdiv(y, z)", "x >= 0, y >= 0, z >= 0"},
    {"tdiv(z * x + y, z)", "x + tdiv(y, z)", "x >= 0, y >= 0, z >= 0"},
    {"tdiv(y + x * z, z)", "tdiv(y, z) + x", "x >= 0, y >= 0, z >= 0"},
    {"tdiv(y + z * x, z)", "tdiv(y, z) + x", "x >= 0, y >= 0, z >= 0"},
};

const Rule kTruncModRules[] = {
    {"tmod(broadcast(x, l), broadcast(y, l))", "broadcast(tmod(x, y), l)"},
    {"tmod(ramp(x, c1, l), broadcast(c2, l))", "broadcast(tmod(x, c2), l)",
     "c2 > 0, c1 % c2 == 0, c1 >= 0, x >= 0"},
    {"tmod(ramp(x, c1, l), broadcast(c2, l))", "broadcast(0, l)", "c2 > 0, c1 % c2 == 0, tmod(x, c2) == 0"},
    {"tmod(x * c1, c2)", "0", "c2 != 0, c1 % c2 == 0"},
    {"tmod(x * c1 + y, c2)", "tmod(y, c2)", "c2 > 0, c1 % c2 == 0, x * c1 >= 0, y >= 0"},
    {"tmod(x + c1, c2)", "tmod(x, c2)", "c2 > 0, c1 >= 0, c1 % c2 == 0, x >= 0"},
    {"tmod(x + y * c1, c2)", "tmod(x, c2)", "c2 > 0, c1 % c2 == 0, x >= 0, y * c1 >= 0"},
    // the sign is that of the dividend
    {"tmod(x, c1)", "tmod(x, 0 - c1)", "c1 < 0, c1 > -2147483648"},
};

std::span<const Rule> floordiv_rules() { return kFloorDivRules; }
std::span<const Rule> floormod_rules() { return kFloorModRules; }
std::span<const Rule> truncdiv_rules() { return kTruncDivRules; }
std::span<const Rule> truncmod_rules() { return kTruncModRules; }

}  // namespace mlc::transform
