// SPDX-License-Identifier: Apache-2.0
// script(), show() and the string forms, as methods of everything that has a text.
#include <algorithm>
#include <array>

#include "frontend/print/highlight.h"
#include "frontend/print/print.h"
#include "ir/core/refusal.h"
#include "ir/registry/api.h"
#include "ir/target/target.h"

namespace mlc::print {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "option-not-supported",
         .message = "`black_format` cannot lay out line numbers and underlines",
         .help = "only a text that parses can be laid out; leave one of them out",
         .meaning =
             "Two options of the printer that exclude each other; the message says which to leave out."},
        {.name = "unknown-dialect",
         .message = "unknown dialect `{}`",
         .help = "there are `tirx`, the spelling of today, and `classic`, that of books and courses",
         .meaning = "The printer writes `tirx`, the spelling of today, or `classic`."},
        {.name = "unknown-print-option",
         .message = "unknown printer option `{}`",
         .meaning = "The printer has no option of this name; the message names the nearest."},
    }};
MLC_REFUSALS(print_api, refusals);

using namespace ir;  // NOLINT: rows of the api speak of IR values

namespace {

// The options among the arguments of script() and show().
class Options {
 public:
  explicit Options(ApiCall& call) : call_(call) {}

  PrintOptions read() {
    PrintOptions o;
    o.name = get<std::optional<std::string>>("name").value_or("");
    o.show_meta = get<bool>("show_meta");
    o.ir_prefix = get<std::string>("ir_prefix");
    o.module_alias = get<std::string>("module_alias");
    o.show_all_ty = get<bool>("show_all_ty");
    o.host = &call_.host;
    o.int_dtype = dtype("int_dtype");
    o.float_dtype = dtype("float_dtype");
    o.verbose_expr = get<bool>("verbose_expr");
    o.indent_spaces = static_cast<int>(get<int64_t>("indent_spaces"));
    o.print_line_numbers = get<bool>("print_line_numbers");
    o.num_context_lines = static_cast<int>(get<int64_t>("num_context_lines"));
    o.syntax_sugar = get<bool>("syntax_sugar");
    o.show_object_address = get<bool>("show_object_address");
    if (given("extra_config")) extra_config(o);
    if (given("path_to_underline")) {
      for (const Any& one : get<Array<Any>>("path_to_underline"))
        o.underline_paths.push_back(path(one, "path_to_underline"));
    }
    if (given("path_to_annotate")) {
      for (const auto& [key, message] : get<Map<Any, Any>>("path_to_annotate"))
        o.annotate_paths.emplace_back(path(key, "path_to_annotate"), std::string(message.cast<String>()));
    }
    if (given("obj_to_underline")) {
      for (const Any& node : get<Array<Any>>("obj_to_underline"))
        o.underline.push_back(node.cast<ObjectRef>());
    }
    if (given("obj_to_annotate")) {
      for (const auto& [node, message] : get<Map<Any, Any>>("obj_to_annotate"))
        o.annotate.emplace_back(node.cast<ObjectRef>(), std::string(message.cast<String>()));
    }
    auto dialect = get<std::string>("dialect");
    if (dialect != "tirx" && dialect != "classic")
      throw ir::refuse(refusals["unknown-dialect"], dialect).at(call_.span_of(at("dialect")));
    if (dialect == "classic") o.dialect = Dialect::kClassic;
    return o;
  }

 private:
  size_t at(std::string_view name) const {
    auto param = std::ranges::find(call_.api.params, name, &ApiParam::name);
    return static_cast<size_t>(param - call_.api.params.begin());
  }
  bool given(std::string_view name) const { return call_.args[at(name)] != nullptr; }
  template <class T>
  T get(std::string_view name) {
    return detail::argument<T>(call_, at(name));
  }
  // The name of a type as the printer compares it; what is no type is refused, not left without effect.
  std::string dtype(std::string_view name) {
    try {
      return DataType::parse(get<std::string>(name)).str();
    } catch (Error& error) {
      throw std::move(error).at(call_.span_of(at(name)));
    }
  }
  AccessPath path(const Any& value, std::string_view name) {
    if (auto path = value.as<AccessPath>()) return *path;
    throw Error("wrong-type", "`{}` takes access paths, got `{}`", name, type_name(value))
        .at(call_.span_of(at(name)))
        .kind("TypeError");
  }
  void extra_config(PrintOptions& o) {
    for (const auto& [key, value] : get<Map<Any, Any>>("extra_config")) {
      std::string name(key.cast<String>());
      if (name == "tirx.prefix") {
        o.tir_prefix = value.cast<String>();
      } else if (name == "relax.prefix") {
        o.relax_prefix = value.cast<String>();
      } else if (name == "relax.show_all_ty") {
        o.show_all_ty = value.cast<bool>();
      } else if (name == "script.use_pep695" || name == "relax.use_pep695") {
        o.use_pep695 = value.cast<bool>();
      } else {
        std::vector<std::string> known = {"tirx.prefix", "script.use_pep695", "relax.prefix", "relax.show_all_ty"};
        throw ir::refuse(refusals["unknown-print-option"], name)
            .at(call_.span_of(at("extra_config")))
            .help(did_you_mean(name, known));
      }
    }
  }

  ApiCall& call_;
};

Any script_method(ApiCall& call) { return String(script(call.args[0], Options(call).read())); }

Any show_method(ApiCall& call) {
  PrintOptions options = Options(call).read();
  std::string text = script(call.args[0], options);
  if (call.args[2] != nullptr && detail::argument<bool>(call, 2)) {
    if (options.print_line_numbers || !options.underline.empty() || !options.underline_paths.empty()) {
      throw ir::refuse(refusals["option-not-supported"]).at(call.span_of(2));
    }
    // The formatter ends its text in a newline, script() does not.
    text = call.host.format(text + "\n");
    text.pop_back();
  }
  call.host.print((wants_colour(1) ? highlight(text) : text) + "\n");
  return nullptr;
}

Any text_method(ApiCall& call) { return String(text_of(call.args[0])); }

#define MLC_SCRIPT_PARAMETERS                                                                              \
  "name=None, show_meta=False, ir_prefix='I', module_alias='cls', int_dtype='int32', float_dtype='void', " \
  "verbose_expr=False, indent_spaces=4, print_line_numbers=False, num_context_lines=-1, "                  \
  "syntax_sugar=True, show_object_address=False, show_all_ty=True, extra_config=None, "                    \
  "path_to_underline=None, path_to_annotate=None, obj_to_underline=None, obj_to_annotate=None, "           \
  "dialect='tirx')"

constexpr std::array<std::string_view, 15> printed_types = {
    "mlc.ir.IRModule",    "mlc.ir.BaseFunc", "mlc.tirx.Stmt",    "mlc.ir.Expr",
    "mlc.ir.Type",        "mlc.ir.Range",    "mlc.tirx.IterVar", "mlc.tirx.CommReducer",
    "mlc.target.Target",  "mlc.tirx.Layout", "mlc.tirx.Iter",    "mlc.s_tir.MatchBufferRegion",
    "mlc.tirx.ExecScope", "mlc.relax.expr.Binding", "mlc.relax.expr.BindingBlock",
};
// Those that have a text in a function, and no script() of their own.
constexpr std::array<std::string_view, 1> shown_types = {"mlc.tirx.IndexMap"};

std::span<const ApiRow> text_rows() {
  static std::vector<ApiRow> rows;
  for (std::string_view type : printed_types) {
    rows.push_back({ApiKind::kMethod, type, "script(*, " MLC_SCRIPT_PARAMETERS,
                    "The text of this value: TVMScript that parses back to it.", script_method});
    rows.push_back({ApiKind::kMethod, type, "show(style=None, black_format=None, *, " MLC_SCRIPT_PARAMETERS,
                    "Prints the text of this value, with colours on a terminal.", show_method});
    rows.push_back({ApiKind::kMethod, type, "__repr__()", "The text of this value.", text_method});
    rows.push_back({ApiKind::kMethod, type, "__str__()", "The text of this value.", text_method});
  }
  for (std::string_view type : shown_types) {
    rows.push_back({ApiKind::kMethod, type, "__repr__()", "The text of this value.", text_method});
    rows.push_back({ApiKind::kMethod, type, "__str__()", "The text of this value.", text_method});
  }
  return rows;
}

}  // namespace

void register_api() {
  ApiRegistry::global().add(text_rows);
  ApiRegistry::global().add(access_path_rows);
  ApiRegistry::global().add(mismatch_rows);
  ApiRegistry::global().add(attrs_rows);
}

}  // namespace mlc::print
