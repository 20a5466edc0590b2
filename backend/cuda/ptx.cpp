// SPDX-License-Identifier: Apache-2.0
// Instructions of PTX as inline assembly. The form of an instruction (ir/tir/ptx_forms.h) says its operands;
// here is how they are written: registers of a group in braces, addresses in brackets, some operands joined
// to one (`p|q`,
// `[map, {coordinates}]`), some fixed by the ISA, and register classes that inline assembly cannot name.
#include <algorithm>
#include <charconv>

#include "backend/cuda/emitter.h"
#include "ir/core/error.h"
#include "ir/core/split_words.h"
#include "ir/tir/ptx_forms.h"

namespace mlc::cuda_backend {

using c_backend::kSum;
using c_backend::kUnary;
using ir::PtxForm;
using ir::PtxOperand;
using ir::view;

namespace {

// Does a list have the name, or a beginning of it with `*`?
bool matches(std::string_view names, std::string_view name) {
  return ir::any_word(names, [&](std::string_view one) {
    return one.ends_with('*') ? name.starts_with(one.substr(0, one.size() - 1)) : one == name;
  });
}

// Families whose mnemonic has dots where T.ptx has underscores.
std::string mnemonic(std::string_view family) {
  static constexpr std::string_view dotted =
      "multimem.cp st.bulk st.async multimem.st.async multimem.ld_reduce multimem.st multimem.red "
      "tensormap.replace "
      "cvt.pack shfl.sync vote.sync elect.sync redux.sync tensormap.cp_fenceproxy red.async "
      "multimem.red.async";
  std::string found(family);
  ir::each_word(dotted, [&](std::string_view one) {
    std::string plain(one);
    std::replace(plain.begin(), plain.end(), '.', '_');
    if (plain == family) found = one;
  });
  return found;
}

// Operands that are no arguments: the ISA fixes their text, first or last.
struct Fixed {
  std::string_view names, text;
  bool first;
};
constexpr Fixed fixed_operands[] = {
    {"mbarrier_arrive_multicast32* mbarrier_arrive_drop_multicast32* mbarrier_arrive_expect_tx_multicast32 "
     "mbarrier_arrive_drop_expect_tx_multicast32 mbarrier_arrive_nocount mbarrier_arrive_drop_nocount "
     "mbarrier_arrive "
     "mbarrier_arrive_drop mbarrier_arrive_expect_tx mbarrier_arrive_drop_expect_tx "
     "mbarrier_arrive_no_complete_sink "
     "mbarrier_arrive_drop_no_complete_sink atom_bitbucket atom_cas_bitbucket atom_exch_bitbucket "
     "atom_half_bitbucket "
     "atom_vec_half_bitbucket atom_vec_f32_bitbucket atom_f32_noftz_bitbucket atom_vec_f32_noftz_bitbucket",
     "_", true},
    {"st_bulk", "0", false},
    {"applypriority discard fence_proxy_tensormap_acquire tensormap_cp_fenceproxy", "128", false},
    {"fabric_try_pullred", "0xFFFFFFFF", false},
};

// Instructions that order memory which they do not name.
constexpr std::string_view orders_memory =
    "tcgen05_alloc* tcgen05_dealloc* tcgen05_commit* cp_async_wait* cp_async_bulk_wait_group fabric_submit "
    "fabric_wait "
    "bar_* barrier_* fence* griddepcontrol* wgmma_fence wgmma_commit_group wgmma_wait_group "
    "tcgen05_relinquish_alloc_permit tcgen05_wait* tcgen05_fence* setmaxnreg";
// Whose result alone matters: the compiler may drop and share them.
constexpr std::string_view pure_instructions =
    "fns mov mov_pack* mov_unpack* isspacep getctarank getctarank_generic cvta cvta_generic mapa mapa_u*";
// Registers of 8 bits in the instruction, which is not what any constraint names.
struct ByteOperand {
  std::string_view rows, operand;
};
constexpr ByteOperand byte_operands[] = {
    {"cvt_f4x2_f32 cvt_f4x2_fp16x2 cvt_94_narrow_f32 cvt_94_narrow_fp16x2", "d"},
    {"cvt_f16x2_f4x2 cvt_bf16x2_f4x2", "a"},
    {"cvt_94_narrow_f32 cvt_94_narrow_fp16x2 cvt_ue5m3x2_f32_scaled cvt_ue5m3x2_fp16x2_scaled",
     "scale_factor"},
    {"st_async_release multimem_st_async", "b"},
    {"mbarrier_*report_value*", "report_value"},
    {"cp_async_bulk_tensor_* cp_reduce_async_bulk_tensor_* applypriority_async_bulk_tensor_*", "tensor_size"},
};

// What stands between two operands: the first of a pair is joined to the second.
bool pipes(std::string_view row, std::string_view operand, std::string_view next) {
  return (operand == "p" && next == "q" && row.starts_with("setp")) ||
         (operand == "d" && next == "p" &&
          matches("lop3_bool shfl_sync_p match_all_sync_p elect_sync", row)) ||
         (operand == "wait_complete" && next == "report_predicate");
}
// Operands that are one address together.
bool opens_bracket(std::string_view operand) {
  return operand == "tmap" || operand == "src_le_id" || operand == "dst_le_id";
}
bool closes_bracket(std::string_view operand, std::string_view next) {
  return operand == "coords" || (operand == "src_data_off" || operand == "dst_counter_off" ||
                                 (operand == "dst_data_off" && next != "dst_counter_off"));
}
bool is_group(const PtxOperand& slot, int lanes, std::string_view row) {
  if (slot.name == "coords" || slot.name == "tensor_size") return true;
  return lanes > 1 || (!slot.lanes.slots.empty() && slot.lanes.text != "given");
}

// One register of inline assembly.
struct Bound {
  bool written = false;
  std::string constraint, value;
  int number = 0;
};

struct Carrier {
  char letter;
  std::string_view type, into, out_of;  // of a variable in between, where the value has no constraint
};
std::optional<Carrier> carrier(DataType dtype) {
  if (dtype.is_bool()) return Carrier{'r', "", "(int)", ""};
  if (dtype.bits() == 8) return Carrier{'h', "unsigned short", "(unsigned short)", ""};
  if (dtype.is_float() && dtype.bits() == 16)
    return Carrier{'h', "unsigned short", "__half_as_ushort", "__ushort_as_half"};
  if (dtype.is_bfloat16())
    return Carrier{'h', "unsigned short", "__bfloat16_as_ushort", "__ushort_as_bfloat16"};
  if (dtype.bits() == 16) return Carrier{'h', "", "", ""};
  if (dtype.is_float()) return Carrier{dtype.bits() == 32 ? 'f' : 'd', "", "", ""};
  if (dtype.bits() == 32) return Carrier{'r', "", "", ""};
  if (dtype.bits() == 64) return Carrier{'l', "", "", ""};
  if (dtype.bits() == 128) return Carrier{'q', "", "", ""};
  return std::nullopt;
}

}  // namespace

Value CudaEmitter::ptx_call(const ir::CallNode* call, std::string_view name) {
  std::string_view row = name.substr(std::string_view("ptx.").size());
  const PtxForm* form = ir::ptx_form(row);
  if (form == nullptr) refuse(fmt::format("`tirx.{}`", name), call->span);
  auto count = static_cast<int64_t>(call->args.size());
  auto slots = static_cast<int64_t>(form->slots.size());
  if (count < slots + 1) refuse(fmt::format("`tirx.{}` without its modifiers", name), call->span);
  std::vector<std::string> modifier_texts;
  for (int64_t i = count - slots - 1; i < count - 1; ++i) modifier_texts.push_back(text_argument(call, i));
  ir::PtxModifiers modifiers(modifier_texts.begin(), modifier_texts.end());
  if (std::string reason = form->refusal(modifiers); !reason.empty())
    refuse(fmt::format("`tirx.{}` ({})", name, reason), call->span);
  std::string marks = text_argument(call, count - 1);
  std::replace(marks.begin(), marks.end(), ',', ' ');
  bool predicated = ir::has_word(marks, "pred");
  bool keeps = ir::has_word(marks, "keep");
  int64_t last = count - slots - 1;  // behind the operands

  std::vector<Bound> bound;
  std::vector<std::string> declared, before, after;  // inside of the block of PTX
  std::vector<std::string> behind;                   // statements of C++ that take results out of carriers
  auto bind = [&](bool written, std::string constraint, std::string value) {
    bound.push_back({written, std::move(constraint), std::move(value), 0});
    return static_cast<int>(bound.size()) - 1;
  };
  auto hole = [](int id) { return fmt::format("\x01{}\x02", id); };
  bool touches_memory = matches(orders_memory, row);
  int64_t at = 0;
  size_t lane_at = 0;
  auto next_argument = [&]() -> Expr {
    if (at >= last - (predicated ? 1 : 0))
      refuse(fmt::format("`tirx.{}` with so few operands", name), call->span);
    return call->args[at++];
  };
  auto of_register = [&](const PtxOperand& slot) -> std::string {
    Expr arg = next_argument();
    bool written = slot.role != 'r';
    bool is_predicate = slot.type.at(modifiers) == "pred";
    DataType dtype = arg->dtype();
    bool is_byte = dtype.bits() == 8 && !dtype.is_bool();
    bool byte_register =
        is_byte && std::any_of(std::begin(byte_operands), std::end(byte_operands), [&](const auto& one) {
          bool report = one.rows.find("*report") != std::string_view::npos;
          return one.operand == slot.name &&
                 (report ? row.find("report_value") != std::string_view::npos : matches(one.rows, row));
        });
    auto carried = carrier(is_predicate && !written ? DataType::Bool() : dtype);
    if (!carried) refuse(fmt::format("a register of type {} in `tirx.{}`", dtype.str(), name), arg->span);
    std::string text = scalar(arg).at_least(kUnary);
    std::string constraint = fmt::format("{}{}",
                                         !written                    ? ""
                                         : keeps || slot.role == 'u' ? "+"
                                                                     : "=",
                                         carried->letter);
    int id;
    if (written && !carried->type.empty()) {
      std::string temporary = fresh("carrier");
      std::string start = keeps || slot.role == 'u' ? fmt::format(" = {}({})", carried->into, text) : "";
      line(fmt::format("{} {}{};", carried->type, temporary, start));
      std::string_view back = carried->out_of;
      behind.push_back(back.empty() ? fmt::format("{} = ({}){};", text, type(dtype, arg->span), temporary)
                                    : fmt::format("{} = {}({});", text, back, temporary));
      id = bind(true, constraint, temporary);
    } else {
      bool calls = !carried->into.empty() && carried->into.front() != '(';
      id = bind(written, constraint,
                written || carried->into.empty() ? text
                : calls                          ? fmt::format("{}({})", carried->into, text)
                                                 : fmt::format("{}{}", carried->into, text));
    }
    if (!is_predicate && !byte_register) return hole(id);
    std::string reg = fmt::format("{}{}", is_predicate ? "q" : "byte", declared.size());
    declared.push_back(fmt::format(".reg {} {};", is_predicate ? ".pred" : ".b8", reg));
    if (!written || keeps || slot.role == 'u')
      before.push_back(is_predicate ? fmt::format("setp.ne.b32 {}, {}, 0;", reg, hole(id))
                                    : fmt::format("cvt.u8.u16 {}, {};", reg, hole(id)));
    if (written)
      after.push_back(is_predicate ? fmt::format("selp.b32 {}, 1, 0, {};", hole(id), reg)
                                   : fmt::format("cvt.u16.u8 {}, {};", hole(id), reg));
    return reg;
  };
  // Where an address is a sum, a constant stays in the instruction.
  auto of_address = [&](const PtxOperand& slot) -> std::string {
    std::string_view space = slot.type.at(modifiers);
    if (slot.role == 'a') touches_memory |= space != "tmem";
    Expr arg = next_argument();
    std::string offset;
    bool narrow = slot.role == 'a' && (space.starts_with("shared") || space == "tmem");
    std::string base;
    if (auto* sum = ir::as_call_to(arg, "tirx.ptx.addr")) {
      if (auto known = ir::const_int(sum->args[1])) {
        if (*known != 0) offset = fmt::format("+{}", *known);
        base = scalar(sum->args[0]).text;
      } else {
        base = narrow ? fmt::format("{} + {}", scalar(sum->args[0]).at_least(kSum), index(sum->args[1]))
                      : fmt::format("(const char*){} + {}", scalar(sum->args[0]).at_least(kUnary),
                                    index(sum->args[1]));
      }
    } else {
      base = scalar(arg).text;
    }
    int id = bind(false, narrow ? "r" : "l", base);
    bool inside = opens_bracket(slot.name) || slot.role != 'a' || slot.name.ends_with("_off");
    return inside ? hole(id) + offset : fmt::format("[{}{}]", hole(id), offset);
  };

  std::vector<std::string> texts;
  for (const Fixed& one : fixed_operands) {
    if (one.first && matches(one.names, row)) texts.emplace_back(one.text);
  }
  bool in_bracket = false;
  bool joins = row == "lop3_bool_sink";  // `_|p`
  if (joins) texts.emplace_back("_");
  for (size_t i = 0; i < form->operands.size(); ++i) {
    const PtxOperand& slot = form->operands[i];
    int lanes = slot.lanes_at(modifiers);
    if (lanes == 0) continue;
    std::string_view next = i + 1 < form->operands.size() ? form->operands[i + 1].name : "";
    std::vector<std::string> registers;
    for (int lane = 0; lane < lanes; ++lane, ++lane_at) {
      if (ir::has_word(marks, fmt::format("s{}", lane_at))) {
        registers.emplace_back("_");
      } else if (slot.role == 'i') {
        Expr arg = next_argument();
        auto number = ir::const_int(arg);
        if (!number)
          refuse(fmt::format("operand `{}` of `tirx.{}` that is no constant", slot.name, name), arg->span);
        registers.push_back(std::to_string(*number));
      } else {
        registers.push_back(slot.is_register() ? of_register(slot) : of_address(slot));
      }
    }
    std::string text =
        is_group(slot, lanes, row) ? fmt::format("{{{}}}", fmt::join(registers, ", ")) : registers[0];
    if (opens_bracket(slot.name)) {
      text.insert(0, "[");
      texts.push_back(text);
      in_bracket = true;
    } else if (in_bracket) {
      texts.back() += ", " + text;
    } else if (joins) {
      texts.back() += "|" + text;
    } else {
      texts.push_back(text);
    }
    joins = pipes(row, slot.name, next);
    if (in_bracket && closes_bracket(slot.name, next)) {
      texts.back() += "]";
      in_bracket = false;
    }
  }
  if (at != last - (predicated ? 1 : 0))
    refuse(fmt::format("`tirx.{}` with so many operands", name), call->span);
  for (const Fixed& one : fixed_operands) {
    if (!one.first && matches(one.names, row)) texts.emplace_back(one.text);
  }
  std::string opcode = mnemonic(form->row->family);
  for (const std::string& one : modifier_texts) opcode += one.empty() ? "" : "." + one;
  std::string instruction = fmt::format("{}{}{};", opcode, texts.empty() ? "" : " ", fmt::join(texts, ", "));
  if (predicated) {
    int id = bind(false, "r", fmt::format("(int){}", scalar(call->args[last - 1]).at_least(kUnary)));
    declared.emplace_back(".reg .pred guard;");
    before.push_back(fmt::format("setp.ne.b32 guard, {}, 0;", hole(id)));
    instruction.insert(0, "@guard ");
  }
  std::string assembly = instruction;
  if (!declared.empty()) {
    assembly = "{ ";
    for (const auto* part : {&declared, &before}) {
      for (const std::string& one : *part) assembly += one + " ";
    }
    assembly += instruction + " ";
    for (const std::string& one : after) assembly += one + " ";
    assembly += "}";
  }
  // Results have the first numbers.
  int number = 0;
  std::string outputs, inputs;
  for (bool written : {true, false}) {
    for (Bound& one : bound) {
      if (one.written != written) continue;
      one.number = number++;
      std::string& list = written ? outputs : inputs;
      list += fmt::format("{}\"{}\"({})", list.empty() ? "" : ", ", one.constraint, one.value);
    }
  }
  std::string text;
  for (size_t i = 0; i < assembly.size(); ++i) {
    if (assembly[i] != '\x01') {
      text += assembly[i];
      continue;
    }
    size_t end = assembly.find('\x02', i);
    int id = 0;
    std::from_chars(assembly.data() + i + 1, assembly.data() + end, id);
    text += fmt::format("%{}", bound[static_cast<size_t>(id)].number);
    i = end;
  }
  std::string statement =
      fmt::format("asm{}(\"{}\"", matches(pure_instructions, row) ? "" : " volatile", text);
  if (!outputs.empty() || !inputs.empty() || touches_memory) statement += " : " + outputs;
  if (!inputs.empty() || touches_memory) statement += " : " + inputs;
  if (touches_memory) statement += " : \"memory\"";
  line(statement + ");");
  for (const std::string& one : behind) line(one);
  return of(call->dtype(), {""});
}

}  // namespace mlc::cuda_backend
