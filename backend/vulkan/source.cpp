// SPDX-License-Identifier: Apache-2.0
// GLSL for Vulkan as a dialect of kernels (backend/gpu): C's grammar with constructors for casts, memory as
// arrays without pointers to them, types of all sizes by extensions.
#include "backend/vulkan/source.h"

#include <cmath>

#include "backend/gpu/shader_emitter.h"
#include "ir/core/error.h"
#include "ir/core/refusal.h"
#include "ir/core/split_words.h"
#include "ir/tir/scalar_op.h"

namespace mlc::vulkan_backend {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "too-many-push-constants",
         .message = "the scalars of kernel `{}` take {} bytes of push constants, and the target `vulkan` has "
                    "at most {}",
         .help = "pass fewer scalars, or say what the device has: `max_push_constants_size`",
         .meaning =
             "Scalars of kernels are push constants, 8 bytes each. Every device has 128 bytes of them."},
    }};
MLC_REFUSALS(vulkan_source, refusals);

using c_backend::kProduct;
using c_backend::kUnary;
using gpu_backend::Text;
using gpu_backend::Value;
using ir::DataType;
using ir::Error;

namespace {

constexpr gpu_backend::Keywords words = {
    .language = "GLSL",
    .kernel = "void ",
    .function = "",
    .shared = "shared",
    .global = "",
    .shared_pointer = "",
    .local_pointer = "",
    .restrict_word = "",
    .infinity = "uintBitsToFloat(0x7f800000u)",
    .nan = "uintBitsToFloat(0x7fc00000u)",
    .long_suffix = "l",
    .aligned = "",
    .vector_arithmetic = false,
    .reserved =
        "main in out inout uniform buffer shared const bool int uint float double vec2 vec3 vec4 ivec2 ivec3 "
        "ivec4 uvec2 "
        "uvec3 uvec4 mat2 mat3 mat4 max min abs exp exp2 log log2 sqrt sin cos tan floor ceil trunc round "
        "pow fma clamp "
        "mix step dot cross any all mod sign discard layout precise coherent volatile restrict readonly "
        "writeonly "
        "sampler texture image input output common partition active asm class union enum typedef template "
        "this "
        "resource goto switch default inline noinline public static extern external interface long short "
        "half fixed "
        "unsigned superp sizeof cast namespace using scalars filter sample subroutine",
    .pointers = false,
    .wraps = true,
    .bool_is_number = false,
    .shared_outside = true,
    .unroll = false,
};

constexpr std::pair<std::string_view, std::string_view> functions[] = {{"exp", "exp"},
                                                                       {"exp2", "exp2"},
                                                                       {"log", "log"},
                                                                       {"log2", "log2"},
                                                                       {"sqrt", "sqrt"},
                                                                       {"rsqrt", "inversesqrt"},
                                                                       {"sin", "sin"},
                                                                       {"cos", "cos"},
                                                                       {"tan", "tan"},
                                                                       {"sinh", "sinh"},
                                                                       {"cosh", "cosh"},
                                                                       {"tanh", "tanh"},
                                                                       {"asin", "asin"},
                                                                       {"acos", "acos"},
                                                                       {"atan", "atan"},
                                                                       {"asinh", "asinh"},
                                                                       {"acosh", "acosh"},
                                                                       {"atanh", "atanh"},
                                                                       {"atan2", "atan"},
                                                                       {"pow", "pow"},
                                                                       {"floor", "floor"},
                                                                       {"ceil", "ceil"},
                                                                       {"trunc", "trunc"},
                                                                       {"round", "roundEven"},
                                                                       {"nearbyint", "roundEven"},
                                                                       {"fabs", "abs"},
                                                                       {"fma", "fma"},
                                                                       {"ldexp", "ldexp"}};
// Those that float64 has as well.
constexpr std::string_view of_double = "sqrt rsqrt floor ceil trunc round nearbyint fabs fma ldexp";

}  // namespace

class VulkanEmitter final : public gpu_backend::ShaderEmitter {
 public:
  VulkanEmitter(const ir::IRModule& module, const ir::Target& target)
      : ShaderEmitter(module, target, words) {}

 protected:
  Text converted(const std::string& type, const Text& value) override {
    return {fmt::format("{}({})", type, value.text)};
  }

  // ---- types ----
  std::string type(DataType dtype, ir::Span span) override {
    if (dtype.is_void()) return "void";
    int lanes = dtype.lanes();
    std::string base, vector;
    if (dtype.is_bool()) {
      base = "bool", vector = "bvec";
    } else if (dtype.is_float()) {
      base = dtype.bits() == 16   ? "float16_t"
             : dtype.bits() == 32 ? "float"
             : dtype.bits() == 64 ? "double"
                                  : "";
      vector = dtype.bits() == 16 ? "f16vec" : dtype.bits() == 32 ? "vec" : "dvec";
      if (dtype.bits() == 16) extensions_.insert("GL_EXT_shader_explicit_arithmetic_types_float16");
    } else if (dtype.is_int() || dtype.is_uint()) {
      std::string sign = dtype.is_uint() ? "u" : "";
      if (dtype.bits() == 32) {
        base = sign + "int", vector = dtype.is_uint() ? "uvec" : "ivec";
      } else if (dtype.bits() == 8 || dtype.bits() == 16 || dtype.bits() == 64) {
        base = fmt::format("{}int{}_t", sign, dtype.bits());
        vector = fmt::format("{}{}vec", dtype.is_uint() ? "u" : "i", dtype.bits());
        extensions_.insert(fmt::format("GL_EXT_shader_explicit_arithmetic_types_int{}", dtype.bits()));
      }
    }
    if (base.empty() || dtype.is_scalable() || lanes > 4)
      throw Error("unsupported-dtype", "values of type {} cannot be written in GLSL", dtype.str())
          .at(span)
          .help(base.empty() ? "" : "vectors have 2, 3 or 4 lanes: split the vectorized loop");
    return lanes == 1 ? base : vector + std::to_string(lanes);
  }
  // Memory of the device has no bool.
  std::string memory_type(DataType dtype, ir::Span span) override {
    return type(dtype.is_bool() ? DataType::UInt(8, dtype.lanes()) : dtype, span);
  }
  std::string storage_type(DataType dtype, ir::Span span) override {
    if (dtype.lanes() == 3) refuse("a vector of 3 lanes in memory", span, "it would take the place of 4");
    if (dtype.bits() <= 8) extensions_.insert("GL_EXT_shader_8bit_storage");
    if (dtype.bits() == 16) extensions_.insert("GL_EXT_shader_16bit_storage");
    return memory_type(dtype, span);
  }

  // ---- functions, threads ----
  std::string head(const ir::PrimFunc& fn, bool is_kernel, const std::string& name, const std::string& result,
                   const std::vector<Parameter>& params) override {
    if (!is_kernel) {
      for (const Parameter& param : params) {
        if (param.is_pointer) refuse("a pointer as a parameter", param.var->span);
      }
      return KernelEmitter::head(fn, is_kernel, name, result, params);
    }
    auto extents = gpu_backend::block_extents(fn);
    if (!extents)
      refuse("a number of threads that is computed", fn->span,
             "bind loops of constant extents to `threadIdx`");
    std::string bindings, scalars;
    int count = 0;
    int64_t bytes = 0;
    for (const Parameter& param : params) {
      if (param.is_pointer) {
        bindings +=
            fmt::format("layout(set = 0, binding = {}, std430) {}buffer {}_memory {{ {} {}[]; }};\n", count++,
                        param.is_const ? "readonly " : "", param.name, param.type, param.name);
        continue;
      }
      bool truth = param.var->dtype().is_bool();
      scalars +=
          fmt::format("  layout(offset = {}) {} {};\n", bytes, truth ? "uint" : param.type, param.name);
      bindings_[param.var].text = {truth ? fmt::format("bool(scalars.{})", param.name)
                                         : "scalars." + param.name};
      if (param.var->dtype().bits() == 16 || (param.var->dtype().bits() == 8 && !truth))
        extensions_.insert(fmt::format("GL_EXT_shader_{}bit_storage", param.var->dtype().bits()));
      bytes += 8;
    }
    int64_t most = ir::target_attr<int64_t>(target_, "max_push_constants_size", 128);
    if (bytes > most) throw ir::refuse(refusals["too-many-push-constants"], name, bytes, most).at(fn->span);
    if (!scalars.empty())
      scalars = fmt::format("layout(push_constant) uniform Scalars {{\n{}}} scalars;\n", scalars);
    return fmt::format(
        "layout(local_size_x = {}, local_size_y = {}, local_size_z = {}) in;\n{}{}\nvoid main()",
        (*extents)[0], (*extents)[1], (*extents)[2], bindings, scalars);
  }
  Text thread(std::string_view tag, DataType dtype, ir::Span span) override {
    bool in_block = tag.starts_with("threadIdx.");
    if (!in_block && !tag.starts_with("blockIdx.")) refuse(fmt::format("a thread `{}`", tag), span);
    return converted(
        type(dtype, span),
        {fmt::format("{}.{}", in_block ? "gl_LocalInvocationID" : "gl_WorkGroupID", tag.back())});
  }
  std::string barrier(std::string_view scope, ir::Span span) override {
    // A warp has no barrier of its own; the one of the block makes it wait as well.
    if (scope == "shared" || scope == "warp") return "barrier();";
    refuse(fmt::format("a barrier of scope `{}`", scope), span, "kernels end where all blocks have to wait");
  }

  // ---- numbers ----
  Text int_constant(DataType dtype, int64_t value, ir::Span span) override {
    Text plain = KernelEmitter::int_constant(dtype, value, span);
    return dtype.bits() == 64 || (dtype.bits() < 32 && !dtype.is_bool()) ? converted(type(dtype, span), plain)
                                                                         : plain;
  }
  Text float_constant(DataType dtype, double value, ir::Span span) override {
    Text plain = KernelEmitter::float_constant(dtype, value, span);
    if (dtype.is_float() && dtype.bits() == 64 && std::isfinite(value)) plain.text += "lf";
    return plain;
  }
  Text cast(const Text& value, DataType from, DataType to, ir::Span span) override {
    return from == to ? value : converted(type(to, span), value);
  }
  Text reinterpret(const Text& value, DataType from, DataType to, ir::Span span) override {
    if (from == to) return value;
    auto whole = [](DataType dtype) { return dtype.is_int() || dtype.is_uint(); };
    if (whole(from) && whole(to)) return converted(type(to, span), value);
    std::string name =
        from.is_float()
            ? fmt::format("{}BitsTo{}", from.bits() == 64 ? "double" : "float", to.is_int() ? "Int" : "Uint")
            : fmt::format("{}BitsTo{}", from.is_int() ? "int" : "uint", to.bits() == 64 ? "Double" : "Float");
    if (from.bits() == 16 || to.bits() == 16)
      name = from.is_float() ? fmt::format("{}16BitsTo{}16", "float", to.is_int() ? "Int" : "Uint")
                             : fmt::format("{}16BitsToHalf", from.is_int() ? "int" : "uint");
    if (from.bits() == 64)
      name = from.is_float() ? fmt::format("doubleBitsTo{}64", to.is_int() ? "Int" : "Uint")
                             : fmt::format("{}64BitsToDouble", from.is_int() ? "int" : "uint");
    if (from.bits() < 16 || from.lanes() != 1)
      refuse(fmt::format("reinterpret of {} as {}", from.str(), to.str()), span);
    return {fmt::format("{}({})", name, value.text)};
  }
  Text extremum(bool is_max, const Text& a, const Text& b, DataType dtype) override {
    return {fmt::format("{}({}, {})", is_max ? "max" : "min", typed(a, dtype), typed(b, dtype))};
  }
  std::string typed(const Text& value, DataType dtype) {
    return dtype.is_integral() ? converted(type(dtype, {}), value).text : value.text;
  }
  // Of the sign of `a`; GLSL's `mod` has that of `b`.
  Text float_mod(const Text& a, const Text& b, DataType dtype) override {
    std::string one = type(dtype, {});
    std::string name =
        need("mlc_fmod_" + one,
             fmt::format("\n{0} mlc_fmod_{0}({0} x, {0} y) {{\n  return x - y * trunc(x / y);\n}}", one));
    return {fmt::format("{}({}, {})", name, a.text, b.text)};
  }
  Text math(std::string_view name, const std::vector<Text>& args, DataType dtype, DataType from,
            ir::Span span) override {
    if ((name == "popcount" || name == "clz") && from.bits() > 32) undefined(name, from, span);
    if (name == "popcount") {
      return converted(
          type(dtype, span),
          {fmt::format("bitCount({})", converted(type(DataType::UInt(from.bits()), span), args[0]).text)});
    }
    if (name == "clz") {
      Text bits = converted("uint", converted(type(DataType::UInt(from.bits()), span), args[0]));
      return converted(type(dtype, span), {fmt::format("{} - findMSB({})", from.bits() - 1, bits.text)});
    }
    if (name == "isnan")
      return {fmt::format("isnan({})",
                          from.bits() == 16 ? fmt::format("float({})", args[0].text) : args[0].text)};
    if (dtype.is_integral()) {
      if (name == "fabs" && dtype.bits() == 32) return {fmt::format("abs({})", args[0].text)};
      undefined(name, dtype, span);
    }
    std::string one = type(dtype, span);
    if (name == "sigmoid")
      return {fmt::format("{0}(1) / ({0}(1) + {1}(-{2}))", one, checked("exp", span, dtype.bits() == 64),
                          args[0].at_least(kUnary)),
              kProduct};
    if (name == "fmod") return float_mod(args[0], args[1], dtype);
    if (name == "erf" && dtype.bits() <= 32)
      return cast({fmt::format("{}(float({}))", erf(), args[0].text)}, DataType::Float(32), dtype, span);
    if ((name == "log10" || name == "exp10") && dtype.bits() <= 32)
      return cast({fmt::format("{}(float({}))", function_name(std::string(name)), args[0].text)},
                  DataType::Float(32), dtype, span);
    return c_backend::called(checked(std::string(name), span, dtype.bits() == 64), args);
  }
  std::string function_name(const std::string& name) override {
    bool single = name.ends_with('f') && ir::scalar_op(name) == nullptr;
    std::string base = single ? name.substr(0, name.size() - 1) : name;
    if (base == "log10" || base == "exp10") {
      const char* text = base == "log10" ? "log2(x) * 0.3010299956639812" : "exp2(x * 3.3219280948873623)";
      return need("mlc_" + base, fmt::format("\nfloat mlc_{}(float x) {{\n  return {};\n}}", base, text));
    }
    if (base == "erf") return erf();
    // A name of C without `f` is that of a function on float64.
    return ir::scalar_op(base) == nullptr ? name : checked(base, {}, !single);
  }
  // To 1.5e-7 (Abramowitz and Stegun, 7.1.26).
  std::string erf() {
    return need("mlc_erf", R"(
float mlc_erf(float x) {
  float t = 1.0f / (1.0f + 0.3275911f * abs(x));
  float sum = t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))));
  return sign(x) * (1.0f - sum * exp(-x * x));
})");
  }
  std::string checked(const std::string& function, ir::Span span, bool is_double) const {
    for (const auto& [name, own] : functions) {
      if (name == function && (!is_double || ir::has_word(of_double, function))) return std::string(own);
    }
    throw Error("codegen-unsupported", "GLSL has no function `{}`{}", function,
                is_double ? " of float64" : "")
        .at(span);
  }
  std::string preamble() override {
    std::string text = "#version 450\n";
    for (const std::string& extension : extensions_)
      text += fmt::format("#extension {} : require\n", extension);
    return text;
  }
  std::optional<Value> device_call(const ir::CallNode* call, std::string_view name) override {
    std::string_view shuffle = "tvm_warp_shuffle";
    if (!name.starts_with(shuffle)) return std::nullopt;
    if (call->args.size() < 3) refuse(fmt::format("`{}` of so few arguments", name), call->span);
    std::string_view way = name.substr(shuffle.size());
    bool relative = way == "_up" || way == "_down";
    extensions_.insert(relative ? "GL_KHR_shader_subgroup_shuffle_relative"
                                : "GL_KHR_shader_subgroup_shuffle");
    std::string_view tail = way == "_up" ? "Up" : way == "_down" ? "Down" : way == "_xor" ? "Xor" : "";
    return of(call->dtype(), {fmt::format("subgroupShuffle{}({}, uint({}))", tail, scalar(call->args[1]).text,
                                          scalar(call->args[2]).text)});
  }

 private:
  std::set<std::string> extensions_;
};

std::string vulkan_source(const ir::IRModule& device_functions, const ir::Target& target) {
  return VulkanEmitter(device_functions, target).source();
}

}  // namespace mlc::vulkan_backend
