// SPDX-License-Identifier: Apache-2.0
#include "repl/lsp/index_builder.h"

#include <algorithm>
#include <array>

#include "frontend/review/review.h"
#include "ir/registry/classic_names.h"

namespace mlc::lsp {

using namespace syntax;  // NOLINT: the names of the tree

std::string_view last_word(const Expr* expr) {
  if (auto* name = as<Name>(expr)) return name->id.str();
  if (auto* attribute = as<Attribute>(expr)) return attribute->attr.str();
  return "";
}

namespace {

constexpr std::array kMakesBuffer = std::to_array<std::string_view>(
    {"alloc_buffer", "sblock_alloc_buffer", "match_buffer", "decl_buffer", "alloc_shared", "alloc_local",
     "alloc_global", "alloc_fragment", "Buffer", "placeholder", "compute", "buffer_store",
     "reinterpret_buffer"});

bool is_listed(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// `T.axis.remap(...)`, `T.axis.S(...)`.
bool makes_iterator(const Expr* value) {
  auto* call = as<Call>(value);
  auto* made = call == nullptr ? nullptr : as<Attribute>(call->func);
  return made != nullptr && last_word(made->value) == "axis";
}
bool makes_buffer(const Expr* value) {
  auto* call = as<Call>(value);
  return call != nullptr && is_listed(last_word(call->func), kMakesBuffer);
}
// `@R.function`, with or without arguments.
bool is_graph_decorator(const Expr* decorator) {
  auto* call = as<Call>(decorator);
  return last_word(call == nullptr ? decorator : call->func) == "function";
}
bool opens_block(const Expr* value) {
  auto* call = as<Call>(value);
  if (call == nullptr || call->args.empty() || as<Constant>(call->args[0]) == nullptr) return false;
  std::string_view word = last_word(call->func);
  return word == "sblock" || word == "block";
}

}  // namespace

void IndexBuilder::run(const Module& module) {
  open_scope(module.span, false, false);
  walk(module.body, *this);
  for (size_t i = 0; i < later_.size(); ++i) {
    auto next = std::move(later_[i]);  // which may add others
    next();
  }
  resolve_strings();
  resolve_keywords();
}

uint32_t IndexBuilder::open_scope(ir::Span span, bool is_class, bool is_ir) {
  Scope scope;
  scope.begin = span.begin;
  scope.end = span.end;
  scope.outer = index_.scopes.empty() ? kNone : scope_;
  scope.is_class = is_class;
  scope.is_ir = is_ir;
  index_.scopes.push_back(std::move(scope));
  return scope_ = static_cast<uint32_t>(index_.scopes.size() - 1);
}

ir::Span IndexBuilder::name_in(ir::Span span, std::string_view name) const {
  size_t found = text_.substr(0, span.end).find(name, span.begin);
  if (found == std::string_view::npos) return {};
  return {span.file, static_cast<uint32_t>(found), static_cast<uint32_t>(found + name.size())};
}

uint32_t IndexBuilder::make(const Making& making, bool fresh) {
  std::string name(making.name.str());
  auto& names = index_.scopes[scope_].names;
  auto known = names.find(making.name);
  if (!fresh && known != names.end()) {
    use(making.name_span, known->second, true);
    return known->second;
  }
  Entity entity;
  entity.kind = making.kind;
  entity.begin = making.name_span.begin;
  entity.end = making.name_span.end;
  entity.from = std::min(making.whole.begin, entity.begin);
  entity.to = std::max(making.whole.end, entity.end);
  entity.scope = scope_;
  entity.inside = inside_;
  entity.ordinal = ordinals_[{inside_, making.kind, name}]++;
  entity.name = std::move(name);
  auto id = static_cast<uint32_t>(index_.entities.size());
  index_.entities.push_back(std::move(entity));
  if (making.kind != Kind::kBlock) names.insert_or_assign(making.name, id);
  by_name_[making.name].push_back(id);
  use(making.name_span, id, true);
  return id;
}

void IndexBuilder::use(ir::Span span, uint32_t entity, bool writes, bool certain) {
  if (span.end > span.begin) index_.uses.push_back({span.begin, span.end, entity, writes, certain});
}

void IndexBuilder::read(const Name& name) {
  uint32_t entity = index_.find(name.id.str(), scope_);
  if (entity != kNone)
    use(name.span, entity, name.ctx != Context::kLoad);
  else
    index_.free_names.push_back({name.id.str(), name.span.begin, scope_});
}

uint32_t IndexBuilder::entity_of(const Expr* expr) const {
  auto* name = as<Name>(expr);
  return name == nullptr ? kNone : index_.find(name->id.str(), scope_);
}

std::string IndexBuilder::path_of(const Expr* expr) const {
  if (auto* attribute = as<Attribute>(expr)) {
    std::string path = path_of(attribute->value);
    return path.empty() ? path : path + "." + std::string(attribute->attr.str());
  }
  uint32_t entity = entity_of(expr);
  return entity == kNone ? "" : index_.entities[entity].path;
}

std::string IndexBuilder::type_made_by(const Expr* value) const {
  auto* call = as<Call>(value);
  return call != nullptr && last_word(call->func) == "Schedule" ? "Schedule" : "";
}

void IndexBuilder::bind_target(const Expr* target, const Expr* value, Kind kind, bool fresh) {
  if (auto* name = as<Name>(target)) {
    ir::Span whole = value == nullptr ? name->span : ir::Span::cover(name->span, value->span);
    // In a function of the IR a plain assignment goes to the variable that is seen, wherever it was made.
    uint32_t seen = in_ir_ && !fresh && kind == Kind::kVariable ? index_.find(name->id.str(), scope_) : kNone;
    bool inner = seen != kNone && index_.scopes[index_.entities[seen].scope].is_ir;
    uint32_t made = inner ? seen : make({name->id, kind, name->span, whole}, fresh);
    if (inner) use(name->span, seen, true);
    Entity& entity = index_.entities[made];
    if (in_graph_) entity.module = module_of(value);
    if (std::string type = type_made_by(value); !type.empty()) {
      entity.type = type;
      auto* call = as<Call>(value);
      if (!call->args.empty()) entity.schedules = entity_of(call->args[0]);
    } else if (entity.type.empty() && entity.name == "sch") {
      entity.type = "Schedule";  // by custom
    }
    return;
  }
  if (auto* star = as<Starred>(target)) return bind_target(star->value, nullptr, kind, fresh);
  Seq<Expr> parts;
  if (auto* tuple = as<Tuple>(target)) parts = tuple->elts;
  if (auto* list = as<List>(target)) parts = list->elts;
  if (parts.empty()) return walk(target, *this);
  Seq<Expr> values;
  if (auto* tuple = as<Tuple>(value)) values = tuple->elts;
  for (size_t i = 0; i < parts.size(); ++i)
    bind_target(parts[i], values.size() == parts.size() ? values[i] : nullptr, kind, fresh);
}

void IndexBuilder::parameters(const Arguments& args) {
  review::each_parameter(args, [&](const Arg& arg) {
    auto* made = as<Call>(arg.annotation);
    bool buffer = made != nullptr && last_word(made->func) == "Buffer";
    uint32_t id = make(
        {arg.name, buffer ? Kind::kBuffer : Kind::kParameter, name_in(arg.span, arg.name.str()), arg.span},
        true);
    Entity& entity = index_.entities[id];
    if (last_word(arg.annotation) == "Schedule" || entity.name == "sch") entity.type = "Schedule";
  });
}

void IndexBuilder::imports(const Stmt& stmt) {
  auto* from = as<ImportFrom>(&stmt);
  review::each_import(stmt, [&](Symbol name, const Alias& alias) {
    if (alias.name == "*") return;
    ir::Span span = alias.name_span;
    if (alias.asname && alias.span.end >= alias.asname.str().size())
      span.begin = alias.span.end - static_cast<uint32_t>(alias.asname.str().size()),
      span.end = alias.span.end;
    else
      span.end = span.begin + static_cast<uint32_t>(name.str().size());
    uint32_t id = make({name, Kind::kImport, span, alias.span}, false);
    Entity& entity = index_.entities[id];
    std::string module = from == nullptr ? std::string(alias.asname ? alias.name : name.str())
                                         : std::string(from->module) + "." + std::string(alias.name);
    if (from != nullptr &&
        from->level > 0)  // from the package around the file: the workspace knows which it is
      entity.path = std::string(from->level, '.') + (from->module.empty() ? module.substr(1) : module);
    else
      entity.path = ir::current_path(module);
    entity.can_rename = static_cast<bool>(alias.asname);
  });
}

bool IndexBuilder::definition(const FunctionDef& def) {
  for (const Expr* decorator : def.decorators) walk(decorator, *this);
  bool is_ir = review::defines_ir(def.decorators) || (in_ir_ && def.decorators.empty());
  bool is_graph = is_ir && std::ranges::any_of(def.decorators, is_graph_decorator);
  auto annotations = [&] {
    review::each_parameter(*def.args, [&](const Arg& arg) {
      if (arg.annotation != nullptr) walk(arg.annotation, *this);
    });
  };
  if (!is_graph) annotations();
  for (const Expr* value : def.args->defaults) walk(value, *this);
  for (const Expr* value : def.args->kw_defaults)
    if (value != nullptr) walk(value, *this);
  if (def.returns != nullptr && !is_graph) walk(def.returns, *this);
  uint32_t self = make({def.name, Kind::kFunction, def.name_span, def.span}, false);
  index_.entities[self].is_ir = is_ir;
  uint32_t scope = scope_;
  later_.push_back([this, &def, scope, self, is_graph] { body_of(def, scope, self, is_graph); });
  return false;
}

void IndexBuilder::body_of(const FunctionDef& def, uint32_t scope, uint32_t self, bool is_graph) {
  scope_ = scope;
  inside_ = self;
  in_ir_ = index_.entities[self].is_ir;
  in_graph_ = is_graph;
  function_scope_ = open_scope(def.span, false, in_ir_);
  for (const TypeParam* each : def.type_params)
    make({each->name, Kind::kVariable, name_in(each->span, each->name.str()), each->span}, true);
  if (is_graph) dimensions(def);
  parameters(*def.args);
  walk(def.body, *this);
  in_ir_ = false;
  in_graph_ = false;
}

bool IndexBuilder::definition(const ClassDef& def) {
  for (const Expr* decorator : def.decorators) walk(decorator, *this);
  for (const Expr* base : def.bases) walk(base, *this);
  for (const Keyword* keyword : def.keywords) walk(keyword->value, *this);
  uint32_t self = make({def.name, Kind::kClass, def.name_span, def.span}, false);
  index_.entities[self].is_ir = review::defines_ir(def.decorators);
  uint32_t scope = scope_, inside = inside_;
  open_scope(def.span, true, false);
  inside_ = self;
  walk(def.body, *this);
  scope_ = scope;
  inside_ = inside;
  return false;
}

void IndexBuilder::frame(ir::Span span, const std::function<void()>& inside) {
  uint32_t scope = scope_;
  open_scope(span, false, true);
  inside();
  scope_ = scope;
}

bool IndexBuilder::with_block(const With& with) {
  for (const WithItem* item : with.items) {
    walk(item->context_expr, *this);
    if (!opens_block(item->context_expr)) continue;
    auto* name = as<Constant>(static_cast<const Call*>(item->context_expr)->args[0]);
    ir::Span inner = inside_quotes(name);
    if (inner) make({Symbol(name->text), Kind::kBlock, inner, with.span}, true);
  }
  frame(with.span, [&] {
    for (const WithItem* item : with.items)
      if (item->optional_vars != nullptr) bind_target(item->optional_vars, nullptr, Kind::kVariable, true);
    walk(with.body, *this);
  });
  return false;
}

// What binds names in its own way in a function of the IR: loops, blocks, branches.
bool IndexBuilder::ir_statement(const Stmt& stmt) {
  if (auto* loop = as<For>(&stmt)) {
    walk(loop->iter, *this);
    frame(loop->span, [&] {
      bind_target(loop->target, nullptr, Kind::kLoop, true);
      walk(loop->body, *this);
    });
    return false;
  }
  if (auto* with = as<With>(&stmt)) return with_block(*with);
  auto* branch = as<If>(&stmt);
  if (branch == nullptr) return true;
  walk(branch->test, *this);
  for (Seq<Stmt> body : {branch->body, branch->orelse}) {
    if (body.empty()) continue;
    frame(ir::Span::cover(body.front()->span, body.back()->span), [&] { walk(body, *this); });
  }
  return false;
}

bool IndexBuilder::enter(const Stmt& stmt) {
  if (auto* def = as<FunctionDef>(&stmt)) return definition(*def);
  if (auto* def = as<ClassDef>(&stmt)) return definition(*def);
  imports(stmt);
  if (auto* assign = as<Assign>(&stmt)) {
    walk(assign->value, *this);
    bool buffer = makes_buffer(assign->value), iterator = makes_iterator(assign->value);
    Kind kind = iterator ? Kind::kIterator : buffer ? Kind::kBuffer : Kind::kVariable;
    for (const Expr* target : assign->targets)
      bind_target(target, assign->value, kind, in_ir_ && (buffer || iterator));
    return false;
  }
  if (auto* assign = as<AnnAssign>(&stmt)) {
    walk(assign->annotation, *this);
    if (assign->value != nullptr) walk(assign->value, *this);
    bind_target(assign->target, assign->value, Kind::kVariable, false);
    return false;
  }
  if (auto* attempt = as<Try>(&stmt)) {
    for (const ExceptHandler* handler : attempt->handlers)
      if (handler->name) make({handler->name, Kind::kVariable, handler->name_span, handler->span}, false);
    return true;
  }
  if (auto* names = as<Global>(&stmt)) {
    for (Symbol name : names->names) {
      auto known = index_.scopes[0].names.find(name);
      if (known == index_.scopes[0].names.end()) continue;
      index_.scopes[scope_].names.insert_or_assign(name, known->second);
      use(name_in(names->span, name.str()), known->second, false);
    }
  }
  if (in_ir_ && !in_graph_) return ir_statement(stmt);
  if (auto* loop = as<For>(&stmt)) {
    walk(loop->iter, *this);
    bind_target(loop->target, nullptr, Kind::kVariable, false);
    walk(loop->body, *this);
    walk(loop->orelse, *this);
    return false;
  }
  return true;
}

void IndexBuilder::comprehension(const Expr& expr, Seq<Comprehension> generators,
                                 std::initializer_list<const Expr*> parts) {
  uint32_t scope = scope_;
  open_scope(expr.span, false, in_ir_);
  for (const Comprehension* each : generators) {
    walk(each->iter, *this);
    bind_target(each->target, nullptr, Kind::kVariable, true);
    for (const Expr* test : each->ifs) walk(test, *this);
  }
  for (const Expr* part : parts) walk(part, *this);
  scope_ = scope;
}

// The block that `te.compute(..., name="C")` becomes.
void IndexBuilder::block_of_compute(const Call& call) {
  if (in_ir_ || last_word(call.func) != "compute") return;
  for (const Keyword* keyword : call.keywords) {
    ir::Span inner = keyword->name.str() == "name" ? inside_quotes(keyword->value) : ir::Span{};
    if (inner)
      make({Symbol(static_cast<const Constant*>(keyword->value)->text), Kind::kBlock, inner, call.span},
           true);
  }
}

void IndexBuilder::member(const Attribute& attribute) {
  Member found{attribute.attr_span.begin, attribute.attr_span.end, path_of(&attribute)};
  uint32_t owner = entity_of(attribute.value);
  if (owner != kNone && index_.entities[owner].module != kNone) owner = index_.entities[owner].module;
  if (owner != kNone && found.path.empty()) {
    const Entity& entity = index_.entities[owner];
    if (!entity.type.empty()) found.path = entity.type + "." + std::string(attribute.attr.str());
    if (entity.kind == Kind::kClass) {
      for (uint32_t function : named(attribute.attr.str(), Kind::kFunction, owner))
        use(attribute.attr_span, function, false);
    }
  }
  // In a module of the IR its other functions are `cls.NAME`.
  auto* base = as<Name>(attribute.value);
  uint32_t around = inside_ == kNone ? kNone : index_.entities[inside_].inside;
  if (owner == kNone && base != nullptr && base->id.str() == "cls" && around != kNone) {
    for (uint32_t function : named(attribute.attr.str(), Kind::kFunction, around))
      use(attribute.attr_span, function, false);
  }
  index_.members.push_back(std::move(found));
}

bool IndexBuilder::enter(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kName: {
      auto& name = static_cast<const Name&>(expr);
      if (name.ctx == Context::kStore)
        bind_target(&name, nullptr, Kind::kVariable, false);
      else
        read(name);
      return false;
    }
    case ExprKind::kAttribute:
      member(static_cast<const Attribute&>(expr));
      return true;
    case ExprKind::kLambda: {
      auto& lambda = static_cast<const Lambda&>(expr);
      for (const Expr* value : lambda.args->defaults) walk(value, *this);
      uint32_t scope = scope_;
      open_scope(expr.span, false, in_ir_);
      parameters(*lambda.args);
      walk(lambda.body, *this);
      scope_ = scope;
      return false;
    }
    case ExprKind::kListComp: {
      auto& made = static_cast<const ListComp&>(expr);
      comprehension(expr, made.generators, {made.elt});
      return false;
    }
    case ExprKind::kSetComp: {
      auto& made = static_cast<const SetComp&>(expr);
      comprehension(expr, made.generators, {made.elt});
      return false;
    }
    case ExprKind::kDictComp: {
      auto& made = static_cast<const DictComp&>(expr);
      comprehension(expr, made.generators, {made.key, made.value});
      return false;
    }
    case ExprKind::kGeneratorExp: {
      auto& made = static_cast<const GeneratorExp&>(expr);
      comprehension(expr, made.generators, {made.elt});
      return false;
    }
    case ExprKind::kCall: {
      auto& call = static_cast<const Call&>(expr);
      auto* method = as<Attribute>(call.func);
      if (method != nullptr && !in_ir_) string_uses_.push_back({&call, entity_of(method->value)});
      block_of_compute(call);
      uint32_t callee = entity_of(call.func);
      if (callee != kNone && index_.entities[callee].kind == Kind::kFunction)
        calls_.emplace_back(&call, callee);
      return true;
    }
    default:
      return true;
  }
}

}  // namespace mlc::lsp
