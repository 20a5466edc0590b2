// SPDX-License-Identifier: Apache-2.0
// Registers of asynchronous instructions: elements of local buffers that an instruction still reads or writes
// until its thread has waited.
#include <cstring>

#include "backend/interp/gpu/kernel.h"
#include "backend/interp/gpu/ptx_call.h"
#include "ir/core/refusal.h"
#include "ir/tir/op.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{"RuntimeError",
                                       {
                                           {.name = "registers-busy",
                                            .message = "{} {} registers that {} still {}",
                                            .meaning = "An asynchronous instruction reads and writes its "
                                                       "registers until its thread has waited for it."},
                                       }};
MLC_REFUSALS(gpu_registers, refusals);

void Thread::check_free(const Block& memory, const char* begin, int64_t bytes, bool stores, Span span) const {
  for (const BusyRegisters& each : busy) {
    if (each.memory.get() != &memory || begin + bytes <= each.begin || each.begin + each.bytes <= begin)
      continue;
    const Agent& agent = block.agents.at(each.until.agent);
    bool load = agent.kind == AgentKind::kTensorLoad;
    const char* wait = agent.kind == AgentKind::kWarpGroup ? "T.ptx.wgmma.wait_group.sync.aligned(0)"
                       : load                              ? "T.ptx.tcgen05.wait__ld.sync.aligned()"
                                                           : "T.ptx.tcgen05.wait__st.sync.aligned()";
    throw ir::refuse(refusals["registers-busy"], name(), stores ? "writes" : "reads", agent.name,
                     agent.kind == AgentKind::kTensorStore ? "reads" : "writes")
        .at(span)
        .note("it is issued here", each.point->span)
        .help(fmt::format("wait for it: `{}`", wait));
  }
}

void Thread::store_registers(const Block& memory, const char* begin, int64_t bytes, Span span) {
  if (!busy.empty()) check_free(memory, begin, bytes, true, span);
  if (block.kernel.program.has_wgmma) registers_stored.insert(begin);
}

void Thread::occupy(const std::shared_ptr<Block>& memory, char* begin, int64_t bytes, const Epoch& until,
                    const AccessPoint& point) {
  memory->mark(begin, bytes, false);
  for (BusyRegisters& known : busy) {
    if (known.memory != memory || begin < known.begin || known.begin + known.bytes < begin + bytes) continue;
    known.until = until;
    known.point = &point;
    return;
  }
  BusyRegisters* last = busy.empty() ? nullptr : &busy.back();
  if (last != nullptr && last->memory == memory && last->begin + last->bytes == begin &&
      last->until.agent == until.agent && last->until.clock == until.clock && last->point == &point) {
    last->bytes += bytes;
    return;
  }
  busy.push_back({memory, begin, bytes, until, &point});
}

void Thread::release_registers(const Epoch& done) {
  std::erase_if(busy, [&](const BusyRegisters& each) {
    if (each.until.agent != done.agent || each.until.clock > done.clock) return false;
    each.memory->mark(each.begin, each.bytes, true);
    return true;
  });
}

char* Thread::register_to_write(int64_t address, const AccessPoint& point) {
  auto [memory, to] = memory_at(address, 4, point.span);
  store_registers(*memory, to, 4, point.span);
  write(*memory, to, 4, point);
  return to;
}

std::vector<Code> Compiler::registers(std::span<const Expr> all, Span span) {
  std::vector<Code> addresses;
  for (const Expr& each : all) {
    auto* load = each ? ir::as<ir::TensorLoadNode>(each) : nullptr;
    if (load == nullptr) unsupported(span, "an instruction whose registers are no elements of a buffer");
    addresses.push_back(address_of_element(load));
  }
  return addresses;
}

// What is in a register of at most 32 bits.
Code Compiler::register_bits(const Expr& value) {
  return [code = expr(value), number = &number_of(value->dtype())](Frame& frame, Lane* out) {
    char image[8] = {};
    code(frame, out);
    number->store(image, *out);
    uint32_t bits;
    std::memcpy(&bits, image, sizeof(bits));
    out->i = bits;
  };
}

// `mov` between one register and several that have its bits, the lowest first.
Code Compiler::move_registers(const PtxCall& call) {
  struct Part {
    Code value;
    const Number* number;
  };
  std::vector<Part> sources;
  for (const Expr& each : call.all("a")) sources.push_back({expr(each), &number_of(each->dtype())});
  struct Target {
    std::function<void(Frame&, Lane)> store;
    const Number* number;
  };
  std::vector<Target> targets;
  int width = 0;
  for (const Expr& each : call.all("d"))
    if (each) width = number_of(each->dtype()).bytes;
  for (const Expr& each : call.all("d"))
    targets.push_back({destination(each, call.span()), each ? &number_of(each->dtype()) : nullptr});
  return [sources, targets, width](Frame& frame, Lane* out) {
    char bits[16] = {};
    int at = 0;
    for (const Part& each : sources) {
      each.value(frame, out);
      each.number->store(bits + at, *out);
      at += each.number->bytes;
    }
    at = 0;
    for (const Target& each : targets) {
      if (each.number != nullptr) each.store(frame, each.number->load(bits + at));
      at += width;
    }
    out->i = 0;
  };
}

}  // namespace mlc::interp
