// SPDX-License-Identifier: Apache-2.0
// Calls of every form of a PTX instruction.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "ir/core/error.h"
#include "ir/tir/op.h"
#include "ir/tir/ptx_forms.h"

namespace mlc::ir {

// Modifiers that the rules allow, the one of slot `at` being `wanted`; empty where there are none.
inline std::optional<PtxModifiers> modifiers_with(const PtxForm& form, size_t at, std::string_view wanted) {
  PtxModifiers chosen(form.slots.size());
  int tries = 200'000;
  std::function<bool(size_t)> choose = [&](size_t slot) {
    if (--tries < 0) return false;
    if (slot == form.slots.size()) return form.refusal(chosen).empty();
    std::vector<std::string_view> options = form.slots[slot].choices;
    if (form.slots[slot].optional) options.insert(options.begin(), std::string_view());
    if (slot == at) options = {wanted};
    for (std::string_view option : options) {
      chosen[slot] = option;
      if (choose(slot + 1)) return true;
    }
    chosen[slot] = {};
    return false;
  };
  if (choose(0)) return chosen;
  return std::nullopt;
}

// Modifiers of a form, so that each of each slot is among them.
inline std::set<PtxModifiers> all_modifiers(const PtxForm& form) {
  std::set<PtxModifiers> seen;
  if (form.slots.empty()) seen.insert(PtxModifiers());
  for (size_t at = 0; at < form.slots.size(); ++at) {
    for (std::string_view choice : form.slots[at].choices) {
      if (auto made = modifiers_with(form, at, choice)) seen.insert(*made);
    }
  }
  return seen;
}

struct PtxKernel {
  std::vector<Stmt> body;
  std::map<std::string, Buffer> memory;  // of one thread, by data type

  Buffer buffer(DataType dtype) {
    Buffer& made = memory[dtype.str()];
    if (!made) {
      auto type = make<BufferTypeNode>(dtype, "local", Array<Expr>{int32(512)}, Array<Expr>{}, int32(0));
      made = make<VarNode>(String("r_" + dtype.str()), type);
      body.insert(body.begin(), make<AllocBufferNode>(made));
    }
    return made;
  }
};

inline Expr call_form(const PtxForm& form, const PtxModifiers& modifiers, const Expr& pointer,
                      PtxKernel& kernel) {
  Array<Expr> args;
  int64_t at = 0;
  for (const PtxOperand& slot : form.operands) {
    std::string_view types = slot.type.at(modifiers);
    for (int lane = 0; lane < slot.lanes_at(modifiers); ++lane) {
      if (slot.role == 'i') {
        args.push_back(int32(slot.choices.empty() ? 0 : std::atoi(std::string(slot.choices[0]).c_str())));
      } else if (slot.is_register()) {
        std::string_view first = types.substr(0, types.find('/'));
        DataType dtype = types == "pred"      ? DataType::UInt(32)
                         : first == "uint128" ? DataType::UInt(128)  // of no name in the language
                                              : DataType::parse(first);
        args.push_back(make<TensorLoadNode>(kernel.buffer(dtype), Array<Expr>{int32(at++)}));
      } else if (slot.role == 'a' && (types.starts_with("shared") || types == "tmem")) {
        args.push_back(make<TensorLoadNode>(kernel.buffer(DataType::UInt(32)), Array<Expr>{int32(at++)}));
      } else {
        args.push_back(pointer);
      }
    }
  }
  for (std::string_view one : modifiers) args.push_back(make<StringImmNode>(String(std::string(one))));
  args.push_back(make<StringImmNode>(String("")));
  return make<CallNode>(void_type(), op("tirx.ptx." + std::string(form.row->name)), args);
}

}  // namespace mlc::ir
