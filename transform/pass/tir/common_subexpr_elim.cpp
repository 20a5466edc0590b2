// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "transform/pass/buffer_types.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_common_subexpr_elim {
namespace {

constexpr char doc[] = R"(CommonSubexprElim(): compute once what is computed several times.

    A[0] = (x + y) * z          =>      cse_v1: T.let = x + y
    A[1] = (x + y) - z                  A[0] = cse_v1 * z
                                        A[1] = cse_v1 - z
needs: nothing.
keeps: every value. Arithmetic, casts and selections of scalars and vectors get a name where they begin to be
used, in the innermost scope around all uses. What reads memory, calls something or binds names stays where it
is, and so do comparisons.
Late: addresses have their final form.)";

// A sequence of statements.
struct Scope {
  int parent;
  int depth;
  size_t at_in_parent;  // the statement of the parent's sequence that this scope is in
};
struct Place {
  int scope;
  size_t at;
};

// What is known about one value: all expressions that look the same.
struct Value {
  Expr first;                 // the first of them
  std::vector<int> children;  // named parts directly below
  int level = 0;              // how many candidates are nested in it, itself included
  int64_t count = 0;
  Place place{-1, 0};
  bool candidate = false;
  Var name = nullptr;
};

bool is_leaf(const Expr& e) {
  bool leaf = true;
  auto below = [&](const Expr&, Walker&) { leaf = false; };
  WalkWith(below).walk_children(e);
  return leaf;
}

bool is_candidate(const Expr& e) {
  if (e->dtype().is_bool()) return false;
  if (as<CastNode>(e) || as<SelectNode>(e) || as<BitwiseNotNode>(e)) return true;
  return as_binary(e) != nullptr;
}

// Numbers the values of a body. Expressions that may not be named more than once are -1.
class Values {
 public:
  std::vector<Value> all;
  std::vector<Scope> scopes{{-1, 0, 0}};

  // From here on the variable means something else: a loop may occur several times.
  void define(const VarNode* var) { ++definition_[var]; }
  void define(const SBlock& block) {
    for (const IterVar& iter : block->iter_vars) define(iter->var.get());
  }
  void restart() { definition_.clear(); }

  // The number of `e`; counts its uses at `place` when it has one.
  int number(const Expr& e, const Place* place) {
    std::vector<int> below;
    bool sealed = false;
    for_children(e, [&](const Expr& child) {
      below.push_back(number(child, place));
      sealed |= below.back() < 0;
    });
    auto* let = as<LetNode>(e);
    std::optional<std::string> body = let ? body_key(*let) : std::string();
    if (sealed || as<CallNode>(e) || as<TensorLoadNode>(e) || !body) return -1;
    auto [at, added] = numbers_.try_emplace(key(e, below) + *body, all.size());
    if (added) {
      Value value;
      value.first = e;
      value.candidate = is_candidate(e);
      int deepest = 0;
      for (int child : below) {
        if (!all[child].candidate) continue;
        value.children.push_back(child);
        deepest = std::max(deepest, all[child].level);
      }
      value.level = deepest + 1;
      all.push_back(value);
    }
    if (place && all[at->second].candidate) use(all[at->second], *place);
    return at->second;
  }

 private:
  template <class F>
  static void for_children(const Expr& e, F&& f) {
    auto child = [&](const Expr& part, Walker&) { f(part); };
    if (auto* let = as<LetNode>(e)) return f(let->value);  // its body is not looked into
    WalkWith(child).walk_children(e);
  }
  // What a `let` computes of its variable, the same for every name of it; nothing where it reads memory or
  // calls.
  std::optional<std::string> body_key(const LetNode& let) const {
    std::unordered_map<const VarNode*, size_t> bound;
    std::string out;
    bool plain = true;
    std::function<void(const Expr&)> add = [&](const Expr& e) {
      plain &= !as<CallNode>(e) && !as<TensorLoadNode>(e);
      auto* var = as<VarNode>(e);
      if (auto at = var ? bound.find(var) : bound.end(); at != bound.end()) {
        out += fmt::format("({})", at->second);
      } else {
        out += "(" + key(e, {});
        if (auto* inner = as<LetNode>(e)) {
          add(inner->value);
          size_t depth = bound.size();
          bound[inner->var.get()] = depth;
          add(inner->body);
        } else {
          auto below = [&](const Expr& part, Walker&) { add(part); };
          WalkWith(below).walk_children(e);
        }
        out += ")";
      }
    };
    bound[let.var.get()] = 0;
    add(let.body);
    if (!plain) return std::nullopt;
    return out;
  }
  std::string key(const Expr& e, const std::vector<int>& below) const {
    std::string out =
        fmt::format("{}:{}:", static_cast<int>(e->kind), ffi::DLDataTypeToString(e->dtype()).c_str());
    if (auto* var = as<VarNode>(e)) {
      auto definition = definition_.find(var);
      return out + fmt::format("{}:{}", static_cast<const void*>(var),
                               definition == definition_.end() ? 0 : definition->second);
    }
    if (auto* imm = as<IntImmNode>(e)) return out + std::to_string(imm->value);
    if (auto* imm = as<FloatImmNode>(e)) return out + std::to_string(std::bit_cast<uint64_t>(imm->value));
    if (auto* imm = as<StringImmNode>(e)) return out + std::string(imm->value);
    for (int child : below) out += fmt::format("{},", child);
    if (below.empty() && is_leaf(e)) out += fmt::format("{}", static_cast<const void*>(e.get()));
    return out;
  }
  void use(Value& value, const Place& place) {
    ++value.count;
    value.place = value.count == 1 ? place : common(value.place, place);
  }
  // The innermost scope around both, there at the earlier of the two.
  Place common(Place a, Place b) const {
    auto up = [&](Place& p) { p = {scopes[p.scope].parent, scopes[p.scope].at_in_parent}; };
    while (scopes[a.scope].depth > scopes[b.scope].depth) up(a);
    while (scopes[b.scope].depth > scopes[a.scope].depth) up(b);
    while (a.scope != b.scope) {
      up(a);
      up(b);
    }
    return {a.scope, std::min(a.at, b.at)};
  }
  std::map<std::string, int> numbers_;
  std::unordered_map<const VarNode*, int> definition_;
};

// Walks statements with their scopes; the two passes over the body must open them in the same order.
struct Collect final : Walker {
  Values& values;
  Place here{0, 0};
  explicit Collect(Values& values) : values(values) {}

  void visit(const Expr& e) override {
    if (!as<TensorRegionNode>(e)) values.number(e, &here);
  }
  void visit_def(const Var& var) override {
    if (!var->buffer()) return values.define(var.get());
    for (const Expr& e : var->buffer()->shape) visit(e);
    for (const Expr& e : var->buffer()->strides) visit(e);
    if (var->buffer()->elem_offset) visit(var->buffer()->elem_offset);
  }
  // A statement that is a part of another one is a scope.
  void visit(const Stmt& body) override {
    Place outside = here;
    values.scopes.push_back({outside.scope, values.scopes[outside.scope].depth + 1, outside.at});
    here = {static_cast<int>(values.scopes.size()) - 1, 0};
    statements(body);
    here = outside;
  }
  void statement(const Stmt& s) {
    if (auto* attr = as<AttrStmtNode>(s)) {
      visit(attr->value);
      if (auto thread = attr->node.as<IterVar>()) values.define((*thread)->var.get());
      visit(attr->body);
    } else if (auto* realize = as<SBlockRealizeNode>(s)) {
      for (const Expr& e : realize->iter_values) visit(e);
      visit(realize->predicate);
      // No name can be defined between the two.
      values.define(realize->block);
      if (realize->block->init) visit(realize->block->init);
      values.define(realize->block);
      visit(realize->block->body);
    } else {
      walk_children(s);
    }
  }
  void statements(const Stmt& body) {
    auto* sequence = as<SeqStmtNode>(body);
    if (!sequence) return statement(body);
    for (const Stmt& one : sequence->seq) {
      statement(one);
      ++here.at;
    }
  }
};

struct Name final : BufferTypeRewriter {
  Values& values;
  std::map<std::pair<int, size_t>, std::vector<int>> bindings;  // by sequence
  int scopes = 0;
  bool in_let = false;
  explicit Name(Values& values) : values(values) {}
  using BufferTypeRewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (in_let) return BufferTypeRewriter::rewrite(e);
    if (as<TensorRegionNode>(e)) return e;
    if (auto* let = as<LetNode>(e)) {
      Expr value = rewrite(let->value);
      // Nothing in its body gets a name, but a buffer whose shape has one is another buffer there, too.
      in_let = true;
      Expr body = rewrite(let->body);
      in_let = false;
      if (value.same_as(let->value) && body.same_as(let->body)) return e;
      return make<LetNode>(let->var, value, body, let->span);
    }
    if (is_candidate(e)) {
      int number = values.number(e, nullptr);
      if (number >= 0 && values.all[number].name) return values.all[number].name;
    }
    return BufferTypeRewriter::rewrite(e);
  }
  static Expr with_value(const LetNode& let, const Expr& value) {
    return value.same_as(let.value) ? Expr(ref(&let)) : make<LetNode>(let.var, value, let.body, let.span);
  }
  // The value under its name: parts that have names of their own are theirs. As in TVM, a value that has only
  // comparisons and leaves directly below stays as it is. Through vectors of one value a part can have more
  // levels than the whole: its name comes later, as does that of another value of the same level.
  Expr defining(const Value& value) {
    if (value.children.empty()) return value.first;
    return rewrite_below(value.first, [&](const Expr& e, Rewriter& on) -> Expr {
      if (auto* let = as<LetNode>(e)) return with_value(*let, on.rewrite(let->value));
      int number = is_candidate(e) ? values.number(e, nullptr) : -1;
      const Value* part = number >= 0 ? &values.all[number] : nullptr;
      return part && part->name && part->level < value.level ? part->name : on.rewrite_children(e);
    });
  }
  Var rewrite_def(const Var& var) override {
    if (!in_let && !var->buffer()) values.define(var.get());
    return BufferTypeRewriter::rewrite_def(var);
  }
  // A statement that is a part of another one is a scope.
  Stmt rewrite(const Stmt& body) override {
    int number = ++scopes;
    return statements(body, number);
  }
  Stmt statement(const Stmt& s) {
    if (auto* attr = as<AttrStmtNode>(s)) {
      return updated(attr, [&](AttrStmtNode& n) {
        n.value = rewrite(attr->value);
        if (auto thread = attr->node.as<IterVar>()) values.define((*thread)->var.get());
        n.body = rewrite(attr->body);
      });
    }
    auto* realize = as<SBlockRealizeNode>(s);
    if (!realize) return rewrite_children(s);
    return updated(realize, [&](SBlockRealizeNode& n) {
      n.iter_values = rewrite(realize->iter_values);
      n.predicate = rewrite(realize->predicate);
      n.block = updated(realize->block.get(), [&](SBlockNode& block) {
        values.define(realize->block);
        if (block.init) block.init = rewrite(block.init);
        values.define(realize->block);
        block.body = rewrite(block.body);
      });
    });
  }
  Stmt statements(const Stmt& body, int number) {
    auto* sequence = as<SeqStmtNode>(body);
    Array<Stmt> before = sequence ? sequence->seq : Array<Stmt>{body};
    Array<Stmt> after;
    bool changed = false;
    for (size_t i = 0; i < before.size(); ++i) {
      if (auto at = bindings.find({number, i}); at != bindings.end()) {
        changed = true;
        for (int value : at->second)
          after.push_back(make<BindNode>(values.all[value].name, defining(values.all[value])));
      }
      after.push_back(statement(before[i]));
      changed |= !after.back().same_as(before[i]);
    }
    return changed ? seq(after) : body;
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  Values values;
  Collect collect(values);
  collect.statements(fn->body);
  std::vector<int> order;
  for (size_t i = 0; i < values.all.size(); ++i) {
    if (values.all[i].candidate) order.push_back(static_cast<int>(i));
  }
  auto level = [&](int i) { return values.all[i].level; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return level(a) < level(b); });
  // From the outside in: the parts of a value that gets a name are computed once for all its uses.
  std::unordered_set<int> named;
  std::function<void(const Value&, int64_t)> spare = [&](const Value& value, int64_t uses) {
    for (int child : value.children) {
      values.all[child].count -= uses;
      spare(values.all[child], uses);
    }
  };
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const Value& value = values.all[*at];
    if (value.count < 2) continue;
    named.insert(*at);
    spare(value, value.count - 1);
  }
  if (named.empty()) return fn;
  Name name(values);
  name.keep_params(fn);
  for (int i : order) {
    if (!named.contains(i)) continue;
    Value& value = values.all[i];
    std::string text = fmt::format("cse_v{}", ++name.scopes);
    value.name = make<VarNode>(String(text), value.first->ty);
    name.bindings[{value.place.scope, value.place.at}].push_back(i);
  }
  name.scopes = 0;
  values.restart();
  return with_body(fn, name.statements(fn->body, 0));
}

}  // namespace

extern const Pass common_subexpr_elim{"CommonSubexprElim", "tirx.transform", "CommonSubexprElim()", doc,
                                      apply};

}  // namespace mlc::transform::pass_common_subexpr_elim
