// SPDX-License-Identifier: Apache-2.0
// Metal's language as a dialect of kernels (backend/gpu): C++ with address spaces, vectors of 2, 3 and 4
// lanes with arithmetic on them, and matrices of 8 x 8 that a simdgroup holds.
#include "backend/metal/source.h"

#include "backend/gpu/emitter.h"
#include "ir/core/error.h"
#include "ir/core/split_words.h"
#include "ir/tir/scalar_op.h"

namespace mlc::metal_backend {

using c_backend::casted;
using c_backend::infix;
using c_backend::kEquality;
using c_backend::kProduct;
using c_backend::kShift;
using c_backend::kUnary;
using gpu_backend::Text;
using gpu_backend::Value;
using ir::DataType;
using ir::Error;
using ir::view;

namespace {

constexpr gpu_backend::Keywords words = {
    .language = "Metal",
    .kernel = "kernel void ",
    .function = "inline ",
    .shared = "threadgroup",
    .global = "device ",
    .shared_pointer = "threadgroup ",
    .local_pointer = "thread ",
    .restrict_word = "",
    .infinity = "INFINITY",
    .nan = "NAN",
    .long_suffix = "l",
    .aligned = "alignas(16) ",
    .vector_arithmetic = true,
    .reserved =
        "half bfloat uchar ushort uint ulong bool size_t device constant thread threadgroup "
        "threadgroup_imageblock "
        "kernel vertex fragment texture sampler array atomic_int atomic_uint max min clamp mix step dot "
        "cross select "
        "metal args blockIdx threadIdx using namespace template class",
    .aligned_first = true,
};

// Functions on numbers that the language has, for float16 and float32.
constexpr std::string_view functions =
    "exp exp2 exp10 log log2 log10 sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "atan2 pow floor "
    "ceil trunc round rint fabs fma fmod copysign isnan popcount clz ldexp nextafter";

constexpr std::string_view kMatrixScope = "metal.simdgroup";

}  // namespace

class MetalEmitter final : public gpu_backend::KernelEmitter {
 public:
  MetalEmitter(const ir::IRModule& module, const ir::Target& target) : KernelEmitter(module, target, words) {}

 protected:
  std::string type(DataType dtype, ir::Span span) override {
    int lanes = dtype.lanes();
    if (dtype.is_scalable()) refuse("a scalable vector", span);
    if (lanes > 4)
      throw Error("unsupported-dtype", "values of type {} cannot be written in Metal", dtype.str())
          .at(span)
          .help("vectors have 2, 3 or 4 lanes: split the vectorized loop");
    if (dtype.is_void()) return "void";
    if (dtype.is_handle()) return "void*";
    std::string base;
    if (dtype.is_bool()) {
      base = "bool";
    } else if (dtype.is_float() && dtype.bits() <= 32) {
      base = dtype.bits() == 16 ? "half" : "float";
    } else if (dtype.is_int() || dtype.is_uint()) {
      base = dtype.bits() == 8    ? "char"
             : dtype.bits() == 16 ? "short"
             : dtype.bits() == 32 ? "int"
             : dtype.bits() == 64 ? "long"
                                  : "";
      if (!base.empty() && dtype.is_uint()) base = "u" + base;
    }
    if (base.empty())
      throw Error("unsupported-dtype", "values of type {} cannot be written in Metal", dtype.str())
          .at(span)
          .help(dtype.is_float() ? "Apple's GPUs compute in float16 and float32" : "");
    return lanes == 1 ? base : base + std::to_string(lanes);
  }
  Text load_vector(DataType dtype, const Text& pointer, const Binding& memory, ir::Span span) override {
    return {"*" + as_vectors(dtype, pointer, memory, span).at_least(kUnary), kUnary};
  }
  std::string store_vector(DataType dtype, const Text& pointer, const std::string& value,
                           const Binding& memory, ir::Span span) override {
    return fmt::format("*{} = {};", as_vectors(dtype, pointer, memory, span).at_least(kUnary), value);
  }
  Text as_vectors(DataType dtype, const Text& pointer, const Binding& memory, ir::Span span) {
    if (dtype.lanes() == 3) refuse("a vector of 3 lanes in memory", span, "it would take the place of 4");
    if (!DataType(memory.element).is_scalar()) return pointer;
    return casted(pointer_type(dtype, memory.scope, memory.is_const, span), pointer);
  }

  // Scalars come together, each in 8 bytes, as TVM's runtime passes them.
  std::string head(const ir::PrimFunc& fn, bool is_kernel, const std::string& name, const std::string& result,
                   const std::vector<Parameter>& params) override {
    if (!is_kernel) return KernelEmitter::head(fn, is_kernel, name, result, params);
    std::string all, scalars;
    int buffers = 0;
    for (const Parameter& param : params) {
      if (param.is_pointer) {
        all +=
            fmt::format("{}{} {} [[buffer({})]]", buffers == 0 ? "" : ", ", param.type, param.name, buffers);
        ++buffers;
        continue;
      }
      scalars += fmt::format("  alignas(8) {} {};\n", param.type, param.name);
      bindings_[param.var].text = {"args." + param.name};
    }
    std::string structure;
    if (!scalars.empty()) {
      structure = fmt::format("struct {}_args_t {{\n{}}};\n", name, scalars);
      all += fmt::format("{}constant {}_args_t& args [[buffer({})]]", all.empty() ? "" : ", ", name, buffers);
    }
    return fmt::format(
        "{}{}{}({}{}uint3 blockIdx [[threadgroup_position_in_grid]], "
        "uint3 threadIdx [[thread_position_in_threadgroup]])",
        structure, words_.kernel, name, all, all.empty() ? "" : ", ");
  }
  Text thread(std::string_view tag, DataType dtype, ir::Span span) override {
    if (!tag.starts_with("threadIdx.") && !tag.starts_with("blockIdx."))
      refuse(fmt::format("a thread `{}`", tag), span);
    return casted(type(dtype, span), {std::string(tag)});
  }
  std::string barrier(std::string_view scope, ir::Span span) override {
    if (scope == "shared") return "threadgroup_barrier(mem_flags::mem_threadgroup);";
    if (scope == "warp") return "simdgroup_barrier(mem_flags::mem_threadgroup);";
    refuse(fmt::format("a barrier of scope `{}`", scope), span, "kernels end where all blocks have to wait");
  }

  Text cast(const Text& value, DataType from, DataType to, ir::Span span) override {
    if (from == to) return value;
    std::string name = type(to, span);
    if (to.is_bool()) return infix(value, "!=", {"0"}, kEquality, kShift);
    return to.is_vector() ? Text{fmt::format("{}({})", name, value.text)} : casted(name, value);
  }
  Text reinterpret(const Text& value, DataType from, DataType to, ir::Span span) override {
    if (from == to) return value;
    if (from.is_handle() || to.is_handle()) return casted(type(to, span), value);
    return {fmt::format("as_type<{}>({})", type(to, span), value.text)};
  }
  Text extremum(bool is_max, const Text& a, const Text& b, DataType dtype) override {
    return called_on(is_max ? "max" : "min", a, b, dtype);
  }
  Text float_mod(const Text& a, const Text& b, DataType) override {
    return {fmt::format("fmod({}, {})", a.text, b.text)};
  }
  Text math(std::string_view name, const std::vector<Text>& args, DataType dtype, DataType from,
            ir::Span span) override {
    if (name == "popcount" || name == "clz") {
      Text bits = casted(type(DataType::UInt(from.bits()), span), args[0]);
      return casted(type(dtype, span), {fmt::format("{}({})", name, bits.text)});
    }
    if (dtype.is_integral() && name != "isnan") {
      if (name == "fabs") return casted(type(dtype, span), {fmt::format("abs({})", args[0].text)});
      undefined(name, dtype, span);
    }
    if (name == "sigmoid") return {fmt::format("1 / (1 + exp(-{}))", args[0].at_least(kUnary)), kProduct};
    if (name == "ldexp") return {fmt::format("ldexp({}, (int){})", args[0].text, args[1].at_least(kUnary))};
    std::string function(name == "nearbyint" || name == "round" ? "rint" : name);
    return c_backend::called(checked(function, span), args);
  }
  // LowerIntrin has OpenCL's names for most, and C's for what OpenCL's rules do not say.
  std::string function_name(const std::string& name) override {
    if (name == "nearbyint" || name == "nearbyintf") return "rint";
    bool single = name.ends_with('f') && ir::scalar_op(name) == nullptr;
    std::string base = single ? name.substr(0, name.size() - 1) : name;
    return ir::scalar_op(base) == nullptr ? name : checked(base, {});
  }
  std::string checked(const std::string& function, ir::Span span) const {
    if (!ir::has_word(functions, function))
      throw Error("codegen-unsupported", "Metal has no function `{}`", function).at(span);
    return function;
  }
  bool takes_vectors(std::string_view function) const override {
    return function != "isnan" && ir::has_word(functions, function);
  }
  std::string preamble() override {
    return fmt::format("#include <metal_stdlib>\n{}using namespace metal;\n",
                       has_matrices_ ? "#include <metal_simdgroup_matrix>\n" : "");
  }

  bool device_alloc(const ir::AllocBufferNode* s) override {
    const ir::BufferTypeNode* type = s->buffer->buffer();
    if (view(type->storage_scope) != kMatrixScope) return false;
    int64_t elements = 1;
    for (const ir::Expr& extent : type->shape) {
      auto known = ir::const_int(extent);
      if (!known) refuse("matrices whose number is computed", s->span);
      elements *= *known;
    }
    if (elements % 64 != 0) refuse(fmt::format("{} elements of matrices of 8 x 8", elements), s->span);
    if (DataType element = type->dtype; !element.is_float() || element.bits() > 32)
      refuse(fmt::format("matrices of {}", DataType(type->dtype).str()), s->span,
             "simdgroups have them of float16 and float32");
    has_matrices_ = true;
    Binding made;
    made.text = {fresh(view(s->buffer->name))};
    made.element = type->dtype;
    made.scope = std::string(kMatrixScope);
    line(fmt::format("simdgroup_{}8x8 {}[{}];", this->type(type->dtype, s->span), made.text.text,
                     elements / 64));
    bindings_[s->buffer.get()] = std::move(made);
    return true;
  }
  std::optional<Value> device_call(const ir::CallNode* call, std::string_view name) override;
  Text atomic_add(const ir::CallNode* call) override;

 private:
  bool has_matrices_ = false;
};

std::optional<Value> MetalEmitter::device_call(const ir::CallNode* call, std::string_view name) {
  const auto& args = call->args;
  auto text = [&](int64_t i) { return scalar(args[i]).text; };
  if (name == "metal.simd_shuffle" || name == "metal.simd_shuffle_up" || name == "metal.simd_shuffle_down")
    return of(call->dtype(), {fmt::format("{}({}, {})", name.substr(6), text(0), text(1))});
  // A matrix: the array and which of it. Of other shapes than 8 x 8 there are none.
  auto matrix = [&](int64_t i) {
    return fmt::format("{}[{}]", scalar(args[i]).at_least(c_backend::kPrimary), index(args[i + 1]));
  };
  auto square = [&](int64_t i) {
    if (!ir::is_const_int(args[i], 8) || !ir::is_const_int(args[i + 1], 8))
      refuse("a matrix of a simdgroup that is not 8 x 8", call->span);
  };
  if (name == "make_filled_simdgroup_matrix") {
    square(3);
    auto* data = ir::as<ir::VarNode>(args[0]);
    if (auto* inner = ir::as_call_to(args[0], "tirx.buffer_data")) data = ir::as<ir::VarNode>(inner->args[0]);
    if (data == nullptr) refuse("matrices behind a computed pointer", call->span);
    std::string element = type(binding(data, call->span).element, call->span);
    line(fmt::format("{} = make_filled_simdgroup_matrix<{}, 8, 8>({});", matrix(0), element, text(2)));
    return of(call->dtype(), {""});
  }
  if (name == "simdgroup_load" || name == "simdgroup_store") {
    square(4);
    bool transposed = !ir::is_const_int(args[6], 0);
    line(fmt::format("{}({}, {}, {}{});", name, matrix(0), text(2), index(args[3]),
                     transposed ? ", 0, true" : ""));
    return of(call->dtype(), {""});
  }
  if (name == "simdgroup_multiply_accumulate") {
    line(fmt::format("{}({}, {}, {}, {});", name, matrix(0), matrix(2), matrix(4), matrix(6)));
    return of(call->dtype(), {""});
  }
  return std::nullopt;
}

Text MetalEmitter::atomic_add(const ir::CallNode* call) {
  if (call->args.size() != 2) refuse("`T.atomic_add` of other than a pointer and a value", call->span);
  auto* address = ir::as_call_to(call->args[0], "tirx.address_of");
  auto* load = address != nullptr ? ir::as<ir::TensorLoadNode>(address->args[0]) : nullptr;
  DataType dtype = call->args[1]->dtype();
  bool shared = load != nullptr && binding(load->source.get(), call->span).scope.starts_with("shared");
  bool real = dtype.is_float() && dtype.bits() == 32 && !shared;
  if (!real && !(dtype.is_integral() && dtype.bits() == 32))
    refuse(fmt::format("an atomic sum of {}", dtype.str()), call->span,
           "int32, uint32 and, in memory of the device, float32 have one");
  std::string as = fmt::format("{} atomic_{}*", shared ? "threadgroup" : "device",
                               real ? "float" : type(dtype, call->span));
  return {fmt::format("atomic_fetch_add_explicit({}, {}, memory_order_relaxed)",
                      casted(as, scalar(call->args[0])).text, scalar(call->args[1]).text)};
}

std::string metal_source(const ir::IRModule& device_functions, const ir::Target& target) {
  return MetalEmitter(device_functions, target).source();
}

}  // namespace mlc::metal_backend
