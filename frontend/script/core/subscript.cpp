// SPDX-License-Identifier: Apache-2.0
// `object[index]`, read and written.
#include "frontend/script/core/ir_values.h"
#include "frontend/script/core/machine.h"
#include "frontend/script/types/text_points.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "no-item-assignment",
         .message = "'{}' object does not support item assignment",
         .meaning = "Elements of this type stay what they are.",
         .wrong = R"(t = (1, 2)
t[0] = 3)",
         .right = R"(t = [1, 2]
t[0] = 3)"},
        {.name = "not-subscriptable"},
        {.name = "slice-length",
         .kind = "ValueError",
         .message = "attempt to assign sequence of size {} to extended slice of size {}",
         .meaning = "A slice with a step takes as many values as it has places.",
         .wrong = R"(a = [1, 2, 3, 4]
a[::2] = [0])",
         .right = R"(a = [1, 2, 3, 4]
a[::2] = [0, 0])"},
    }};
MLC_REFUSALS(core_subscript, refusals);

using State = Evaluator::State;

namespace {

Any str_subscript(Evaluator& evaluator, const Any& object, const Any& index, ir::Span span) {
  std::string_view text = text_of(object);
  int64_t size = text_length(object);
  bool ascii = size == static_cast<int64_t>(text.size());
  auto part = [&](int64_t i, int64_t count) {
    return ascii ? text.substr(static_cast<size_t>(i), static_cast<size_t>(count))
                 : text_slice(object, i, count);
  };
  if (auto* slice = as<SliceNode>(index)) {
    SliceBounds bounds = slice_bounds(evaluator, *slice, size, span);
    if (bounds.step == 1) return str_value(part(bounds.start, bounds.count));
    std::string result;
    for (int64_t i = 0; i < bounds.count; ++i) result += part(bounds.start + i * bounds.step, 1);
    return str_value(result);
  }
  if (!is_integer(plain_number(index)) && as<InstanceNode>(index) == nullptr) {
    raise("TypeError", span, "wrong-index", "string indices must be integers, not '{}'",
          type_name_of(evaluator, index));
  }
  int64_t i = index_value(evaluator, index, span, "string indices");
  if (i < 0) i += size;
  if (i < 0 || i >= size) raise("IndexError", span, "index-out-of-range", "string index out of range");
  return str_value(part(i, 1));
}

template <class S>
Any sequence_slice(Evaluator& evaluator, const Any& object, const SliceNode& slice, ir::Span span) {
  std::span<Any> all = elements(object);
  SliceBounds bounds = slice_bounds(evaluator, slice, static_cast<int64_t>(all.size()), span);
  if (bounds.step == 1) return S(all.begin() + bounds.start, all.begin() + bounds.start + bounds.count);
  std::vector<Any> picked;
  picked.reserve(static_cast<size_t>(bounds.count));
  for (int64_t i = 0; i < bounds.count; ++i)
    picked.push_back(all[static_cast<size_t>(bounds.start + i * bounds.step)]);
  return S(picked.begin(), picked.end());
}

}  // namespace

Any Evaluator::subscript(const Any& object, const Any& index, ir::Span span, ir::Span index_span) {
  if (!index_span) index_span = span;
  switch (object.type_index()) {
    case kTVMFFIList:
    case kTVMFFIArray: {
      bool list = object.type_index() == kTVMFFIList;
      if (auto* slice = as<SliceNode>(index)) {
        return !Tuple::is(object) ? sequence_slice<List>(*this, object, *slice, index_span)
                                  : sequence_slice<Tuple>(*this, object, *slice, index_span);
      }
      std::span<Any> all = elements(object);
      int64_t i = index_value(*this, index, index_span, list ? "list indices" : "tuple indices");
      auto size = static_cast<int64_t>(all.size());
      if (i < -size || i >= size) {
        if (!list && !Tuple::is(object)) {
          raise("IndexError", index_span, "index-out-of-range", "a sequence of {} has no element {}", size,
                i);
        }
        throw ir::Error("index-out-of-range", "{} index out of range", list ? "list" : "tuple")
            .kind("IndexError")
            .at(index_span)
            .note(fmt::format("the index is {}, the length {}", i, size));
      }
      return all[static_cast<size_t>(i < 0 ? i + size : i)];
    }
    case kTVMFFIShape: {
      std::vector<Any> all = elements_of(object);
      return subscript(Tuple(all.begin(), all.end()), index, span, index_span);
    }
    case kTVMFFIDict:
    case kTVMFFIMap: {
      if (Any* found = dict_find(*this, object, index, index_span)) return *found;
      key_error(*this, index, index_span, object);
    }
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return str_subscript(*this, object, index, index_span);
    case kTVMFFISmallBytes:
    case kTVMFFIBytes: {
      auto bytes = object.cast<ffi::Bytes>();
      std::string_view all(bytes.data(), bytes.size());
      auto size = static_cast<int64_t>(all.size());
      if (auto* slice = as<SliceNode>(index)) {
        SliceBounds bounds = slice_bounds(*this, *slice, size, index_span);
        std::string picked;
        for (int64_t i = 0; i < bounds.count; ++i)
          picked.push_back(all[static_cast<size_t>(bounds.start + i * bounds.step)]);
        return ffi::Bytes(picked);
      }
      int64_t at = index_value(*this, index, index_span, "byte indices");
      if (at < -size || at >= size) raise("IndexError", index_span, "out-of-range", "index out of range");
      return static_cast<int64_t>(
          static_cast<unsigned char>(all[static_cast<size_t>(at < 0 ? at + size : at)]));
    }
    default:
      break;
  }
  if (is_object(object)) {
    if (is_ir_value(object)) {
      bool several = index.type_index() == kTVMFFIArray;
      return ir_subscript(object, several ? elements(index) : std::span<const Any>(&index, 1), span,
                          [this](const ir::Expr& e) { return simplify(e); });
    }
    if (as<ir::NDArrayNode>(object)) {
      try {
        return array_subscript(*this, object, index, index_span);
      } catch (ir::Error& error) {
        if (!error.first().span) error.first().span = index_span;
        throw;
      }
    }
    if (auto* range = as<RangeNode>(object)) {
      int64_t size = range->size();
      if (auto* slice = as<SliceNode>(index)) {
        SliceBounds bounds = slice_bounds(*this, *slice, size, index_span);
        int64_t step = range->step * bounds.step;
        int64_t start = range->at(bounds.start);
        return Any(ir::make<RangeNode>(start, range->at(bounds.stop), step));
      }
      int64_t i = index_value(*this, index, index_span, "range indices");
      if (i < -size || i >= size) {
        raise("IndexError", index_span, "index-out-of-range", "range object index out of range");
      }
      return range->at(i < 0 ? i + size : i);
    }
    Any result;
    if (state_->special(object, known().getitem, std::span<const Any>(&index, 1), result, span))
      return result;
    // Indexed functions such as `T.Buffer[(128, 128), "float32"]`: the registry has a row for the brackets.
    if (auto* api = as<ApiFunctionNode>(object)) {
      std::string path = api->api->path() + ".__getitem__";
      if (const ir::Api* row = ir::ApiRegistry::global().find(path)) {
        return call(state_->api_value(row), std::span<const Any>(&index, 1), {}, span,
                    std::span<const ir::Span>(&index_span, 1));
      }
    }
    if (const ir::Api* api = ir::ApiRegistry::global().method(object.type_index(), "__getitem__")) {
      ir::Span spans[] = {index_span};
      return call(Any(ir::make<BoundMethodNode>(object, state_->api_value(api))),
                  std::span<const Any>(&index, 1), {}, span, spans);
    }
    if (auto* cls = as<ClassNode>(object)) {
      if (const Any* hook = cls->find(known().class_getitem)) {
        const Any& callee = as<StaticMethodNode>(*hook) ? as<StaticMethodNode>(*hook)->callee : *hook;
        Any args[] = {object, index};
        return call(callee, args, {}, span);
      }
      const Types& t = types();
      for (const Ref<ClassNode>& each : {t.list, t.dict, t.tuple, t.set, t.frozenset, t.type, t.enumerate}) {
        // `type` gives its brackets to no class that derives from it.
        if (cls == each.get() || (each.get() != t.type.get() && cls->derives_from(each.get())))
          return generic_alias(object, index);
      }
      raise_as(refusals["not-subscriptable"], span, "type '{}' is not subscriptable", cls->short_name());
    }
  }
  raise_as(refusals["not-subscriptable"], span, "'{}' object is not subscriptable",
           type_name_of(*this, object));
}

void Evaluator::set_subscript(const Any& object, const Any& index, const Any& value, ir::Span span) {
  switch (object.type_index()) {
    case kTVMFFIList: {
      auto list = object.cast<List>();
      auto size = static_cast<int64_t>(list.size());
      if (auto* slice = as<SliceNode>(index)) {
        SliceBounds bounds = slice_bounds(*this, *slice, size, span);
        if (!state_->iterable(value)) {
          raise("TypeError", span, "not-iterable", "{}",
                bounds.step == 1 ? "can only assign an iterable" : "must assign iterable to extended slice");
        }
        std::vector<Any> values = elements_of(value, span);
        if (bounds.step == 1) {
          std::vector<Any> all(elements(object).begin(), elements(object).end());
          int64_t stop = std::max(bounds.start, bounds.stop);
          all.erase(all.begin() + bounds.start, all.begin() + stop);
          all.insert(all.begin() + bounds.start, values.begin(), values.end());
          list.Assign(all.begin(), all.end());
          return;
        }
        if (static_cast<int64_t>(values.size()) != bounds.count) {
          raise(refusals["slice-length"], span, values.size(), bounds.count);
        }
        for (int64_t i = 0; i < bounds.count; ++i) {
          elements(object)[static_cast<size_t>(bounds.start + i * bounds.step)] =
              values[static_cast<size_t>(i)];
        }
        return;
      }
      int64_t i = index_value(*this, index, span, "list indices");
      if (i < -size || i >= size) {
        throw ir::Error("index-out-of-range", "list assignment index out of range")
            .kind("IndexError")
            .at(span)
            .note(fmt::format("the index is {}, the length {}", i, size));
      }
      elements(object)[static_cast<size_t>(i < 0 ? i + size : i)] = value;
      return;
    }
    case kTVMFFIDict:
      dict_set(*this, object, index, value, span);
      return;
    default:
      break;
  }
  if (is_object(object)) {
    Any ignored;
    Any args[] = {index, value};
    if (state_->special(object, known().setitem, args, ignored, span)) return;
    if (as<ir::NDArrayNode>(object)) {
      array_assign(*this, object, index, value, span);
      return;
    }
    if (state_->registered(object, "__setitem__", args, ignored, span)) return;
  }
  raise(refusals["no-item-assignment"], span, type_name_of(*this, object));
}

}  // namespace mlc::script
