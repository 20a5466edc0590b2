// SPDX-License-Identifier: Apache-2.0
// What a backend is: it takes lowered modules and makes something that runs, or files, of them.
//
// Each is one row, `extern const Backend backend_NAME;` in backend/NAME/backend.cpp; the build collects them
// (cmake/registry.cmake). Everything outside of backend/NAME goes through the row: command line, scripts,
// help.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/artefact/c_interface.h"
#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::backend {

// A kind of file that a backend can write: a row of `mlc build --emit`.
struct Artefact {
  // May it declare its functions to C programs (`--header`)?
  enum class Header : uint8_t { kNever, kOnRequest, kAlways };

  std::string_view name;    // "so"
  std::string_view ending;  // of its usual file name: ".so"
  std::string_view what;    // for help: "a shared library"
  Header header = Header::kNever;
  bool is_text = false;    // to be read: without source lines unless requested
  bool is_folder = false;  // with its header inside
};

// What a C program gets in addition to the code: names for the functions and a header that declares them.
struct ForC {
  std::string library;            // what it is called: "matmul" of libmatmul.so
  std::string prefix;             // of the functions' names
  std::string header;             // the file; not for folders, which have their own
  std::string version = "0.1.0";  // of a package
};

// One artefact that is wanted.
struct Order {
  const ir::IRModule& lowered;
  const ir::Target& target;
  std::string path;             // of the file or folder
  bool lines = true;            // the code names the lines of the program that it comes from
  const ForC* for_c = nullptr;  // null: no header is wanted
  std::function<std::string(const ir::Expr&)> print;  // extents that are more than numbers, for comments
};

struct Backend {
  std::string_view name;
  std::string_view doc;                       // one sentence
  std::span<const std::string_view> targets;  // the kinds of targets that it compiles for
  std::string_view pipeline;                  // of mlc.pipeline: what lowers modules for it
  std::string_view schedule_rules;            // of mlc.schedule: `mlc build --schedule auto`; "" for none
  DLDeviceType device;                        // where its code runs
  bool is_default = false;                    // its first kind is the target where none is named
  std::span<const Artefact> artefacts;        // the first is the default of `mlc build`

  // Compiles a lowered module into functions; they can be called where the target is this machine.
  ir::ffi::Module (*make_module)(const ir::IRModule& lowered, const ir::Target& target);
  // Writes one of `artefacts`. Returns what C can call, nothing without `for_c`.
  CInterface (*emit)(const Artefact& artefact, const Order& order);
  // Writes a shared library of modules that it has compiled, and of bytes that `symbol` names. Null: it makes
  // none.
  void (*write_library)(const std::vector<ir::ffi::Module>& compiled, std::string_view symbol,
                        std::string_view bytes, const std::string& path) = nullptr;
  // The object file of such bytes alone.
  std::string (*library_data)(const std::vector<ir::ffi::Module>& compiled, std::string_view symbol,
                              std::string_view bytes) = nullptr;
  void (*register_api)() = nullptr;  // its API for scripts; null: none
};

// In alphabetical order. Generated.
const std::vector<const Backend*>& all_backends();

const Backend* find_backend(const ir::Target& target);  // null: none compiles for it
// Which GPUs are simulated from now on: `tvm.cuda(0)` and its like are memory of the host, and what is compiled for
// targets of such GPUs runs in the simulator (interp/gpu/).
enum class Simulate : uint8_t {
  kNone,
  kMissing,  // of the kinds of which this machine has none
  kAll,
};
void simulate_gpus(Simulate which);
Simulate simulated_gpus();
const Backend* simulator_of(
    const ir::Target& target);  // null: it is none of a GPU, or they are not simulated
const Backend* backend_of_hardware(
    const ir::Target& target);  // what compiles for it, simulated or not; null: nothing
// Error: no-backend.
const Backend& backend_of(const ir::Target& target);
const Backend& default_backend();
std::string default_target_kind();  // "llvm"

// The artefact of that name; null where the backend makes no such thing.
const Artefact* find_artefact(const Backend& backend, std::string_view name);
// A kind of artefact, and who makes it.
struct Choice {
  const Backend* backend;
  const Artefact* artefact;
};
// What `--emit NAME` means for a target: an artefact of the target's backend, else the first backend's that
// has one of this name. Error: unknown-emit-kind with what there is.
Choice choose_artefact(std::string_view name, const Backend& preferred);
// All names of artefacts, each once, and their text in the help of `--emit`.
std::vector<std::string> artefact_names();
std::string artefact_help();

// Attributes of statements that have done their work in earlier passes, or change nothing on a CPU.
bool is_spent_hint(std::string_view attr_key);

}  // namespace mlc::backend
