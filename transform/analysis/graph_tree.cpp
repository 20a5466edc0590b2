// SPDX-License-Identifier: Apache-2.0
#include "transform/analysis/graph_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "ir/relax/operator.h"

namespace mlc::transform {
namespace graph_trees {
namespace {

using ir::Any;
using ir::Array;
using ir::as;
using ir::Expr;
using ir::ExprKind;
using ir::view;
using GraphKind = GraphTree::Kind;
using Nature = GraphTree::Nature;
using GraphNode = GraphTree::Node;

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

class Build {
 public:
  Build(GraphTree& tree, const ir::IRModule& mod, const TextOf& text) : tree_(tree), mod_(mod), text_(text) {}

  void function(const relax::Function& fn, size_t depth) {
    for (const ir::Var& param : fn->params) add({.kind = GraphKind::kParam, .depth = depth, .var = param});
    sequence(fn->body, depth);
  }

 private:
  size_t add(GraphNode node) {
    size_t at = tree_.nodes.size();
    if (node.var) number_of_[node.var.get()] = at;
    tree_.nodes.push_back(std::move(node));
    return at;
  }

  void sequence(const relax::SeqExpr& seq, size_t depth) {
    for (const relax::BindingBlock& block : seq->blocks) {
      bool dataflow = relax::is_dataflow(block);
      add({.kind = dataflow ? GraphKind::kDataflow : GraphKind::kBlock, .depth = depth});
      for (const relax::Binding& binding : block->bindings) bind(binding, depth + 1, dataflow);
    }
    size_t result = add({.kind = GraphKind::kResult, .depth = depth, .value = seq->body});
    tree_.nodes[result].what = operand(seq->body, result);
  }

  void bind(const relax::Binding& binding, size_t depth, bool dataflow) {
    size_t at = add({.depth = depth, .var = binding->var, .value = binding->value});
    tree_.nodes[at].is_output = dataflow && !relax::is_dataflow(binding->var);
    if (relax::as_match_cast(binding)) {
      tree_.nodes[at].what = "match_cast";
      operands({binding->value}, at);
    } else {
      value(binding->value, at, depth);
    }
  }

  void value(const Expr& e, size_t at, size_t depth) {
    auto is = [&](std::string_view what) { tree_.nodes[at].what = what; };
    if (auto* call = as<ir::CallNode>(e)) return called(call, at);
    if (auto* tuple = as<ir::TupleNode>(e)) {
      is("tuple");
      return operands(tuple->elements, at);
    }
    if (auto* item = as<ir::TupleGetItemNode>(e)) {
      is(fmt::format("item {}", item->index));
      return operands({item->tuple_value}, at);
    }
    if (e->kind == ExprKind::kIf) {
      auto* branches = static_cast<const relax::IfNode*>(e.get());
      tree_.nodes[at].kind = GraphKind::kIf;
      is("if");
      operands({branches->cond}, at);
      sequence(branches->true_branch, depth + 1);
      add({.kind = GraphKind::kElse, .depth = depth});
      return sequence(branches->false_branch, depth + 1);
    }
    if (e->kind == ExprKind::kFunction) {
      tree_.nodes[at].kind = GraphKind::kFunction;
      is("function");
      return function(ir::ref(static_cast<const relax::FunctionNode*>(e.get())), depth + 1);
    }
    is(operand(e, at));
  }

  // What is called, and the operands that are values: of call_tir and its kin those of the function called.
  void called(const ir::CallNode* call, size_t at) {
    auto say = [&](Nature nature, std::string what, std::string callee = "") {
      GraphNode& node = tree_.nodes[at];
      node.nature = nature;
      node.what = std::move(what);
      node.callee = std::move(callee);
    };
    if (const relax::Operator* row = relax::operator_of(call->op)) {
      std::string name(row->short_name());
      bool destination = name.starts_with("call_tir") || name == "call_dps_packed" || name == "vm.call_tir_dyn";
      bool indirect = destination || name.starts_with("call_pure_packed") || name.starts_with("call_inplace_packed") ||
                      name == "call_builtin_with_ctx" || name == "make_closure" || name.starts_with("invoke_");
      tree_.nodes[at].inplace = name == "call_tir_inplace" || name == "call_inplace_packed";
      if (!indirect) {
        bool memory = name.starts_with("memory.") || name.starts_with("builtin.alloc") || name.starts_with("vm.");
        say(memory ? Nature::kMemory : Nature::kOperator, name);
        return operands(call->args, at);
      }
      const Expr& callee = call->args[0];
      auto* external = as<relax::ExternFuncNode>(callee);
      auto* global = as<ir::GlobalVarNode>(callee);
      bool tensors = destination && global;
      say(tensors ? Nature::kTensorFunction : Nature::kOpaque, name,
          external ? std::string(view(external->global_symbol)) : global ? std::string(view(global->name_hint)) : operand(callee, at));
      Array<Expr> rest;
      for (size_t i = 1; i < call->args.size(); ++i) {
        auto* tuple = as<ir::TupleNode>(call->args[i]);
        if (i == 1 && tuple) {
          for (const Expr& element : tuple->elements) rest.push_back(element);
        } else {
          rest.push_back(call->args[i]);
        }
      }
      return operands(rest, at);
    }
    if (auto* global = as<ir::GlobalVarNode>(call->op)) {
      ir::GlobalVar known = mod_.defined() ? mod_->find(view(global->name_hint)) : ir::GlobalVar(nullptr);
      bool tensors = known && mod_->functions.at(known).as<ir::PrimFuncNode>();
      say(tensors ? Nature::kTensorFunction : Nature::kGraph, "call", std::string(view(global->name_hint)));
    } else if (auto* external = as<relax::ExternFuncNode>(call->op)) {
      say(Nature::kOpaque, "call_packed", std::string(view(external->global_symbol)));
    } else if (relax::is_prim(ir::ref(call))) {
      say(Nature::kPlain, text_(Any(ir::ref(call))));
      return;
    } else {
      say(Nature::kOpaque, "call of a value", operand(call->op, at));
    }
    operands(call->args, at);
  }

  void operands(const Array<Expr>& all, size_t at) {
    for (const Expr& e : all) {
      std::string written = operand(e, at);
      tree_.nodes[at].operands.push_back(std::move(written));
    }
  }

  // As it is written; what it uses is noted.
  std::string operand(const Expr& e, size_t by) {
    if (auto* var = as<ir::VarNode>(e)) {
      use(var, by);
      return std::string(view(var->name));
    }
    if (auto* tuple = as<ir::TupleNode>(e)) {
      std::vector<std::string> elements;
      for (const Expr& each : tuple->elements) elements.push_back(operand(each, by));
      return fmt::format("({}{})", joined(elements), elements.size() == 1 ? "," : "");
    }
    if (auto* item = as<ir::TupleGetItemNode>(e)) return fmt::format("{}[{}]", operand(item->tuple_value, by), item->index);
    if (e->kind == ExprKind::kShapeExpr) {
      std::vector<std::string> dims;
      for (const Expr& dim : static_cast<const relax::ShapeExprNode*>(e.get())->values) dims.push_back(text_(Any(dim)));
      return fmt::format("({}{})", joined(dims), dims.size() == 1 ? "," : "");
    }
    if (auto* global = as<ir::GlobalVarNode>(e)) return std::string(view(global->name_hint));
    if (auto* external = as<relax::ExternFuncNode>(e)) return std::string(view(external->global_symbol));
    if (auto* constant = as<relax::GenericConstNode>(e)) {
      auto tensor = constant->tensor();
      if (tensor) return fmt::format("const {}", short_type(e->ty, text_));
      if (auto dtype = constant->value.as<DLDataType>()) return ir::DataType(*dtype).str();
      return "const";
    }
    if (auto* words = as<ir::StringImmNode>(e)) return fmt::format("\"{}\"", view(words->value));
    if (relax::is_prim(e)) return text_(Any(e));
    return "...";
  }

  void use(const ir::VarNode* var, size_t by) {
    auto found = number_of_.find(var);
    if (found == number_of_.end()) return;
    std::vector<size_t>& users = tree_.nodes[found->second].users;
    if (!users.empty() && users.back() == by) return;
    users.push_back(by);
    tree_.nodes[by].uses.push_back(found->second);
  }

  GraphTree& tree_;
  const ir::IRModule& mod_;
  const TextOf& text_;
  std::unordered_map<const ir::VarNode*, size_t> number_of_;
};

std::string dims_text(const Array<Expr>& dims, const TextOf& text) {
  std::vector<std::string> words;
  for (const Expr& dim : dims) {
    auto known = ir::const_int(dim);
    words.push_back(known ? fmt::format("{}", *known) : text(Any(dim)));
  }
  return joined(words);
}

}  // namespace
}  // namespace graph_trees

GraphTree graph_tree(const std::string& name, const relax::Function& fn, const ir::IRModule& mod, const TextOf& text) {
  GraphTree tree;
  tree.function = name;
  tree.fn = fn;
  graph_trees::Build(tree, mod, text).function(fn, 0);
  return tree;
}

std::string short_type(const ir::Type& type, const TextOf& text) {
  if (!type) return "?";
  switch (type->kind) {
    case ir::TypeKind::kTensor: {
      const auto* tensor = static_cast<const relax::TensorTypeNode*>(type.get());
      std::string dtype = tensor->knows_dtype() ? tensor->data_type().str() : "tensor";
      if (auto dims = tensor->dims()) return fmt::format("{}({})", dtype, graph_trees::dims_text(*dims, text));
      return tensor->knows_ndim() ? fmt::format("{}, {} dimensions", dtype, tensor->ndim) : dtype + ", any shape";
    }
    case ir::TypeKind::kShape: {
      const auto* shape = static_cast<const relax::ShapeTypeNode*>(type.get());
      if (shape->values.has_value()) return fmt::format("shape({})", graph_trees::dims_text(shape->values.value(), text));
      return "shape";
    }
    case ir::TypeKind::kTuple: {
      std::vector<std::string> fields;
      for (const ir::Type& field : static_cast<const ir::TupleTypeNode*>(type.get())->elements)
        fields.push_back(short_type(field, text));
      return fmt::format("({})", graph_trees::joined(fields));
    }
    case ir::TypeKind::kPrim:
      return ir::DataType(static_cast<const ir::PrimTypeNode*>(type.get())->dtype).str();
    case ir::TypeKind::kFunction:
      return "function";
    default:
      return "object";
  }
}

std::vector<Repeat> repeats_in(const GraphTree& tree, const TextOf& text) {
  // Each node as a number: what it calls, how many operands it has, its type. Prefix sums of their powers compare two
  // stretches at once; that two different ones are taken for equal is as likely as a collision of 64 bits.
  constexpr uint64_t kBase = 0x9e3779b97f4a7c15ULL | 1;
  size_t count = tree.nodes.size();
  std::vector<uint64_t> hash(count + 1, 0), power(count + 1, 1), token(count, 0);
  for (size_t i = 0; i < count; ++i) {
    const GraphTree::Node& node = tree.nodes[i];
    token[i] = std::hash<std::string>{}(fmt::format(
        "{}|{}|{}|{}|{}|{}", static_cast<int>(node.kind), node.depth, node.kind == GraphTree::Kind::kResult ? "" : node.what, node.callee,
        node.operands.size(), node.kind == GraphTree::Kind::kBinding ? short_type(node.var->ty, text) : ""));
    hash[i + 1] = hash[i] * kBase + token[i];
    power[i + 1] = power[i] * kBase;
  }
  auto stretch = [&](size_t begin, size_t length) { return hash[begin + length] - hash[begin] * power[length]; };
  // Where a window of that many nodes comes next: that far away is the period.
  constexpr size_t kWindow = 3;
  std::unordered_map<uint64_t, size_t> next;
  std::vector<size_t> period(count, 0);
  for (size_t i = count < kWindow ? 0 : count - kWindow + 1; i-- > 0;) {
    auto [found, added] = next.try_emplace(stretch(i, kWindow), i);
    if (!added) period[i] = found->second - i, found->second = i;
  }
  std::vector<Repeat> found;
  for (size_t i = 0; i < count; ++i) {
    size_t step = period[i];
    if (step == 0 || tree.nodes[i].kind != GraphTree::Kind::kBinding) continue;
    size_t times = 1;
    while (i + (times + 1) * step <= count && stretch(i, step) == stretch(i + times * step, step)) ++times;
    bool flat = true;  // one block holds all of it
    for (size_t j = i; times >= 3 && flat && j < i + step; ++j) flat = tree.nodes[j].depth >= tree.nodes[i].depth;
    if (times < 3 || !flat || step * times < 6) continue;
    found.push_back({i, step, times});
    i += step * times - 1;
  }
  return found;
}

}  // namespace mlc::transform
