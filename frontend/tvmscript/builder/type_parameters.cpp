// SPDX-License-Identifier: Apache-2.0
#include "frontend/tvmscript/builder/type_parameters.h"

#include "frontend/syntax/walk.h"
#include "frontend/tvmscript/builder/frame.h"
#include "ir/core/refusal.h"

namespace mlc::tvmscript {

using syntax::Symbol;

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-type-parameter",
         .meaning = "A type parameter of a function stands for one 64-bit dimension."},
    }};
MLC_REFUSALS(builder_type_parameters, refusals);

void check_type_parameter(const syntax::TypeParam& param) {
  if (param.type_kind != syntax::TypeParam::Kind::kTypeVar) {
    throw ir::refuse_as(refusals["bad-type-parameter"], "the type parameter `{}` is not a single variable",
                        param.name.str())
        .at(param.span)
        .help(fmt::format("write `{}` without a star: it is a 64-bit dimension", param.name.str()));
  }
  auto* bound = param.bound ? syntax::as<syntax::Name>(param.bound) : nullptr;
  if (param.bound && (!bound || bound->id.str() != "int")) {
    throw ir::refuse_as(refusals["bad-type-parameter"],
                        "the type parameter `{}` is a 64-bit dimension, not `{}`", param.name.str(),
                        ir::SourceMap::current().text(param.bound->span))
        .at(param.bound->span)
        .help(fmt::format("write `{}` or `{}: int`", param.name.str(), param.name.str()));
  }
}

namespace {

using NamesAt = std::vector<std::pair<Symbol, Span>>;

void quoted_names(std::string_view text, Span span, NamesAt& found) {
  for (size_t i = 0; i < text.size();) {
    size_t begin = i;
    auto word = [&](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
    while (i < text.size() && word(text[i])) ++i;
    if (i == begin) {
      ++i;
    } else if (begin == 0 || text[begin - 1] != '.') {
      found.emplace_back(Symbol(text.substr(begin, i - begin)), span);
    }
  }
}

// The names of an annotation, quoted ones too.
void annotation_names(const syntax::Expr* annotation, NamesAt& found) {
  if (!annotation) return;
  syntax::each_expr(annotation, [&](const syntax::Expr& e) {
    if (auto* name = syntax::as<syntax::Name>(&e)) found.emplace_back(name->id, name->span);
    auto* text = syntax::as<syntax::Constant>(&e);
    if (text && text->type == syntax::Constant::Type::kStr) quoted_names(text->text, text->span, found);
    return true;
  });
}

// Is there a statement of the body itself that gives the name a value?
bool is_assigned(const syntax::FunctionDef& definition, Symbol name) {
  for (const syntax::Stmt* stmt : definition.body) {
    auto* assign = syntax::as<syntax::Assign>(stmt);
    if (!assign) continue;
    for (const syntax::Expr* target : assign->targets)
      if (auto* own = syntax::as<syntax::Name>(target); own && own->id == name) return true;
  }
  return false;
}

}  // namespace

void bind_type_variables(const syntax::FunctionDef& definition, Names& known,
                         const std::function<const ir::Any*(Symbol)>& outside) {
  NamesAt names;
  for (const syntax::Arg* arg : definition.args->args) annotation_names(arg->annotation, names);
  annotation_names(definition.returns, names);
  for (const auto& [name, span] : names) {
    auto is_parameter = [name = name](const syntax::Arg* arg) { return arg->name == name; };
    if (std::any_of(definition.args->args.begin(), definition.args->args.end(), is_parameter)) continue;
    const Any* value = known.find(name);
    if (!value) value = outside(name);
    auto* declared = value ? frame<TypeVarNode>(*value) : nullptr;
    if (!declared) continue;
    // Quoted alone, it is the variable that the body declares, `n = T.int32()`, which hides that of the
    // script.
    bool is_quoted = std::all_of(names.begin(), names.end(), [&](const auto& each) {
      return each.first != name || ir::SourceMap::current().text(each.second) != name.str();
    });
    if (is_quoted && is_assigned(definition, name)) continue;
    Var var = ir::make<ir::VarNode>(String(std::string(name.str())), Type(ir::prim_type(DataType::Int(64))),
                                    declared->span);
    known.bind(name, Expr(var), declared->span);
    if (std::string_view(declared->name.data(), declared->name.size()) != name.str()) {
      throw ir::refuse_as(refusals["bad-type-parameter"], "the type variable `{}` calls itself `{}`",
                          name.str(), declared->name.c_str())
          .at(span)
          .note("it is made here", declared->span)
          .help(fmt::format("write `{} = TypeVar(\"{}\")`", name.str(), name.str()));
    }
  }
}

}  // namespace mlc::tvmscript
