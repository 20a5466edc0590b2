// SPDX-License-Identifier: Apache-2.0
// How a primitive is declared: one file in transform/primitive with its doc, its signature and one function
// that checks first and applies then. The file is the registration:
//
//   static void apply(Step& step, LoopArg loop, ...) { /* check */ ... /* apply */ ... }
//   const Primitive split = primitive<&apply>("Split", "split(loop, factors)", doc);
#pragma once

#include "transform/schedule/analysis.h"
#include "transform/schedule/schedule.h"

namespace mlc::transform {

// A handle passed as an argument, with its SRef.
struct LoopArg {
  SRef sref;
  Span span;
  SRefNode& operator*() const { return *sref; }
  SRefNode* operator->() const { return sref.get(); }
};
struct BlockArg {
  SRef sref;
  Span span;
  SRefNode& operator*() const { return *sref; }
  SRefNode* operator->() const { return sref.get(); }
};

// A block that may not be named by its name.
struct BlockHandleArg : BlockArg {};

// A loop to compute a block at, or a mark for another location.
struct LocationArg {
  LoopArg loop;
  Mark mark() const { return loop->mark; }
};

// Of a handle whose loop or block is no longer in the module.
Error handle_gone(const SRefNode& sref, bool loop);

// Sampled variables in an expression replaced by their values.
Any evaluate_numbers(const ScheduleNode& schedule, const Any& value);

// One application of a primitive to a schedule.
class Step {
 public:
  Step(ScheduleNode& schedule, const Primitive& primitive, ApiCall& call)
      : schedule(schedule), state(*schedule.state), primitive(primitive), call(call) {}

  ScheduleNode& schedule;
  ScheduleState& state;
  const Primitive& primitive;
  ApiCall& call;

  // Arguments by parameter index (0 is the schedule). Errors: wrong-type, loop-handle-gone,
  // block-handle-gone, unknown-handle, block-not-found. A block may be named by its name.
  LoopArg loop(size_t index) { return loop_of(call.args[index], call.span_of(index), index); }
  // A loop, or a mark that `sample_compute_location` returned for one.
  LocationArg location(size_t index);
  BlockHandleArg block_handle(size_t index);
  BlockArg block(size_t index) { return block_of(call.args[index], call.span_of(index), index); }
  // Several of them; `None` is an empty list.
  std::vector<BlockArg> blocks(size_t index);
  SRef loop_or_block(size_t index);
  LoopArg loop_of(const Any& value, Span span, size_t index);
  // A name in `value` becomes a handle, so that the trace can repeat the step.
  BlockArg block_of(Any& value, Span span, size_t index);
  // The only block of that name in a function. Errors: block-not-found, several-blocks.
  SRef find_block(const GlobalVar& function, std::string_view name, Span span);
  GlobalVar function(const std::optional<std::string>& name, Span span);
  Span span(size_t index) const { return call.span_of(index); }

  void replace(SRefNode& at, const Stmt& next, const BlockReuse& reuse = {});
  // The SRef of a loop or block that `replace` has put into the module.
  SRefNode* sref(const Stmt& stmt) { return state.find(stmt.get()).get(); }
  // Steps implied by naming a block by its name; traced before this one.
  std::vector<Instruction> lookups;
  // New handles.
  Any handle(SRefNode* sref);
  Any handles(const std::vector<SRefNode*>& srefs);
  Any mark(Mark mark);
  // A new variable that stands for a number, and what expressions of such variables stand for: an int or an
  // expression; other values stay as they are.
  Any number(int64_t value);
  Any evaluate(const Any& value) const { return evaluate_numbers(schedule, value); }
};

struct Primitive {
  std::string_view kind;       // the instruction's name: "Split"
  std::string_view signature;  // of the method: "split(loop, factors)"
  std::string_view doc;
  Any (*run)(Step&);
  // Parameter names in the trace where TVM's differ: comma-separated, `_` for a positional argument.
  std::string_view traced_names = {};
  // Parameters besides handles that JSON lists among the inputs, comma-separated: `*factors` spread out,
  // `consumer_blocks` as a list. `int:` and `imm:` before a flag: how TVM writes it. `position:` before a
  // buffer: as number and role. `role:` before "read" or "write" among inputs: as 0 or 1. `map:` before an
  // attribute that may be an index map.
  std::string_view json_inputs = {};
  // What a step takes on trust, as a text; empty: its checks prove that the module computes the same. Null:
  // always empty.
  std::string_view (*assumes)(std::span<const Any> args) = nullptr;

  std::string_view name() const { return signature.substr(0, signature.find('(')); }
};

// The scope of a block that is not the root. Error: root-block.
SRefNode* require_scope(const BlockArg& block, std::string_view message = "`{}` is a root block");
// A nest of serial loops from 0 around a statement, outermost first.
Stmt serial_loops(const std::vector<std::pair<Var, Expr>>& loops, Stmt body);
// The items of a list argument. Error: wrong-type.
std::vector<Any> items_of(const ApiCall& call, size_t index, const Any& list,
                          std::string_view expected = "a list");

// Every file of transform/primitive (generated).
const std::vector<const Primitive*>& all_primitives();
const Primitive* find_primitive(std::string_view name);
// The parameters of the method, by position: "block", "buffer_index".
std::vector<std::string_view> parameter_names(const Primitive& primitive);
// The names, of today and of older versions, of those that return loops or blocks: their docs begin with `->
// loops`.
std::vector<std::string> handle_makers();

// Runs a method call that names a primitive: the step, then its instruction in the trace.
Any run_primitive(const Primitive& primitive, ScheduleNode& schedule, ApiCall& call);

namespace detail {

template <class T>
T step_argument(Step& step, size_t index) {
  if constexpr (std::is_same_v<T, LoopArg>)
    return step.loop(index);
  else if constexpr (std::is_same_v<T, BlockArg>)
    return step.block(index);
  else if constexpr (std::is_same_v<T, BlockHandleArg>)
    return step.block_handle(index);
  else if constexpr (std::is_same_v<T, LocationArg>)
    return step.location(index);
  else if constexpr (std::is_same_v<T, SRef>)
    return step.loop_or_block(index);
  else
    return ir::detail::argument<T>(step.call, index);
}

template <auto F, class Signature>
struct RunStep;
template <auto F, class R, class... A>
struct RunStep<F, R (*)(Step&, A...)> {
  static Any run(Step& step) {
    // In braces: names become handles from the first argument on.
    auto args = [&]<size_t... I>(std::index_sequence<I...>) {
      return std::tuple<std::remove_cvref_t<A>...>{step_argument<std::remove_cvref_t<A>>(step, I + 1)...};
    }
    (std::make_index_sequence<sizeof...(A)>{});
    auto call = [&](auto&... arg) { return F(step, std::move(arg)...); };
    if constexpr (std::is_void_v<R>) {
      std::apply(call, args);
      return Any(nullptr);
    } else if constexpr (std::is_same_v<R, Any>) {
      return std::apply(call, args);
    } else if constexpr (std::is_same_v<R, SRefNode*>) {
      return step.handle(std::apply(call, args));
    } else {
      return step.handles(std::apply(call, args));
    }
  }
};

}  // namespace detail

template <auto F>
constexpr Primitive primitive(std::string_view kind, std::string_view signature, std::string_view doc,
                              std::string_view traced_names = {}, std::string_view json_inputs = {},
                              std::string_view (*assumes)(std::span<const Any>) = nullptr) {
  return {kind, signature, doc, &detail::RunStep<F, decltype(F)>::run, traced_names, json_inputs, assumes};
}

}  // namespace mlc::transform
