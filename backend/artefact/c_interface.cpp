// SPDX-License-Identifier: Apache-2.0
#include "backend/artefact/c_interface.h"

#include <dlfcn.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/core/error.h"
#include "ir/core/refusal.h"
#include "ir/core/small_float.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/op.h"

namespace mlc::backend {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "no-c-name",
         .meaning =
             "With a header every exported function has a name in C: its own behind `--c-prefix`, or for "
             "`main` that of the library. It must be none that C, C++ or their libraries use."},
        {.name = "no-c-signature",
         .message = "{} of `{}` is a {}, for which C has no type",
         .help = "pass it in a buffer",
         .meaning = "C has no type for vectors of numbers: such a value is passed in a buffer."},
        {.name = "no-exported-function",
         .message = "the module exports no function that C could call",
         .help = "functions with `private=True` have no name outside of the module",
         .meaning = "A library for C needs a function with a name outside of the module."},
    }};
MLC_REFUSALS(artefact_c_interface, refusals);

namespace {

using ir::DataType;
using ir::Error;
using ir::Expr;
using ir::Stmt;
using ir::Var;
using ir::VarNode;

// Words of C17 and C++20 and names of <stdint.h> and <stdbool.h> that cannot name a function or parameter.
constexpr std::string_view kWords[] = {"alignas",     "alignof",      "and",       "and_eq",
                                       "asm",         "auto",         "bitand",    "bitor",
                                       "bool",        "break",        "case",      "catch",
                                       "char",        "char16_t",     "char32_t",  "char8_t",
                                       "class",       "co_await",     "co_return", "co_yield",
                                       "compl",       "concept",      "const",     "const_cast",
                                       "consteval",   "constexpr",    "constinit", "continue",
                                       "decltype",    "default",      "delete",    "do",
                                       "double",      "dynamic_cast", "else",      "enum",
                                       "explicit",    "export",       "extern",    "false",
                                       "float",       "for",          "friend",    "goto",
                                       "if",          "inline",       "int",       "linux",
                                       "long",        "mutable",      "namespace", "new",
                                       "noexcept",    "not",          "not_eq",    "nullptr",
                                       "operator",    "or",           "or_eq",     "private",
                                       "protected",   "public",       "register",  "reinterpret_cast",
                                       "requires",    "restrict",     "return",    "short",
                                       "signed",      "sizeof",       "static",    "static_assert",
                                       "static_cast", "struct",       "switch",    "template",
                                       "this",        "thread_local", "throw",     "true",
                                       "try",         "typedef",      "typeid",    "typename",
                                       "typeof",      "union",        "unix",      "unsigned",
                                       "using",       "virtual",      "void",      "volatile",
                                       "wchar_t",     "while",        "xor",       "xor_eq"};

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view e) { return name.ends_with(e); });
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

// The header itself must compile with the name: no keyword, no type or macro of the headers it includes.
bool is_reserved_in_c(std::string_view name) {
  if (std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords)) return true;
  bool upper = name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == name.npos;
  if (upper && (name == "NULL" || ends_with_any(name, {"_MAX", "_MIN", "_C"}))) return true;
  if ((name.starts_with("int") || name.starts_with("uint")) && name.ends_with("_t")) return true;
  return name.starts_with("__") || (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z');
}

// Every character that C does not have in names becomes one `_`.
std::string c_identifier(std::string_view text) {
  std::string name;
  for (char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0U) == 0x80U) continue;  // the rest of a character of UTF-8
    name += is_letter(c) || is_digit(c) ? c : '_';
  }
  return name;
}

// A library with a function of this name would be called instead of the C library's, by the C library too.
bool in_c_library(const std::string& name) {
  for (const char* library : {"libc.so.6", "libm.so.6"}) {
    void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    bool found = dlsym(handle, name.c_str()) != nullptr;
    dlclose(handle);
    if (found) return true;
  }
  return false;
}

std::string c_type(DataType dtype) {
  if (!dtype.is_scalar()) return "";
  if (dtype.is_bool()) return "bool";
  if (dtype.is_handle()) return "void*";
  if (dtype.is_bfloat16()) return "uint16_t";
  if (dtype.is_float()) {
    if (dtype.bits() == 16) return "uint16_t";
    if (dtype.bits() == 32) return "float";
    if (dtype.bits() == 64) return "double";
    return "";
  }
  if (ir::narrow_format(dtype) != nullptr && dtype.bits() == 8) return "uint8_t";
  bool whole = dtype.bits() == 8 || dtype.bits() == 16 || dtype.bits() == 32 || dtype.bits() == 64;
  if (!whole || !(dtype.is_int() || dtype.is_uint())) return "";
  return fmt::format("{}int{}_t", dtype.is_uint() ? "u" : "", dtype.bits());
}

namespace {

[[noreturn]] void refuse_name(const CFunction& function, std::string_view why) {
  throw Error("no-c-name", "the C name `{}` of the function `{}` {}", function.name, function.symbol, why)
      .at(function.fn->span)
      .help("rename the function, or begin all C names with `--c-prefix PREFIX`");
}

void check_name(const CFunction& function) {
  const std::string& name = function.name;
  if (name.empty() || is_digit(name[0])) refuse_name(function, "does not begin with a letter");
  if (is_reserved_in_c(name)) refuse_name(function, "is reserved in C or C++");
  if (name.starts_with("mlc_"))
    refuse_name(function, "could be one of the runtime's own, which begin with `mlc_`");
  if (name == "main") refuse_name(function, "is that of the program which calls it");
  if (in_c_library(name)) refuse_name(function, "is taken by the C library");
}

// Which parameters a function reads and writes. Views count as what they view; what another function of the
// module gets, as what that does with it; a buffer whose address goes elsewhere, as read and written. The
// number of the address is no use.
class Uses final : public ir::Walker {
 public:
  Uses(const ir::PrimFunc& fn, const ir::IRModule& mod) : Uses(fn, mod, nullptr) {}
  bool reads(const VarNode* param) const { return reads_.contains(param); }
  bool writes(const VarNode* param) const { return writes_.contains(param); }
  bool parallel() const { return parallel_; }

 private:
  Uses(const ir::PrimFunc& fn, const ir::IRModule& mod, const Uses* caller)
      : fn_(fn.get()), mod_(mod), caller_(caller) {
    for (const Var& param : fn->params) root_[param.get()] = param.get();
    visit(fn->body);
  }
  void visit(const Expr& e) override {
    auto* called = ir::as<ir::CallNode>(e);
    if (called != nullptr && ir::as<ir::GlobalVarNode>(called->op) != nullptr) return visit_call(called);
    if (auto* address = ir::as_call_to(e, "tirx.reinterpret");
        address != nullptr && ir::as_call_to(address->args[0], "tirx.buffer_data") != nullptr)
      return;
    if (auto* call = ir::as_call_to(e, "tirx.address_of")) {
      if (auto* place = ir::as<ir::TensorLoadNode>(call->args[0])) escapes(place->source.get());
    }
    if (auto* load = ir::as<ir::TensorLoadNode>(e)) {
      note(reads_, load->source.get());
      for (const Expr& index : load->indices) visit(index);
      return;
    }
    bool loads = ir::as_call_to(e, "tirx.masked_load") != nullptr;
    if (loads || ir::as_call_to(e, "tirx.masked_store") != nullptr) {
      auto* call = ir::as<ir::CallNode>(e);
      if (auto* buffer = ir::as<VarNode>(call->args[0])) {
        note(loads ? reads_ : writes_, buffer);
        for (size_t i = 1; i < call->args.size(); ++i) visit(call->args[static_cast<int64_t>(i)]);
        return;
      }
    }
    if (auto* var = ir::as<VarNode>(e)) escapes(var);
    walk_children(e);
  }
  void visit(const Stmt& s) override {
    if (auto* store = ir::as<ir::BufferStoreNode>(s)) {
      note(writes_, store->buffer.get());
      visit(store->value);
      for (const Expr& index : store->indices) visit(index);
      return;
    }
    if (auto* view = ir::as<ir::DeclBufferNode>(s)) {
      Expr origin = view->data;
      if (auto* call = ir::as_call_to(origin, "tirx.buffer_data")) origin = call->args[0];
      auto* source = ir::as<VarNode>(origin);
      auto known = source == nullptr ? root_.end() : root_.find(source);
      if (known != root_.end()) {
        const VarNode* root = known->second;
        root_[view->buffer.get()] = root;
        return;
      }
    }
    if (auto* loop = ir::as<ir::ForNode>(s)) parallel_ |= loop->for_kind == ir::ForKind::kParallel;
    walk_children(s);
  }
  void visit_buffer(const ir::Buffer& buffer) override { escapes(buffer.get()); }
  void visit_call(const ir::CallNode* call) {
    ir::GlobalVar known = mod_->find(std::string(ir::as<ir::GlobalVarNode>(call->op)->name_hint));
    std::optional<ir::PrimFunc> callee;
    if (known) callee = mod_->functions[known].as<ir::PrimFunc>();
    bool open = false;  // it calls itself
    for (const Uses* each = this; each != nullptr; each = each->caller_)
      open = open || (callee && each->fn_ == callee->get());
    if (!callee || open || (*callee)->params.size() != call->args.size()) return walk_children(ir::ref(call));
    Uses uses(*callee, mod_, this);
    for (size_t i = 0; i < call->args.size(); ++i) {
      auto* buffer = ir::as<VarNode>(call->args[static_cast<int64_t>(i)]);
      const Var& param = (*callee)->params[i];
      if (buffer == nullptr || buffer->buffer() == nullptr || param->buffer() == nullptr) {
        visit(call->args[static_cast<int64_t>(i)]);
        continue;
      }
      if (uses.reads(param.get())) note(reads_, buffer);
      if (uses.writes(param.get())) note(writes_, buffer);
    }
    parallel_ |= uses.parallel();
  }

  void note(std::unordered_set<const VarNode*>& set, const VarNode* buffer) {
    if (auto root = root_.find(buffer); root != root_.end()) set.insert(root->second);
  }
  void escapes(const VarNode* buffer) {
    note(reads_, buffer);
    note(writes_, buffer);
  }

  const ir::PrimFuncNode* fn_;
  const ir::IRModule& mod_;
  const Uses* caller_;                                       // whose call is looked at; null: nobody's
  std::unordered_map<const VarNode*, const VarNode*> root_;  // of views: the parameter behind them
  std::unordered_set<const VarNode*> reads_;
  std::unordered_set<const VarNode*> writes_;
  bool parallel_ = false;
};

// Packed elements are written and read as bytes by their owner.
std::string element_type(DataType dtype) {
  std::string type = c_type(dtype.element());
  return type.empty() ? "void" : type;
}

void add_parameters(CFunction& function, const Uses& uses) {
  using Kind = CParameter::Kind;
  auto refuse = [&](std::string_view what, DataType dtype, ir::Span span) {
    throw ir::refuse(refusals["no-c-signature"], what, function.symbol, dtype.str()).at(span);
  };
  std::vector<Var> arguments;
  for (const Var& param : function.fn->params)
    if (!constant_of(function.fn, param)) arguments.push_back(param);
  size_t first_result = arguments.size() - num_outputs(function.fn);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Var& param = arguments[i];
    CParameter made{param->buffer() != nullptr ? Kind::kTensor : Kind::kScalar, std::string(param->name), "",
                    param};
    if (const ir::BufferTypeNode* type = param->buffer()) {
      // What a graph reads of a result it has written before.
      made.reads = i < first_result && uses.reads(param.get());
      made.writes = uses.writes(param.get());
      made.type = (made.writes ? "" : "const ") + element_type(DataType(type->dtype)) + "*";
    } else {
      made.type = c_type(param->dtype());
      if (made.type.empty())
        refuse(fmt::format("parameter `{}`", made.name), param->dtype(), function.fn->span);
    }
    function.parameters.push_back(std::move(made));
  }
  for (const Var& symbol : shape_symbols(function.fn))
    function.parameters.push_back({Kind::kSymbol, std::string(symbol->name), "int64_t", symbol});
  DataType result = result_type(function.fn);
  if (!result.is_void()) {
    std::string type = c_type(result);
    if (type.empty()) refuse("the result", result, function.fn->span);
    function.parameters.push_back({Kind::kResult, "result", type + "*", Var()});
  }
  // Names of parameters are there for the reader: what C cannot take is replaced.
  std::unordered_set<std::string> taken;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    std::string& name = function.parameters[i].name;
    name = c_identifier(name);
    if (name.empty() || is_digit(name[0]) || is_reserved_in_c(name) || taken.contains(name)) {
      name = fmt::format("arg{}", i);
      while (taken.contains(name)) name += '_';
    }
    taken.insert(name);
  }
}

}  // namespace

std::optional<ir::Any> constant_of(const ir::PrimFunc& fn, const Var& param) {
  auto constants = ir::attr(fn, "mlc.constants");
  if (!constants) return std::nullopt;
  auto values = constants->cast<ir::Map<ir::String, ir::Any>>();
  auto found = values.find(param->name);
  if (found == values.end()) return std::nullopt;
  return (*found).second;
}

size_t num_outputs(const ir::PrimFunc& fn) {
  auto count = ir::attr(fn, "mlc.num_outputs");
  return count ? static_cast<size_t>(count->cast<int64_t>()) : 0;
}

std::vector<Var> shape_symbols(const ir::PrimFunc& fn) {
  std::unordered_set<const VarNode*> known;
  for (const Var& param : fn->params) known.insert(param.get());
  std::vector<Var> symbols;
  auto take = [&](const Expr& e) {
    if (!e) return;
    for (const Var& var : ir::free_vars(e)) {
      if (known.insert(var.get()).second) symbols.push_back(var);
    }
  };
  for (const Var& param : fn->params) {
    const ir::BufferTypeNode* type = param->buffer();
    if (type == nullptr) continue;
    for (const Expr& e : type->shape) take(e);
    for (const Expr& e : type->strides) take(e);
    take(type->elem_offset);
  }
  return symbols;
}

std::vector<Expr> shape_arguments(const ir::PrimFunc& fn, const ir::CallNode* call) {
  std::vector<Expr> values;
  for (const Var& symbol : shape_symbols(fn)) {
    Expr value;
    for (size_t i = 0; i < fn->params.size() && !value; ++i) {
      const ir::BufferTypeNode* wanted = fn->params[i]->buffer();
      auto* arg = ir::as<VarNode>(call->args[static_cast<int64_t>(i)]);
      const ir::BufferTypeNode* given = arg == nullptr ? nullptr : arg->buffer();
      if (wanted == nullptr || given == nullptr || wanted->shape.size() != given->shape.size()) continue;
      for (size_t d = 0; d < wanted->shape.size() && !value; ++d)
        if (wanted->shape[d].same_as(symbol)) value = given->shape[d];
    }
    if (!value) {
      throw Error("codegen-unsupported",
                  "a call of a function whose shapes depend on `{}` cannot be compiled", symbol->name.c_str())
          .at(call->span)
          .help("make the extent a parameter");
    }
    values.push_back(ir::cast(symbol->dtype(), value));
  }
  return values;
}

CFunction c_function(std::string symbol, std::string name, const ir::PrimFunc& fn, const ir::IRModule& mod) {
  CFunction made{std::move(symbol), std::move(name), fn, {}};
  add_parameters(made, Uses(fn, mod));
  return made;
}

CInterface c_interface(const ir::IRModule& lowered, std::string_view library, std::string_view prefix) {
  CInterface result;
  result.library = c_identifier(library);
  std::unordered_map<std::string, std::string> taken;
  for (const auto& [global, base] : lowered->functions) {
    auto fn = base.as<ir::PrimFunc>();
    auto symbol = ir::attr(base, "global_symbol");
    if (!fn || !symbol) continue;
    CFunction function{std::string(symbol->cast<ir::String>()), "", *fn, {}};
    bool entry = prefix.empty() && function.symbol == "main";
    function.name = entry ? result.library : c_identifier(std::string(prefix) + function.symbol);
    check_name(function);
    auto [other, fresh] = taken.emplace(function.name, function.symbol);
    if (!fresh) {
      throw Error("duplicate-symbol", "the functions `{}` and `{}` would both be `{}` in C",
                  std::min(other->second, function.symbol), std::max(other->second, function.symbol),
                  function.name)
          .at(function.fn->span)
          .help("rename one of them");
    }
    Uses uses(*fn, lowered);
    result.parallel |= uses.parallel();
    add_parameters(function, uses);
    result.functions.push_back(std::move(function));
  }
  std::sort(result.functions.begin(), result.functions.end(),
            [](const CFunction& a, const CFunction& b) { return a.symbol < b.symbol; });
  if (result.functions.empty()) {
    throw ir::refuse(refusals["no-exported-function"]);
  }
  return result;
}

}  // namespace mlc::backend
