// SPDX-License-Identifier: Apache-2.0
#include "ir/registry/host.h"

#include "ir/core/refusal.h"
#include "ir/registry/context.h"
#include "ir/registry/registry.h"
#include "ir/tir/linear.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "no-formatter", .message = "this program has no formatter"},
        {.name = "no-library",
         .message = "`{}.{}` is written in the language, and no script runs here",
         .help = "give a Host that runs scripts"},
        {.name = "unknown-intrinsic",
         .message = "nobody here knows which intrinsic of LLVM has the number {}",
         .help = "name it: \"llvm.sqrt\""},
    }};
MLC_REFUSALS(registry_host, refusals);

std::string Host::str(const Any& value) {
  const Api* api = ApiRegistry::global().method(value.type_index(), "__str__");
  if (api == nullptr) return type_name(value);
  Any self = value;
  ApiCall call{*api, *this, {&self, 1}, {}, {}};
  return std::string(api->row.body(call).cast<String>());
}

bool Host::find_attribute(const Any&, std::string_view, Any&) { return false; }

Any Host::call_method(const Any& object, std::string_view name, std::span<const Any> args,
                      std::span<const Keyword> keywords) {
  const Api* api = ApiRegistry::global().method(object.type_index(), name);
  if (api == nullptr)
    throw Error("no-attribute", "`{}` has no method `{}`", type_name(object), name).kind("AttributeError");
  std::vector<Any> positional{object};
  positional.insert(positional.end(), args.begin(), args.end());
  return call_api(*api, *this, {positional, keywords, {}, {}, {}});
}

Any Host::call_library(std::string_view module, std::string_view function, std::span<const Any>) {
  throw ir::refuse(refusals["no-library"], module, function);
}

Expr Host::simplify(const Expr& e) { return simplify_linear(e); }

std::string Host::llvm_intrinsic_name(int64_t number) {
  throw ir::refuse(refusals["unknown-intrinsic"], number);
}

std::string Host::format(std::string) { throw ir::refuse(refusals["no-formatter"]); }

void Host::at_end(std::function<void()>) {}

void Host::leave() {
  std::exception_ptr error = crossed(std::current_exception());
  Context::current().error_below = error;
  std::rethrow_exception(error);
}

}  // namespace mlc::ir
