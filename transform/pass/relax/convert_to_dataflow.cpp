// SPDX-License-Identifier: Apache-2.0
#include "ir/relax/verify.h"
#include "transform/graph/blocks.h"
#include "transform/graph/canonicalize.h"

namespace mlc::transform::pass_convert_to_dataflow {
namespace {

constexpr char doc[] =
    R"(ConvertToDataflow(min_size=2): put neighbouring bindings without effects into dataflow blocks.

    a = R.exp(x)                      with R.dataflow():
    b = R.tanh(a)                         a = R.exp(x)
    R.print(b, format="{}")    =>         b = R.tanh(a)
    c = R.abs(b)                          R.output(b)
                                      R.print(b, format="{}")
                                      c = R.abs(b)
needs: nothing.
keeps: the order of bindings. Fewer than `min_size` bindings stay outside, unless a dataflow block is among them: that
takes them in. Branches (`if`) and calls with effects stay outside.
Bindings are canonicalized as CanonicalizeBindings does. Before passes that look at dataflow blocks alone.)";

class Regroup final : public relax::Rewriter {
 public:
  explicit Regroup(size_t min_size) : min_size_(min_size) {}

  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    auto* seq = as<SeqExprNode>(next);
    if (!seq) return next;
    std::vector<BindingBlock> blocks = regrouped(seq->blocks);
    return make<SeqExprNode>(Array<BindingBlock>(blocks.begin(), blocks.end()), seq->body, seq->span);
  }

 private:
  static bool may_be_in_dataflow(const Expr& value) {
    if (value->kind == ExprKind::kIf) return false;
    auto* call = as<CallNode>(value);
    return !call || !relax::is_impure(call);
  }

  std::vector<BindingBlock> regrouped(const Array<BindingBlock>& old) const {
    std::vector<BindingBlock> blocks;
    Array<Binding> plain, pure;  // in the order of the program: `pure` comes behind `plain`
    bool holds_block = false;    // of `pure`: a dataflow block is among it
    auto close_plain = [&] {
      if (!plain.empty()) blocks.push_back(make<BindingBlockNode>(plain));
      plain = {};
    };
    auto close_pure = [&] {
      if (pure.size() >= min_size_ || holds_block) {
        close_plain();
        if (!pure.empty()) blocks.push_back(make<DataflowBlockNode>(pure));
      } else {
        for (const Binding& binding : pure) plain.push_back(binding);
      }
      pure = {};
      holds_block = false;
    };
    for (const BindingBlock& block : old) {
      holds_block = holds_block || is_dataflow(block);
      for (const Binding& binding : block->bindings) {
        if (is_dataflow(block) || may_be_in_dataflow(binding->value)) {
          pure.push_back(binding);
        } else {
          close_pure();
          plain.push_back(binding);
        }
      }
    }
    close_pure();
    close_plain();
    return blocks;
  }

  size_t min_size_;
};

Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  // A negative size is never reached, as in TVM.
  Regroup regroup(static_cast<size_t>(options.integer(0)));
  Function next = join_blocks(regroup.rewrite(fn).as<Function>().value());
  return canonicalize_bindings(next, mod, *options.host);
}

}  // namespace

extern const Pass convert_to_dataflow =
    graph_pass("ConvertToDataflow", "ConvertToDataflow(min_size=2)", doc, apply);

}  // namespace mlc::transform::pass_convert_to_dataflow
