// SPDX-License-Identifier: Apache-2.0
// The forms of PTX instructions as data; see ptx.h for the columns they come from.
#pragma once

#include <string>

#include "ir/tir/ptx.h"

namespace mlc::ir {

// The modifiers of one call, one per slot; empty: left out.
using PtxModifiers = std::vector<std::string_view>;

// Constant, or looked up in a table by the modifiers in some slots.
struct PtxProperty {
  std::string_view text;  // the constant, the table's name, or "@": the modifier itself
  std::vector<size_t> slots;
  std::string_view at(const PtxModifiers& modifiers) const;
};

struct PtxOperand {
  std::string_view name;
  char role = 'r';   // r w u a p i, see ptx.h
  PtxProperty type;  // of registers: `float32/uint32` or `pred`; of addresses: the state space
  PtxProperty lanes;
  PtxProperty sinkable;  // "1" where lanes may be discarded
  std::vector<std::string_view> choices;
  bool takes_offset = false;

  int lanes_at(const PtxModifiers& modifiers) const;
  bool is_register() const { return role == 'r' || role == 'w' || role == 'u'; }
};

struct PtxForm {
  struct Slot {
    std::string_view name;
    std::vector<std::string_view> choices;
    bool optional;
  };
  struct Condition {
    size_t slot = 0;
    std::vector<std::string_view> values;
    bool holds(const PtxModifiers& modifiers) const;
  };
  struct Rule {
    std::vector<Condition> when;
    Condition then;
    bool never = false;  // `then` must not hold
  };

  const PtxRow* row = nullptr;
  std::vector<Slot> slots;
  std::vector<PtxOperand> operands;
  std::vector<Rule> rules;

  // Puts a modifier into the first free slot that lists it.
  bool fill(PtxModifiers& modifiers, std::string_view token) const;
  // Why these modifiers make no instruction; empty when they do.
  std::string refusal(const PtxModifiers& modifiers) const;
};

const std::vector<PtxForm>* ptx_forms(std::string_view family);  // null: no such family
const PtxForm* ptx_form(std::string_view name);  // of the operator tirx.ptx.<name>; null: no such form
std::vector<std::string> ptx_families();

}  // namespace mlc::ir
