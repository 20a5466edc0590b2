// SPDX-License-Identifier: Apache-2.0
#include "frontend/print/names.h"

#include <fmt/format.h>

#include <cctype>

namespace mlc::print {

using namespace ir;  // NOLINT: the printer speaks of nothing else

std::string with_address(std::string_view hint, const ffi::Object* node) {
  return fmt::format("{}_{}", hint, static_cast<const void*>(node));
}

bool is_tensor_expression(const VarNode* buffer) {
  const BufferTypeNode* type = buffer->buffer();
  return type != nullptr && type->layout.defined() && Any(type->layout).GetTypeKey() == "mlc.te.Origin";
}

Names::Names(std::string_view alias) {
  // What the text itself uses: prefixes of the dialects, and the alias of the module.
  for (std::string_view name : {"I", "T", "R"}) reserve(name);
  if (!alias.empty()) reserve(alias);
}

const std::string* Names::find(const VarNode* var) const {
  auto found = names_.find(var);
  return found == names_.end() ? nullptr : &found->second.text;
}
const ForNode* Names::loop_of(const VarNode* var) const {
  auto found = names_.find(var);
  return found == names_.end() ? nullptr : found->second.loop;
}

std::string as_identifier(std::string_view hint) {
  std::string name(hint);
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') c = '_';
  }
  return name.empty() ? "v" : name;
}

// `hint`, or `hint_1`, `hint_2`, ...: the first that is free. next_ remembers per hint below which suffix
// everything is taken, so that many equal hints stay linear.
std::string Names::pick(std::string_view hint, Name& name) {
  std::string base = as_identifier(hint);
  int& next = next_[base];
  std::string text;
  int suffix = next;
  for (;; ++suffix) {
    text = suffix == 0 ? base : base + "_" + std::to_string(suffix);
    if (taken_.emplace(text, 1).second) break;
  }
  next = suffix + 1;
  name.hint = std::move(base);
  name.suffix = suffix;
  return text;
}

const std::string& Names::define(const VarNode* var, std::string_view hint) {
  return define_in(frames_.size() - 1, var, hint);
}
const std::string& Names::define_in(size_t frame, const VarNode* var, std::string_view hint) {
  auto known = names_.find(var);
  if (known != names_.end()) return known->second.text;
  if (hint.empty() && var->buffer()) hint = "buffer";
  Name name;
  name.text = addresses_ ? pick(with_address(hint, var), name) : pick(hint, name);
  defined_[frame].push_back(var);
  return names_.insert_or_assign(var, std::move(name)).first->second.text;
}
void Names::define_as(const VarNode* var, std::string text) {
  Name name;
  name.text = std::move(text);
  defined_.back().push_back(var);
  names_.insert_or_assign(var, std::move(name));
}
void Names::define_loop(const ForNode* loop) {
  const String& hint = loop->loop_var->name;
  define(loop->loop_var.get(), std::string_view(hint.data(), hint.size()));
  names_[loop->loop_var.get()].loop = loop;
}

void Names::push(const ffi::Object* node, int depth, size_t insert_at) {
  frames_.push_back(Frame{node, insert_at, "", depth, 0});
  defined_.emplace_back();
}
void Names::release(const VarNode* var) {
  auto found = names_.find(var);
  if (found == names_.end()) return;
  const Name& name = found->second;
  if (!name.hint.empty()) {
    taken_.erase(name.text);
    int& next = next_[name.hint];
    next = std::min(next, name.suffix);
    // `x_1` may have been a hint of its own: the suffix is free for `x` again.
    size_t digits = name.text.find_last_not_of("0123456789");
    if (digits != std::string::npos && digits + 1 < name.text.size() && name.text[digits] == '_') {
      auto shorter = next_.find(name.text.substr(0, digits));
      int suffix = name.text.size() - digits < 9 ? std::stoi(name.text.substr(digits + 1)) : 0;
      if (shorter != next_.end()) shorter->second = std::min(shorter->second, suffix);
    }
    // And `x_1` that `x` has had is free for a hint of this name.
    if (auto same = next_.find(name.text); same != next_.end()) same->second = 0;
  }
  names_.erase(found);
}
void Names::pop() {
  for (const VarNode* var : defined_.back()) release(var);
  defined_.pop_back();
  frames_.pop_back();
}

namespace {

// For every variable the nodes that enclose all its uses, outermost first. As in TVM, a node that stands in
// several places counts where it is seen first.
class UseFinder final : public Walker {
 public:
  explicit UseFinder(std::unordered_map<const VarNode*, std::vector<const ffi::Object*>>& uses)
      : uses_(uses) {}

  void walk(const Any& value) {
    if (value == nullptr) return;
    if (auto stmt = value.as<Stmt>()) return visit(*stmt);
    if (auto fn = value.as<PrimFunc>()) {
      path_.push_back(fn->get());
      walk_values((*fn)->attrs);
      for (const Var& param : (*fn)->params) type_of(param.get());
      visit((*fn)->body);
      path_.pop_back();
      return;
    }
    if (auto expr = value.as<Expr>()) return visit(*expr);  // functions are expressions, too
    if (auto mod = value.as<IRModule>()) {
      path_.push_back(mod->get());
      for (const auto& [name, fn] : (*mod)->functions) walk(Any(fn));
      path_.pop_back();
      return;
    }
    if (auto iter = value.as<IterVar>()) {
      if ((*iter)->dom) walk(Any((*iter)->dom));
      return use((*iter)->var.get());
    }
    if (auto range = value.as<Range>()) {
      visit((*range)->min);
      return visit((*range)->extent);
    }
    if (auto* lambda = value.as<LambdaExprNode>()) return visit(lambda->pred);
    if (auto list = value.as<Array<Any>>()) {
      for (const Any& one : *list) walk(one);
    }
    if (auto map = value.as<Map<Any, Any>>()) walk_values(*map);
  }

 private:
  void walk_values(const auto& map) {
    for (const auto& [key, item] : map) walk(item);
  }
  void use(const VarNode* var) {
    auto [found, first] = uses_.try_emplace(var, path_);
    if (first) return type_of(var);
    std::vector<const ffi::Object*>& common = found->second;
    size_t n = 0;
    while (n < common.size() && n < path_.size() && common[n] == path_[n]) ++n;
    common.resize(n);
  }
  void type_of(const VarNode* var) {
    const BufferTypeNode* buffer = var->buffer();
    if (!buffer) return;
    for (const Expr& e : buffer->shape) visit(e);
    for (const Expr& e : buffer->strides) visit(e);
    if (buffer->elem_offset) visit(buffer->elem_offset);
    for (const Expr& e : buffer->allocated_addr) visit(e);
  }
  void visit_buffer(const Buffer& buffer) override {
    if (!is_tensor_expression(buffer.get())) use(buffer.get());
  }
  void visit_def(const Var& var) override { use(var.get()); }
  void visit(const Expr& e) override {
    if (!e) return;
    if (auto* var = as<VarNode>(e)) return use(var);
    bool may_repeat = e->kind != ExprKind::kIntImm && e->kind != ExprKind::kTensorRegion;
    if (may_repeat && !e.unique() && !visited_.insert(e.get()).second) return;
    walk_children(e);
  }
  void visit(const Stmt& s) override {
    if (!s.unique() && !visited_.insert(s.get()).second) return;
    path_.push_back(s.get());
    // What a walk passes over: values of attributes.
    if (auto* attr = as<AttrStmtNode>(s)) walk(attr->node);
    if (auto* block = as<SBlockNode>(s)) walk_values(block->annotations);
    if (auto* call = as<TilePrimitiveCallNode>(s)) {
      for (const Any& arg : call->args) walk(arg);
      walk_values(call->workspace);
      walk_values(call->config);
    }
    walk_children(s);
    if (auto* loop = as<ForNode>(s)) walk_values(loop->annotations);
    if (auto* alloc = as<AllocBufferNode>(s)) walk_values(alloc->annotations);
    path_.pop_back();
  }

  std::unordered_map<const VarNode*, std::vector<const ffi::Object*>>& uses_;
  std::vector<const ffi::Object*> path_;
  std::unordered_set<const ffi::Object*> visited_;  // nodes that are shared
};

}  // namespace

void Names::find_uses(const Any& root) {
  auto object = root.as<ObjectRef>();
  const ffi::Object* node = object ? object->get() : nullptr;
  if (uses_known_ && uses_of_ == node) return;
  uses_known_ = true;
  uses_of_ = node;
  uses_.clear();
  UseFinder(uses_).walk(root);
}
size_t Names::frame_of_uses(const VarNode* var, const Any& root) {
  find_uses(root);
  auto found = uses_.find(var);
  // What only a layout names is declared in the function.
  std::vector<const ffi::Object*> around{root.as<ffi::Object>()};
  if (found != uses_.end()) around = found->second;
  for (size_t i = around.size(); i-- > 0;) {
    for (size_t f = 0; f < frames_.size(); ++f) {
      if (frames_[f].node == around[i]) return f;
    }
  }
  return 0;
}
bool Names::used_outside(const VarNode* var, const ffi::Object* node, const Any& root) {
  find_uses(root);
  auto found = uses_.find(var);
  if (found == uses_.end()) return false;
  for (const ffi::Object* one : found->second) {
    if (one == node) return false;
  }
  return true;
}

}  // namespace mlc::print
