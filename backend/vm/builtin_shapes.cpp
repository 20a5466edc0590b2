// SPDX-License-Identifier: Apache-2.0
// vm.builtin.*: values of symbolic dimensions, and checks that arguments are what the graph says.
#include <fmt/format.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include "backend/vm/builtins.h"
#include "backend/vm/machine.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/registry/api_row.h"

namespace mlc::vm {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "vm-dimension-mismatch", .kind = "RuntimeError", .message = "{}: {} is {}, but it must be {}{}"},
        {.name = "vm-wrong-rank", .kind = "ValueError", .message = "{}: a {} of {} dimensions is given, but it must have {}{}"},
        {.name = "vm-wrong-rank-of-shape", .kind = "RuntimeError", .message = "{}: a value of {} dimensions is given, but it must have {}{}"},
        {.name = "vm-wrong-dtype", .kind = "ValueError", .message = "{}: a tensor of {} is given, but it must be of {}{}"},
        {.name = "vm-wrong-type", .kind = "TypeError", .message = "{}: a `{}` is given, but it must be a {}{}"},
        {.name = "vm-wrong-tuple", .kind = "ValueError", .message = "{}: a tuple of {} is given, but it must have {}{}"},
        {.name = "vm-wrong-builtin-call", .kind = "InternalError", .message = "`{}` is called with {}"},
    }};
MLC_REFUSALS(vm_builtin_shapes, refusals);

namespace {

enum class MatchCode : int64_t { kEqualsNumber = 0, kStore = 1, kAny = 2, kEqualsStored = 3 };
enum class MakeCode : int64_t { kNumber = 0, kStored = 1 };

// What the text of VMShapeLower says of a value: "ErrorContext(fn=main, loc=param[0], param=x, annotation=...) ", or
// "ErrorContext(match_cast, ty=...) ".
class Context {
 public:
  explicit Context(ffi::AnyView text) {
    if (auto given = text.as<ffi::String>()) text_ = std::string(*given);
  }
  // "parameter `x` of `main`"
  std::string what() const {
    std::string function = field("fn"), param = field("param"), place = field("loc");
    if (!param.empty()) return fmt::format("parameter `{}` of `{}`", param, function);
    if (place == "return") return fmt::format("the result of `{}`", function);
    if (text_.find("match_cast") == std::string::npos) return "a value of the graph";
    std::string_view graph = running_graph();
    return graph.empty() ? "match_cast" : fmt::format("match_cast in `{}`", graph);
  }
  // " (R.Tensor((n, 4), dtype="float32"))"
  std::string annotation() const {
    std::string type = declared_type();
    return type.empty() ? "" : fmt::format(" ({})", type);
  }
  // The text of a dimension of the annotation: "n".
  std::string dimension(int64_t index) const {
    std::string type = declared_type();
    size_t open = type.find("Tensor((");
    size_t at = open == std::string::npos ? type.find("Shape([") : open + 1;
    if (at == std::string::npos) return "";
    at = type.find_first_of("([", open == std::string::npos ? at : open + 7) + 1;
    int depth = 0;
    int64_t seen = 0;
    size_t begin = at;
    for (; at < type.size(); ++at) {
      char c = type[at];
      bool closes = c == ')' || c == ']';
      if (c == '(' || c == '[') ++depth;
      if ((closes && depth == 0) || (c == ',' && depth == 0)) {
        if (seen++ == index) return trimmed(type.substr(begin, at - begin));
        if (closes) return "";
        begin = at + 1;
      }
      if (closes) --depth;
    }
    return "";
  }

 private:
  std::string declared_type() const {
    std::string type = whole("annotation");
    return type.empty() ? whole("ty") : type;
  }
  static std::string trimmed(const std::string& text) {
    size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
  }
  std::string field(std::string_view name) const {
    size_t at = text_.find(fmt::format("{}=", name));
    if (at == std::string::npos) return "";
    at += name.size() + 1;
    return text_.substr(at, text_.find_first_of(",)", at) - at);
  }
  // To the end of the text, which may have commas of its own.
  std::string whole(std::string_view name) const {
    size_t at = text_.find(fmt::format("{}=", name));
    if (at == std::string::npos) return "";
    at += name.size() + 1;
    size_t end = text_.find_last_of(')');
    return end == std::string::npos || end < at ? "" : text_.substr(at, end - at);
  }

  std::string text_;
};

// Null where the function has no symbolic dimensions.
int64_t* heap_data(ffi::AnyView heap) {
  auto tensor = value_as<ffi::Tensor>(heap);
  return tensor ? static_cast<int64_t*>(tensor->data_ptr()) : nullptr;
}

// Compares or stores one number. `what`: "dimension 0".
void match(int64_t given, int64_t code, int64_t operand, int64_t* heap, int64_t index, bool is_dimension,
           ffi::AnyView context_text) {
  auto mismatch = [&](int64_t expected, bool stored) {
    Context context(context_text);
    std::string what = is_dimension ? fmt::format("dimension {}", index) : "the number";
    std::string name = stored ? context.dimension(index) : "";
    std::string wanted = name.empty() ? fmt::format("{}", expected) : fmt::format("`{}` = {}", name, expected);
    return refuse(refusals["vm-dimension-mismatch"], context.what(), what, given, wanted, context.annotation());
  };
  switch (static_cast<MatchCode>(code)) {
    case MatchCode::kEqualsNumber:
      if (given != operand) throw mismatch(operand, false);
      break;
    case MatchCode::kStore:
      heap[operand] = given;
      break;
    case MatchCode::kAny:
      break;
    case MatchCode::kEqualsStored:
      if (given != heap[operand]) throw mismatch(heap[operand], true);
      break;
    default:
      throw refuse(refusals["vm-wrong-builtin-call"], "vm.builtin.match_shape", fmt::format("the code {}", code));
  }
}

ffi::Shape shape_of(ffi::AnyView value, const Context& context) {
  if (auto tensor = value_as<ffi::Tensor>(value)) return {tensor->shape().begin(), tensor->shape().end()};
  if (auto shape = value_as<ffi::Shape>(value)) return *shape;
  throw refuse(refusals["vm-wrong-type"], context.what(), ir::type_name(Any(value)), "tensor or shape",
               context.annotation());
}

void need(const ffi::PackedArgs& args, int count, std::string_view name) {
  if (args.size() < count)
    throw refuse(refusals["vm-wrong-builtin-call"], name, fmt::format("{} arguments", args.size()));
}

// match_shape(value, heap, ndim, (code, operand)..., context)
void match_shape(ffi::PackedArgs args, Any*) {
  need(args, 3, "vm.builtin.match_shape");
  auto ndim = args[2].cast<int64_t>();
  need(args, static_cast<int>(3 + 2 * ndim + 1), "vm.builtin.match_shape");
  ffi::AnyView context = args[static_cast<int>(3 + 2 * ndim)];
  ffi::Shape shape = shape_of(args[0], Context(context));
  if (static_cast<int64_t>(shape.size()) != ndim)
    throw refuse(refusals["vm-wrong-rank-of-shape"], Context(context).what(), shape.size(), ndim, Context(context).annotation());
  int64_t* heap = heap_data(args[1]);
  for (int i = 0; i < ndim; ++i)
    match(shape[static_cast<size_t>(i)], args[3 + 2 * i].cast<int64_t>(), args[4 + 2 * i].cast<int64_t>(), heap, i, true,
          context);
}

// match_prim_value(value, heap, code, operand, context)
void match_prim_value(ffi::PackedArgs args, Any*) {
  need(args, 5, "vm.builtin.match_prim_value");
  match(args[0].cast<int64_t>(), args[2].cast<int64_t>(), args[3].cast<int64_t>(), heap_data(args[1]), 0, false, args[4]);
}

int64_t made(int64_t code, int64_t operand, const int64_t* heap) {
  return static_cast<MakeCode>(code) == MakeCode::kNumber ? operand : heap[operand];
}
// make_shape(heap, ndim, (code, operand)...)
void make_shape(ffi::PackedArgs args, Any* result) {
  need(args, 2, "vm.builtin.make_shape");
  auto ndim = args[1].cast<int64_t>();
  need(args, static_cast<int>(2 + 2 * ndim), "vm.builtin.make_shape");
  const int64_t* heap = heap_data(args[0]);
  std::vector<int64_t> dims;
  for (int i = 0; i < ndim; ++i) dims.push_back(made(args[2 + 2 * i].cast<int64_t>(), args[3 + 2 * i].cast<int64_t>(), heap));
  *result = ffi::Shape(std::move(dims));
}
// make_prim_value(heap, code, operand)
void make_prim_value(ffi::PackedArgs args, Any* result) {
  need(args, 3, "vm.builtin.make_prim_value");
  *result = made(args[1].cast<int64_t>(), args[2].cast<int64_t>(), heap_data(args[0]));
}

// check_tensor_info(value, ndim, [dtype,] context); ndim is -1 where it is not known
void check_tensor_info(ffi::PackedArgs args, Any*) {
  need(args, 3, "vm.builtin.check_tensor_info");
  ffi::AnyView text = args[args.size() - 1];
  auto ndim = args[1].cast<int64_t>();
  auto tensor = value_as<ffi::Tensor>(args[0]);
  if (!tensor)
    throw refuse(refusals["vm-wrong-type"], Context(text).what(), ir::type_name(Any(args[0])), "tensor", Context(text).annotation());
  if (ndim != -1 && ndim != tensor->ndim())
    throw refuse(refusals["vm-wrong-rank"], Context(text).what(), "tensor", tensor->ndim(), ndim, Context(text).annotation());
  // Nothing stands for a data type that is not known: None in the table of constants, a null pointer in compiled code.
  if (args.size() < 4 || args[2] == nullptr || args[2].type_index() == ffi::TypeIndex::kTVMFFIOpaquePtr) return;
  ir::DataType wanted(args[2].cast<DLDataType>()), given(tensor->dtype());
  if (!wanted.is_void() && !(wanted == given))
    throw refuse(refusals["vm-wrong-dtype"], Context(text).what(), given.str(), wanted.str(), Context(text).annotation());
}
// check_shape_info(value, ndim, context)
void check_shape_info(ffi::PackedArgs args, Any*) {
  need(args, 3, "vm.builtin.check_shape_info");
  auto ndim = args[1].cast<int64_t>();
  auto shape = value_as<ffi::Shape>(args[0]);
  if (!shape)
    throw refuse(refusals["vm-wrong-type"], Context(args[2]).what(), ir::type_name(Any(args[0])), "shape", Context(args[2]).annotation());
  if (ndim != -1 && ndim != static_cast<int64_t>(shape->size()))
    throw refuse(refusals["vm-wrong-rank"], Context(args[2]).what(), "shape", shape->size(), ndim, Context(args[2]).annotation());
}
// check_prim_value_info(value, dtype, context)
void check_prim_value_info(ffi::PackedArgs args, Any*) {
  need(args, 3, "vm.builtin.check_prim_value_info");
  ir::DataType wanted(args[1].cast<DLDataType>());
  bool fits = wanted.is_floating() ? args[0].as<double>() || args[0].as<int64_t>()
                                   : wanted.is_handle() || args[0].as<int64_t>() || args[0].as<bool>();
  if (!fits)
    throw refuse(refusals["vm-wrong-type"], Context(args[2]).what(), ir::type_name(Any(args[0])), wanted.str(), Context(args[2]).annotation());
}
// check_tuple_info(value, size, context)
void check_tuple_info(ffi::PackedArgs args, Any*) {
  need(args, 3, "vm.builtin.check_tuple_info");
  auto* items = args[0].as<ffi::ArrayObj>();
  auto size = args[1].cast<int64_t>();
  if (items == nullptr)
    throw refuse(refusals["vm-wrong-type"], Context(args[2]).what(), ir::type_name(Any(args[0])), "tuple", Context(args[2]).annotation());
  if (static_cast<int64_t>(items->size()) != size)
    throw refuse(refusals["vm-wrong-tuple"], Context(args[2]).what(), items->size(), size, Context(args[2]).annotation());
}
// check_func_info(value, context)
void check_func_info(ffi::PackedArgs args, Any*) {
  need(args, 2, "vm.builtin.check_func_info");
  if (value_as<ffi::Function>(args[0]) || value_as<Closure>(args[0])) return;
  throw refuse(refusals["vm-wrong-type"], Context(args[1]).what(), ir::type_name(Any(args[0])), "function", Context(args[1]).annotation());
}

}  // namespace

void register_shape_builtins() {
  ffi::reflection::GlobalDef()
      .def_packed("vm.builtin.alloc_shape_heap",
                  [](ffi::PackedArgs args, Any* result) {
                    need(args, 2, "vm.builtin.alloc_shape_heap");
                    int64_t size = args[1].cast<int64_t>();
                    *result = tensor_in(Machine::of(args[0]).allocate(static_cast<size_t>(size) * sizeof(int64_t), -1), 0, ffi::Shape{size},
                                        ir::DataType::Int(64));
                  })
      .def_packed("vm.builtin.match_shape", match_shape)
      .def_packed("vm.builtin.match_prim_value", match_prim_value)
      .def_packed("vm.builtin.make_shape", make_shape)
      .def_packed("vm.builtin.make_prim_value", make_prim_value)
      .def_packed("vm.builtin.check_tensor_info", check_tensor_info)
      .def_packed("vm.builtin.check_shape_info", check_shape_info)
      .def_packed("vm.builtin.check_prim_value_info", check_prim_value_info)
      .def_packed("vm.builtin.check_tuple_info", check_tuple_info)
      .def_packed("vm.builtin.check_func_info", check_func_info);
}

}  // namespace mlc::vm
