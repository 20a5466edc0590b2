// SPDX-License-Identifier: Apache-2.0
// Functions, classes, lambdas and their parameters.
#include <algorithm>
#include <utility>

#include "frontend/syntax/build.h"

namespace mlc::syntax {
namespace {

// Lambdas have parameters without annotations.
MlcParser::ExpressionContext* annotation_of(const MlcParser::ParameterContext* parameter) {
  return parameter->annotation;
}
MlcParser::ExpressionContext* annotation_of(const MlcParser::LambdaParameterContext*) { return nullptr; }

}  // namespace

// The order is: positional-only, `/`, positional, `*args` or `*`, keyword-only, `**kwargs`.
template <class ParameterContext>
const Arguments* TreeBuilder::arguments(const std::vector<ParameterContext*>& items, ir::Span whole) {
  auto* node = tree_.make<Arguments>();
  node->span = whole;
  std::vector<const Arg*> positional;
  std::vector<const Arg*> keyword_only;
  std::vector<const Expr*> defaults;
  std::vector<const Expr*> keyword_defaults;
  std::vector<const Arg*> all;
  bool slash = false;
  const antlr4::Token* star = nullptr;
  for (ParameterContext* item : items) {
    if (node->kwarg != nullptr) fail(span(item), "no parameter can follow `**`");
    if (item->slash != nullptr) {
      if (slash) fail(span(item), "a second `/` among the parameters");
      if (star != nullptr) fail(span(item), "`/` must come before `*`");
      if (positional.empty()) fail(span(item), "expected a parameter before `/`");
      slash = true;
      node->posonlyargs = keep(positional);
      positional.clear();
      continue;
    }
    Arg* arg = nullptr;
    if (item->name != nullptr) {
      arg = tree_.make<Arg>();
      arg->span = span(item->name);
      arg->name = symbol(item->name);
      if (auto* annotation = annotation_of(item)) {
        arg->annotation = expression(annotation, kPlain);
        arg->span = span(item->name, annotation->stop);
      }
      all.push_back(arg);
    }
    if (item->star != nullptr) {
      if (item->star->getType() == MlcParser::DOUBLE_STAR) {
        node->kwarg = arg;
        continue;
      }
      if (star != nullptr) fail(span(item), "a second `*` among the parameters");
      star = item->star;
      node->vararg = arg;
      continue;
    }
    const Expr* value = item->value == nullptr ? nullptr : expression(item->value, kPlain);
    if (star != nullptr) {
      keyword_only.push_back(arg);
      keyword_defaults.push_back(value);
      continue;
    }
    if (value != nullptr) {
      defaults.push_back(value);
    } else if (!defaults.empty()) {
      fail(span(item),
           fmt::format("parameter `{}` needs a default, because one before it has one", arg->name.str()));
    }
    positional.push_back(arg);
  }
  if (star != nullptr && node->vararg == nullptr && keyword_only.empty()) {
    fail(span(star), "expected a parameter after `*`");
  }
  std::stable_sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->name < b->name; });
  auto twice =
      std::adjacent_find(all.begin(), all.end(), [](auto* a, auto* b) { return a->name == b->name; });
  if (twice != all.end()) {
    throw ir::Error("syntax", "two parameters are called `{}`", (*twice)->name.str())
        .at(twice[1]->span)
        .kind("SyntaxError")
        .note("the first is here", twice[0]->span);
  }
  node->args = keep(positional);
  node->kwonlyargs = keep(keyword_only);
  node->kw_defaults = keep(keyword_defaults);
  node->defaults = keep(defaults);
  return node;
}

Expr* TreeBuilder::lambda(MlcParser::LambdaContext* context) {
  auto* node = tree_.make<Lambda>(span(context));
  ir::Span inside =
      context->items.empty() ? ir::Span{} : span(context->items.front()->start, context->items.back()->stop);
  const Arguments* parameters = arguments(context->items, inside);
  for (const Expr* value : parameters->defaults) own(node, value);
  for (const Expr* value : parameters->kw_defaults) own(node, value);
  node->args = parameters;
  Surroundings outside = std::exchange(inside_, {.function = true, .loop = false, .module = false});
  node->body = own(node, expression(context->body, kPlain));
  inside_ = outside;
  return node;
}

Seq<TypeParam> TreeBuilder::type_parameters(MlcParser::TypeParametersContext* context) {
  if (context == nullptr) return {};
  return nodes<TypeParam>(context->items, [&](MlcParser::TypeParameterContext* item, TypeParam* node) {
    node->name = symbol(item->name);
    if (item->star != nullptr) {
      node->type_kind = item->star->getType() == MlcParser::STAR ? TypeParam::Kind::kTypeVarTuple
                                                                 : TypeParam::Kind::kParamSpec;
      if (item->bound != nullptr) fail(span(item->bound), "a type parameter with `*` has no bound");
    }
    if (item->bound != nullptr) node->bound = expression(item->bound, kPlain);
  });
}

const Stmt* TreeBuilder::function(MlcParser::FunctionDefinitionContext* context, Seq<Expr> decorators) {
  auto* node = tree_.make<FunctionDef>(statement_span(context));
  node->name = symbol(context->name);
  node->name_span = span(context->name);
  node->decorators = decorators;
  node->type_params = type_parameters(context->types);
  if (context->arguments != nullptr) {
    node->args = arguments(context->arguments->items, span(context->arguments));
  } else {
    node->args = tree_.make<Arguments>();
  }
  if (context->result != nullptr) node->returns = expression(context->result, kPlain);
  Surroundings outside = std::exchange(inside_, {.function = true, .loop = false, .module = false});
  node->body = block(context->body);
  inside_ = outside;
  return node;
}

const Stmt* TreeBuilder::class_definition(MlcParser::ClassDefinitionContext* context, Seq<Expr> decorators) {
  auto* node = tree_.make<ClassDef>(statement_span(context));
  node->name = symbol(context->name);
  node->name_span = span(context->name);
  node->decorators = decorators;
  node->type_params = type_parameters(context->types);
  if (context->bases != nullptr) {
    Tuple owner(node->span);  // receives the heights, which a statement does not have
    CallArguments parts = call_arguments(context->bases, &owner, span(context->bases));
    node->bases = parts.positional;
    node->keywords = parts.keywords;
  }
  Surroundings outside = std::exchange(inside_, {.function = false, .loop = false, .module = false});
  node->body = block(context->body);
  inside_ = outside;
  return node;
}

const Stmt* TreeBuilder::decorated(MlcParser::DecoratedContext* context) {
  auto decorators =
      each<Expr>(context->decorators, [&](const auto* one) { return expression(one->value, kWalrus); });
  if (context->function != nullptr) return function(context->function, decorators);
  return class_definition(context->type, decorators);
}

}  // namespace mlc::syntax
