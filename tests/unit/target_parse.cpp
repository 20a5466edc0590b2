// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "ir/core/error.h"
#include "ir/target/target.h"

namespace {

using mlc::ir::parse_target;
using mlc::ir::String;
using mlc::ir::target_text;

std::string text(const char* spec) { return target_text(parse_target(String(spec))); }
std::string failure(const char* spec) {
  try {
    return text(spec);
  } catch (const mlc::ir::Error& error) {
    return error.first().name + ": " + error.first().message + " (" + error.first().help + ")";
  }
}

}  // namespace

TEST_CASE("targets: the forms of a specification", "[target]") {
  CHECK(text("llvm") == R"({"kind":"llvm","tag":"","keys":["cpu"]})");
  CHECK(text("llvm -mcpu=skylake -mattr=+avx2,+fma -num-cores 4") ==
        R"({"kind":"llvm","tag":"","keys":["cpu"],"num-cores":4,"mcpu":"skylake","mattr":["+avx2","+fma"]})");
  CHECK(text(R"({"kind":"llvm","mcpu":"skylake"})") ==
        R"({"kind":"llvm","tag":"","keys":["cpu"],"mcpu":"skylake"})");
  for (const std::string& name : mlc::ir::target_names()) {
    // Defaults that are said stand elsewhere than those that are not, in TVM as well.
    std::string said = text(text(name.c_str()).c_str());
    CHECK(text(said.c_str()) == said);
  }
}

TEST_CASE("targets: what is refused", "[target]") {
  CHECK(failure("lvm") == "unknown-target: there is no target `lvm` (did you mean `llvm`?)");
  CHECK(failure("llvm -mcp=x")
            .starts_with("unknown-target-attribute: target kind `llvm` has no attribute `mcp`"));
  CHECK(failure("llvm mcpu").starts_with("unknown-target: `mcpu` in target `llvm mcpu` is no option"));
  CHECK(failure(R"({"kind":"llvm","num-cores":"four"})").starts_with("wrong-type"));
  CHECK(failure("{").starts_with("unknown-target: the target is not valid JSON"));
  CHECK(failure("").starts_with("unknown-target"));
}
