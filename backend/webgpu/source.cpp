// SPDX-License-Identifier: Apache-2.0
// WGSL as a dialect of kernels (backend/gpu): a grammar of its own, memory as arrays without pointers to
// them, numbers of 32 bits and float16.
#include "backend/webgpu/source.h"

#include <cmath>

#include "backend/gpu/shader_emitter.h"
#include "ir/core/error.h"
#include "ir/core/split_words.h"
#include "ir/tir/scalar_op.h"

namespace mlc::webgpu_backend {

using c_backend::infix;
using c_backend::kProduct;
using c_backend::kRelational;
using c_backend::kShift;
using c_backend::kUnary;
using gpu_backend::Text;
using gpu_backend::Value;
using ir::DataType;
using ir::Error;

namespace {

constexpr gpu_backend::Keywords words = {
    .language = "WGSL",
    .kernel = "fn ",
    .function = "fn ",
    .shared = "var<workgroup>",
    .global = "",
    .shared_pointer = "",
    .local_pointer = "",
    .restrict_word = "",
    .infinity = "bitcast<f32>(mlc_infinity)",
    .nan = "bitcast<f32>(mlc_nan)",
    .long_suffix = "",
    .aligned = "",
    .vector_arithmetic = false,
    .reserved =
        "alias bitcast bool const const_assert continuing default diagnostic discard enable f16 f32 fn i32 "
        "u32 let "
        "loop override requires select struct var vec2 vec3 vec4 array atomic ptr sampler texture mat2x2 max "
        "min abs "
        "exp exp2 log log2 sqrt sin cos tan floor ceil trunc round pow fma clamp mix step dot cross all any "
        "blockIdx threadIdx gridDim podArgs block_x active await become binding binding_array cast catch "
        "class "
        "common compile crate debugger delete demote exit export final filter from fxgroup get goto "
        "groupshared "
        "highp impl implements import inline instance interface layout lowp macro match meta mod module move "
        "mut "
        "namespace new nil null of operator package partition pass patch precise precision private protected "
        "pub "
        "readonly ref regardless resource self set shared smooth snorm super target template this trait type "
        "unless unorm unsafe use using varying virtual volatile where with writeonly yield",
    .local = "var ",
    .pointers = false,
    .wraps = true,
    .bool_is_number = false,
    .shared_outside = true,
    .unroll = false,
};

// Functions of numbers by their names in scripts, where the language calls them differently or not at all.
constexpr std::pair<std::string_view, std::string_view> functions[] = {
    {"exp", "exp"},     {"exp2", "exp2"},       {"log", "log"},          {"log2", "log2"}, {"sqrt", "sqrt"},
    {"sin", "sin"},     {"cos", "cos"},         {"tan", "tan"},          {"sinh", "sinh"}, {"cosh", "cosh"},
    {"tanh", "tanh"},   {"asin", "asin"},       {"acos", "acos"},        {"atan", "atan"}, {"asinh", "asinh"},
    {"acosh", "acosh"}, {"atanh", "atanh"},     {"atan2", "atan2"},      {"pow", "pow"},   {"floor", "floor"},
    {"ceil", "ceil"},   {"trunc", "trunc"},     {"round", "round"},      {"fabs", "abs"},  {"fma", "fma"},
    {"abs", "abs"},     {"nearbyint", "round"}, {"rsqrt", "inverseSqrt"}};

}  // namespace

class WebgpuEmitter final : public gpu_backend::ShaderEmitter {
 public:
  WebgpuEmitter(const ir::IRModule& module, const ir::Target& target)
      : ShaderEmitter(module, target, words) {}

 protected:
  // ---- grammar ----
  Text converted(const std::string& type, const Text& value) override {
    return {fmt::format("{}({})", type, value.text)};
  }
  Text choice(const Text& condition, const Text& yes, const Text& no) override {
    return {fmt::format("select({}, {}, {})", no.text, yes.text, condition.text)};
  }
  Text shifted(const Text& value, std::string_view op, const Text& by) override {
    bool plain = !by.text.empty() && by.text.find_first_not_of("0123456789") == std::string::npos;
    return infix(value, op, plain ? Text{by.text + "u"} : Text{fmt::format("u32({})", by.text)}, kShift,
                 kUnary);
  }
  std::string constant(const std::string& type, const std::string& name, const std::string& value) override {
    return fmt::format("let {} : {} = {};", name, type, value);
  }
  std::string variable(const std::string& type, const std::string& name, const std::string& value) override {
    return fmt::format("var {} : {}{}{};", name, type, value.empty() ? "" : " = ", value);
  }
  std::string array(const std::string& type, const std::string& name, int64_t size) override {
    return fmt::format("{} : array<{}, {}>;", name, type, size);
  }
  std::string guarded(const std::string& condition, const std::string& statement) override {
    return condition.empty() ? statement : fmt::format("if ({}) {{ {} }}", condition, statement);
  }
  std::string loop(const std::string& type, const std::string& name, const Text& begin, const Text& limit,
                   const std::string& step) override {
    return fmt::format("for (var {} : {} = {}; {} < {}; {})", name, type, begin.text, name,
                       limit.at_least(kShift),
                       step.empty() ? name + "++" : fmt::format("{} += {}", name, step));
  }

  // ---- types ----
  std::string type(DataType dtype, ir::Span span) override {
    if (dtype.is_void()) return "";
    int lanes = dtype.lanes();
    std::string base;
    if (dtype.is_bool()) {
      base = "bool";
    } else if (dtype.is_float() && dtype.bits() <= 32) {
      if (dtype.bits() == 16) enabled_.insert("f16");
      base = dtype.bits() == 16 ? "f16" : "f32";
    } else if ((dtype.is_int() || dtype.is_uint()) && dtype.bits() == 32) {
      base = dtype.is_int() ? "i32" : "u32";
    }
    if (base.empty() || dtype.is_scalable() || lanes > 4)
      throw Error("unsupported-dtype", "values of type {} cannot be written in WGSL", dtype.str())
          .at(span)
          .help(base.empty()
                    ? "it has bool, int32, uint32, float16 and float32; int64 of indices becomes int32 by "
                      "`tirx.transform.ForceNarrowIndexToInt32`"
                    : "vectors have 2, 3 or 4 lanes: split the vectorized loop");
    return lanes == 1 ? base : fmt::format("vec{}<{}>", lanes, base);
  }
  std::string storage_type(DataType dtype, ir::Span span) override {
    if (dtype.is_bool() || dtype.lanes() == 3)
      throw Error("unsupported-dtype", "memory of type {} cannot be written in WGSL", dtype.str())
          .at(span)
          .help(dtype.is_bool() ? "store int32 or uint32" : "3 lanes would take the place of 4");
    return type(dtype, span);
  }

  // ---- functions, threads ----
  std::string head(const ir::PrimFunc& fn, bool is_kernel, const std::string& name, const std::string& result,
                   const std::vector<Parameter>& params) override {
    if (!is_kernel) return function_head(name, result, params);
    std::string bindings, scalars;
    int count = 0;
    for (const Parameter& param : params) {
      if (param.is_pointer) {
        bindings += fmt::format("@group(0) @binding({}) var<storage, {}> {} : array<{}>;\n", count++,
                                param.is_const ? "read" : "read_write", param.name, param.type);
        continue;
      }
      DataType dtype = param.var->dtype();
      if (dtype.is_bool()) refuse("a bool as a parameter of a kernel", param.var->span, "pass an int32");
      // Hosts pass all floats as those of 32 bits.
      bool half = dtype.is_float() && dtype.bits() == 16;
      scalars += fmt::format("  {} : {},\n", param.name, half ? "f32" : param.type);
      std::string text = "podArgs." + param.name;
      bindings_[param.var].text = {half ? fmt::format("f16({})", text) : text};
    }
    auto extents = gpu_backend::block_extents(fn);
    if (!extents)
      refuse("a number of threads that is computed", fn->span,
             "bind loops of constant extents to `threadIdx`");
    line("let block_x : u32 = blockIdx.z * gridDim.x + blockIdx.x;");
    line("if (block_x >= podArgs.packGridDimX) { return; }");
    return fmt::format(
        "{}\nstruct PodArgs {{\n{}  packGridDimX : u32,\n}}\n@group(0) @binding({}) var<uniform> podArgs : "
        "PodArgs;\n\n"
        "@compute @workgroup_size({}, {}, {})\nfn {}(\n  @builtin(workgroup_id) blockIdx : vec3<u32>,\n"
        "  @builtin(num_workgroups) gridDim : vec3<u32>,\n  @builtin(local_invocation_id) threadIdx : "
        "vec3<u32>\n)",
        bindings, scalars, count, (*extents)[0], (*extents)[1], (*extents)[2], name);
  }
  std::string function_head(const std::string& name, const std::string& result,
                            const std::vector<Parameter>& params) {
    std::string all;
    for (const Parameter& param : params) {
      if (param.is_pointer) refuse("a pointer as a parameter", param.var->span);
      all += fmt::format("{}{} : {}", all.empty() ? "" : ", ", param.name, param.type);
    }
    return fmt::format("fn {}({}){}{}", name, all, result.empty() || result == "void" ? "" : " -> ",
                       result == "void" ? "" : result);
  }
  Text thread(std::string_view tag, DataType dtype, ir::Span span) override {
    if (tag == "blockIdx.z")
      refuse("blocks along `blockIdx.z`", span, "it counts what is too much for `blockIdx.x`");
    if (!tag.starts_with("threadIdx.") && !tag.starts_with("blockIdx."))
      refuse(fmt::format("a thread `{}`", tag), span);
    return converted(type(dtype, span), {tag == "blockIdx.x" ? "block_x" : std::string(tag)});
  }
  std::string barrier(std::string_view scope, ir::Span span) override {
    // A warp has no barrier of its own; the one of the block makes it wait as well.
    if (scope == "shared" || scope == "warp") return "workgroupBarrier();";
    refuse(fmt::format("a barrier of scope `{}`", scope), span, "kernels end where all blocks have to wait");
  }

  // ---- numbers ----
  Text float_constant(DataType dtype, double value, ir::Span span) override {
    if (std::isfinite(value) && std::isfinite(static_cast<float>(value)))
      return KernelEmitter::float_constant(dtype, value, span);
    // Constants are finite; a variable's bits need not be.
    bool nan = std::isnan(value);
    need(nan ? "mlc_nan" : "mlc_infinity",
         fmt::format("\nvar<private> {} : u32 = 0x{}u;", nan ? "mlc_nan" : "mlc_infinity",
                     nan ? "7fc00000" : "7f800000"));
    Text made{fmt::format("{}bitcast<f32>({})", value < 0 ? "-" : "", nan ? "mlc_nan" : "mlc_infinity"),
              kUnary};
    return dtype.bits() == 32 ? made : converted(type(dtype, span), made);
  }
  Text cast(const Text& value, DataType from, DataType to, ir::Span span) override {
    return from == to ? value : converted(type(to, span), value);
  }
  Text reinterpret(const Text& value, DataType from, DataType to, ir::Span span) override {
    if (from == to) return value;
    return {fmt::format("bitcast<{}>({})", type(to, span), value.text)};
  }
  Text extremum(bool is_max, const Text& a, const Text& b, DataType dtype) override {
    return {fmt::format("{}({}, {})", is_max ? "max" : "min", a.text, b.text)};
  }
  Text float_mod(const Text& a, const Text& b, DataType) override {
    return infix(a, "%", b, kProduct, kProduct);
  }
  Text math(std::string_view name, const std::vector<Text>& args, DataType dtype, DataType from,
            ir::Span span) override {
    if (name == "popcount" || name == "clz") {
      return converted(
          type(dtype, span),
          {fmt::format("{}({})", name == "clz" ? "countLeadingZeros" : "countOneBits", args[0].text)});
    }
    if (name == "isnan") {  // compilers may take all numbers for finite, but not all bits
      std::string wide = from.bits() == 32 ? args[0].text : fmt::format("f32({})", args[0].text);
      return {fmt::format("(bitcast<u32>({}) & 0x7fffffffu) > 0x7f800000u", wide), kRelational};
    }
    if (dtype.is_integral()) {
      if (name == "fabs") return {fmt::format("abs({})", args[0].text)};
      undefined(name, dtype, span);
    }
    std::string one = type(dtype, span);
    if (name == "sigmoid")
      return {fmt::format("{0}(1) / ({0}(1) + exp(-{1}))", one, args[0].at_least(kUnary)), kProduct};
    if (name == "fmod") return infix(args[0], "%", args[1], kProduct, kProduct);
    if (name == "log10")
      return infix({fmt::format("log2({})", args[0].text)}, "*", {"0.30102999566398120"}, kProduct, kProduct);
    if (name == "exp10") return {fmt::format("exp2({} * 3.3219280948873623)", args[0].at_least(kProduct))};
    return c_backend::called(checked(std::string(name), span), args);
  }
  std::string function_name(const std::string& name) override {
    bool single = name.ends_with('f') && ir::scalar_op(name) == nullptr;
    std::string base = single ? name.substr(0, name.size() - 1) : name;
    if (base == "log10" || base == "exp10") {
      const char* text = base == "log10" ? "log2(x) * 0.30102999566398120" : "exp2(x * 3.3219280948873623)";
      return need("mlc_" + base, fmt::format("\nfn mlc_{}(x : f32) -> f32 {{\n  return {};\n}}", base, text));
    }
    return ir::scalar_op(base) == nullptr ? name : checked(base, {});
  }
  std::string checked(const std::string& function, ir::Span span) const {
    for (const auto& [name, own] : functions) {
      if (name == function) return std::string(own);
    }
    throw Error("codegen-unsupported", "WGSL has no function `{}`", function).at(span);
  }
  std::string preamble() override {
    std::string text;
    for (const std::string& extension : enabled_) text += fmt::format("enable {};\n", extension);
    return text;
  }
  std::optional<Value> device_call(const ir::CallNode* call, std::string_view name) override {
    if (name != "webgpu.subgroup_shuffle" && name != "webgpu.subgroup_shuffle_up" &&
        name != "webgpu.subgroup_shuffle_down")
      return std::nullopt;
    enabled_.insert("subgroups");
    std::string_view way = name.substr(std::string_view("webgpu.subgroup_shuffle").size());
    return of(call->dtype(), {fmt::format("subgroupShuffle{}({}, {})",
                                          way == "_up"     ? "Up"
                                          : way == "_down" ? "Down"
                                                           : "",
                                          scalar(call->args[0]).text, scalar(call->args[1]).text)});
  }

 private:
  std::set<std::string> enabled_;
};

std::string webgpu_source(const ir::IRModule& device_functions, const ir::Target& target) {
  return WebgpuEmitter(device_functions, target).source();
}

}  // namespace mlc::webgpu_backend
