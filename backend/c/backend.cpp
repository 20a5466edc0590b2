// SPDX-License-Identifier: Apache-2.0
// C text, for people who want to read what a schedule makes, or to carry it where only a C compiler is.
#include "backend/backend.h"

#include "backend/artefact/write_file.h"
#include "backend/c/compile.h"
#include "backend/c/emitter.h"

namespace mlc::backend {

extern const Backend backend_c;

namespace {

constexpr std::string_view targets[] = {"c"};

constexpr Artefact artefacts[] = {
    {"c", ".c", "C11, to be read or compiled elsewhere", Artefact::Header::kOnRequest, true}};

CInterface emit(const Artefact&, const Order& order) {
  std::string name = order.path.substr(order.path.rfind('/') + 1);
  if (order.path.starts_with("/dev/")) name = "kernel";  // `-o /dev/stdout`
  std::string library = order.for_c != nullptr ? order.for_c->library : name.substr(0, name.find('.'));
  c_backend::ModuleEmitter emitter(c_backend::Convention::kPlain, order.print);
  write_file(order.path,
             emitter.emit(order.lowered, library, order.for_c != nullptr ? order.for_c->prefix : ""));
  if (order.for_c == nullptr) return {};
  CInterface interface = emitter.interface();
  interface.parallel = false;  // who compiles the text decides about threads
  write_file(order.for_c->header, c_header(interface, order.print));
  return interface;
}

}  // namespace

const Backend backend_c = {
    .name = "c",
    .doc = "The text of C11; the system's C compiler makes code of it.",
    .targets = targets,
    .pipeline = "default",
    .schedule_rules = "",  // what people read is what they wrote
    .device = kDLCPU,
    .artefacts = artefacts,
    .make_module = c_backend::make_module,
    .emit = emit,
};

}  // namespace mlc::backend
