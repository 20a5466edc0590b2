// SPDX-License-Identifier: Apache-2.0
// OpenCL C as a dialect of kernels (backend/gpu): its own vectors of 2, 3, 4, 8 and 16 lanes with arithmetic
// on them, overloaded functions, and address spaces in every pointer's type.
#include "backend/opencl/source.h"

#include <bit>

#include "backend/gpu/emitter.h"
#include "ir/core/error.h"
#include "ir/core/split_words.h"
#include "ir/tir/scalar_op.h"
#include "ir/tir/texture.h"

namespace mlc::opencl_backend {

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

namespace {

constexpr gpu_backend::Keywords words = {
    .language = "OpenCL C",
    .kernel = "__kernel void ",
    .function = "static inline ",
    .shared = "__local",
    .global = "__global ",
    .shared_pointer = "__local ",
    .local_pointer = "__private ",
    .restrict_word = "restrict",
    .infinity = "INFINITY",
    .nan = "NAN",
    .long_suffix = "l",
    .aligned = "",
    .vector_arithmetic = true,
    .reserved =
        "half uchar ushort uint ulong bool size_t global local constant private kernel read_only write_only "
        "image2d_t sampler_t event_t max min clamp mix step dot cross select convert mad",
};

// "float4": the number of lanes for load, store and conversion.
std::string count(DataType dtype) { return dtype.is_scalar() ? "" : std::to_string(dtype.lanes()); }

}  // namespace

class OpenclEmitter final : public gpu_backend::KernelEmitter {
 public:
  OpenclEmitter(const ir::IRModule& module, const ir::Target& target)
      : KernelEmitter(module, target, words) {}

 protected:
  std::string type(DataType dtype, ir::Span span) override {
    int lanes = dtype.lanes();
    if (dtype.is_scalable()) refuse("a scalable vector", span);
    if (lanes != 1 && lanes != 2 && lanes != 3 && lanes != 4 && lanes != 8 && lanes != 16)
      throw Error("unsupported-dtype", "values of type {} cannot be written in OpenCL C", dtype.str())
          .at(span)
          .help("vectors have 2, 3, 4, 8 or 16 lanes: split the vectorized loop");
    if (dtype.is_void()) return "void";
    if (dtype.is_handle()) return "void*";
    // Vectors of bool are those of char; a comparison makes them lane by lane.
    if (dtype.is_bool()) return dtype.is_scalar() ? "bool" : "char" + count(dtype);
    std::string_view base;
    if (dtype.is_float()) {
      if (dtype.bits() == 16) extensions_.insert("cl_khr_fp16");
      if (dtype.bits() == 64) extensions_.insert("cl_khr_fp64");
      base = dtype.bits() == 16 ? "half" : dtype.bits() == 32 ? "float" : "double";
    } else if (dtype.is_int() || dtype.is_uint()) {
      base = dtype.bits() == 8    ? "char"
             : dtype.bits() == 16 ? "short"
             : dtype.bits() == 32 ? "int"
             : dtype.bits() == 64 ? "long"
                                  : "";
    }
    if (base.empty())
      throw Error("unsupported-dtype", "values of type {} cannot be written in OpenCL C", dtype.str())
          .at(span);
    return fmt::format("{}{}{}", dtype.is_uint() ? "u" : "", base, count(dtype));
  }
  // Kernels cannot have pointers to bool.
  std::string memory_type(DataType dtype, ir::Span span) override {
    return dtype.is_bool() ? "uchar" + count(dtype) : type(dtype, span);
  }
  std::string lane(const std::string& vector, DataType dtype, int index) override {
    return fmt::format("{}.s{:x}", vector, index);
  }
  std::string pack(DataType dtype, const std::vector<Text>& lanes, ir::Span span) override {
    return fmt::format("(({})({}))", type(dtype, span), c_backend::listed(lanes));
  }
  Text load_vector(DataType dtype, const Text& pointer, const Binding& memory, ir::Span span) override {
    if (!DataType(memory.element).is_scalar()) return {"*(" + in_memory(dtype, pointer, span) + ")", kUnary};
    type(dtype, span);  // refuses what it must
    return {fmt::format("vload{}(0, {})", dtype.lanes(), pointer.text)};
  }
  std::string store_vector(DataType dtype, const Text& pointer, const std::string& value,
                           const Binding& memory, ir::Span span) override {
    if (!DataType(memory.element).is_scalar())
      return fmt::format("*({}) = {};", in_memory(dtype, pointer, span), value);
    type(dtype, span);
    return fmt::format("vstore{}({}, 0, {});", dtype.lanes(), value, pointer.text);
  }
  // A pointer to vectors that lie as close as the host has them.
  std::string in_memory(DataType dtype, const Text& pointer, ir::Span span) const {
    if (dtype.lanes() == 3) refuse("a vector of 3 lanes in memory", span, "it would take the place of 4");
    return pointer.text;
  }
  Text thread(std::string_view tag, DataType dtype, ir::Span span) override {
    bool in_block = tag.starts_with("threadIdx.");
    if (!in_block && !tag.starts_with("blockIdx.")) refuse(fmt::format("a thread `{}`", tag), span);
    return {fmt::format("({}){}({})", type(dtype, span), in_block ? "get_local_id" : "get_group_id",
                        tag.back() - 'x'),
            kUnary};
  }
  std::string barrier(std::string_view scope, ir::Span span) override {
    // A warp has no barrier of its own here; the one of the block makes it wait as well, and
    // LowerThreadAllreduce asks for none in a branch.
    if (scope == "shared" || scope == "shared.dyn" || scope == "warp") return "barrier(CLK_LOCAL_MEM_FENCE);";
    refuse(fmt::format("a barrier of scope `{}`", scope), span, "kernels end where all blocks have to wait");
  }
  Text cast(const Text& value, DataType from, DataType to, ir::Span span) override {
    if (from == to) return value;
    std::string name = type(to, span);
    if (to.is_bool()) return infix(value, "!=", {"0"}, kEquality, kShift);
    if (to.is_vector()) return {fmt::format("convert_{}({})", name, value.text)};
    return casted(name, value);
  }
  Text reinterpret(const Text& value, DataType from, DataType to, ir::Span span) override {
    if (from == to) return value;
    auto whole = [](DataType dtype) { return dtype.is_int() || dtype.is_uint(); };
    if (from.is_handle() || to.is_handle() ||
        (from.is_scalar() && to.is_scalar() && whole(from) && whole(to)))
      return casted(type(to, span), value);
    return {fmt::format("as_{}({})", type(to, span), value.text)};
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
      return casted(type(dtype, span), {fmt::format("{}({})", name, bits.text)});  // of an unsigned type
    }
    if (dtype.is_integral() && name != "isnan") {
      if (name == "fabs") return casted(type(dtype, span), {fmt::format("abs({})", args[0].text)});
      undefined(name, dtype, span);
    }
    if (name == "sigmoid") {
      std::string one = dtype.bits() == 32 ? "1.0f" : fmt::format("({})1.0f", type(dtype, span));
      return {fmt::format("{0} / ({0} + exp(-{1}))", one, args[0].at_least(kUnary)), kProduct};
    }
    if (name == "ldexp") return {fmt::format("ldexp({}, (int){})", args[0].text, args[1].at_least(kUnary))};
    std::string function(name == "nearbyint" || name == "round" ? "rint" : name);
    return c_backend::called(function, args);
  }
  // C's names of functions on float32 are those of the overloaded ones here.
  std::string function_name(const std::string& name) override {
    if (name == "nearbyint" || name == "nearbyintf") return "rint";
    bool single = name.ends_with('f') && ir::scalar_op(name) == nullptr;
    return single && ir::scalar_op(name.substr(0, name.size() - 1)) != nullptr
               ? name.substr(0, name.size() - 1)
               : name;
  }
  bool takes_vectors(std::string_view function) const override {
    // All of OpenCL's functions on numbers; LowerIntrin knows no others.
    return ir::has_word(
        "acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh erf exp exp2 exp10 fabs floor fma "
        "fmod hypot log log10 log1p log2 mad nextafter pow rint round rsqrt sin sinh sqrt tan tanh trunc",
        function);
  }
  std::string preamble() override {
    std::string text;
    for (const std::string& extension : extensions_)
      text += fmt::format("#pragma OPENCL EXTENSION {} : enable\n", extension);
    return text;
  }
  std::optional<Value> device_call(const ir::CallNode* call, std::string_view name) override;
  std::string pointer_type(DataType element, std::string_view scope, bool is_const, ir::Span span) override;
  Text atomic_add(const ir::CallNode* call) override;

 private:
  // Textures, by texel (transform/pass/tir/texture_flatten.cpp).
  struct Texture {
    std::string image, place;  // its name, and where the texel is
    DataType texel;
    bool is_const;
  };
  Texture texture(const ir::CallNode* call, DataType element);
  Value load_texel(const ir::CallNode* call);
  Text store_texel(const ir::CallNode* call);

  std::set<std::string> extensions_;
};

std::optional<Value> OpenclEmitter::device_call(const ir::CallNode* call, std::string_view name) {
  const auto& args = call->args;
  // Lanes of a subgroup; the width is the subgroup's own.
  if (name == "tvm_warp_shuffle" || name == "tvm_warp_shuffle_up" || name == "tvm_warp_shuffle_down" ||
      name == "tvm_warp_shuffle_xor") {
    if (args.size() < 3) refuse(fmt::format("`{}` of so few arguments", name), call->span);
    std::string_view kind = name.substr(std::string_view("tvm_warp_shuffle").size());
    extensions_.insert(kind.empty() || kind == "_xor" ? "cl_khr_subgroup_shuffle"
                                                      : "cl_khr_subgroup_shuffle_relative");
    return of(call->dtype(), {fmt::format("sub_group_shuffle{}({}, (uint){})", kind, scalar(args[1]).text,
                                          scalar(args[2]).at_least(kUnary))});
  }
  if (name == "tvm_warp_activemask") return of(call->dtype(), {"0xffffffffu"});
  if (name == "texture2d_load") return load_texel(call);
  if (name == "texture2d_store") return of(call->dtype(), store_texel(call));
  return std::nullopt;
}

// ---- textures: arrays of images, of float32 and float16 as they are, of other texels as words ----

std::string OpenclEmitter::pointer_type(DataType element, std::string_view scope, bool is_const,
                                        ir::Span span) {
  if (!ir::is_texture(scope)) return KernelEmitter::pointer_type(element, scope, is_const, span);
  return is_const ? "__read_only image2d_array_t" : "__write_only image2d_array_t";
}

OpenclEmitter::Texture OpenclEmitter::texture(const ir::CallNode* call, DataType element) {
  if (call->args.size() != 6) refuse("a texel without its place", call->span);
  auto* data = ir::as_call_to(call->args[0], "tirx.buffer_data");
  auto* image = ir::as<ir::VarNode>(data != nullptr ? data->args[0] : call->args[0]);
  if (image == nullptr) refuse("a texture that is no parameter", call->span);
  const Binding& memory = binding(image, call->span);
  int64_t bits = int_argument(call, 4);
  if ((bits != 64 && bits != 128) || bits % element.bits() != 0)
    throw Error("codegen-unsupported", "a texel of {} bits cannot be written in OpenCL C", bits)
        .at(call->span)
        .help("the last dimension of a tensor in a texture has 64 or 128 bits: 4 of float16 or float32");
  std::string place =
      fmt::format("(int4)({}, {}, {}, 0)", index(call->args[1]), index(call->args[2]), index(call->args[3]));
  return {memory.text.text, place, element.with_lanes(static_cast<int>(bits / element.bits())),
          memory.is_const};
}

Value OpenclEmitter::load_texel(const ir::CallNode* call) {
  DataType dtype = call->dtype();
  Texture from = texture(call, dtype.element());
  if (!from.is_const)
    refuse(fmt::format("the texture `{}`, which the kernel reads and writes,", from.image), call->span,
           "write what it computes to another tensor");
  DataType texel = from.texel;
  std::string read;
  if (texel == DataType::Float(32, 4)) {
    read = fmt::format("read_imagef({}, {})", from.image, from.place);
  } else if (texel == DataType::Float(16, 4)) {
    read = fmt::format("read_imageh({}, {})", from.image, from.place);
  } else {
    read = fmt::format("read_imageui({}, {})", from.image, from.place);
    if (texel.bits() * texel.lanes() == 64) read = fmt::format("convert_ushort4({})", read);
    read = fmt::format("as_{}({})", type(texel, call->span), read);
  }
  ir::Expr at = call->args[5];
  auto* ramp = ir::as<ir::RampNode>(at);
  bool all = ramp != nullptr && ir::is_const_int(ramp->base, 0) && ir::is_const_int(ramp->stride, 1) &&
             dtype.lanes() == texel.lanes();
  if (all) return of(dtype, {read});
  std::string name = keep({read}, texel, "texel", call->span);
  auto element = [&](const Text& place) {
    return Text{fmt::format("((const {}*)&{})[{}]", type(texel.element(), call->span), name, place.text)};
  };
  if (auto constant = ir::const_int(at); constant && *constant >= 0 && *constant < texel.lanes())
    return of(dtype, {lane(name, texel, static_cast<int>(*constant))});
  Value places = emit(at);
  if (dtype.is_scalar()) return of(dtype, element(places.whole));
  Value made{dtype, {}, {}};
  for (const Text& place : lanes(places)) made.lanes.push_back(element(place));
  return made;
}

Text OpenclEmitter::store_texel(const ir::CallNode* call) {
  DataType dtype = call->args.size() == 6 ? call->args[5]->dtype() : DataType::Void();
  Texture to = texture(call, dtype.element());
  if (dtype != to.texel)
    throw Error("codegen-unsupported", "a part of a texel cannot be written in OpenCL C: {} of {}",
                dtype.str(), to.texel.str())
        .at(call->span)
        .help("vectorize the loop over the last dimension of the tensor: `sch.vectorize(loop)`");
  Value value = emit(call->args[5]);
  std::string text = whole(value, call->span);
  if (dtype == DataType::Float(32, 4))
    return {fmt::format("write_imagef({}, {}, {})", to.image, to.place, text)};
  if (dtype == DataType::Float(16, 4))
    return {fmt::format("write_imageh({}, {}, {})", to.image, to.place, text)};
  bool words = dtype.bits() * dtype.lanes() == 128;
  std::string bits =
      words ? fmt::format("as_uint4({})", text) : fmt::format("convert_uint4(as_ushort4({}))", text);
  return {fmt::format("write_imageui({}, {}, {})", to.image, to.place, bits)};
}

Text OpenclEmitter::atomic_add(const ir::CallNode* call) {
  if (call->args.size() != 2) refuse("`T.atomic_add` of other than a pointer and a value", call->span);
  Text pointer = scalar(call->args[0]);
  Text value = scalar(call->args[1]);
  DataType dtype = call->args[1]->dtype();
  if (dtype.is_integral() && dtype.bits() == 32)
    return {fmt::format("atomic_add({}, {})", pointer.text, value.text)};
  if (!dtype.is_float() || dtype.bits() != 32)
    refuse(fmt::format("an atomic sum of {}", dtype.str()), call->span, "int32, uint32 and float32 have one");
  auto* address = ir::as_call_to(call->args[0], "tirx.address_of");
  auto* load = address != nullptr ? ir::as<ir::TensorLoadNode>(address->args[0]) : nullptr;
  bool local = load != nullptr && binding(load->source.get(), call->span).scope.starts_with("shared");
  std::string space = local ? "__local" : "__global";
  std::string name = need(local ? "mlc_atomic_add_local" : "mlc_atomic_add_global",
                          fmt::format(R"(
// Exchanges the sum for what was there, until nobody else has in between.
static inline float mlc_atomic_add_{}(volatile {} float* target, float value) {{
  uint before, found = as_uint(*target);
  do {{
    before = found;
    found = atomic_cmpxchg((volatile {} uint*)target, before, as_uint(as_float(before) + value));
  }} while (found != before);
  return as_float(found);
}}
)",
                                      local ? "local" : "global", space, space));
  return {fmt::format("{}({}, {})", name, pointer.text, value.text)};
}

std::string opencl_source(const ir::IRModule& device_functions, const ir::Target& target) {
  return OpenclEmitter(device_functions, target).source();
}

}  // namespace mlc::opencl_backend
