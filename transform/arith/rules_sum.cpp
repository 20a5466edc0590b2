// SPDX-License-Identifier: Apache-2.0
// Rules whose root is +, - or *. Constants move right and together; what a sum of products is in the end
// is the business of canonical_simplify.
#include "transform/arith/rules.h"

namespace mlc::transform {

const Rule kAddRules[] = {
    // lanes
    {"ramp(x, y, l) + ramp(z, w, l)", "ramp(x + z, y + w, l)"},
    {"ramp(x, y, l) + broadcast(z, l)", "ramp(x + z, y, l)"},
    {"broadcast(z, l) + ramp(x, y, l)", "ramp(z + x, y, l)"},
    {"broadcast(x, l) + broadcast(y, l)", "broadcast(x + y, l)"},
    // cancellation
    {"(x - y) + y", "x"},
    {"x + (y - x)", "y"},
    {"(x - y) + (y - z)", "x - z"},
    {"(x - y) + (z - x)", "z - y"},
    // min and max
    {"min(x, y - z) + z", "min(x + z, y)"},
    {"min(x - z, y) + z", "min(x, y + z)"},
    {"max(x, y - z) + z", "max(x + z, y)"},
    {"max(x - z, y) + z", "max(x, y + z)"},
    {"min(x, y + z * c1) + z * c2", "min(x + z * c2, y)", "c1 == 0 - c2"},
    {"max(x, y + z * c1) + z * c2", "max(x + z * c2, y)", "c1 == 0 - c2"},
    {"min(y + z * c1, x) + z * c2", "min(x + z * c2, y)", "c1 == 0 - c2"},
    {"max(y + z * c1, x) + z * c2", "max(x + z * c2, y)", "c1 == 0 - c2"},
    {"max(x, y) + min(x, y)", "x + y"},
    {"min(x, y) + max(x, y)", "x + y"},
    {"max(x, y) + min(y, x)", "x + y"},
    {"min(x, y) + max(y, x)", "x + y"},
    {"min(x, y + c1) + c2", "min(x + c2, y)", "c1 == 0 - c2"},
    {"min(x + c1, y) + c2", "min(x, y + c2)", "c1 == 0 - c2"},
    {"max(x, y + c1) + c2", "max(x + c2, y)", "c1 == 0 - c2"},
    {"max(x + c1, y) + c2", "max(x, y + c2)", "c1 == 0 - c2"},
    // constants together
    {"(x + c1) + c2", "x + (c1 + c2)"},
    // common factors
    {"x + x", "x * 2"},
    {"x * y + x", "(y + 1) * x"},
    {"y * x + x", "(y + 1) * x"},
    {"x + y * x", "(y + 1) * x"},
    {"x + x * y", "(y + 1) * x"},
    {"x * y + x * z", "(y + z) * x"},
    {"y * x + x * z", "(y + z) * x"},
    {"x * y + z * x", "(y + z) * x"},
    {"y * x + z * x", "(y + z) * x"},
    // quotient and remainder of one division
    {"tdiv(x, c1) * c1 + tmod(x, c1)", "x"},
    {"x // y * y + x % y", "x"},
    {"y * (x // y) + x % y", "x"},
    {"x % y + x // y * y", "x"},
    {"x % y + y * (x // y)", "x"},
    {"x // 2 + x % 2", "(x + 1) // 2"},
    {"(x % c1 + c2) // c1 + x // c1", "(x + c2) // c1", "c1 > 0"},
    {"x // c1 + (x % c1 + c2) // c1", "(x + c2) // c1", "c1 > 0"},
    // order
    {"x + (c1 - y)", "(x - y) + c1", nullptr, kAgain},
    {"(c1 - y) + x", "(x - y) + c1", nullptr, kAgain},
    {"(x + c1) + y", "(x + y) + c1", nullptr, kAgain},
    {"x + (c1 + y)", "(x + y) + c1", nullptr, kAgain},
    {"x + (y + c1)", "(x + y) + c1", nullptr, kAgain},
    {"x + max(y, z)", "max(y, z) + x", nullptr, kAgain},
    {"x + min(y, z)", "min(y, z) + x", nullptr, kAgain},
    {"tmod(y, c1) + x * c1", "x * c1 + tmod(y, c1)", nullptr, kAgain},
    {"y % c1 + x * c1", "x * c1 + y % c1", nullptr, kAgain},
    {"x + (0 - y)", "x - y"},
    {"(0 - y) + x", "x - y"},
    {"select(x, y, z) + select(x, w, u)", "select(x, y + w, z + u)"},
};

const Rule kSubRules[] = {
    // lanes
    {"ramp(x, y, l) - ramp(z, w, l)", "ramp(x - z, y - w, l)"},
    {"ramp(x, y, l) - broadcast(z, l)", "ramp(x - z, y, l)"},
    {"broadcast(x, l) - ramp(z, w, l)", "ramp(x - z, 0 - w, l)"},
    {"broadcast(x, l) - broadcast(y, l)", "broadcast(x - y, l)"},
    // cancellation
    {"(x + y) - y", "x"},
    {"(x + y) - x", "y"},
    {"x - (y + x)", "0 - y"},
    {"x - (x + y)", "0 - y"},
    {"min(x, y) - x", "min(0, y - x)"},
    {"min(x, y) - y", "min(x - y, 0)"},
    {"max(x, y) - x", "max(0, y - x)"},
    {"max(x, y) - y", "max(x - y, 0)"},
    {"x - max(x, y)", "min(0, x - y)"},
    {"y - max(x, y)", "min(y - x, 0)"},
    {"x - min(x, y)", "max(0, x - y)"},
    {"y - min(x, y)", "max(y - x, 0)"},
    // common factors
    {"x - x", "0"},
    {"x * y - x", "(y - 1) * x"},
    {"y * x - x", "(y - 1) * x"},
    {"x - y * x", "(1 - y) * x"},
    {"x - x * y", "(1 - y) * x"},
    {"x * y - x * z", "(y - z) * x"},
    {"y * x - x * z", "(y - z) * x"},
    {"x * y - z * x", "(y - z) * x"},
    {"y * x - z * x", "(y - z) * x"},
    // constants
    {"(x + c1) - c2", "x + (c1 - c2)"},
    {"(c1 - x) - (c2 - y)", "(y - x) + (c1 - c2)"},
    // one part on both sides
    {"(x + y) - (x + z)", "y - z"},
    {"(x + y) - (z + x)", "y - z"},
    {"(y + x) - (z + x)", "y - z"},
    {"(y + x) - (x + z)", "y - z"},
    {"(x - y) - (x - z)", "z - y"},
    {"(x - y) - (z - y)", "x - z"},
    {"min(x + y, z) - x", "min(y, z - x)"},
    {"min(y + x, z) - x", "min(y, z - x)"},
    {"min(z, x + y) - x", "min(z - x, y)"},
    {"min(z, y + x) - x", "min(z - x, y)"},
    {"max(x + y, z) - x", "max(y, z - x)"},
    {"max(y + x, z) - x", "max(y, z - x)"},
    {"max(z, x + y) - x", "max(z - x, y)"},
    {"max(z, y + x) - x", "max(z - x, y)"},
    {"x - min(x + y, z)", "max(0 - y, x - z)"},
    {"x - min(y + x, z)", "max(0 - y, x - z)"},
    {"x - min(z, x + y)", "max(x - z, 0 - y)"},
    {"x - min(z, y + x)", "max(x - z, 0 - y)"},
    {"x - max(x + y, z)", "min(0 - y, x - z)"},
    {"x - max(y + x, z)", "min(0 - y, x - z)"},
    {"x - max(z, x + y)", "min(x - z, 0 - y)"},
    {"x - max(z, y + x)", "min(x - z, 0 - y)"},
    {"min(x, y) - min(y, x)", "0"},
    {"max(x, y) - max(y, x)", "0"},
    {"min(x, y) - min(z, w)", "x - z", "x - z == y - w"},
    {"min(x, y) - min(z, w)", "x - w", "x - w == y - z"},
    {"max(x, y) - max(z, w)", "x - z", "x - z == y - w"},
    {"max(x, y) - max(z, w)", "x - w", "x - w == y - z"},
    // quotient and remainder of one division
    {"x - tdiv(x, c1) * c1", "tmod(x, c1)", "c1 != 0"},
    {"tdiv(x, c1) * c1 - x", "0 - tmod(x, c1)", "c1 != 0"},
    {"x - tdiv(x + y, c1) * c1", "tmod(x + y, c1) - y", "c1 != 0"},
    {"tdiv(x + y, c1) * c1 - x", "y - tmod(x + y, c1)", "c1 != 0"},
    {"x - tdiv(x - y, c1) * c1", "tmod(x - y, c1) + y", "c1 != 0"},
    {"tdiv(x - y, c1) * c1 - x", "0 - tmod(x - y, c1) - y", "c1 != 0"},
    {"x * c2 - tdiv(x, c1) * c3", "tmod(x, c1) * c2", "c1 != 0, c3 == c1 * c2"},
    {"tdiv(x, c1) * c3 - x * c2", "0 - tmod(x, c1) * c2", "c1 != 0, c3 == c1 * c2"},
    {"x * c2 - tdiv(x + y, c1) * c3", "(tmod(x + y, c1) - y) * c2", "c1 != 0, c3 == c1 * c2"},
    {"tdiv(x + y, c1) * c3 - x * c2", "(y - tmod(x + y, c1)) * c2", "c1 != 0, c3 == c1 * c2"},
    {"x * c2 - tdiv(x - y, c1) * c3", "(tmod(x - y, c1) + y) * c2", "c1 != 0, c3 == c1 * c2"},
    {"tdiv(x - y, c1) * c3 - x * c2", "(0 - tmod(x - y, c1) - y) * c2", "c1 != 0, c3 == c1 * c2"},
    {"tdiv(x + c1, c3) - tdiv(x + c2, c3)", "tdiv(tmod(x + c2 % c3, c3) + (c1 - c2), c3)",
     "c3 > 0, c1 >= c2, x >= 0 - c2, x >= 0 - c2 % c3"},
    {"tdiv(x + c1, c3) - tdiv(x, c3)", "tdiv(tmod(x, c3) + c1, c3)", "c3 > 0, c1 >= 0, x >= 0"},
    // the same, rounding down
    {"x - x // c1 * c1", "x % c1", "c1 != 0"},
    {"x // c1 * c1 - x", "0 - x % c1", "c1 != 0"},
    {"x - (x + y) // c1 * c1", "(x + y) % c1 - y", "c1 != 0"},
    {"(x + y) // c1 * c1 - x", "y - (x + y) % c1", "c1 != 0"},
    {"x - (x - y) // c1 * c1", "(x - y) % c1 + y", "c1 != 0"},
    {"(x - y) // c1 * c1 - x", "0 - (x - y) % c1 - y", "c1 != 0"},
    {"x * c2 - x // c1 * c3", "x % c1 * c2", "c1 != 0, c3 == c1 * c2"},
    {"x // c1 * c3 - x * c2", "0 - x % c1 * c2", "c1 != 0, c3 == c1 * c2"},
    {"x * c2 - (x + y) // c1 * c3", "((x + y) % c1 - y) * c2", "c1 != 0, c3 == c1 * c2"},
    {"(x + y) // c1 * c3 - x * c2", "(y - (x + y) % c1) * c2", "c1 != 0, c3 == c1 * c2"},
    {"x * c2 - (x - y) // c1 * c3", "((x - y) % c1 + y) * c2", "c1 != 0, c3 == c1 * c2"},
    {"(x - y) // c1 * c3 - x * c2", "(0 - (x - y) % c1 - y) * c2", "c1 != 0, c3 == c1 * c2"},
    {"(x + c1) // c3 - (x + c2) // c3", "((x + c2 % c3) % c3 + (c1 - c2)) // c3", "c3 > 0"},
    {"(x + c1) // c3 - x // c3", "(x % c3 + c1) // c3", "c3 > 0"},
    // order
    {"x - c1", "x + (0 - c1)"},
    {"(x + c1) - y", "(x - y) + c1", nullptr, kAgain},
    {"x - (y + c1)", "(x - y) + (0 - c1)", nullptr, kAgain},
    {"x - (y - z)", "(x + z) - y", nullptr, kAgain},
    {"x - y * c1", "x + y * (0 - c1)", nullptr, kAgain},
    {"select(x, y, z) - select(x, w, u)", "select(x, y - w, z - u)"},
    {"select(x, y, z) - z", "select(x, y - z, 0)"},
    {"select(x, y, z) - y", "select(x, 0, z - y)"},
};

const Rule kMulRules[] = {
    {"broadcast(x, l) * broadcast(y, l)", "broadcast(x * y, l)"},
    {"ramp(x, y, l) * broadcast(z, l)", "ramp(x * z, y * z, l)"},
    {"broadcast(z, l) * ramp(x, y, l)", "ramp(x * z, y * z, l)"},
    {"(x + c1) * c2", "x * c2 + c1 * c2"},
    {"(x * c1) * c2", "x * (c1 * c2)"},
    {"min(x, y) * max(x, y)", "x * y"},
    {"max(x, y) * min(x, y)", "x * y"},
    {"(x - x % c2) // c1 * c1", "x - x % c2", "c1 == 0 - c2"},
    {"x * (c1 * y)", "(x * y) * c1", nullptr, kAgain},
    {"c1 * x", "x * c1", nullptr, kAgain},
    {"(x - y) * c1", "(y - x) * (0 - c1)", "c1 < 0", kAgain},
};

const Rule kAddRulesOfAnyType[] = {
    {"select(x, y, z) + select(x, w, u)", "select(x, y + w, z + u)"},
};

const Rule kSubRulesOfAnyType[] = {
    {"x - x", "0"},
    {"(x + y) - y", "x"},
    {"(x + y) - x", "y"},
    {"x - (y + x)", "0 - y"},
    {"x - (x + y)", "0 - y"},
    {"select(x, y, z) - select(x, w, u)", "select(x, y - w, z - u)"},
    {"select(x, y, z) - z", "select(x, y - z, 0)"},
    {"select(x, y, z) - y", "select(x, 0, z - y)"},
};

const Rule kSubRulesOfFloats[] = {
    {"select(x, y, z) - select(x, w, u)", "select(x, y - w, z - u)"},
};

std::span<const Rule> sub_rules_of_floats() { return kSubRulesOfFloats; }
std::span<const Rule> add_rules_of_any_type() { return kAddRulesOfAnyType; }
std::span<const Rule> sub_rules_of_any_type() { return kSubRulesOfAnyType; }
std::span<const Rule> add_rules() { return kAddRules; }
std::span<const Rule> sub_rules() { return kSubRules; }
std::span<const Rule> mul_rules() { return kMulRules; }

}  // namespace mlc::transform
