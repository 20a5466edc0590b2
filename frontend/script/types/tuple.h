// SPDX-License-Identifier: Apache-2.0
// The tuples of scripts: arrays of tvm-ffi that bear a mark. An array without it comes from an object of TVM,
// where it equals a list of the same elements and shows its strings in double quotes.
#pragma once

#include <tvm/ffi/container/array.h>

namespace mlc::script {

class Tuple : public tvm::ffi::Array<tvm::ffi::Any> {
  using Base = tvm::ffi::Array<tvm::ffi::Any>;
  using Any = tvm::ffi::Any;

 public:
  Tuple() : Tuple(std::initializer_list<Any>()) {}
  Tuple(std::initializer_list<Any> elements) : Base(elements) { mark(); }
  template <class Iterator>
  Tuple(Iterator begin, Iterator end) : Base(begin, end) {
    mark();
  }
  // The arguments of a function, whatever they are.
  explicit Tuple(tvm::ffi::ObjectPtr<tvm::ffi::Object> object) : Base(std::move(object)) {}
  explicit Tuple(tvm::ffi::UnsafeInit tag) : Base(tag) {}

  void push_back(const Any& element) {
    Base::push_back(element);
    mark();
  }

  static bool is(const Any& value) {
    return value.type_index() == tvm::ffi::TypeIndex::kTVMFFIArray &&
           Cell::of(
               reinterpret_cast<const tvm::ffi::Object*>(reinterpret_cast<const TVMFFIAny&>(value).v_obj));
  }

 private:
  // tvm-ffi calls `data_deleter` where elements lie apart from their array; those of a tuple do not.
  static void nothing(void*) {}
  struct Cell : tvm::ffi::SeqBaseObj {
    static void mark(tvm::ffi::Object* object) { static_cast<Cell*>(object)->data_deleter = &nothing; }
    static bool of(const tvm::ffi::Object* object) {
      return static_cast<const Cell*>(object)->data_deleter == &nothing;
    }
  };
  void mark() { Cell::mark(get_mutable()); }
};

}  // namespace mlc::script
