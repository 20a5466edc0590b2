// SPDX-License-Identifier: Apache-2.0
// What to try instead of a refused step, by the rule that refused it. Rows propose freely: what is refused in
// its turn is never shown.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "ir/core/try_get.h"
#include "repl/session/ways_out.h"
#include "transform/schedule/primitive.h"
#include "transform/schedule/tensor_intrin.h"

namespace mlc::repl {

namespace {

using transform::SRefNode;
using Calls = std::vector<std::string>;

void append(Calls& to, const Calls& more) { to.insert(to.end(), more.begin(), more.end()); }

bool is_method(const RefusedCall& call, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, call.method) != names.end();
}

// "[3, 2]" as its items; nothing where it is no list that was written out.
std::optional<std::vector<std::string>> items_of(const std::string& text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  std::vector<std::string> items;
  std::string item;
  for (char c : text.substr(1, text.size() - 2)) {
    if (std::string_view("()[]{}\"'").find(c) != std::string_view::npos) return std::nullopt;
    if (c == ',') {
      items.push_back(item);
      item.clear();
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      item += c;
    }
  }
  if (!item.empty()) items.push_back(item);
  return items;
}

std::string list_text(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

// ---- split ----

// One factor is inferred, the last that can be first.
Calls infer_a_factor(const RefusedCall& call) {
  Calls calls;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    auto items = items_of(call.arguments[i].text);
    if (!items) continue;
    for (size_t at = items->size(); at-- > 0;) {
      std::vector<std::string> other = *items;
      std::ranges::replace(other, "None", "1");
      other[at] = "None";
      calls.push_back(call.with(i, list_text(other)));
    }
  }
  return calls;
}

Calls infer_one_factor_only(const RefusedCall& call) {
  Calls calls;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    auto items = items_of(call.arguments[i].text);
    if (!items) continue;
    for (size_t kept = 0; kept < items->size(); ++kept) {
      if ((*items)[kept] != "None") continue;
      std::vector<std::string> other = *items;
      std::ranges::replace(other, "None", "4");
      other[kept] = "None";
      calls.push_back(call.with(i, list_text(other)));
    }
  }
  return calls;
}

Calls factors_above_zero(const RefusedCall& call) {
  Calls calls;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    auto items = items_of(call.arguments[i].text);
    if (!items) continue;
    bool infers = std::ranges::find(*items, "None") != items->end();
    for (const char* factor : {"None", "1"}) {
      std::vector<std::string> other = *items;
      for (std::string& each : other)
        if (each == "0" || each.starts_with('-')) each = infers ? "1" : factor;
      calls.push_back(call.with(i, list_text(other)));
    }
  }
  return calls;
}

Calls some_factors(const RefusedCall& call) {
  Calls calls;
  for (size_t i = 0; i < call.arguments.size(); ++i)
    if (items_of(call.arguments[i].text))
      for (const char* factors : {"[None, 4]", "[4, None]", "[None, 8]"})
        calls.push_back(call.with(i, factors));
  return calls;
}

// ---- other loops and blocks ----

// The loops around the blocks below a loop, that loop left out.
std::vector<const SRefNode*> loops_of_nest(const RefusedCall& call, const SRefNode& loop) {
  std::vector<const SRefNode*> nest;
  for (const SRefNode* block : call.blocks()) {
    std::vector<SRefNode*> around = transform::loops_above(*block);
    if (std::ranges::find(around, &loop) == around.end()) continue;
    for (const SRefNode* each : around)
      if (each != &loop && std::ranges::find(nest, each) == nest.end()) nest.push_back(each);
  }
  return nest;
}

Calls with_loops(const RefusedCall& call, size_t argument, const std::vector<const SRefNode*>& loops,
                 std::string_view method) {
  Calls calls;
  for (const SRefNode* loop : loops)
    if (std::string text = call.text_of(*loop); !text.empty())
      calls.push_back(call.with(argument, text, method));
  return calls;
}

// Another loop of the same nest: the innermost first for what is done within a core, the outermost for what
// is spread.
Calls other_loop_of_nest(const RefusedCall& call) {
  auto argument = call.loop_argument();
  const SRefNode* loop = argument ? call.loop(*argument) : nullptr;
  if (loop == nullptr) return {};
  std::vector<const SRefNode*> nest = loops_of_nest(call, *loop);
  if (is_method(call, {"vectorize", "unroll"})) std::ranges::reverse(nest);
  return with_loops(call, *argument, nest, call.method);
}

// The same; or the reduction is done in parts, one for each iteration of the loop.
Calls spatial_loop_or_rfactor(const RefusedCall& call) {
  Calls calls = other_loop_of_nest(call);
  auto argument = call.loop_argument();
  const SRefNode* loop = argument ? call.loop(*argument) : nullptr;
  if (loop == nullptr) return calls;
  for (const SRefNode* block : call.blocks()) {
    std::vector<SRefNode*> around = transform::loops_above(*block);
    auto at = std::ranges::find(around, loop);
    if (at == around.end()) continue;
    std::string parts = fmt::format("{}.get_loops({}.rfactor({}, 0))[{}]", call.receiver, call.receiver,
                                    call.arguments[*argument].text, at - around.begin());
    calls.insert(calls.begin() + static_cast<ptrdiff_t>(std::min<size_t>(calls.size(), 2)),
                 call.with(*argument, parts));
  }
  return calls;
}

// Loops of other blocks, of those near the block first.
Calls another_location(const RefusedCall& call) {
  auto argument = call.loop_argument();
  if (!argument) return {};
  auto moved = call.block_argument();
  const SRefNode* block = moved ? call.block(*moved) : nullptr;
  const SRefNode* refused = call.loop(*argument);
  std::vector<const SRefNode*> loops;
  if (refused != nullptr) {
    // Around the loop that was too far in, then below the one that was too far out.
    std::vector<SRefNode*> up = transform::loops_up(*const_cast<SRefNode*>(refused));
    for (const SRefNode* each : up)
      if (each != refused) loops.push_back(each);
    for (const SRefNode* each : loops_of_nest(call, *refused)) loops.push_back(each);
  }
  for (const SRefNode* each : call.loops()) loops.push_back(each);
  std::vector<SRefNode*> around =
      block != nullptr ? transform::loops_above(*block) : std::vector<SRefNode*>();
  std::erase_if(loops, [&](const SRefNode* each) {
    return each == refused || std::ranges::find(around, each) != around.end();
  });
  return with_loops(call, *argument, loops, call.method);
}

Calls another_location_or_direction(const RefusedCall& call) {
  Calls calls = another_location(call);
  std::string_view other = call.method == "compute_at" ? "reverse_compute_at" : "compute_at";
  if (!is_method(call, {"compute_at", "reverse_compute_at"})) return calls;
  calls.insert(calls.begin(), call.calling(other));
  return calls;
}

// Into a loop of another block instead of into its expression.
Calls move_instead_of_inlining(const RefusedCall& call) {
  auto argument = call.block_argument();
  const SRefNode* block = argument ? call.block(*argument) : nullptr;
  if (block == nullptr) return {};
  std::vector<SRefNode*> around = transform::loops_above(*block);
  std::string name = call.arguments[*argument].text;
  Calls calls;
  auto add = [&](const char* method, const std::vector<SRefNode*>& loops) {
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
      std::string text = call.text_of(**loop);
      if (!text.empty() && std::ranges::find(around, *loop) == around.end())
        calls.push_back(call.call(method, {name, text}));
    }
  };
  const SRefNode* scope = transform::scope_of(*block);
  if (scope == nullptr) return {};
  transform::Dependences deps = transform::declared_dependences(call.state(), *scope);
  bool up = call.method == "compute_inline";
  for (const SRefNode* other : up ? deps.consumers(*block) : deps.producers(*block))
    add(up ? "compute_at" : "reverse_compute_at", transform::loops_above(*other));
  return calls;
}

// Of a block: into loops of those that read it, behind what it reads, or what it reads into its own loops.
Calls move_either_way(const RefusedCall& call) {
  auto argument = call.block_argument();
  const SRefNode* block = argument ? call.block(*argument) : nullptr;
  const SRefNode* scope = block != nullptr ? transform::scope_of(*block) : nullptr;
  if (scope == nullptr) return {};
  transform::Dependences deps = transform::declared_dependences(call.state(), *scope);
  std::string name = call.arguments[*argument].text;
  Calls calls;
  auto add = [&](const char* method, const std::string& moved, const SRefNode& other) {
    std::vector<SRefNode*> loops = transform::loops_above(other);
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
      if (std::string text = call.text_of(**loop); !text.empty() && !moved.empty())
        calls.push_back(call.call(method, {moved, text}));
  };
  for (const SRefNode* producer : deps.producers(*block)) add("reverse_compute_at", name, *producer);
  for (const SRefNode* consumer : deps.consumers(*block)) add("compute_at", name, *consumer);
  for (const SRefNode* producer : deps.producers(*block)) {
    add("compute_at", call.text_of(*producer), *block);
    calls.push_back(call.call("compute_inline", {call.text_of(*producer)}));
  }
  return calls;
}

Calls another_location_or_producers(const RefusedCall& call) {
  Calls calls = another_location_or_direction(call);
  append(calls, move_either_way(call));
  return calls;
}

Calls output_block(const RefusedCall& call) {
  Calls calls;
  if (call.method == "compute_inline") calls.push_back(call.calling("reverse_compute_inline"));
  if (call.method == "compute_at") calls.push_back(call.calling("reverse_compute_at"));
  if (call.method != "compute_at") return calls;
  // The loop may be below none of its producers: any other may be.
  for (const std::string& each : another_location(call)) {
    std::string other = each;
    size_t at = other.find(".compute_at(");
    if (at != std::string::npos)
      calls.push_back(other.replace(at + 1, std::string_view("compute_at").size(), "reverse_compute_at"));
  }
  return calls;
}

// The producer is put into it.
Calls inline_producers(const RefusedCall& call) {
  auto argument = call.block_argument();
  const SRefNode* block = argument ? call.block(*argument) : nullptr;
  const SRefNode* scope = block != nullptr ? transform::scope_of(*block) : nullptr;
  if (scope == nullptr) return {};
  Calls calls;
  for (const SRefNode* producer : transform::declared_dependences(call.state(), *scope).producers(*block))
    if (std::string text = call.text_of(*producer); !text.empty())
      calls.push_back(call.call("compute_inline", {text}));
  append(calls, move_instead_of_inlining(call));
  return calls;
}

// One of the loops around the block that is named.
Calls loop_of_the_block(const RefusedCall& call) {
  auto argument = call.loop_argument(), named = call.block_argument();
  const SRefNode* block = named ? call.block(*named) : nullptr;
  if (!argument || block == nullptr) return other_loop_of_nest(call);
  std::vector<SRefNode*> around = transform::loops_above(*block);
  return with_loops(call, *argument, {around.rbegin(), around.rend()}, call.method);
}

// ---- what is called otherwise now ----

// "i" of "i_0": a loop that a split or a fusion has made of it.
bool comes_from(std::string_view name, std::string_view before) {
  return name == before || name.starts_with(std::string(before) + "_") ||
         name.find("_" + std::string(before) + "_") != name.npos;
}

Calls same_name_again(const RefusedCall& call) {
  Calls calls;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const RefusedCall::Argument& argument = call.arguments[i];
    if (argument.gone.empty()) continue;
    for (bool exactly : {true, false}) {
      for (const SRefNode* each : argument.is_loop ? call.loops() : call.blocks()) {
        std::string_view name(each->name.data(), each->name.size());
        if (exactly ? name != argument.gone : name == argument.gone || !comes_from(name, argument.gone))
          continue;
        std::string text = argument.is_loop ? call.text_of(*each) : fmt::format("\"{}\"", name);
        if (!text.empty()) calls.push_back(call.with(i, text));
      }
    }
  }
  return calls;
}

// The names in the order of their likeness to a word.
std::vector<std::string> by_likeness(const std::string& word, std::vector<std::string> names) {
  auto common = [&](const std::string& name) {
    size_t at = 0;
    while (at < name.size() && at < word.size() && name[at] == word[at]) ++at;
    return at;
  };
  std::string near = ir::closest(word, names);
  std::ranges::stable_sort(names, [&](const std::string& a, const std::string& b) {
    if ((a == near) != (b == near)) return a == near;
    return common(a) > common(b);
  });
  return names;
}

// For each argument that is a string and blamed, or the first one: the same call with other names.
Calls with_names(const RefusedCall& call, const std::vector<std::string>& names) {
  Calls calls;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    auto word = call.arguments[i].value.try_cast<ir::String>();
    if (!word || !call.arguments[i].blamed) continue;
    for (const std::string& name : by_likeness(std::string(*word), names))
      calls.push_back(call.with(i, fmt::format("\"{}\"", name)));
  }
  return calls;
}

Calls other_block(const RefusedCall& call) {
  std::vector<std::string> names;
  for (const SRefNode* each : call.blocks()) names.emplace_back(each->name);
  return with_names(call, names);
}

Calls other_function(const RefusedCall& call) {
  Calls calls;
  std::vector<std::string> names;
  for (const auto& [var, fn] : call.state().mod()->functions)
    if (fn.as<ir::PrimFunc>()) names.emplace_back(var->name_hint);
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    auto word = call.arguments[i].value.try_cast<ir::String>();
    if (!word || call.state().mod()->find(std::string_view(word->data(), word->size()))) continue;
    for (const std::string& name : by_likeness(std::string(*word), names))
      calls.push_back(call.with(i, fmt::format("\"{}\"", name)));
  }
  return calls;
}

Calls choose_function(const RefusedCall& call) {
  Calls calls;
  for (const auto& [var, fn] : call.state().mod()->functions)
    if (fn.as<ir::PrimFunc>())
      calls.push_back(fmt::format("{}.work_on(\"{}\"); {}", call.receiver, var->name_hint.c_str(),
                                  call.calling(call.method)));
  return calls;
}

Calls other_scope(const RefusedCall& call) { return with_names(call, {"shared", "local", "global"}); }

Calls other_thread(const RefusedCall& call) {
  return with_names(call, {"threadIdx.x", "threadIdx.y", "threadIdx.z", "blockIdx.x", "blockIdx.y",
                           "blockIdx.z", "vthread"});
}

Calls other_buffer(const RefusedCall& call) {
  Calls calls;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    if (!call.arguments[i].blamed) continue;
    for (int number = 0; number < 4; ++number) calls.push_back(call.with(i, fmt::format("{}", number)));
    if (is_method(call, {"transform_layout", "set_axis_separator"}))
      for (const char* buffer : {"(\"write\", 0)", "(\"read\", 0)", "(\"read\", 1)"})
        calls.push_back(call.with(i, buffer));
  }
  return calls;
}

// ---- steps before it ----

Calls without_annotations(const RefusedCall& call) {
  Calls calls;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const SRefNode* loop = call.loop(i);
    if (loop == nullptr) continue;
    std::string steps;
    for (const auto& [key, value] : loop->loop()->annotations)
      steps += fmt::format("{}.unannotate({}, \"{}\"); ", call.receiver, call.arguments[i].text, key.c_str());
    if (!steps.empty()) calls.push_back(steps + call.calling(call.method));
  }
  return calls;
}

// The loops among the arguments, from the outside in; those that are in no nest with the first are left out.
std::vector<std::pair<const SRefNode*, std::string>> nested_arguments(const RefusedCall& call) {
  std::vector<std::pair<const SRefNode*, std::string>> nested;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const SRefNode* loop = call.loop(i);
    if (loop == nullptr) continue;
    bool apart = !nested.empty() && !transform::is_above(*nested.front().first, *loop) &&
                 !transform::is_above(*loop, *nested.front().first);
    bool again = std::ranges::any_of(nested, [&](const auto& each) { return each.first == loop; });
    if (!apart && !again) nested.emplace_back(loop, call.arguments[i].text);
  }
  return nested;
}

Calls reorder_before(const RefusedCall& call) {
  auto nested = nested_arguments(call);
  if (nested.size() < 2) return {};
  auto outside_in = nested;
  std::ranges::sort(outside_in,
                    [](const auto& a, const auto& b) { return transform::is_above(*a.first, *b.first); });
  auto texts_of = [](const auto& loops) {
    std::vector<std::string> texts;
    for (const auto& [loop, text] : loops) texts.push_back(text);
    return texts;
  };
  Calls calls;
  // The same loops in their order; then with those between them moved out of the way.
  calls.push_back(call.call(call.method, texts_of(outside_in)));
  std::vector<std::string> between;
  for (SRefNode* loop : transform::loops_up(*const_cast<SRefNode*>(outside_in.back().first))) {
    bool is_one = std::ranges::any_of(outside_in, [&](const auto& each) { return each.first == loop; });
    if (!is_one && transform::is_above(*outside_in.front().first, *loop))
      between.insert(between.begin(), call.text_of(*loop));
  }
  if (between.empty() || std::ranges::find(between, "") != between.end()) return calls;
  for (bool behind : {true, false}) {
    std::vector<std::string> order = texts_of(nested);
    order.insert(behind ? order.end() : order.begin(), between.begin(), between.end());
    calls.push_back(
        fmt::format("{}; {}", call.call("reorder", order), call.call(call.method, texts_of(nested))));
  }
  return calls;
}

Calls nested_loops_alone(const RefusedCall& call) {
  std::vector<std::string> texts;
  for (const auto& [loop, text] : nested_arguments(call)) texts.push_back(text);
  return texts.size() < 2 ? Calls() : Calls{call.call(call.method, texts)};
}

// ---- arguments of another type ----

// `split(i, 4)`, and `split(i, factor=4)` of tensor expressions: a number where a list of factors is asked
// for.
Calls factors_as_list(const RefusedCall& call) {
  Calls calls;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const RefusedCall::Argument& each = call.arguments[i];
    bool by_number = each.keyword == "factor" || each.keyword == "nparts";
    if (!is_method(call, {"split"}) || !each.value.try_cast<int64_t>() || !(each.blamed || by_number))
      continue;
    std::vector<std::string> lists{fmt::format("[None, {}]", each.text),
                                   fmt::format("[{}, None]", each.text)};
    if (each.keyword == "nparts") std::swap(lists[0], lists[1]);
    for (const std::string& list : lists) {
      std::vector<std::string> texts;
      for (const RefusedCall::Argument& other : call.arguments)
        texts.push_back(&other == &each         ? (each.keyword.empty() ? "" : "factors=") + list
                        : other.keyword.empty() ? other.text
                                                : fmt::format("{}={}", other.keyword, other.text));
      calls.push_back(call.call(call.method, texts));
    }
  }
  return calls;
}

// The keyword that the refusal takes it for.
Calls keyword_as_meant(const RefusedCall& call) {
  Calls calls = factors_as_list(call);
  std::string_view help = call.error.help;
  size_t begin = help.find('`'), end = help.find('`', begin + 1);
  if (end == std::string_view::npos) return calls;
  for (const RefusedCall::Argument& each : call.arguments) {
    if (each.keyword.empty() || !call.error.message.ends_with(fmt::format("`{}`", each.keyword))) continue;
    std::vector<std::string> texts;
    for (const RefusedCall::Argument& other : call.arguments) {
      std::string_view keyword =
          &other == &each ? help.substr(begin + 1, end - begin - 1) : std::string_view(other.keyword);
      texts.push_back(keyword.empty() ? other.text : fmt::format("{}={}", keyword, other.text));
    }
    calls.push_back(call.call(call.method, texts));
  }
  return calls;
}

// A list of loops where each is an argument of its own; the name of a loop where its handle is asked for.
Calls of_the_type(const RefusedCall& call) {
  Calls calls = factors_as_list(call);
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const RefusedCall::Argument& each = call.arguments[i];
    if (!each.blamed) continue;
    if (auto items = items_of(each.text); items && each.keyword.empty())
      calls.push_back(call.with(i, fmt::format("{}", fmt::join(*items, ", "))));
    auto name = each.value.try_cast<ir::String>();
    if (name && call.evaluator.global(std::string(*name)) != nullptr)
      calls.push_back(call.with(i, std::string(*name)));
    if (name)
      for (const SRefNode* loop : call.loops())
        if (std::string text = call.text_of(*loop); loop->name == *name && !text.empty())
          calls.push_back(call.with(i, text));
    // A loop of the block.
    if (const SRefNode* block = name ? nullptr : call.block(i)) {
      std::vector<SRefNode*> around = transform::loops_above(*block);
      for (auto loop = around.rbegin(); loop != around.rend(); ++loop)
        if (std::string text = call.text_of(**loop); !text.empty()) calls.push_back(call.with(i, text));
    }
  }
  return calls;
}

// ---- numbers ----

Calls other_number(const RefusedCall& call) {
  Calls calls;
  for (size_t i = 0; i < call.arguments.size(); ++i)
    if (call.arguments[i].blamed)
      for (const char* number : {"0", "1", "-1", "-2", "2"}) calls.push_back(call.with(i, number));
  return calls;
}

Calls other_key(const RefusedCall& call) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const SRefNode* loop = call.loop(i);
    const SRefNode* block = call.block(i);
    if (loop == nullptr && block == nullptr) continue;
    for (const auto& [key, value] : loop != nullptr ? loop->loop()->annotations : block->block()->annotations)
      keys.emplace_back(key);
  }
  return with_names(call, keys);
}

Calls other_method(const RefusedCall& call) {
  std::vector<std::string> names;
  for (const transform::Primitive* each : transform::all_primitives()) names.emplace_back(each->name());
  Calls calls;
  std::string near = ir::closest(call.method, names);
  if (!near.empty()) calls.push_back(call.calling(near));
  return calls;
}

Calls other_intrinsic(const RefusedCall& call) { return with_names(call, transform::intrinsic_names()); }

// ---- copies ----

// The block writes a copy, which then is what the call is about.
Calls copy_first(const RefusedCall& call) {
  auto argument = call.block_argument();
  if (!argument || call.arguments.size() < 2) return {};
  const std::string &block = call.arguments[*argument].text, &number = call.arguments[1].text;
  std::string rest = "; " + call.calling(call.method);
  return {call.call("cache_write", {block, number, "\"global\""}) + rest,
          call.call("cache_read", {block, number, "\"global\""}) + rest};
}

// The same copy made by another step.
Calls copy_otherwise(const RefusedCall& call) {
  auto argument = call.block_argument();
  const SRefNode* block = argument ? call.block(*argument) : nullptr;
  if (block == nullptr) return {};
  const std::string& name = call.arguments[*argument].text;
  std::string scope = "\"local\"";
  for (const RefusedCall::Argument& each : call.arguments)
    if (each.text == "\"global\"" || each.text == "\"shared\"") scope = each.text;
  Calls calls;
  for (const char* method : {"cache_read", "cache_write", "cache_inplace"})
    for (const char* number : {"0", "1"}) calls.push_back(call.call(method, {name, number, scope}));
  // A copy of what the block accesses alone, by the numbers of its instances.
  std::vector<std::string> iters;
  for (const ir::IterVar& iter : block->block()->iter_vars) iters.emplace_back(iter->var->name);
  std::string names = fmt::format("{}", fmt::join(iters, ", "));
  for (const char* method : {"reindex_cache_write", "reindex_cache_read"})
    calls.push_back(call.call(method, {name, "0", scope, fmt::format("lambda {0}: ({0},)", names)}));
  return calls;
}

// ---- several nests ----

// With each loop of another nest.
Calls merge_with_another(const RefusedCall& call) {
  auto argument = call.loop_argument();
  const SRefNode* loop = argument ? call.loop(*argument) : nullptr;
  if (loop == nullptr) return {};
  Calls calls;
  for (const SRefNode* each : call.loops()) {
    bool apart = each != loop && !transform::is_above(*each, *loop) && !transform::is_above(*loop, *each);
    if (std::string text = call.text_of(*each); apart && !text.empty())
      calls.push_back(call.call(call.method, {call.arguments[*argument].text, text}));
  }
  return calls;
}

Calls nested_loops(const RefusedCall& call) {
  Calls calls;
  for (const SRefNode* block : call.blocks()) {
    std::vector<std::string> texts;
    for (const SRefNode* loop : transform::loops_above(*block)) texts.push_back(call.text_of(*loop));
    if (texts.size() > 2) calls.push_back(call.call(call.method, {texts[0], texts[1]}));
    if (texts.size() > 1) calls.push_back(call.call(call.method, texts));
  }
  return calls;
}

// The blocks below the loop, as a list.
Calls blocks_as_list(const RefusedCall& call) {
  auto argument = call.loop_argument();
  const SRefNode* loop = argument ? call.loop(*argument) : nullptr;
  if (loop == nullptr) return {};
  std::vector<std::string> names;
  for (const SRefNode* block : transform::child_blocks(call.state(), *loop))
    names.push_back(call.text_of(*block));
  return {call.with(*argument, list_text(names))};
}

// ---- what goes before ----

// Sums begin before the loops that are moved around them.
Calls decompose_before(const RefusedCall& call) {
  auto nested = nested_arguments(call);
  std::ranges::sort(nested,
                    [](const auto& a, const auto& b) { return transform::is_above(*a.first, *b.first); });
  Calls calls;
  for (const SRefNode* block : call.blocks()) {
    if (!block->block()->init || call.text_of(*block).empty()) continue;
    std::vector<SRefNode*> around = transform::loops_above(*block);
    if (around.empty()) continue;
    bool below = !nested.empty() && std::ranges::find(around, nested.front().first) != around.end();
    const SRefNode* at = below ? nested.front().first : around.front();
    calls.push_back(fmt::format("{}; {}",
                                call.call("decompose_reduction", {call.text_of(*block), call.text_of(*at)}),
                                call.calling(call.method)));
  }
  return calls;
}

// The block is computed where it is read.
Calls compute_at_reader_before(const RefusedCall& call) {
  auto argument = call.block_argument();
  const SRefNode* block = argument ? call.block(*argument) : nullptr;
  const SRefNode* scope = block != nullptr ? transform::scope_of(*block) : nullptr;
  if (scope == nullptr) return {};
  Calls calls;
  for (const SRefNode* reader : transform::declared_dependences(call.state(), *scope).consumers(*block))
    for (const SRefNode* loop : transform::loops_above(*reader))
      calls.push_back(fmt::format(
          "{}; {}", call.call("compute_at", {call.arguments[*argument].text, call.text_of(*loop)}),
          call.calling(call.method)));
  return calls;
}

constexpr WayOutRow kRows[] = {
    {"access-not-invertible", another_location},
    {"annotation-not-found", other_key},
    {"axis-out-of-range", other_number},
    {"block-handle-gone", same_name_again},
    {"block-not-found", other_block},
    {"blockize-outer-reduction", decompose_before},
    {"blockize-several-blocks", blocks_as_list},
    {"buffer-not-allocated", copy_first},
    {"cache-leaves-gaps", copy_otherwise},
    {"cache-write-updates", copy_otherwise},
    {"consumer-before-loop", another_location_or_direction},
    {"consumer-outside-loop", another_location_or_direction},
    {"consumer-reaches-further", another_location_or_producers},
    {"fuse-not-nested", reorder_before},
    {"fuse-not-only-child", reorder_before},
    {"fuse-without-loops", nested_loops},
    {"inline-different-indices", move_either_way},
    {"inline-has-init", move_either_way},
    {"inline-into-reduction", move_either_way},
    {"inline-not-one-buffer", move_either_way},
    {"inline-reads-outside", inline_producers},
    {"loop-carries-reduction", spatial_loop_or_rfactor},
    {"loop-handle-gone", same_name_again},
    {"loop-has-annotation", without_annotations},
    {"loop-is-around-block", another_location_or_direction},
    {"loop-may-be-empty", another_location},
    {"loop-not-around-block", loop_of_the_block},
    {"loop-repeats-reduction", other_loop_of_nest},
    {"merge-different-depths", merge_with_another},
    {"merge-too-few-loops", merge_with_another},
    {"no-attribute", other_method},
    {"no-function-chosen", choose_function},
    {"no-such-buffer", other_buffer},
    {"no-such-function", other_function},
    {"no-such-intrinsic", other_intrinsic},
    {"no-such-position", other_number},
    {"not-compact-dataflow", other_loop_of_nest},
    {"not-in-one-scope", another_location},
    {"not-in-place", copy_otherwise},
    {"only-block", another_location_or_direction},
    {"output-block", output_block},
    {"producer-outside-loop", another_location_or_direction},
    {"reads-partial-sum", another_location},
    {"reduction-loop-outside", loop_of_the_block},
    {"reduction-repeated", another_location},
    {"reindex-different-indices", copy_otherwise},
    {"reindex-inside-nest", copy_otherwise},
    {"reindex-updates", copy_otherwise},
    {"reorder-duplicate-loop", nested_loops_alone},
    {"reorder-not-a-chain", nested_loops_alone},
    {"rfactor-axis-out-of-range", other_number},
    {"rfactor-spatial-loop", other_loop_of_nest},
    {"rolling-no-loop", compute_at_reader_before},
    {"root-block", other_block},
    {"several-consumers", inline_producers},
    {"several-producers", inline_producers},
    {"split-factor-not-positive", factors_above_zero},
    {"split-not-covering", infer_a_factor},
    {"split-several-inferred", infer_one_factor_only},
    {"split-without-factors", some_factors},
    {"unknown-keyword", keyword_as_meant},
    {"unknown-storage-scope", other_scope},
    {"unknown-thread-axis", other_thread},
    {"written-after-read", another_location},
    {"wrong-type", of_the_type},
};

}  // namespace

std::span<const WayOutRow> way_out_rows() { return kRows; }

}  // namespace mlc::repl
