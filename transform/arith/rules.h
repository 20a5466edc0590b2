// SPDX-License-Identifier: Apache-2.0
// The tables of rules, by the operator at the root of the pattern.
#pragma once

#include "transform/arith/pattern.h"

namespace mlc::transform {

std::span<const Rule> add_rules();
std::span<const Rule> sub_rules();
std::span<const Rule> mul_rules();
// What holds in every type, also where sums wrap or round, as TVM has it.
std::span<const Rule> add_rules_of_any_type();
std::span<const Rule> sub_rules_of_any_type();  // of integers
std::span<const Rule> sub_rules_of_floats();
std::span<const Rule> min_rules_of_any_type();
std::span<const Rule> max_rules_of_any_type();
std::span<const Rule> floordiv_rules();
std::span<const Rule> floormod_rules();
std::span<const Rule> truncdiv_rules();
std::span<const Rule> truncmod_rules();
std::span<const Rule> min_rules();
std::span<const Rule> max_rules();
std::span<const Rule> eq_rules();
std::span<const Rule> lt_rules();
std::span<const Rule> not_rules();
std::span<const Rule> and_rules();
std::span<const Rule> or_rules();
std::span<const Rule> select_rules();

}  // namespace mlc::transform
