// SPDX-License-Identifier: Apache-2.0
// Atomic operations of PTX on global memory, on shared memory and on that of other blocks of the cluster:
// `atom`, `red`. Waits for a word.
#include "backend/interp/gpu/memory_access.h"
#include "backend/interp/gpu/ptx_call.h"
#include "backend/interp/gpu/traffic.h"

namespace mlc::interp {

const Number& number_of_ptx(std::string_view type, Span span) {
  int bits = 0;
  for (char c : type.substr(1)) bits = c >= '0' && c <= '9' ? bits * 10 + (c - '0') : 0;
  bool floating = type[0] == 'f';
  if ((bits != 32 && bits != 64) || std::string_view("busf").find(type[0]) == std::string_view::npos)
    unsupported(span, fmt::format("words of type {}", type));
  return number_of(floating         ? ir::DataType::Float(bits)
                   : type[0] == 's' ? ir::DataType::Int(bits)
                                    : ir::DataType::UInt(bits));
}

Lane reduced(std::string_view op, const Number& type, Lane there, Lane operand) {
  if (op == "exch") return operand;
  if (type.floating) return Lane{.f = type.round(there.f + operand.f)};  // the one operation that they have
  uint64_t bits = type.bytes == 8 ? ~uint64_t{0} : 0xFFFFFFFFU;
  uint64_t a = static_cast<uint64_t>(there.i) & bits, b = static_cast<uint64_t>(operand.i) & bits;
  auto made = [&](uint64_t value) { return Lane{.i = type.wrap(static_cast<int64_t>(value))}; };
  if (op == "inc") return made(a >= b ? 0 : a + 1);
  if (op == "dec") return made(a == 0 || a > b ? b : a - 1);
  if (op == "and") return made(a & b);
  if (op == "or") return made(a | b);
  if (op == "xor") return made(a ^ b);
  if (op == "add") return made(a + b);
  bool less = type.is_unsigned ? a < b : there.i < operand.i;
  return less == (op == "min") ? there : operand;
}

Code Compiler::atomic_registers(const PtxCall& call) {
  const Number* number = &number_of_ptx(call.modifier("type"), call.span());
  bool swaps = call.has("compare");
  // Those of which loops are made that wait; `red` has no result.
  bool waits = swaps || call.modifier("op") == "exch", reads = call.row() != "red";
  struct Source {
    Code value;
    const Number* number;
  };
  auto source = [&](const char* name) {
    return Source{expr(call.one(name)), &number_of(call.one(name)->dtype())};
  };
  Source value = source("value"), compare = swaps ? source("compare") : Source{};
  const Number* in_register = call.has("d") && call.one("d") ? &number_of(call.one("d")->dtype()) : nullptr;
  auto to = destination(in_register != nullptr ? call.one("d") : Expr(), call.span());
  // The bits of a register, as the type of the instruction.
  auto bits_of = [number](const Source& from, Frame& frame) {
    char image[16] = {};
    Lane lane;
    from.value(frame, &lane);
    from.number->store(image, lane);
    return number->load(image);
  };
  return [address = integer(call.one("addr")), value, compare, swaps, waits, reads, in_register, to, number,
          bits_of, op = std::string(call.modifier("op")), space = std::string(call.modifier("space")),
          order = Order::of(call.modifier("sem").empty() ? "relaxed" : call.modifier("sem"),
                            call.modifier("scope")),
          at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    int64_t where = address(frame);
    Lane operand = bits_of(value, frame), wanted = swaps ? bits_of(compare, frame) : Lane{.i = 0};
    frame.program.heap.use(at->span);
    auto [memory, begin] = thread.memory_at(where, number->bytes, at->span);
    check_aligned(thread, *memory, begin, number->bytes, at->span);
    check_own(thread, *memory, begin, space, at->span);
    thread.reach(*memory, {thread.number(), thread.clock}, Touch::kAtomic, begin - memory->begin, *at);
    thread.check_written(*memory, begin, number->bytes, *at);
    frame.program.heap.use(at->span);
    if (waits) poll(thread, *memory, begin, number->bytes, *at);
    thread.touch(*memory, begin, number->bytes, Touch::kAtomic, *at, order.reaches);
    if (Traffic* traffic = thread.block.kernel.traffic)
      traffic->access(thread, *memory, begin, number->bytes, Touch::kAtomic, *at);
    Lane there = number->load(begin);
    char image[16] = {};
    number->store(image, there);
    if (in_register != nullptr) to(frame, in_register->load(image));
    if (reads) thread.observe(begin, order);
    if (swaps && there.i != wanted.i) {
      out->i = 0;
      return;
    }
    thread.publish(*memory, begin, order, true);
    number->store(begin, swaps ? operand : reduced(op, *number, there, operand));
    // What it has changed itself it does not wait for.
    if (waits) thread.asked.erase({at, memory.get(), begin});
    out->i = 0;
  };
}

// (word, pointer, condition, scope, space, type, pause): reads the word until the condition holds, and
// acquires.
Code Compiler::wait_until(const ir::CallNode* node) {
  auto text = [&](size_t i) {
    auto* given = ir::as<ir::StringImmNode>(node->args[static_cast<int64_t>(i)]);
    return std::string(given == nullptr ? "" : ir::view(given->value));
  };
  ir::DataType dtype = node->args.size() == 7 ? node->args[0]->dtype() : ir::DataType();
  if (node->args.size() != 7 || !dtype.is_scalar() || !dtype.is_integral() || dtype.bits() < 32)
    unsupported(node->span, "`T.cuda.wait_until` of this form");
  return [word = destination(node->args[0], node->span), pointer = integer(node->args[1]),
          holds = integer(node->args[2]), number = &number_of(dtype), space = text(4),
          relaxed = Order::of("relaxed", text(3)), acquires = Order::of("acquire", text(3)),
          at = point(node->span, nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    int64_t where = pointer(frame);
    frame.program.heap.use(at->span);
    auto [memory, begin] = thread.memory_at(where, number->bytes, at->span);
    check_aligned(thread, *memory, begin, number->bytes, at->span);
    check_own(thread, *memory, begin, space, at->span);
    do {
      poll(thread, *memory, begin, number->bytes, *at);
      thread.read(*memory, begin, number->bytes, *at, relaxed);
      word(frame, number->load(begin));
    } while (holds(frame) == 0);
    thread.observe(begin, acquires);
    out->i = 0;
  };
}

}  // namespace mlc::interp
