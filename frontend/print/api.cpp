// SPDX-License-Identifier: Apache-2.0
// script(), show() and the string forms, as methods of everything that has a text.
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

// Positions of the parameters of script(), self first; show() has style and black_format before them.
enum Parameter : size_t {
  kName = 1,
  kShowMeta,
  kIrPrefix,
  kModuleAlias,
  kIntDtype,
  kFloatDtype,
  kVerboseExpr,
  kIndentSpaces,
  kPrintLineNumbers,
  kNumContextLines,
  kSyntaxSugar,
  kShowObjectAddress,
  kShowAllTy,
  kExtraConfig,
  kPathToUnderline,
  kPathToAnnotate,
  kObjToUnderline,
  kObjToAnnotate,
  kDialect,
};
constexpr size_t kShowOffset = 2;

// Reads arguments by position; `offset` is how many parameters come before `name`.
class Options {
 public:
  Options(ApiCall& call, size_t offset) : call_(call), offset_(offset) {}

  PrintOptions read() {
    PrintOptions o;
    o.name = text(kName).value_or("");
    o.show_meta = flag(kShowMeta);
    o.ir_prefix = *text(kIrPrefix);
    o.module_alias = *text(kModuleAlias);
    o.int_dtype = *text(kIntDtype);
    o.float_dtype = *text(kFloatDtype);
    o.verbose_expr = flag(kVerboseExpr);
    o.indent_spaces = static_cast<int>(number(kIndentSpaces));
    o.print_line_numbers = flag(kPrintLineNumbers);
    o.num_context_lines = static_cast<int>(number(kNumContextLines));
    o.syntax_sugar = flag(kSyntaxSugar);
    o.show_object_address = flag(kShowObjectAddress);
    extra_config(o);
    if (!none(kPathToUnderline)) {
      for (const Any& one : detail::argument<Array<Any>>(call_, at(kPathToUnderline)))
        o.underline_paths.push_back(path(one, kPathToUnderline));
    }
    if (!none(kPathToAnnotate)) {
      for (const auto& [key, message] : detail::argument<Map<Any, Any>>(call_, at(kPathToAnnotate)))
        o.annotate_paths.emplace_back(path(key, kPathToAnnotate), std::string(message.cast<String>()));
    }
    if (!none(kObjToUnderline)) {
      for (const Any& node : detail::argument<Array<Any>>(call_, at(kObjToUnderline)))
        o.underline.push_back(node.cast<ObjectRef>());
    }
    if (!none(kObjToAnnotate)) {
      for (const auto& [node, message] : detail::argument<Map<Any, Any>>(call_, at(kObjToAnnotate))) {
        o.annotate.emplace_back(node.cast<ObjectRef>(), std::string(message.cast<String>()));
      }
    }
    std::string dialect = *text(kDialect);
    if (dialect != "tirx" && dialect != "classic") {
      throw ir::refuse(refusals["unknown-dialect"], dialect).at(call_.span_of(at(kDialect)));
    }
    if (dialect == "classic") o.dialect = Dialect::kClassic;
    return o;
  }

 private:
  size_t at(Parameter p) const { return p + offset_; }
  bool none(Parameter p) const { return call_.args[at(p)] == nullptr; }
  bool flag(Parameter p) { return detail::argument<bool>(call_, at(p)); }
  int64_t number(Parameter p) { return detail::argument<int64_t>(call_, at(p)); }
  std::optional<std::string> text(Parameter p) {
    return detail::argument<std::optional<std::string>>(call_, at(p));
  }
  AccessPath path(const Any& value, Parameter p) {
    if (auto path = value.as<AccessPath>()) return *path;
    throw Error("wrong-type", "`{}` takes access paths, got `{}`", call_.api.params[at(p)].name,
                type_name(value))
        .at(call_.span_of(at(p)))
        .kind("TypeError");
  }
  void extra_config(PrintOptions& o) {
    if (none(kExtraConfig)) return;
    for (const auto& [key, value] : detail::argument<Map<Any, Any>>(call_, at(kExtraConfig))) {
      std::string name(key.cast<String>());
      if (name == "tirx.prefix") {
        o.tir_prefix = value.cast<String>();
      } else if (name == "script.use_pep695" || name == "relax.use_pep695") {
        o.use_pep695 = value.cast<bool>();
      } else {
        std::vector<std::string> known = {"tirx.prefix", "script.use_pep695"};
        throw ir::refuse(refusals["unknown-print-option"], name)
            .at(call_.span_of(at(kExtraConfig)))
            .help(did_you_mean(name, known));
      }
    }
  }

  ApiCall& call_;
  size_t offset_;
};

Any script_method(ApiCall& call) { return String(script(call.args[0], Options(call, 0).read())); }

Any show_method(ApiCall& call) {
  PrintOptions options = Options(call, kShowOffset).read();
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

constexpr std::array<std::string_view, 13> printed_types = {
    "mlc.ir.IRModule",    "mlc.ir.BaseFunc", "mlc.tirx.Stmt",    "mlc.ir.Expr",
    "mlc.ir.Type",        "mlc.ir.Range",    "mlc.tirx.IterVar", "mlc.tirx.CommReducer",
    "mlc.target.Target",  "mlc.tirx.Layout", "mlc.tirx.Iter",    "mlc.s_tir.MatchBufferRegion",
    "mlc.tirx.ExecScope",
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
}

}  // namespace mlc::print
