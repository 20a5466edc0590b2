// SPDX-License-Identifier: Apache-2.0
// Arguments into a program and its result out: what callers see of the interpreter.
#include "backend/artefact/c_interface.h"
#include "backend/interp/graph.h"
#include "backend/interp/machine.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/registry/api.h"
#include "ir/target/device.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "wrong-argument", .message = "`{}` of `{}` expects {}, got {}"},
    }};
MLC_REFUSALS(interp_run, refusals);

namespace {

using ir::DataType;

// Where the value of a symbolic dimension comes from, or must agree with.
struct Property {
  enum Kind : uint8_t { kShape, kStride, kOffset } kind;
  size_t param;
  size_t dim;
};
int64_t read(const Property& property, std::span<const Actual> args) {
  const View& view = args[property.param].view;
  switch (property.kind) {
    case Property::kShape:
      return view.shape[property.dim];
    case Property::kStride:
      return view.strides[property.dim];
    case Property::kOffset:
      return view.offset;
  }
  return 0;
}
const char* describe(Property::Kind kind) {
  return kind == Property::kShape ? "dimension" : kind == Property::kStride ? "stride" : "element offset";
}

bool is_compact(const View& view) {
  std::vector<int64_t> strides = compact_strides(view.shape);
  for (size_t d = 0; d < strides.size(); ++d) {
    if (view.shape[d] != 1 && view.strides[d] != strides[d]) return false;
  }
  return true;
}

Actual from_tensor(Program& program, const ir::ffi::Tensor& tensor) {
  const DLTensor* dl = tensor.GetDLTensorPtr();
  Actual actual;
  actual.is_buffer = true;
  actual.type = dl->dtype;
  View& view = actual.view;
  view.shape.assign(dl->shape, dl->shape + dl->ndim);
  view.strides =
      dl->strides ? std::vector<int64_t>(dl->strides, dl->strides + dl->ndim) : compact_strides(view.shape);
  int64_t bytes = static_cast<int64_t>(number_of(actual.type).bytes) * actual.type.lanes();
  int64_t elements = 1;
  for (size_t d = 0; d < view.shape.size(); ++d) elements += (view.shape[d] - 1) * view.strides[d];
  for (int64_t dim : view.shape) elements = dim <= 0 ? 0 : elements;
  view.offset = static_cast<int64_t>(dl->byte_offset) / bytes;
  view.data = static_cast<char*>(dl->data);
  view.block = program.heap.adopt(view.data, static_cast<size_t>((view.offset + elements) * bytes));
  view.block->granule = static_cast<int>(number_of(actual.type).bytes);
  actual.scalar.i = reinterpret_cast<int64_t>(view.data);
  return actual;
}

[[noreturn]] void wrong_argument(const Function& fn, size_t index, const std::string& expected,
                                 const std::string& got) {
  throw ir::refuse(refusals["wrong-argument"], fn.source->params[index]->name.c_str(), fn.name, expected,
                   got);
}

Actual from_value(Program& program, const Function& fn, size_t index, const Any& value) {
  const ir::Var& param = fn.source->params[index];
  if (auto tensor = as_tensor(value)) {
    if (DLDevice device = tensor->device(); device.device_type != program.options.device) {
      DLDevice wanted{program.options.device, 0};
      wrong_argument(fn, index, wanted.device_type == kDLCPU ? "a tensor on the CPU" : "a tensor on " + ir::device_text(wanted),
                     "one on " + ir::device_text(device));
    }
    return from_tensor(program, *tensor);
  }
  if (auto* array = value.as<ir::NDArrayNode>()) return from_tensor(program, array->tensor);
  if (param->buffer()) wrong_argument(fn, index, "a tensor", "`" + ir::type_name(value) + "`");
  Actual actual;
  actual.type = param->dtype();
  if (value == nullptr && actual.type.is_handle()) return actual;  // a null pointer
  const Number& number = number_of(actual.type);
  if (number.floating) {
    auto real = value.try_cast<double>();
    if (!real) wrong_argument(fn, index, "a number", "`" + ir::type_name(value) + "`");
    actual.scalar.f = number.round(*real);
  } else {
    auto integer = value.try_cast<int64_t>();
    if (!integer) wrong_argument(fn, index, "an integer", "`" + ir::type_name(value) + "`");
    actual.scalar.i = number.wrap(*integer);
  }
  return actual;
}

Any call_with(Program& program, std::string_view name, std::span<const Any> args) {
  const Function& fn = program.function(name, {});
  if (args.size() != fn.source->params.size()) {
    throw ir::Error("wrong-argument-count", "`{}` takes {} arguments, got {}", name, fn.source->params.size(),
                    args.size())
        .kind("TypeError");
  }
  program.heap.races = {};
  std::vector<Actual> actuals;
  for (size_t i = 0; i < args.size(); ++i) {
    actuals.push_back(from_value(program, fn, i, args[i]));
    if (!actuals.back().is_buffer) continue;
    actuals.back().view.block->buffer = fn.source->params[i].get();
    actuals.back().view.block->watched = program.options.check_races;
  }
  Lane result = program.call(fn, actuals);
  DataType type = backend::result_type(fn.source);
  if (type.is_void() || type.is_handle()) return Any(nullptr);
  if (type.is_bool()) return Any(result.i != 0);
  return type.is_floating() ? Any(result.f) : Any(result.i);
}

}  // namespace

std::unique_ptr<Function> Compiler::compile(std::string name, const ir::PrimFunc& source) {
  auto fn = std::make_unique<Function>();
  fn_ = fn.get();
  fn->name = std::move(name);
  fn->source = source;
  for (const ir::Var& param : source->params) {
    fn->param_at.push_back(param->buffer() ? define_view(param) : define_slot(param));
  }
  // A free variable that is a whole dimension, stride or offset is defined by its first occurrence; every
  // other mention is checked once all are known.
  std::vector<std::pair<int, Property>> defines;
  struct Check {
    Property property;
    Expr e;
    std::function<int64_t(Frame&)> expected;
  };
  std::vector<Check> checks;
  std::vector<std::pair<Property, Expr>> mentions;
  auto mention = [&](const Expr& e, Property property) {
    if (auto* var = ir::as<VarNode>(e); var && !is_defined(var)) {
      defines.emplace_back(define_slot(ir::ref(var)), property);
    } else {
      mentions.emplace_back(property, e);
    }
  };
  for (size_t i = 0; i < source->params.size(); ++i) {
    const ir::BufferTypeNode* type = source->params[i]->buffer();
    if (!type) continue;
    for (size_t d = 0; d < type->shape.size(); ++d) mention(type->shape[d], {Property::kShape, i, d});
    for (size_t d = 0; d < type->strides.size(); ++d) mention(type->strides[d], {Property::kStride, i, d});
    if (type->elem_offset) mention(type->elem_offset, {Property::kOffset, i, 0});
  }
  for (auto& [property, e] : mentions) checks.push_back({property, e, integer(e)});

  fn->bind = [fn = fn.get(), defines, checks](Frame& frame, std::span<const Actual> args) {
    for (size_t i = 0; i < args.size(); ++i) {
      const ir::Var& param = fn->source->params[i];
      const ir::BufferTypeNode* type = param->buffer();
      const Actual& actual = args[i];
      auto at = static_cast<size_t>(fn->param_at[i]);
      if (!type) {
        if (actual.is_buffer && !param->dtype().is_handle()) wrong_argument(*fn, i, "a number", "a tensor");
        frame.slots[at] = actual.scalar;
        continue;
      }
      if (!actual.is_buffer) wrong_argument(*fn, i, "a tensor", "a number");
      if (!(DataType(type->dtype) == actual.type)) {
        wrong_argument(*fn, i, "a tensor of `" + DataType(type->dtype).str() + "`",
                       "`" + actual.type.str() + "`");
      }
      if (actual.view.shape.size() != type->shape.size()) {
        wrong_argument(*fn, i, fmt::format("{} dimensions", type->shape.size()),
                       "shape " + text_of(actual.view.shape));
      }
      if (type->strides.empty() && !is_compact(actual.view)) {
        wrong_argument(*fn, i, "a compact tensor", "strides " + text_of(actual.view.strides));
      }
      frame.views[at] = actual.view;
    }
    for (const auto& [slot, property] : defines)
      frame.slots[static_cast<size_t>(slot)].i = read(property, args);
    for (const Check& check : checks) {
      int64_t expected = check.expected(frame);
      int64_t actual = read(check.property, args);
      if (expected == actual) continue;
      // The stride of a dimension with one element is never used.
      const View& view = args[check.property.param].view;
      if (check.property.kind == Property::kStride && view.shape[check.property.dim] == 1) continue;
      throw ir::Error("shape-mismatch", "{} {} of `{}` of `{}` must be {}, got {}",
                      describe(check.property.kind), check.property.dim,
                      fn->source->params[check.property.param]->name.c_str(), fn->name, expected, actual)
          .kind("ValueError");
    }
  };
  fn->body = stmt(source->body);
  return fn;
}

const Function& Program::function(std::string_view name, Span span, bool in_kernel) {
  std::string key(name);
  if (in_kernel) key += " in a kernel";
  auto found = functions.find(key);
  if (found != functions.end()) return *found->second;
  ir::BaseFunc base = module->lookup(name);
  auto fn = ir::Any(base).as<ir::PrimFunc>();
  if (!fn) unsupported(span, fmt::format("`{}`, which is not a tensor-level function", name));
  return *(functions[key] = Compiler(*this, in_kernel).compile(std::string(name), *fn));
}

Lane Program::call(const Function& fn, std::span<const Actual> args) {
  MLC_CHECK(args.size() == fn.source->params.size(), "`{}` is called with {} arguments", fn.name,
            args.size());
  Frame frame{*this,
              std::vector<Lane>(static_cast<size_t>(fn.slots), Lane{.i = 0}),
              std::vector<View>(static_cast<size_t>(fn.views)),
              {}};
  fn.bind(frame, args);
  fn.body(frame);
  return frame.result;
}

Any run(const ir::IRModule& mod, std::string_view function, std::span<const Any> args,
        const Options& options) {
  Program program(mod, options);
  return call_with(program, function, args);
}

ir::ffi::Function compile(const ir::IRModule& mod, std::string_view function, const Options& options) {
  auto program = std::make_shared<Program>(mod, options);
  program->function(function, {});
  return ir::ffi::Function::FromPacked(
      [program, name = std::string(function)](const ir::AnyView* args, int32_t count, Any* result) {
        std::vector<Any> owned(args, args + count);
        *result = call_with(*program, name, owned);
      });
}

namespace {

constexpr ir::ApiKind kFunction = ir::ApiKind::kFunction;

}  // namespace

void register_api() {
  register_simulator_api();
  static const ir::ApiRow rows[] = {
      {kFunction, "mlc", "interpret(mod, function='main', check_uninitialized=False, check_races=False)",
       "A callable that runs a function of a module in the reference interpreter.\n"
       "Tensors are changed in place, as by compiled code; indices, shapes and divisions are checked.\n"
       "Operators of graphs run as what they are legalised to; a graph returns its result.",
       ir::native([](ir::ApiCall& call, ir::IRModule mod, std::string function, bool check_uninitialized,
                     bool check_races) -> Any {
         if (mod->lookup(function).as<relax::FunctionNode>()) return compile_graph(mod, function, call.host);
         return compile(mod, function, Options{check_uninitialized, check_races});
       })},
      {kFunction, "mlc", "random_arguments(func, seed=0)",
       "Random arguments that fit the parameters of a function, tensors as np arrays.",
       ir::native([](ir::PrimFunc func, int64_t seed) {
         ir::Array<Any> list;
         for (Any& value : random_arguments(func, static_cast<uint64_t>(seed))) {
           if (auto tensor = value.as<ir::ffi::Tensor>()) value = ir::make<ir::NDArrayNode>(*tensor);
           list.push_back(value);
         }
         return list;
       })},
  };
  ir::ApiRegistry::global().add(rows);
}

}  // namespace mlc::interp
