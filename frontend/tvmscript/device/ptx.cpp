// SPDX-License-Identifier: Apache-2.0
// From `T.ptx.family.modifiers(operands)` to the call. Operands, then the predicate, then the modifier of
// every slot ("" where left out), then marks: "pred" (there is a predicate), "keep" (what it skips stays),
// "p2" (operand 2 is a predicate register), "s1" (lane 1 is discarded). A printed call has the same form and
// is read back.
#include "frontend/tvmscript/device/ptx.h"

#include <algorithm>
#include <charconv>

#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/ptx_forms.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "ptx-operands",
         .message = "`{}` does not take these operands",
         .meaning = "The PTX instruction has these modifiers, but takes other operands with them; the notes "
                    "list what it takes."},
    }};
MLC_REFUSALS(device_ptx, refusals);

namespace {

using ir::ptx_forms;
using ir::PtxForm;
using ir::PtxModifiers;
using ir::PtxOperand;

// Why one form does not take the operands.
struct Refusal {
  std::string reason;
};

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  throw Refusal{fmt::format(format, std::forward<Args>(args)...)};
}

bool is_number(const Any& value) {
  return script::is_int(value) || script::is_float(value) || script::is_bool(value);
}
bool is_integer(DataType dtype) { return dtype.is_scalar() && (dtype.is_int() || dtype.is_uint()); }
bool is_pointer(const Expr& e) { return e->ty->kind == ir::TypeKind::kPointer; }
bool has_dtype(const Expr& e, DataType dtype) {
  return e->ty->kind == ir::TypeKind::kPrim && e->dtype() == dtype;
}

Expr as_operand(const Any& value, const PtxOperand& slot) {
  if (auto e = script::to_expr(value)) return *e;
  refuse("`{}` cannot be `{}`", slot.name, ir::type_name(value));
}

// Types by name, "float32/uint32".
bool lists(std::string_view types, std::string_view dtype) {
  while (!types.empty()) {
    size_t end = types.find('/');
    if (types.substr(0, end) == dtype) return true;
    if (end == std::string_view::npos) break;
    types.remove_prefix(end + 1);
  }
  return false;
}

Expr constant(std::string_view dtype, const Any& value) {
  double number =
      script::is_float(value) ? script::raw_float(value) : static_cast<double>(script::raw_int(value));
  DataType type = DataType::parse(dtype);
  if (!script::is_float(value) && !type.is_floating()) return ir::int_imm(type, script::raw_int(value));
  return ir::make_const(type, number);
}

Expr address(const Expr& value, std::string_view space, const PtxOperand& slot, Span span) {
  if (slot.role == 'p') {
    if (is_pointer(value)) return value;
    refuse("`{}` must be a pointer", slot.name);
  }
  if (space == "tmem") {
    if (has_dtype(value, DataType::UInt(32))) return value;
    refuse("`{}` is an address of tensor memory and must be `uint32`", slot.name);
  }
  if (space.starts_with("shared")) {
    if (is_pointer(value))
      return call_of(prim(DataType::UInt(32)), "tirx.cuda.cvta_generic_to_shared", {value}, span);
    if (has_dtype(value, DataType::UInt(32))) return value;
    refuse("`{}` must be a pointer or a `uint32` address of shared memory", slot.name);
  }
  if (is_pointer(value)) {
    String scope = static_cast<const ir::PointerTypeNode*>(value->ty.get())->storage_scope;
    if (view(scope).starts_with("shared"))
      refuse("`{}` is a {} address, this points to shared memory", slot.name,
             space.empty() ? "generic" : space);
    return value;
  }
  if (has_dtype(value, DataType::UInt(64))) return call_of(void_pointer(), "tirx.reinterpret", {value}, span);
  refuse("`{}` must be a pointer or a `uint64` handle", slot.name);
}

Expr predicate_register(const Any& value, const PtxOperand& slot) {
  if (slot.role != 'r') {
    Expr e = as_operand(value, slot);
    if (!ir::as<ir::TensorLoadNode>(e) || !has_dtype(e, DataType::UInt(32)))
      refuse("`{}` receives a predicate and must be a `uint32` variable or element", slot.name);
    return e;
  }
  if (auto* tagged = frame<PtxPredicateNode>(value)) {
    if (script::is_int(tagged->value) || script::is_bool(tagged->value))
      return ir::int_imm(DataType::UInt(32), script::raw_int(tagged->value));
    Expr e = as_operand(tagged->value, slot);
    if (has_dtype(e, DataType::Bool()) || has_dtype(e, DataType::UInt(32)) || has_dtype(e, DataType::Int(32)))
      return e;
    refuse("`T.ptx.pred` takes a bool, `int32` or `uint32`");
  }
  if (script::is_bool(value)) return ir::int_imm(DataType::UInt(32), script::raw_int(value));
  if (!is_number(value)) {
    Expr e = as_operand(value, slot);
    if (has_dtype(e, DataType::Bool())) return e;
  }
  refuse("`{}` is a predicate: pass a bool, or `T.ptx.pred(x)`", slot.name);
}

Expr immediate(const Any& value, const PtxOperand& slot) {
  std::optional<int64_t> number;
  if (script::is_int(value)) number = script::raw_int(value);
  if (auto* imm = value.as<ir::IntImmNode>()) number = imm->value;
  if (!number) {
    if (slot.choices.empty() && !is_number(value)) {
      Expr e = as_operand(value, slot);
      if (e->ty->kind == ir::TypeKind::kPrim && is_integer(e->dtype())) return e;  // constant after unrolling
    }
    refuse("`{}` stands in the instruction and must be a constant integer", slot.name);
  }
  if (!slot.choices.empty()) {
    std::string text = std::to_string(*number);
    if (std::find(slot.choices.begin(), slot.choices.end(), text) == slot.choices.end())
      refuse("`{}` must be one of {}, got {}", slot.name, fmt::join(slot.choices, ", "), text);
  }
  return ir::int_imm(DataType::Int(32), *number);
}

// The registers of one operand: one type for all.
void registers(std::span<const Any> values, std::string_view types, const PtxOperand& slot,
               Array<Expr>& out) {
  std::string dtype;
  for (const Any& value : values) {
    if (frame<PtxPredicateNode>(value)) refuse("`{}` is no predicate", slot.name);
    if (frame<PtxAddressNode>(value)) refuse("`{}` is no address", slot.name);
    bool written = slot.role != 'r';
    if (is_number(value)) {
      if (written) refuse("`{}` is written and must be a variable or an element of a buffer", slot.name);
      continue;
    }
    Expr e = as_operand(value, slot);
    if (written && !ir::as<ir::TensorLoadNode>(e))
      refuse("`{}` is written and must be a variable or an element of a buffer", slot.name);
    std::string carried = e->ty->kind == ir::TypeKind::kPrim ? e->dtype().str() : "handle";
    if (!dtype.empty() && dtype != carried) refuse("all registers of `{}` have one type", slot.name);
    dtype = carried;
  }
  if (dtype.empty()) dtype = types.substr(0, types.find('/'));
  if (!lists(types, dtype)) refuse("`{}` must be `{}`, got `{}`", slot.name, types, dtype);
  for (const Any& value : values) {
    if (!is_number(value)) {
      out.push_back(as_operand(value, slot));
      continue;
    }
    if (script::is_float(value) && !dtype.starts_with("float"))
      refuse("`{}` is `{}`: write the constant meant, as `T.float32(...)`", slot.name, dtype);
    out.push_back(constant(dtype, value));
  }
}

Expr predicate(const Any& pred) {
  if (script::is_bool(pred)) return ir::bool_imm(script::raw_int(pred) != 0);
  if (!is_number(pred)) {
    if (auto e = script::to_expr(pred)) {
      if (has_dtype(*e, DataType::Bool()) || has_dtype(*e, DataType::UInt(32)) ||
          has_dtype(*e, DataType::Int(32)))
        return *e;
    }
  }
  refuse("`pred` must be a bool, `int32` or `uint32` expression");
}

struct Request {
  std::vector<std::string> modifiers;
  std::vector<Any> operands;
  Any pred;
  bool preserve_dst;
  Span span;
};

Expr emit(const PtxForm& form, const Request& request) {
  PtxModifiers modifiers(form.slots.size());
  for (const std::string& token : request.modifiers) {
    if (!form.fill(modifiers, token)) refuse("it has no modifier `.{}`", token);
  }
  if (std::string reason = form.refusal(modifiers); !reason.empty()) refuse("{}", reason);
  size_t expected = 0;
  bool writes = false;
  for (const PtxOperand& slot : form.operands) {
    expected += static_cast<size_t>(slot.lanes_at(modifiers));
    writes = writes || slot.role == 'w';
  }
  if (request.operands.size() != expected) {
    std::vector<std::string> names;
    for (const PtxOperand& slot : form.operands) {
      int lanes = slot.lanes_at(modifiers);
      if (lanes == 1) names.emplace_back(slot.name);
      if (lanes > 1) names.push_back(fmt::format("{}[{}]", slot.name, lanes));
    }
    refuse("it takes {} operands ({}), got {}", expected, fmt::join(names, ", "), request.operands.size());
  }
  if (request.preserve_dst && !writes) refuse("`preserve_dst` needs something written");
  Expr pred = script::is_none(request.pred) ? nullptr : predicate(request.pred);
  if (request.preserve_dst && !pred) refuse("`preserve_dst` needs `pred`");

  Array<Expr> args;
  std::vector<std::string> marks;
  std::vector<std::string> sunk;
  if (pred) marks.emplace_back("pred");
  if (request.preserve_dst) marks.emplace_back("keep");
  size_t at = 0;
  for (const PtxOperand& slot : form.operands) {
    auto lanes = static_cast<size_t>(slot.lanes_at(modifiers));
    std::string_view type = slot.type.at(modifiers);
    std::vector<Any> values;
    for (size_t i = at; i < at + lanes; ++i) {
      if (!frame<PtxSinkNode>(request.operands[i])) {
        values.push_back(request.operands[i]);
        continue;
      }
      if (!slot.is_register() || slot.sinkable.at(modifiers) != "1")
        refuse("`{}` cannot be discarded", slot.name);
      sunk.push_back(fmt::format("s{}", i));
    }
    if (lanes > 0 && values.empty()) refuse("a lane of `{}` must be a register", slot.name);
    if (slot.is_register() && type == "pred") {
      if (slot.role == 'r' && lanes > 0) marks.push_back(fmt::format("p{}", at));
      for (const Any& value : values) args.push_back(predicate_register(value, slot));
    } else if (slot.is_register()) {
      if (!values.empty()) registers(values, type, slot, args);
    } else if (slot.role == 'i') {
      for (const Any& value : values) args.push_back(immediate(value, slot));
    } else {
      for (const Any& value : values) {
        auto* offset = frame<PtxAddressNode>(value);
        if (offset && !slot.takes_offset) refuse("`{}` takes no offset", slot.name);
        if (!offset && is_number(value)) refuse("`{}` must be an address", slot.name);
        Expr base = address(offset ? offset->base : as_operand(value, slot), type, slot, request.span);
        args.push_back(offset ? call_of(base->ty, "tirx.ptx.addr", {base, offset->offset}, request.span)
                              : base);
      }
    }
    at += lanes;
  }
  if (pred) args.push_back(pred);
  auto text = [&](const std::string& value) {
    args.push_back(ir::make<ir::StringImmNode>(String(value), request.span));
  };
  for (std::string_view modifier : modifiers) text(std::string(modifier));
  marks.insert(marks.end(), sunk.begin(), sunk.end());
  text(fmt::format("{}", fmt::join(marks, ",")));
  return call_of(ir::void_type(), fmt::format("tirx.ptx.{}", form.row->name), args, request.span);
}

// What follows the operands of a printed call: modifiers and marks.
void read_printed(Request& request) {
  std::vector<Any>& operands = request.operands;
  size_t end = operands.size();
  while (end > 0 && script::is_str(operands[end - 1])) --end;
  if (end == operands.size()) return;
  std::string marks(script::text_of(operands.back()));
  for (size_t i = end; i + 1 < operands.size(); ++i) {
    if (!script::text_of(operands[i]).empty()) request.modifiers.emplace_back(script::text_of(operands[i]));
  }
  operands.resize(end);
  std::vector<std::pair<char, size_t>> positions;
  for (size_t begin = 0; begin < marks.size();) {
    size_t comma = std::min(marks.find(',', begin), marks.size());
    std::string_view mark = std::string_view(marks).substr(begin, comma - begin);
    begin = comma + 1;
    if (mark == "pred") {
      if (operands.empty() || !script::is_none(request.pred)) continue;
      request.pred = operands.back();
      operands.pop_back();
    } else if (mark == "keep") {
      request.preserve_dst = true;
    } else if (mark.size() > 1) {
      size_t position = 0;
      std::from_chars(mark.data() + 1, mark.data() + mark.size(), position);
      positions.emplace_back(mark[0], position);
    }
  }
  // Discarded lanes first: they restore the positions that the others count.
  for (const auto& [kind, position] : positions) {
    if (kind == 's' && position <= operands.size())
      operands.insert(operands.begin() + static_cast<ptrdiff_t>(position), Any(ir::make<PtxSinkNode>()));
  }
  for (const auto& [kind, position] : positions) {
    if (kind == 'p' && position < operands.size() && !frame<PtxPredicateNode>(operands[position]))
      operands[position] = ir::make<PtxPredicateNode>(operands[position]);
  }
}

std::string written(const PtxChainNode& chain) {
  std::string text = chain.family;
  for (const std::string& modifier : chain.modifiers) text += "." + modifier;
  return text;
}

}  // namespace

void check_ptx_chain(const PtxChainNode& chain, Span span) {
  const std::vector<ir::PtxForm>* forms = ptx_forms(chain.family);
  if (!forms) {
    throw ir::Error("no-attribute", "`{}` is no PTX instruction", chain.family)
        .at(span)
        .kind("AttributeError")
        .help(ir::did_you_mean(chain.family, ptx_families()));
  }
  std::vector<std::string> open;
  for (const PtxForm& form : *forms) {
    PtxModifiers modifiers(form.slots.size());
    size_t taken = 0;
    while (taken < chain.modifiers.size() && form.fill(modifiers, chain.modifiers[taken])) ++taken;
    if (taken == chain.modifiers.size()) return;
    if (taken + 1 < chain.modifiers.size()) continue;
    for (size_t i = 0; i < form.slots.size(); ++i) {
      if (!modifiers[i].empty()) continue;
      for (std::string_view choice : form.slots[i].choices) open.emplace_back(choice);
    }
  }
  throw ir::Error("no-attribute", "`{}` is no modifier of `{}` here", chain.modifiers.back(), chain.family)
      .at(span)
      .kind("AttributeError")
      .help(ir::did_you_mean(chain.modifiers.back(), open));
}

Expr ptx_call(const PtxChainNode& chain, std::vector<Any> operands, Any pred, bool preserve_dst, Span span) {
  Request request{chain.modifiers, std::move(operands), std::move(pred), preserve_dst, span};
  read_printed(request);
  std::vector<std::pair<const PtxForm*, std::string>> rejected;
  for (const PtxForm& form : *ptx_forms(chain.family)) {
    try {
      return emit(form, request);
    } catch (const Refusal& refusal) {
      rejected.emplace_back(&form, refusal.reason);
    }
  }
  // Forms without the modifiers tell nothing.
  std::vector<std::pair<const PtxForm*, std::string>> near;
  for (const auto& one : rejected) {
    if (!one.second.starts_with("it has no modifier")) near.push_back(one);
  }
  if (near.empty()) near = rejected;
  ir::Error error = ir::refuse(refusals["ptx-operands"], written(chain));
  std::move(error).at(span).kind("ValueError");
  constexpr size_t kMost = 4;
  for (size_t i = 0; i < std::min(near.size(), kMost); ++i)
    std::move(error).note(near.size() == 1 ? near[i].second
                                           : fmt::format("{}: {}", near[i].first->row->name, near[i].second));
  throw error;
}

}  // namespace mlc::tvmscript
