// SPDX-License-Identifier: Apache-2.0
// Which functions of a module are compiled side by side.
#include <catch2/catch.hpp>

#include <set>

#include "backend/llvm/partition.h"
#include "backend/llvm/reuse.h"
#include "ir/tir/arith_ops.h"

namespace {

using namespace mlc::ir;  // NOLINT: builders read like the language

// A function of so many statements that calls another one, where it has a name.
PrimFunc function(const std::string& name, int statements, const std::string& callee = "",
                  const std::string& version_of = "") {
  Buffer b = make<VarNode>(
      "B", make<BufferTypeNode>(DataType::Int(32), "global", Array<Expr>{int32(8)}, Array<Expr>{}, int32(0)));
  Array<Stmt> body;
  for (int i = 0; i < statements; ++i) {
    Expr value = int32(i);
    if (i == 0 && !callee.empty())
      value = make<CallNode>(prim_type(DataType::Int(32)), Expr(make<GlobalVarNode>(String(callee))),
                             Array<Expr>{});
    body.push_back(make<BufferStoreNode>(b, value, Array<Expr>{int32(i % 8)}));
  }
  Map<String, Any> attrs;
  attrs.Set("global_symbol", String(name));
  if (!version_of.empty()) attrs.Set("mlc.version_of", String(version_of));
  return make<PrimFuncNode>(Array<Var>{b}, void_type(), make<SeqStmtNode>(body), attrs);
}

IRModule module(const std::vector<PrimFunc>& functions) {
  Map<GlobalVar, BaseFunc> all;
  for (const PrimFunc& fn : functions)
    all.Set(make<GlobalVarNode>(attr(fn, "global_symbol")->cast<String>()), fn);
  return make<IRModuleNode>(all);
}

std::vector<std::set<std::string>> parts(const std::vector<PrimFunc>& functions) {
  std::vector<std::set<std::string>> result;
  for (const IRModule& part : mlc::llvm_backend::partition(module(functions))) {
    std::set<std::string> names;
    for (const auto& [var, fn] : part->functions) names.insert(std::string(var->name_hint));
    result.push_back(names);
  }
  return result;
}

}  // namespace

TEST_CASE("codegen: each function of a large module that refers to no other is a part", "[codegen]") {
  std::vector<PrimFunc> functions;
  for (int i = 0; i < 24; ++i) functions.push_back(function("f" + std::to_string(i), 500));
  auto found = parts(functions);
  REQUIRE(found.size() == 24);
  for (const auto& part : found) CHECK(part.size() == 1);
  CHECK(found == parts(functions));
}

TEST_CASE("codegen: functions that refer to each other are in one part", "[codegen]") {
  std::vector<PrimFunc> functions{function("a", 4000, "b"), function("b", 4000), function("c", 4000, "", "d"),
                                  function("d", 4000), function("e", 4000)};
  auto found = parts(functions);
  CHECK(std::set(found.begin(), found.end()) ==
        std::set<std::set<std::string>>{{"a", "b"}, {"c", "d"}, {"e"}});
  // All hang together.
  CHECK(parts({function("a", 9000, "b"), function("b", 9000, "a")}).size() == 1);
}

TEST_CASE("codegen: a small module is one part", "[codegen]") {
  CHECK(parts({function("a", 100), function("b", 100), function("c", 100)}).size() == 1);
}

TEST_CASE("codegen: functions whose code is kept by itself are parts, however small", "[codegen]") {
  auto with_key = [](const PrimFunc& fn) { return with_attr(fn, mlc::llvm_backend::kCodeKey, String("key")); };
  CHECK(parts({with_key(function("a", 100)), function("b", 100, "c"), function("c", 100)}) ==
        std::vector<std::set<std::string>>{{"b", "c"}, {"a"}});
}
