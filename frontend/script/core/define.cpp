// SPDX-License-Identifier: Apache-2.0
// def, lambda, class, and the hooks by which IR builders take over definitions.
#include "frontend/script/core/collector.h"
#include "frontend/script/core/machine.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "bad-bases",
         .meaning = "The classes behind `class C(A, B)` cannot be put into one order, or build their objects "
                    "in different ways."},
        {.name = "no-class-keywords",
         .message = "`**` is not supported in a class statement",
         .meaning = "The keywords of a class statement are written out."},
        {.name = "no-expansion",
         .message = "`**` is not allowed in this decorator",
         .meaning = "The arguments of this decorator are written out."},
        {.name = "not-a-base-class",
         .meaning = "This type has no subclasses.",
         .wrong = "class A(bool): pass",
         .right = "class A(int): pass"},
        {.name = "not-a-metaclass",
         .message = "`{}` is not a class derived from `type`",
         .meaning = "A metaclass is a class of classes, derived from `type`."},
    }};
MLC_REFUSALS(core_define, refusals);

using namespace syntax;  // NOLINT: the names of the tree
using State = Evaluator::State;

namespace {

std::unordered_map<std::string, DefinitionHook>& hooks() {
  static std::unordered_map<std::string, DefinitionHook> all;
  return all;
}

std::string scope_name(Frame& f) {
  if (f.cls != nullptr) return f.cls->name;
  if (f.info == nullptr || f.function == nullptr) return "";
  return f.info->qualified_name + ".<locals>";
}

// The order in which classes are searched (C3 linearisation).
std::vector<ClassNode*> linearise(ClassNode* cls, ir::Span span) {
  std::vector<std::vector<ClassNode*>> lists;
  for (const Ref<ClassNode>& base : cls->bases) lists.push_back(base->mro);
  std::vector<ClassNode*> direct;
  for (const Ref<ClassNode>& base : cls->bases) direct.push_back(const_cast<ClassNode*>(base.get()));
  lists.push_back(direct);
  std::vector<ClassNode*> order = {cls};
  for (;;) {
    ClassNode* next = nullptr;
    bool empty = true;
    for (const auto& list : lists) {
      if (list.empty()) continue;
      empty = false;
      bool free = true;
      for (const auto& other : lists) {
        for (size_t i = 1; i < other.size(); ++i) free = free && other[i] != list[0];
      }
      if (free) {
        next = list[0];
        break;
      }
    }
    if (empty) return order;
    if (next == nullptr) {
      std::string names;
      for (size_t i = 0; i < direct.size(); ++i) {
        if (std::find(direct.begin(), direct.begin() + i, direct[i]) != direct.begin() + i)
          raise_as(refusals["bad-bases"], span, "duplicate base class {}", direct[i]->short_name());
      }
      for (const auto& list : lists) {
        std::string name(list.empty() ? "" : list[0]->short_name());
        if (!list.empty() && (", " + names + ",").find(", " + name + ",") == std::string::npos)
          names += (names.empty() ? "" : ", ") + name;
      }
      raise_as(refusals["bad-bases"], span,
               "Cannot create a consistent method resolution\norder (MRO) for bases {}", names);
    }
    order.push_back(next);
    for (auto& list : lists) {
      if (!list.empty() && list[0] == next) list.erase(list.begin());
    }
  }
}

}  // namespace

void register_definition_hook(std::string api_path, DefinitionHook hook) {
  hooks()[std::move(api_path)] = hook;
}

DefinitionHook find_hook(const ir::Api& api) {
  auto found = hooks().find(api.path());
  return found == hooks().end() ? nullptr : found->second;
}

Frame* State::function_frame(Frame& f) {
  Frame* at = &f;
  while (at != nullptr && at->dynamic) at = at->outer;
  return at;
}

const FunctionInfo* State::function_info(Frame& f) {
  Frame* around = function_frame(f);
  return around != nullptr && around->function != nullptr ? around->info : nullptr;
}

// Whether the body of a class that runs binds this name somewhere: then it is not a variable of the function
// around, but the class's or a global.
bool State::class_binds(const ClassNode* cls, Symbol name) {
  for (size_t i = open_classes.size(); i-- > 0;) {
    if (open_classes[i].first != cls) continue;
    Collector body(resolver);
    body.statements(open_classes[i].second->body);
    return body.bound.contains(name);
  }
  return false;
}

Any State::make_function(const FunctionInfo* info, const syntax::Arguments& args, Frame& f) {
  Ref<FunctionNode> made = ir::make<FunctionNode>(info, ir::ref(f.module));
  auto* fn = const_cast<FunctionNode*>(made.get());
  for (const Expr* e : args.defaults) fn->defaults.push_back(eval(e, f));
  for (const Expr* e : args.kw_defaults) fn->kw_defaults.push_back(e == nullptr ? unbound() : eval(e, f));
  if (!info->free_variables.empty()) {
    Frame* around = function_frame(f);
    for (const FunctionInfo::Free& free : info->free_variables) {
      if (free.outer == kByName) {
        const Any* value = find_dynamic(free.name, f);
        fn->cells.push_back(Any(ir::make<CellNode>(value == nullptr ? unbound() : *value)));
      } else {
        MLC_CHECK(around != nullptr, "no frame around `{}`", info->name);
        fn->cells.push_back(around->slots[index_of(free.outer)]);
      }
    }
  }
  if (f.cls != nullptr) {
    fn->owner = Any(ir::ref(f.cls));
  } else if (f.function != nullptr) {
    fn->owner = f.function->owner;
  }
  return Any(made);
}

void State::set_bases(const Ref<ClassNode>& ref, std::span<const Any> bases, ir::Span span) {
  auto* cls = const_cast<ClassNode*>(ref.get());
  cls->scripted = true;
  for (const Any& base : bases) {
    auto* base_class = as<ClassNode>(base);
    if (base_class == nullptr) {
      raise_as(refusals["not-a-base-class"], span, "`{}` cannot be a base class", self.repr(base));
    }
    const Types& t = types();
    for (const Ref<ClassNode>& closed :
         {t.boolean, t.none,     t.range,         t.slice,        t.function,  t.builtin,
          t.method,  t.module,   t.super,         t.iterator,     t.ellipsis,  t.not_implemented,
          t.cell,    t.property, t.static_method, t.class_method, t.enumerate, t.zip,
          t.map,     t.filter,   t.reversed}) {
      if (base_class == closed.get()) {
        raise_as(refusals["not-a-base-class"], span, "type '{}' is not an acceptable base type",
                 base_class->name);
      }
    }
    cls->bases.push_back(ir::ref(base_class));
  }
  if (cls->bases.empty()) cls->bases.push_back(types().object);
  cls->mro = linearise(cls, span);
  ClassNode::changed();
  prepare_class(ref, span);
}

bool State::run_hook(const Stmt& def, Seq<Expr> decorators, Frame& f, Any& out) {
  if (decorators.empty()) return false;
  const Expr* last = decorators.back();
  auto* call = syntax::as<Call>(last);
  const Expr* named = call == nullptr ? last : call->func;
  if (named->kind != ExprKind::kName && named->kind != ExprKind::kAttribute) return false;
  Any callee = eval(named, f);
  auto* api = as<ApiFunctionNode>(callee);
  DefinitionHook hook = api == nullptr ? nullptr : find_hook(*api->api);
  if (hook == nullptr) return false;
  Any arguments;
  if (call != nullptr) {
    if (!call->args.empty()) {
      raise("TypeError", call->args[0]->span, "too-many-arguments", "`{}` takes keyword arguments only",
            api->api->name);
    }
    ir::Map<String, Any> given;
    for (const Keyword* keyword : call->keywords) {
      if (!keyword->name) raise(refusals["no-expansion"], keyword->span);
      bool accepted = false;
      std::vector<std::string> names;
      for (const ir::ApiParam& p : api->api->params) {
        names.push_back(p.name);
        accepted = accepted || p.name == keyword->name.str() || p.kind == ir::ApiParam::Kind::kVarKeywords;
      }
      if (!accepted) {
        throw ir::Error("unknown-keyword", "`{}` has no argument named `{}`", api->api->name,
                        keyword->name.str())
            .kind("TypeError")
            .at(keyword->name_span)
            .help(ir::did_you_mean(keyword->name.str(), names));
      }
      given.Set(String(std::string(keyword->name.str())), eval(keyword->value, f));
    }
    arguments = given;
  }
  out = hook(self, def, arguments, &f);
  return true;
}

Any State::decorate(Seq<Expr> decorators, size_t count, Any value, Frame& f) {
  std::vector<Any> callees;
  for (size_t i = 0; i < count; ++i) callees.push_back(eval(decorators[i], f));
  for (size_t i = count; i-- > 0;) value = call_values(callees[i], {value}, decorators[i]->span);
  return value;
}

Any State::define_function(const FunctionDef& def, Frame& f) {
  Any made;
  if (run_hook(def, def.decorators, f, made))
    return decorate(def.decorators, def.decorators.size() - 1, made, f);
  const FunctionInfo* info = resolver.function(def, function_info(f), f.module, scope_name(f));
  std::vector<Any> decorators;
  for (const Expr* each : def.decorators) decorators.push_back(eval(each, f));
  made = make_function(info, *def.args, f);
  annotate_function(*this, as<FunctionNode>(made), f);
  for (size_t i = decorators.size(); i-- > 0;)
    made = call_values(decorators[i], {made}, def.decorators[i]->span);
  return made;
}

Any State::define_class(const ClassDef& def, Frame& f) {
  Any made;
  if (run_hook(def, def.decorators, f, made))
    return decorate(def.decorators, def.decorators.size() - 1, made, f);
  Ref<ClassNode> ref = ir::make<ClassNode>(std::string(def.name.str()));
  auto* cls = const_cast<ClassNode*>(ref.get());
  std::string around = scope_name(f);
  if (!around.empty()) cls->name = around + "." + cls->name;
  cls->module = f.module->name;
  cls->text = def.decorators.empty() ? def.span : ir::Span::cover(def.decorators[0]->span, def.span);
  List written;
  for (const Expr* e : def.bases) written.push_back(eval(e, f));
  List bases = plain_bases(written, def.bases.empty() ? def.name_span : def.bases[0]->span);
  Keywords keywords;
  for (const Keyword* keyword : def.keywords) {
    if (!keyword->name) raise(refusals["no-class-keywords"], keyword->span);
    Any value = eval(keyword->value, f);
    if (keyword->name != known().metaclass) {
      keywords.emplace_back(keyword->name.str(), value);
      continue;
    }
    auto* metaclass = as<ClassNode>(value);
    if (metaclass == nullptr || !metaclass->derives_from(types().type.get())) {
      raise(refusals["not-a-metaclass"], keyword->value->span, self.repr(value));
    }
    if (metaclass != types().type.get()) cls->metaclass = ir::ref(metaclass);
  }
  // A class is made when its body has run: bases that do not go together are an error only then.
  std::optional<ir::Error> refused;
  try {
    set_bases(ref, elements(bases), def.bases.empty() ? def.name_span : def.bases[0]->span);
  } catch (ir::Error& error) {
    refused = std::move(error);
    cls->mro = {cls, const_cast<ClassNode*>(types().object.get())};
  }
  Frame body;
  body.dynamic = true;
  body.cls = cls;
  body.outer = &f;
  body.module = f.module;
  body.info = nullptr;
  EnterFrame enter(*this, body);
  open_classes.emplace_back(cls, &def);
  struct Close {
    State& state;
    ~Close() { state.open_classes.pop_back(); }
  } close{*this};
  exec_block(def.body, body);
  if (refused) throw std::move(*refused);
  if (!def.body.empty()) {
    auto* first = syntax::as<ExprStmt>(def.body[0]);
    auto* doc = first == nullptr ? nullptr : syntax::as<Constant>(first->value);
    if (doc != nullptr && doc->type == Constant::Type::kStr) cls->set(known().doc, str_value(doc->text));
  }
  finish_class(ref, keywords, !def.bases.empty(), def.name_span);
  return decorate(def.decorators, def.decorators.size(), Any(ref), f);
}

}  // namespace mlc::script
