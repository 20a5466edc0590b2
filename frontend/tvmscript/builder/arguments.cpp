// SPDX-License-Identifier: Apache-2.0
#include "frontend/tvmscript/builder/arguments.h"

#include "ir/core/attrs.h"

#include "frontend/script/core/evaluator.h"
#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/linear.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "swapped-arguments",
         .message = "`{}` and `{}` of `{}` {}",
         .meaning = "Two arguments stand in each other's place: a shape comes before its data type, a thread "
                    "before its extent, an extent before the loop that it is bound to.",
         .wrong = R"(C = T.match_buffer(h, "float32", (4,))
C[0] = 1.0)",
         .right = R"(C = T.match_buffer(h, (4,), "float32")
C[0] = 1.0)"},
    }};
MLC_REFUSALS(builder_arguments, refusals);

bool is_given(const ApiCall& call, size_t i) { return !script::is_none(call.args[i]); }

// A call of a graph has no type until one is inferred; tensor code has expressions with types alone.
static Expr typed(const Expr& e, const ApiCall& call, size_t i) {
  if (!e->ty) ir::wrong_argument(call, i, "an expression with a type: `BlockBuilder().normalize` infers it");
  return e;
}

Expr expr_arg(const ApiCall& call, size_t i) {
  // Numbers without a span of their own share small constants.
  if (auto e = script::to_expr(call.args[i])) return typed(*e, call, i);
  return script::as_expr(call.args[i], call.span_of(i), fmt::format("`{}`", call.api.params[i].name));
}

Expr integer_of(Expr e, Span span, std::string_view what) {
  if (!e->ty) {
    throw ir::Error("type-mismatch", "{} must be an integer, got an expression whose type is not known", what)
        .at(span)
        .kind("TypeError");
  }
  DataType dtype = e->dtype();
  if (e->ty->kind == ir::TypeKind::kPrim && dtype.is_scalar() && (dtype.is_int() || dtype.is_uint()))
    return e;
  throw ir::Error("type-mismatch", "{} must be an integer, got `{}`", what, dtype.str())
      .at(span)
      .kind("TypeError");
}

Expr integer_arg(const ApiCall& call, size_t i) {
  return integer_of(expr_arg(call, i), call.span_of(i), fmt::format("`{}`", call.api.params[i].name));
}

// Bounds of two types count in as many bits as the longer has, without a sign where either has none.
Loop loop_over(Expr start, Expr stop, const Expr& step, Span span, const ir::Simplify& simplify) {
  if (stop) {
    DataType a = start->dtype(), b = stop->dtype();
    int bits = std::max(a.bits(), b.bits());
    DataType type = a.is_uint() || b.is_uint() ? DataType::UInt(bits) : DataType::Int(bits);
    start = ir::cast(type, start, span);
    stop = ir::cast(type, stop, span);
  }
  Expr min = stop ? start : ir::const_like(start, 0);
  Expr extent = ir::simplified(stop ? ir::difference(stop, start) : start, simplify);
  return {min, extent, step && !ir::is_const_int(step, 1) ? ir::cast(min->dtype(), step) : Expr()};
}

DataType dtype_from(const Any& value, Span span) {
  if (script::is_str(value)) {
    try {
      return DataType::parse(script::text_of(value));
    } catch (ir::Error& error) {
      throw std::move(error).at(span);
    }
  }
  if (auto* fn = script::as<script::ApiFunctionNode>(value)) {
    return DataType::parse(fn->api->name == "boolean" ? "bool" : fn->api->name);
  }
  if (auto* type = value.as<ir::PrimTypeNode>()) return type->dtype;
  if (value.as<ir::PointerTypeNode>())
    return DataType::Handle();  // `T.handle().ty`, as such a call is printed
  if (auto dtype = value.as<DLDataType>()) return *dtype;
  throw ir::Error("wrong-type", "expected a data type such as \"float32\", got `{}`", ir::type_name(value))
      .at(span)
      .kind("TypeError");
}
DataType dtype_arg(const ApiCall& call, size_t i) { return dtype_from(call.args[i], call.span_of(i)); }

Any lambda_arg(const ApiCall& call, size_t i, std::string_view what) {
  Array<Var> vars;
  std::vector<Any> points;
  for (const std::string& name : call.host.parameter_names(call.args[i])) {
    vars.push_back(
        ir::make<ir::VarNode>(String(name), Type(ir::prim_type(DataType::Int(32))), call.span_of(i)));
    points.emplace_back(Expr(vars.back()));
  }
  Any result = call.host.call(call.args[i], points);
  return ir::make<ir::LambdaExprNode>(vars, script::as_expr(result, call.span_of(i), what));
}

bool bool_arg(const ApiCall& call, size_t i) {
  if (auto flag = call.args[i].as<bool>()) return *flag;
  ir::wrong_argument(call, i, "bool");
}

int64_t int_arg(const ApiCall& call, size_t i) {
  if (script::is_int(call.args[i])) return script::raw_int(call.args[i]);
  if (auto* e = call.args[i].as<ir::IntImmNode>()) return e->value;
  ir::wrong_argument(call, i, "int");
}

String str_arg(const ApiCall& call, size_t i) {
  if (script::is_str(call.args[i])) return call.args[i].cast<String>();
  ir::wrong_argument(call, i, "str");
}

namespace {

ir::Error swapped_error(const ApiCall& call, size_t i, size_t j, std::string_view says) {
  Span first = call.span_of(i);
  Span second = call.span_of(j);
  if (first.begin > second.begin) std::swap(first, second);
  const auto text = [](Span span) { return std::string(ir::SourceMap::current().text(span)); };
  ir::Error error = ir::refuse(refusals["swapped-arguments"], call.api.params[i].name,
                               call.api.params[j].name, shown_name(call.api), says);
  bool inside = call.span.begin < first.begin && first.end <= second.begin && second.end <= call.span.end;
  std::string whole = inside ? text({call.span.file, call.span.begin, first.begin}) + text(second) +
                                   text({call.span.file, first.end, second.begin}) + text(first) +
                                   text({call.span.file, second.end, call.span.end})
                             : "";
  if (whole.find('\n') != std::string::npos) whole.clear();
  Span place = inside ? Span{first.file, first.begin, second.end} : call.span;
  std::move(error)
      .at(place)
      .kind("TypeError")
      .help(whole.empty() ? "exchange them" : fmt::format("write `{}`", whole));
  return error;
}

}  // namespace

void swapped(const ApiCall& call, size_t i, size_t j) {
  throw swapped_error(call, i, j, "stand in each other's place");
}

void warn_swapped(const ApiCall& call, size_t i, size_t j) {
  auto* evaluator = dynamic_cast<script::Evaluator*>(&call.host);
  if (!evaluator) return;
  ir::Diagnostic warning = swapped_error(call, i, j, "seem to stand in each other's place").first();
  warning.severity = ir::Diagnostic::Severity::kWarning;
  evaluator->warn(warning);
}

std::vector<Any> items(const Any& sequence, Span span) {
  if (is_list(sequence)) {
    auto all = script::elements(sequence);
    return {all.begin(), all.end()};
  }
  throw ir::Error("wrong-type", "expected a list or tuple, got `{}`", ir::type_name(sequence))
      .at(span)
      .kind("TypeError");
}

Array<Expr> exprs_arg(const ApiCall& call, size_t i) {
  const Any& value = call.args[i];
  if (!is_list(value)) return {expr_arg(call, i)};
  Array<Expr> all;
  for (const Any& one : script::elements(value)) {
    if (auto e = script::to_expr(one)) {
      all.push_back(typed(*e, call, i));
    } else {
      all.push_back(
          script::as_expr(one, call.span_of(i), fmt::format("an element of `{}`", call.api.params[i].name)));
    }
  }
  return all;
}

Array<Expr> indices_arg(const ApiCall& call, size_t i, const Buffer& buffer, const char* kind) {
  Array<Expr> indices = exprs_arg(call, i);
  size_t dimensions = buffer->buffer()->shape.size();
  if (indices.size() == dimensions) return indices;
  ir::Error error("wrong-number-of-indices", "`{}` has {} dimension{}, got {} ind{}", buffer->name.c_str(),
                  dimensions, dimensions == 1 ? "" : "s", indices.size(),
                  indices.size() == 1 ? "ex" : "ices");
  std::move(error).at(call.span_of(i)).kind(indices.empty() ? "IndexError+InternalError" : "InternalError");
  if (kind != nullptr) std::move(error).kind(kind).note("the buffer is declared here", buffer->span);
  throw error;
}

Buffer buffer_arg(const ApiCall& call, size_t i) {
  auto* var = call.args[i].as<ir::VarNode>();
  if (var && var->buffer()) return ir::ref(var);
  ir::wrong_argument(call, i, "buffer");
}

Any attribute_value(const Any& value, Span span) {
  if (is_list(value)) {
    Array<Any> all;
    for (const Any& one : script::elements(value)) all.push_back(attribute_value(one, span));
    return all;
  }
  if (auto dict = value.as<script::Dict>()) {
    Map<Any, Any> map;
    for (const auto& [key, item] : *dict) {
      bool is_node = script::is_object(key) && !is_list(key);
      if (!script::is_str(key) && !script::is_int(key) && !is_node) {
        throw ir::Error("wrong-type", "keys are strings, integers or nodes, got `{}`", ir::type_name(key))
            .at(span)
            .kind("TypeError");
      }
      map.Set(key, attribute_value(item, span));
    }
    return map;
  }
  return value;
}

Map<String, Any> attributes_arg(const ApiCall& call, size_t i) {
  if (!is_given(call, i)) return {};
  if (auto* attrs = call.args[i].as<ir::AttrsNode>()) return attrs->values;
  Any value = attribute_value(call.args[i], call.span_of(i));
  if (auto map = value.try_cast<Map<String, Any>>()) return *map;
  ir::wrong_argument(call, i, "dict");
}

ir::PointerType void_pointer() {
  static const ir::PointerType type =
      ir::make<ir::PointerTypeNode>(Type(ir::prim_type(DataType::Void())), String("global"));
  return type;
}

}  // namespace mlc::tvmscript
