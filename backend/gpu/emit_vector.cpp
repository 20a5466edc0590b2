// SPDX-License-Identifier: Apache-2.0
// Vectors: lanes, loads and stores.
#include <bit>
#include <utility>

#include "backend/artefact/extents.h"
#include "backend/gpu/emitter.h"
#include "ir/core/error.h"

namespace mlc::gpu_backend {

using c_backend::casted;
using c_backend::infix;
using c_backend::kAnd;
using c_backend::kEquality;
using c_backend::kOr;
using c_backend::kPrimary;
using c_backend::kSum;
using c_backend::kTernary;
using c_backend::kUnary;

// A name, a number, or a thread's coordinate: written as often as it is needed.
bool KernelEmitter::is_simple(const Text& text) {
  return text.precedence >= kUnary && text.text.find_first_of("[( ") == std::string::npos;
}

std::string KernelEmitter::lane(const std::string& vector, DataType, int index) {
  return fmt::format("{}.{}", vector, "xyzw"[index]);
}

std::string KernelEmitter::pack(DataType dtype, const std::vector<Text>& lanes, ir::Span span) {
  return fmt::format("{}({})", type(dtype, span), c_backend::listed(lanes));
}

std::vector<Text> KernelEmitter::lanes(Value& value) {
  if (!value.lanes.empty()) return value.lanes;
  if (value.dtype.is_scalar()) return {value.whole};
  bool named = value.whole.text.find_first_not_of(
                   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
  std::string name = named ? value.whole.text : keep(value.whole, value.dtype, "v", {});
  value.whole = {name};
  for (int i = 0; i < value.dtype.lanes(); ++i) value.lanes.push_back({lane(name, value.dtype, i)});
  std::vector<Text> made = std::move(value.lanes);
  value.lanes.clear();
  return made;
}

std::string KernelEmitter::whole(Value& value, ir::Span span) {
  if (value.lanes.empty()) return value.whole.text;
  return pack(value.dtype, value.lanes, span);
}

Value KernelEmitter::broadcast(const Expr& scalar_value, int lanes) {
  if (!scalar_value->dtype().is_scalar()) refuse("a broadcast of a vector", scalar_value->span);
  Text one = scalar(scalar_value);
  DataType dtype = scalar_value->dtype();
  bool constant =
      ir::as<ir::IntImmNode>(scalar_value) != nullptr || ir::as<ir::FloatImmNode>(scalar_value) != nullptr;
  if (!constant && !is_simple(one)) one = {keep(one, dtype, "value", scalar_value->span)};
  if (words_.vector_arithmetic && !dtype.is_bool() && std::has_single_bit(static_cast<unsigned>(lanes)) &&
      lanes <= 16)
    return of(dtype.with_lanes(lanes), {pack(dtype.with_lanes(lanes), {one}, scalar_value->span)});
  return {dtype.with_lanes(lanes), {}, std::vector<Text>(static_cast<size_t>(lanes), one)};
}

Value KernelEmitter::each_lane(DataType dtype, std::vector<Value> args,
                               const std::function<Text(const std::vector<Text>&)>& one) {
  if (dtype.is_scalar()) {
    std::vector<Text> texts;
    for (Value& arg : args) texts.push_back(arg.whole);
    return of(dtype, one(texts));
  }
  std::vector<std::vector<Text>> by_lane;
  for (Value& arg : args) by_lane.push_back(lanes(arg));
  Value made{dtype, {}, {}};
  for (size_t i = 0; i < static_cast<size_t>(dtype.lanes()); ++i) {
    std::vector<Text> texts;
    for (const auto& arg : by_lane) texts.push_back(arg.size() == 1 ? arg[0] : arg[i]);
    made.lanes.push_back(one(texts));
  }
  return made;
}

Value KernelEmitter::shuffle(const ir::ShuffleNode* e) {
  std::vector<Text> all;
  for (const Expr& vector : e->vectors) {
    Value value = emit(vector);
    for (Text& one : lanes(value)) all.push_back(std::move(one));
  }
  Value made{e->dtype(), {}, {}};
  for (const Expr& index : e->indices) {
    auto at = ir::const_int(index);
    if (!at || *at < 0 || *at >= static_cast<int64_t>(all.size()))
      refuse("a shuffle with this index", index->span);
    made.lanes.push_back(all[static_cast<size_t>(*at)]);
  }
  if (e->indices.size() == 1) return of(e->dtype(), made.lanes[0]);
  return made;
}

// ---- memory ----

Text KernelEmitter::pointer(const VarNode* buffer, ir::Span span) {
  const Binding& memory = binding(buffer, span);
  const ir::BufferTypeNode* type = buffer->buffer();
  if (type == nullptr || memory.element == DataType(type->dtype)) return memory.text;
  std::string target = pointer_type(type->dtype, memory.scope, memory.is_const, span);
  if (memory.is_volatile) target = "volatile " + target;
  if (!words_.pointers)
    refuse(
        fmt::format("memory of {} seen as {}", DataType(memory.element).str(), DataType(type->dtype).str()),
        span);
  return casted(target, memory.text);
}

std::string KernelEmitter::element(const VarNode* buffer, const std::string& index, ir::Span span) {
  return fmt::format("{}[{}]", pointer(buffer, span).at_least(kPrimary), index);
}

namespace {

// `pointer + index`, or the pointer alone.
Text advanced(const Text& pointer, const Text& index) {
  if (index.text == "0") return pointer;
  return infix(pointer, "+", index, kSum, kSum);
}

}  // namespace

Value KernelEmitter::load(const Var& buffer, const ir::Array<Expr>& indices, DataType dtype, const Expr& mask,
                          ir::Span span) {
  DataType stored = buffer->buffer()->dtype;
  const Binding& memory = binding(buffer.get(), span);
  Expr flat = backend::flat_index(buffer, indices);
  auto as_value = [&](const std::string& text) {
    // A type that memory has in another form, such as bool.
    return memory_type(stored.element(), span) == type(stored.element(), span)
               ? Text{text}
               : cast({text}, DataType::UInt(8), stored.element(), span);
  };
  if (!flat->dtype().is_vector() && !stored.is_scalar() && !mask && !memory.scope.starts_with("local") &&
      words_.pointers) {
    Text at = advanced(pointer(buffer.get(), span), {index(flat)});
    return of(dtype, load_vector(dtype, at, memory, span));
  }
  if (!flat->dtype().is_vector()) {
    std::string text = element(buffer.get(), index(flat), span);
    if (mask) {
      return of(dtype, choice(scalar(mask), as_value(text), cast({"0"}, DataType::Int(32), stored, span)));
    }
    return of(dtype, as_value(text));
  }
  if (!stored.is_scalar()) refuse("a vector index into a buffer whose elements are vectors", span);
  int count = dtype.lanes();
  auto* ramp = ir::as<ir::RampNode>(flat);
  bool before = std::exchange(in_index_, true);
  Value made{dtype, {}, {}};
  bool whole = !mask && ramp != nullptr && ir::is_const_int(ramp->stride, 1) &&
               divisor(ramp->base) % count == 0 && std::has_single_bit(static_cast<unsigned>(count)) &&
               !memory.is_volatile && !stored.is_bool() && words_.pointers;
  if (whole) {
    made = of(dtype,
              load_vector(dtype, advanced(pointer(buffer.get(), span), scalar(ramp->base)), memory, span));
  } else {
    Value at = emit(flat);
    std::vector<Text> masks;
    if (mask) {
      Value held = emit(mask);
      masks = lanes(held);
    }
    std::vector<Text> positions = lanes(at);
    for (size_t i = 0; i < positions.size(); ++i) {
      Text one = as_value(element(buffer.get(), positions[i].text, span));
      if (mask) {
        one = choice(masks[i], one, cast({"0"}, DataType::Int(32), stored, span));
      }
      made.lanes.push_back(one);
    }
  }
  in_index_ = before;
  return made;
}

void KernelEmitter::store(const Var& buffer, const ir::Array<Expr>& indices, const Expr& value,
                          const Expr& mask, ir::Span span) {
  DataType stored = buffer->buffer()->dtype;
  const Binding& memory = binding(buffer.get(), span);
  Expr flat = backend::flat_index(buffer, indices);
  auto as_stored = [&](const Text& text) {
    return memory_type(stored.element(), span) == type(stored.element(), span)
               ? text.text
               : converted(memory_type(stored.element(), span), text).text;
  };
  if (!flat->dtype().is_vector()) {
    std::string condition = mask ? scalar(mask).text : "";
    Value made = emit(value);
    if (!stored.is_scalar() && !mask && !memory.scope.starts_with("local") && words_.pointers) {
      std::string text = whole(made, span);
      Text at = advanced(pointer(buffer.get(), span), {index(flat)});
      return line(store_vector(stored, at, text, memory, span));
    }
    std::string text = stored.is_scalar() ? as_stored(made.whole) : whole(made, span);
    line(guarded(condition, fmt::format("{} = {};", element(buffer.get(), index(flat), span), text)));
    return;
  }
  if (!stored.is_scalar()) refuse("a vector index into a buffer whose elements are vectors", span);
  int count = flat->dtype().lanes();
  auto* ramp = ir::as<ir::RampNode>(flat);
  Value made = value->dtype().is_scalar() ? broadcast(value, count) : emit(value);
  bool whole_store = !mask && ramp != nullptr && ir::is_const_int(ramp->stride, 1) &&
                     divisor(ramp->base) % count == 0 && std::has_single_bit(static_cast<unsigned>(count)) &&
                     !memory.is_volatile && !stored.is_bool() && words_.pointers;
  if (whole_store) {
    bool before = std::exchange(in_index_, true);
    Text target = advanced(pointer(buffer.get(), span), scalar(ramp->base));
    in_index_ = before;
    DataType dtype = stored.with_lanes(count);
    line(store_vector(dtype, target, whole(made, span), memory, span));
    return;
  }
  // All lanes are there before the first one is written.
  std::vector<Text> values;
  for (Text& one : lanes(made)) {
    bool constant = ir::as<ir::BroadcastNode>(value) != nullptr || is_simple(one);
    values.push_back(constant ? one : Text{keep(one, stored, "lane", span)});
  }
  std::vector<Text> masks;
  if (mask) {
    Value held = emit(mask);
    masks = lanes(held);
  }
  bool before = std::exchange(in_index_, true);
  Value at = emit(flat);
  std::vector<Text> positions = lanes(at);
  in_index_ = before;
  for (size_t i = 0; i < positions.size(); ++i) {
    line(guarded(
        mask ? masks[i].text : "",
        fmt::format("{} = {};", element(buffer.get(), positions[i].text, span), as_stored(values[i]))));
  }
}

}  // namespace mlc::gpu_backend
