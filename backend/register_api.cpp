// SPDX-License-Identifier: Apache-2.0
#include "backend/register_api.h"

#include <tvm/ffi/container/list.h>

#include <algorithm>
#include <filesystem>

#include "backend/artefact/build.h"
#include "backend/artefact/executable.h"
#include "backend/artefact/load_library.h"
#include "backend/artefact/module_tree.h"
#include "backend/device_api.h"
#include "backend/interp/interp.h"
#include "backend/runtime/parallel.h"
#include "backend/runtime/tensor.h"
#include "backend/runtime/time_evaluator.h"
#include "backend/runtime_functions.h"
#include "backend/source_api.h"
#include "backend/target_api.h"
#include "backend/vm/api.h"
#include "ir/core/array_text.h"
#include "ir/core/inputs.h"
#include "ir/core/refusal.h"
#include "ir/core/register_node.h"
#include "ir/core/try_get.h"
#include "ir/registry/api.h"

namespace mlc::backend {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "load-failed"},
        {.name = "no-constructor",
         .kind = "TypeError",
         .message = "modules are made by `tvm.build` and `tvm.runtime.load_module`"},
        {.name = "not-an-object",
         .message = "`{}`: an object file holds compiled code alone, and this module has graphs",
         .help = "export it as .so or .tar"},
    }};
MLC_REFUSALS(backend_register_api, refusals);

namespace {

using ir::Any;
using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;
using ir::Array;
using ir::Error;
using ir::native;
using ir::String;

constexpr std::string_view kModule = "ffi.Module";
constexpr std::string_view kExecutable = "mlc.runtime.Executable";
constexpr std::string_view kEntryName = "main";

using ir::view;

// ---- modules ----

ffi::Function function_of(const ffi::Module& module, std::string_view name, ir::Span span,
                          bool imports = false) {
  ffi::Optional<ffi::Function> found = module->GetFunction(String(std::string(name)), imports);
  if (found.has_value()) return *found;
  throw Error("no-such-function", "the module has no function `{}`", name).kind("AttributeError").at(span);
}
Any call_function(const ffi::Function& fn, const Array<Any>& args) {
  std::vector<ffi::AnyView> views;
  std::vector<Any> kept(args.begin(), args.end());
  for (Any& value : kept) {
    auto array = value.as<ir::NDArray>();
    if (!array || !*array) continue;
    if (!(*array)->writeable) {
      throw Error("read-only", "a read-only array cannot be given to a compiled function")
          .kind("BufferError");
    }
    value = (*array)->tensor;
  }
  for (const Any& value : kept) views.emplace_back(value);
  Any result;
  fn.CallPacked(views.data(), static_cast<int32_t>(views.size()), &result);
  return result;
}
ffi::Module module_self(const Any& self) {
  if (auto executable = self.as<Executable>(); executable && *executable) return (*executable)->mod;
  return self.cast<ffi::Module>();
}
template <bool kImports>
Any get_item(ApiCall& call) {
  auto name = call.args[1].try_cast<String>();
  if (!name) ir::wrong_argument(call, 1, "str");
  bool imports = call.args.size() > 2 ? ir::detail::argument<bool>(call, 2) : kImports;
  return function_of(module_self(call.args[0]), view(*name), call.span_of(1), imports);
}
Any call_entry_function(ApiCall& call) {
  return call_function(function_of(module_self(call.args[0]), kEntryName, call.span),
                       call.args[1].cast<Array<Any>>());
}
// Written at once when this is the only process.
Any export_library(ApiCall& call) {
  ffi::Module module = module_self(call.args[0]);
  auto path = call.args[1].try_cast<String>();
  auto rest = call.args.subspan(2);
  bool plain = rest[0] == nullptr && rest[1] == nullptr && rest[2] == nullptr &&
               rest[3].cast<ir::Map<String, Any>>().empty();
  ModuleTree tree = module_tree(module);
  if (plain && path && !view(*path).ends_with(".tar")) {
    bool object = view(*path).ends_with(".o") || view(*path).ends_with(".obj");
    if (!tree.bytes.empty()) {
      if (object) throw ir::refuse(refusals["not-an-object"], view(*path));
      default_backend().write_library(tree.compiled, ffi::symbol::tvm_ffi_library_bin, tree.bytes, std::string(*path));
      return nullptr;
    }
    if (tree.compiled.size() == 1) {
      module->WriteToFile(*path, object ? "o" : "so");
      return nullptr;
    }
  }
  Any data;
  if (!tree.bytes.empty()) {
    std::string bytes = default_backend().library_data(tree.compiled, ffi::symbol::tvm_ffi_library_bin, tree.bytes);
    data = ffi::Bytes(bytes);
  }
  std::vector<Any> args{Any(Array<Any>(tree.compiled.begin(), tree.compiled.end())), data};
  args.insert(args.end(), call.args.begin() + 1, call.args.end());
  return call.host.call_library("tvm.runtime.exported", "export_with", args);
}

constexpr std::string_view kTimeEvaluatorSignature =
    "time_evaluator(func_name, dev=None, number=10, repeat=1, min_repeat_ms=0, "
    "limit_zero_time_iterations=100, "
    "cooldown_interval_ms=0, repeats_to_cooldown=1, cache_flush_bytes=0, f_preproc='')";
Any make_time_evaluator(ApiCall& call) {
  auto name = call.args[1].try_cast<String>();
  if (!name) ir::wrong_argument(call, 1, "str");
  auto integer = [&](size_t index) {
    auto value = call.args[index].try_cast<int64_t>();
    if (!value) ir::wrong_argument(call, index, "int");
    return *value;
  };
  auto preprocess = call.args[10].try_cast<String>();
  if (!preprocess) ir::wrong_argument(call, 10, "str");
  std::optional<ffi::Function> before;
  if (!preprocess->empty()) {
    before = ffi::Function::GetGlobal(view(*preprocess));
    if (!before) {
      throw Error("no-such-function", "there is no global function `{}`", view(*preprocess))
          .kind("InternalError");
    }
  }
  runtime::TimingOptions options{integer(3), integer(4), integer(5), integer(6),
                                 integer(7), integer(8), integer(9), before};
  if (auto device = call.args[2].as<DLDevice>()) options.device = *device;
  ffi::Optional<ffi::Function> timed = module_self(call.args[0])->GetFunction(*name);
  if (!timed.has_value()) {
    throw Error("no-such-function", "the module has no function `{}`", view(*name))
        .kind("InternalError")
        .at(call.span_of(1));
  }
  ffi::Function evaluate = runtime::time_evaluator(*timed, options);
  return ffi::Function::FromPacked([evaluate, &host = call.host](ffi::PackedArgs args, ffi::Any* out) {
    Any results;
    evaluate.CallPacked(args.data(), args.size(), &results);
    *out = host.call_library("tvm.runtime", "benchmark_result", {&results, 1});
  });
}

template <int kBit>
Any has_property(ApiCall& call) {
  return (call.args[0].cast<ffi::Module>()->GetPropertyMask() & kBit) != 0;
}

const ApiRow module_rows[] = {
    {ApiKind::kClass, "tvm.runtime", "Module()", "Compiled functions by name.",
     [](ApiCall& call) -> Any { throw ir::refuse(refusals["no-constructor"]).at(call.span); }, kModule,
     "tvm.runtime.module.Module"},
    {ApiKind::kMethod, kModule, "__getitem__(name)", "The function of that name.", get_item<false>},
    {ApiKind::kMethod, kModule, "__getattr__(name)", "The function of that name.", get_item<false>},
    {ApiKind::kMethod, kModule, "get_function(name, query_imports=False)", "The function of that name.",
     get_item<false>},
    {ApiKind::kMethod, kModule, "implements_function(name, query_imports=False)",
     "Is there a function of that name?", native([](ffi::Module module, String name, bool imports) {
       return module->ImplementsFunction(name, imports);
     })},
    {ApiKind::kMethod, kModule, "__call__(*args)", "Calls the function `main`.", call_entry_function},
    {ApiKind::kProperty, kModule, "entry_name", "The function that a call of the module runs.",
     native([](ffi::Module) { return String(std::string(kEntryName)); })},
    {ApiKind::kProperty, kModule, "kind", "What made the module: \"llvm\", \"c\", \"library\".",
     native([](ffi::Module module) { return String(module->kind()); })},
    {ApiKind::kProperty, kModule, "imports", "Modules that this one needs.",
     native([](ffi::Module module) { return module->imports(); })},
    {ApiKind::kMethod, kModule, "import_module(module)", "Makes another module one that this one needs.",
     native([](ffi::Module module, ffi::Module other) { module->ImportModule(other); })},
    {ApiKind::kMethod, kModule, "clear_imports()", "Forgets the modules that this one needs.",
     native([](ffi::Module module) { module->ClearImports(); })},
    {ApiKind::kMethod, kModule, "get_write_formats()", "What `write_to_file` writes.",
     native([](ffi::Module module) { return module->GetWriteFormats(); })},
    {ApiKind::kMethod, kModule, "get_property_mask()", "The properties of the module as bits.",
     native([](ffi::Module module) { return static_cast<int64_t>(module->GetPropertyMask()); })},
    {ApiKind::kMethod, kModule, "is_runnable()", "Can its functions be called?",
     has_property<ffi::Module::kRunnable>},
    {ApiKind::kMethod, kModule, "is_compilation_exportable()", "Can it be written as a library?",
     has_property<ffi::Module::kCompilationExportable>},
    {ApiKind::kMethod, kModule, "is_binary_serializable()", "Can it be written as bytes?",
     has_property<ffi::Module::kBinarySerializable>},
    {ApiKind::kMethod, kModule, "get_function_doc(name, query_imports=False)",
     "The text that explains a function, or None.",
     native([](ffi::Module module, String name, bool) -> Any { return module->GetFunctionDoc(name); })},
    {ApiKind::kMethod, kModule, "get_function_metadata(name, query_imports=False)",
     "What is known of a function, or None.",
     native([](ffi::Module module, String name, bool) -> Any { return module->GetFunctionMetadata(name); })},
    {ApiKind::kMethod, kModule, "inspect_source(fmt='')",
     "The generated code, as `fmt`: of LLVM \"ll\" (the default) or \"asm\", of the target `c` its text.",
     native([](ffi::Module module, String format) { return module->InspectSource(format); })},
    {ApiKind::kMethod, kModule,
     "export_library(file_name, *, fcompile=None, addons=None, workspace_dir=None, **kwargs)",
     "Writes a shared library that `tvm_ffi.load_module` loads; a name that ends in .o gives an object file, "
     "one in .tar an archive of it. `fcompile(file_name, objects, **kwargs)` links it otherwise.",
     export_library},
    {ApiKind::kMethod, kModule, "write_to_file(file_name, fmt='')",
     "Writes the code as one of `get_write_formats()`: by the name's end, where none is named.",
     native([](ffi::Module module, String path, String format) { module->WriteToFile(path, format); })},
    {ApiKind::kMethod, kModule, kTimeEvaluatorSignature,
     "A function that times `func_name` on its arguments and returns mean, median, min, max and std in "
     "seconds.",
     make_time_evaluator},
    {ApiKind::kMethod, kModule, "__repr__()", "ffi.Module(...)",
     native([](ffi::Module) { return String("ffi.Module(imports_=())"); })},

    {ApiKind::kClass, "tvm.runtime", "Executable(mod)", "A compiled module, ready to run or to export.",
     native([](ffi::Module module) { return ir::make<ExecutableNode>(module); }), kExecutable,
     "tvm.runtime.executable.Executable"},
    {ApiKind::kProperty, kExecutable, "mod", "The compiled module.",
     native([](Executable self) { return self->mod; })},
    {ApiKind::kMethod, kExecutable, "__getitem__(name)", "The function of that name.", get_item<true>},
    {ApiKind::kMethod, kExecutable, "__call__(*args)", "Calls the function `main`.", call_entry_function},
    {ApiKind::kMethod, kExecutable, "jit(*, fcompile=None, addons=None, force_recompile=False, **kwargs)",
     "The module, ready to run.", [](ApiCall& call) -> Any { return module_self(call.args[0]); }},
    {ApiKind::kMethod, kExecutable,
     "export_library(file_name, *, fcompile=None, addons=None, workspace_dir=None, **kwargs)",
     "Writes a shared library that `tvm_ffi.load_module` loads; a name that ends in .o gives an object file, "
     "one in .tar an archive of it. `fcompile(file_name, objects, **kwargs)` links it otherwise.",
     export_library},
    {ApiKind::kMethod, kExecutable, "__repr__()", "<tvm.runtime.executable.Executable object>",
     native([](Executable) { return String("<tvm.runtime.executable.Executable object>"); })},

    {ApiKind::kFunction, "tvm.runtime", "load_module(path)",
     "Loads a compiled shared library; of objects and archives of them one is made first.",
     [](ApiCall& call) -> Any {
       Any given = call.args[0], as_path;
       if (!given.try_cast<String>() && call.host.find_attribute(given, "__fspath__", as_path))
         given = call.host.call(as_path, {});
       auto path = given.try_cast<String>();
       if (!path) ir::wrong_argument(call, 0, "str");
       ir::Inputs::global().beyond();
       if (!std::filesystem::exists(std::string(*path))) {
         throw ir::refuse_as(refusals["load-failed"], "cannot find file {}", std::string(*path))
             .at(call.span_of(0));
       }
       if (view(*path).ends_with(".o") || view(*path).ends_with(".tar")) {
         Any linked = call.host.call_library("tvm.runtime.exported", "linked", {&given, 1});
         return load_library(std::string(linked.cast<String>()));
       }
       try {
         // A name without a folder is one of this folder, not one that the loader looks for.
         return load_library(std::filesystem::absolute(std::string(*path)).string());
       } catch (const ffi::Error& error) {
         throw ir::refuse_as(refusals["load-failed"], "`{}` cannot be loaded: {}", std::string(*path),
                             std::string(error.message()))
             .kind(std::string(error.kind()) + "+ValueError")
             .at(call.span_of(0));
       }
     }},
    {ApiKind::kFunction, "tvm.runtime", "system_lib(symbol_prefix='')",
     "The functions that the program itself was linked with, under names that begin so.",
     native([](String prefix) -> Any {
       auto find = ffi::Function::GetGlobal("ffi.SystemLib");
       if (!find) throw Error("not-supported", "this program holds no functions").kind("RuntimeError");
       return (*find)(prefix);
     })},
    {ApiKind::kFunction, "tvm.runtime", "num_threads()", "Threads that take part in parallel loops.",
     native([] {
       ir::Inputs::global().beyond();
       return static_cast<int64_t>(mlc_num_threads());
     })},
};

}  // namespace

void register_api() {
  ir::ApiRegistry& registry = ir::ApiRegistry::global();
  register_target_api();
  register_runtime_functions();
  register_source_api();
  for (const Backend* one : all_backends()) {
    if (one->register_api != nullptr) one->register_api();
  }
  registry.add(module_rows);
  register_device_api();
  registry.alias("tvm_ffi.system_lib", "tvm.runtime.system_lib");
  registry.alias("tvm.nd.array", "tvm.runtime.tensor");
  registry.alias("tvm.nd.empty", "tvm.runtime.empty");
  registry.alias("tvm.nd.NDArray", "tvm.runtime.Tensor");
  registry.alias("tvm.runtime.NDArray", "tvm.runtime.Tensor");
  registry.alias("tvm.runtime.executable.Executable", "tvm.runtime.Executable");
  interp::register_api();
  vm::register_api();
}

}  // namespace mlc::backend
