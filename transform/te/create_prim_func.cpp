// SPDX-License-Identifier: Apache-2.0
// Tensor expressions to a schedulable function:
//
//   C = te.compute((M, N), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k),
//   name="C")
//       =>
//   for i, j, k in T.grid(M, N, K):
//       with T.sblock("C"):
//           v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
//           with T.init():
//               C[v_i, v_j] = T.float32(0.0)
//           C[v_i, v_j] = C[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]
#include "transform/te/create_prim_func.h"
#include "ir/core/refusal.h"
#include "transform/arith/simplify.h"
#include "transform/arith/simplify_value.h"

#include <tvm/ffi/container/list.h>

#include <algorithm>
#include <map>
#include <set>

#include "ir/core/error_kinds.h"
#include "ir/core/try_get.h"
#include "ir/core/visit.h"
#include "ir/core/walk_with.h"
#include "ir/tir/region.h"
#include "transform/arith/analyzer.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kRefusedValue,
    {
        {.name = "te-missing-input",
         .message = "`{}` is used but is not among the function's arguments",
         .meaning = "A tensor that the function reads must be among its arguments.",
         .wrong = R"(from tvm import te
A = te.placeholder((8,), name="A")
B = te.compute((8,), lambda i: A[i] + 1.0)
te.create_prim_func([B]))",
         .right = R"(from tvm import te
A = te.placeholder((8,), name="A")
B = te.compute((8,), lambda i: A[i] + 1.0)
te.create_prim_func([A, B]))"},
        {.name = "te-scan",
         .kind = "InternalError",
         .message = "`{}` is a scan: functions are made of computations and external statements"},
        {.name = "te-where-not-supported",
         .kind = "ValueError",
         .message = "a reduction cannot leave out elements by `where`",
         .help = "reduce `te.if_then_else(condition, value, identity)`"},
    }};
MLC_REFUSALS(te_create_prim_func, refusals);

}  // namespace mlc::transform

namespace mlc::transform::te {

namespace {

// Attributes of operations: tensors whose layout may be chosen; that the tensor is one of constants, which
// its block does not declare.
constexpr std::string_view kLayoutFree = "layout_free_placeholders", kConstMatrix = "const_matrix",
                           kConstIndices = "auto_scheduler_simplify_const_tensor_indices";

// A tensor by what it is, not by which handle names it.
using Key = std::pair<const OperationNode*, int64_t>;

class Creator {
 public:
  explicit Creator(Span span) : span_(span) {}

  PrimFunc create(const Array<Any>& args) {
    for (const Any& arg : args) {
      if (ir::try_get<Var>(arg)) continue;
      auto tensor = ir::try_get<Tensor>(arg);
      if (!tensor) {
        throw Error("wrong-type", "the arguments of a function are tensors and variables, got {}",
                    arg.GetTypeKey())
            .kind(arg == nullptr ? kNothingGiven : "TypeError")
            .at(span_);
      }
      given_.insert(key_of(*tensor));
    }
    for (const Any& arg : args) {
      if (auto tensor = ir::try_get<Tensor>(arg)) order((*tensor)->op);
    }
    for (const Operation& op : ordered_) {
      if (op->kind == OperationKind::kScan) {
        throw refuse(refusals["te-scan"], op->name.c_str()).at(span_);
      }
      bind_placeholders(op);
    }
    Array<Var> params;
    for (const Any& arg : args) {
      if (auto var = ir::try_get<Var>(arg)) {
        params.push_back(*var);
        continue;
      }
      Tensor tensor = *ir::try_get<Tensor>(arg);
      Buffer& buffer = buffers_[key_of(tensor)];
      if (!buffer) buffer = plain_buffer(tensor);
      params.push_back(buffer);
    }
    Array<Buffer> allocated;
    Array<Stmt> stages;
    for (const Operation& op : ordered_) {
      if (op->kind == OperationKind::kPlaceholder) {
        if (!given_.contains({op.get(), 0})) {
          throw refuse(refusals["te-missing-input"], op->name.c_str())
              .at(span_)
              .help(fmt::format("add `{}` to the list", op->name.c_str()));
        }
        continue;
      }
      for (size_t i = 0; i < op->num_outputs(); ++i) {
        Key key{op.get(), static_cast<int64_t>(i)};
        if (buffers_.contains(key)) continue;
        auto* outside = Any(op).as<ExternOpNode>();
        Tensor tensor = make<TensorNode>(op, key.second);
        Buffer buffer =
            outside ? aligned_as(tensor, outside->output_placeholders[key.second]) : plain_buffer(tensor);
        buffers_[key] = buffer;
        allocated.push_back(buffer);
      }
      auto outside = Any(op).as<ExternOp>();
      auto* compute = Any(op).as<ComputeOpNode>();
      stages.push_back(outside ? external(*outside) : nest(compute, depths(compute), 0, {}, true));
    }
    Stmt body = seq(std::move(stages));
    auto* whole = as<SBlockRealizeNode>(body);
    bool is_root = whole != nullptr && whole->block->iter_vars.empty() && allocated.empty();
    if (!is_no_op(body) && !is_root) {
      SBlock root = make<SBlockNode>(Array<IterVar>(), Array<TensorRegion>(), Array<TensorRegion>(),
                                     String("root"), body, Stmt(), allocated);
      body = make<SBlockRealizeNode>(Array<Expr>(), bool_imm(true), root);
    }
    Map<String, Any> attrs;
    attrs.Set("global_symbol", String("main"));
    attrs.Set("s_tir", true);
    attrs.Set("tirx.noalias", true);
    Array<Any> free;
    for (size_t i = 0; i < args.size(); ++i) {
      auto tensor = args[static_cast<int64_t>(i)].as<Tensor>();
      if (tensor && layout_free_.contains(key_of(*tensor))) free.push_back(static_cast<int64_t>(i));
    }
    if (!free.empty()) attrs.Set("layout_free_buffers", free);
    return make<PrimFuncNode>(params, void_type(), body, attrs);
  }

 private:
  // The tensor as a buffer of the function: no origin.
  static Buffer plain_buffer(const Tensor& tensor) {
    auto type = with(ref(tensor->buffer->buffer()), [](BufferTypeNode& n) { n.layout = ObjectRef(); });
    return make<VarNode>(String(tensor->name()), type);
  }

  // The same, aligned as the buffer that an external statement was written for.
  static Buffer aligned_as(const Tensor& tensor, const Buffer& placeholder) {
    auto type = ref(tensor->buffer->buffer());
    return make<VarNode>(placeholder->name, with(type, [&](BufferTypeNode& n) {
                           n.layout = ObjectRef();
                           n.data_alignment = placeholder->buffer()->data_alignment;
                         }));
  }

  static Key key_of(const Tensor& tensor) { return {tensor->op.get(), tensor->value_index}; }

  // The buffers that an external statement was written for serve as arguments of the function.
  void bind_placeholders(const Operation& op) {
    auto outside = Any(op).as<ExternOp>();
    if (!outside) return;
    const ExternOpNode& node = **outside;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      auto k = static_cast<int64_t>(i);
      if (node.inputs[k]->op->kind == OperationKind::kPlaceholder)
        buffers_[key_of(node.inputs[k])] = node.input_placeholders[k];
    }
    for (size_t i = 0; i < node.output_placeholders.size(); ++i) {
      auto k = static_cast<int64_t>(i);
      if (given_.contains({op.get(), k})) buffers_[{op.get(), k}] = node.output_placeholders[k];
    }
  }

  // An external statement in a block without declared accesses.
  Stmt external(const ExternOp& op) {
    VarMap stand_for;
    auto map = [&](const Buffer& placeholder, const Key& key, bool starts_at_zero) {
      const Buffer& buffer = buffers_.at(key);
      if (buffer.same_as(placeholder)) return;
      stand_for[placeholder.get()] = buffer;
      auto* offset = as<VarNode>(placeholder->buffer()->elem_offset);
      if (starts_at_zero && offset != nullptr) stand_for[offset] = buffer->buffer()->elem_offset;
    };
    for (size_t i = 0; i < op->inputs.size(); ++i) {
      auto k = static_cast<int64_t>(i);
      map(op->input_placeholders[k], key_of(op->inputs[k]), false);
    }
    for (size_t i = 0; i < op->num_outputs(); ++i) {
      auto k = static_cast<int64_t>(i);
      map(op->output_placeholders[k], {op.get(), k}, true);
    }
    // Elements of tensors that the statement names although it has no placeholders for them.
    auto name = [&](const Expr& e) {
      auto* load = as<TensorLoadNode>(e);
      const OriginNode* origin = load ? origin_of(load->source.get()) : nullptr;
      auto found = origin ? buffers_.find({origin->op.get(), origin->value_index}) : buffers_.end();
      if (found != buffers_.end()) stand_for[load->source.get()] = found->second;
    };
    post_order(op->body, name, nullptr);
    Iterators none;
    return realize(none, block_name(std::string(op->name)), op->attrs, substitute(op->body, stand_for),
                   nullptr, false);
  }

  // Inputs before what uses them, arguments in their order. A stack of its own:
  // chains may be long.
  void order(const Operation& root) {
    struct Visit {
      Operation op;
      Array<Tensor> inputs;
      size_t next;
    };
    if (!visited_.insert(root.get()).second) return;
    std::vector<Visit> stack{{root, root->input_tensors(), 0}};
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (top.next < top.inputs.size()) {
        Operation input = top.inputs[static_cast<int64_t>(top.next++)]->op;
        if (visited_.insert(input.get()).second) stack.push_back({input, input->input_tensors(), 0});
        continue;
      }
      ordered_.push_back(top.op);
      stack.pop_back();
    }
  }

  // `x`, `x_1`, `x_2`: block names are unique in a function.
  String block_name(std::string name) {
    std::replace(name.begin(), name.end(), '.', '_');
    int& count = block_names_[name];
    std::string unique = count == 0 ? name : fmt::format("{}_{}", name, count);
    ++count;
    while (unique != name && block_names_.contains(unique)) unique = fmt::format("{}_{}", name, count++);
    block_names_.emplace(unique, 1);
    return unique;
  }

  struct Iterators {
    Array<IterVar> iters;  // of the block
    Array<Expr> values;    // the loops' variables
    Array<Expr> point;     // the element computed
    VarMap renamed;        // the operation's axes -> the block's iterators
  };
  // How deep the block of each axis stands, spatial axes first: an axis whose range depends on others stands
  // in a block inside those of the others.
  static std::vector<size_t> depths(const ComputeOpNode* op) {
    std::vector<IterVar> axes = all_axes(op);
    std::vector<size_t> depth(axes.size(), 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < axes.size(); ++i) {
        for (size_t k = 0; k < axes.size(); ++k) {
          auto is_k = [&](const VarNode* var) { return var == axes[k]->var.get(); };
          const Range& dom = axes[i]->dom;
          if (depth[i] > depth[k] || (!uses_var(dom->min, is_k) && !uses_var(dom->extent, is_k))) continue;
          depth[i] = depth[k] + 1;
          changed = true;
        }
      }
    }
    return depth;
  }
  static std::vector<IterVar> all_axes(const ComputeOpNode* op) {
    std::vector<IterVar> axes(op->axis.begin(), op->axis.end());
    for (const IterVar& axis : op->reduce_axis()) axes.push_back(axis);
    return axes;
  }

  // The iterators of the block at `level`, and the loops around it: of axes further out it takes the one
  // point that the block around it is at.
  Iterators block_iterators(const ComputeOpNode* op, const std::vector<size_t>& depth, size_t level,
                            const Iterators& outer, std::vector<For>& loops) {
    Iterators out;
    std::vector<IterVar> axes = all_axes(op);
    for (size_t i = 0; i < axes.size(); ++i) {
      if (depth[i] > level) continue;
      const Var& var = axes[i]->var;
      IterType type = i < op->axis.size() ? IterType::kDataPar : IterType::kCommReduce;
      Var inner = make<VarNode>(String("v_" + std::string(var->name)), var->ty);
      if (depth[i] < level) {
        Expr point = outer.renamed.at(var.get());
        Expr one = int_imm(var->dtype(), 1);
        out.iters.push_back(make<IterVarNode>(make<RangeNode>(point, one), inner, type));
        out.values.push_back(point);
      } else {
        Expr min = element(axes[i]->dom->min, outer), extent = element(axes[i]->dom->extent, outer);
        Var loop_var = make<VarNode>(var->name, var->ty);
        out.iters.push_back(make<IterVarNode>(make<RangeNode>(min, extent), inner, type));
        out.values.push_back(loop_var);
        // Axes begin at an int32 whatever the type of their extent; loops are of one type.
        loops.push_back(
            make<ForNode>(loop_var, cast(extent->dtype(), min), extent, ForKind::kSerial, no_op()));
      }
      out.renamed[var.get()] = inner;
      if (type == IterType::kDataPar) out.point.push_back(inner);
    }
    if (out.iters.empty()) {  // a scalar's block has one iterator of one point,
                              // so that loops can be added to it
      Var inner = make<VarNode>(String("vi"), Type(prim_type(DataType::Int(32))));
      out.iters.push_back(make<IterVarNode>(make<RangeNode>(int32(0), int32(1)), inner, IterType::kDataPar));
      out.values.push_back(int32(0));
    }
    return out;
  }

  // Loads of tensors as loads of the function's buffers, axes as block
  // iterators, then simplified.
  Expr element(const Expr& e, const Iterators& at) {
    auto load_of_buffer = [&](const Expr& e, Rewriter& on) -> Expr {
      if (auto* var = as<VarNode>(e)) {
        auto found = at.renamed.find(var);
        return found == at.renamed.end() ? e : found->second;
      }
      auto* load = as<TensorLoadNode>(e);
      const OriginNode* origin = load ? origin_of(load->source.get()) : nullptr;
      if (!origin) return on.rewrite_children(e);
      return make<TensorLoadNode>(buffers_.at({origin->op.get(), origin->value_index}),
                                  on.rewrite(load->indices), load->span);
    };
    return simplify_value(rewrite_with(e, load_of_buffer), analyzer_);
  }

  // Tensors whose layout the scheduler may choose: an attribute of the function tells which arguments they
  // are. The others stay in the attribute of the block.
  Array<Any> add_layout_free(const Any& tensors) {
    Array<Any> inner;
    for (const Any& one : elements(tensors).value_or(Array<Any>{})) {
      auto tensor = one.as<Tensor>();
      if (tensor && given_.contains(key_of(*tensor)))
        layout_free_.insert(key_of(*tensor));
      else
        inner.push_back(with_buffers(one));
    }
    return inner;
  }

  // What is said of an operation, with the buffers of the tensors in it.
  Any with_buffers(const Any& value) const {
    if (auto tensor = value.as<Tensor>()) {
      auto found = buffers_.find(key_of(*tensor));
      return found == buffers_.end() ? value : Any(found->second);
    }
    if (auto tuple = value.as<Array<Any>>()) {
      Array<Any> all;
      for (const Any& one : *tuple) all.push_back(with_buffers(one));
      return all;
    }
    if (auto list = value.as<ffi::List<Any>>()) {
      ffi::List<Any> all;
      for (const Any& one : *list) all.push_back(with_buffers(one));
      return all;
    }
    return value;
  }

  Stmt realize(const Iterators& at, String name, const Map<String, Any>& attrs, Stmt body, Stmt init,
               bool detect_regions = true) {
    Map<String, Any> annotations;
    for (const auto& [key, value] : attrs) {
      if (view(key) == kLayoutFree) {
        if (Array<Any> inner = add_layout_free(value); !inner.empty()) annotations.Set(key, inner);
      } else if (view(key) != kConstMatrix && view(key) != kConstIndices) {
        annotations.Set(key, with_buffers(value));
      }
    }
    SBlock block = make<SBlockNode>(at.iters, Array<TensorRegion>(), Array<TensorRegion>(), std::move(name),
                                    std::move(body), std::move(init), Array<Buffer>(),
                                    Array<MatchBufferRegion>(), annotations);
    AccessRegions touched;
    if (detect_regions) touched = detect_access_regions(block, transform::simplify);
    block = with(block, [&](SBlockNode& n) {
      n.reads = touched.reads;
      n.writes = touched.writes;
    });
    return make<SBlockRealizeNode>(at.values, bool_imm(true), block);
  }

  // What the elements of a reduction are before anything is reduced into them.
  Stmt initial(const ComputeOpNode* op, const Iterators& at) {
    auto* reduce = as<ReduceNode>(op->body[0]);
    Array<Stmt> init;
    for (size_t i = 0; i < op->num_outputs(); ++i) {
      auto k = static_cast<int64_t>(i);
      Expr identity =
          reduce->init.empty() ? reduce->combiner->identity_element[k] : element(reduce->init[k], at);
      init.push_back(make<BufferStoreNode>(buffers_.at({op, k}), identity, at.point));
    }
    return seq(init);
  }

  Stmt reduction(const ComputeOpNode* op, const Iterators& at, String name, Stmt init) {
    auto* reduce = as<ReduceNode>(op->body[0]);
    if (!is_const_int(reduce->condition, 1)) {
      throw refuse(refusals["te-where-not-supported"]).at(reduce->span);
    }
    const CommReducer& combiner = reduce->combiner;
    size_t count = op->num_outputs();
    Array<Buffer> outputs;
    VarMap operands;
    for (size_t i = 0; i < count; ++i) {
      auto k = static_cast<int64_t>(i);
      outputs.push_back(buffers_.at({op, k}));
      operands[combiner->lhs[k].get()] = make<TensorLoadNode>(outputs[k], at.point);
      operands[combiner->rhs[k].get()] = element(reduce->source[k], at);
    }
    Array<Stmt> update;
    if (count == 1) {
      update.push_back(
          make<BufferStoreNode>(outputs[0], substitute(combiner->result[0], operands), at.point));
    } else {
      // All results are computed before any of them is stored.
      Array<Stmt> stores;
      for (size_t i = 0; i < count; ++i) {
        auto k = static_cast<int64_t>(i);
        Expr value = substitute(combiner->result[k], operands);
        Var held = make<VarNode>(String("v_" + std::string(outputs[k]->name)), value->ty);
        update.push_back(make<BindNode>(held, value));
        stores.push_back(make<BufferStoreNode>(outputs[k], held, at.point));
      }
      for (const Stmt& store : stores) update.push_back(store);
    }
    return realize(at, std::move(name), op->attrs, seq(update), std::move(init));
  }

  Stmt elementwise(const ComputeOpNode* op, size_t output, const Iterators& at) {
    auto k = static_cast<int64_t>(output);
    const Buffer& buffer = buffers_.at({op, k});
    Stmt store = make<BufferStoreNode>(buffer, element(op->body[k], at), at.point);
    std::string name(op->num_outputs() == 1 ? view(op->name) : view(buffer->name));
    return realize(at, block_name(name), op->attrs, store, nullptr);
  }

  // The loops and the block at `level`, with those further in. `begins`: nothing is reduced further out.
  Stmt nest(const ComputeOpNode* op, const std::vector<size_t>& depth, size_t level, const Iterators& outer,
            bool begins) {
    size_t last = depth.empty() ? 0 : *std::max_element(depth.begin(), depth.end());
    std::vector<For> loops;
    Iterators at = block_iterators(op, depth, level, outer, loops);
    Stmt body;
    if (!as<ReduceNode>(op->body[0])) {
      Array<Stmt> blocks;
      for (size_t i = 0; i < op->num_outputs(); ++i) {
        // Each block has iterators of its own, over the same loops.
        std::vector<For> same;
        Iterators own = i == 0 ? at : block_iterators(op, depth, level, outer, same);
        own.values = at.values;
        blocks.push_back(elementwise(op, i, own));
      }
      body = seq(std::move(blocks));
    } else {
      bool reduces = level == last || std::find(depth.begin() + static_cast<int64_t>(op->axis.size()),
                                                depth.end(), level) != depth.end();
      Stmt init = begins && reduces ? initial(op, at) : Stmt(nullptr);
      std::string name(view(op->name));
      if (level == last) {
        body = reduction(op, at, block_name(name), init);
      } else {
        String own = block_name(fmt::format("{}_l{}", name, level + 1));
        body = realize(at, own, op->attrs, nest(op, depth, level + 1, at, begins && !reduces), init);
      }
    }
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
      body = with(*loop, [&](ForNode& n) { n.body = body; });
    }
    return body;
  }

  Span span_;
  Analyzer analyzer_;
  std::map<Key, Buffer> buffers_;
  std::set<Key> given_;
  std::set<Key> layout_free_;
  std::unordered_set<const OperationNode*> visited_;
  std::vector<Operation> ordered_;
  std::unordered_map<std::string, int> block_names_;
};

}  // namespace

PrimFunc create_prim_func(const Array<Any>& args, Span span) { return Creator(span).create(args); }

}  // namespace mlc::transform::te
