// SPDX-License-Identifier: Apache-2.0
// Options of printing, and texts of arrays on request.
#include "frontend/script/numpy/array.h"
#include "ir/core/array_options.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;
using ir::native;

namespace {

int64_t number(ApiCall& call, const Any& value, std::string_view name) {
  return index_value(evaluator_of(call.host), value, call.span, name);
}

Any options_value() {
  const ir::ArrayOptions& options = ir::array_options();
  Dict dict;
  auto set = [&](std::string_view name, const Any& value) { dict.Set(str_value(name), value); };
  set("edgeitems", options.edge);
  set("threshold", options.threshold);
  set("floatmode", str_value(options.floatmode));
  set("precision", static_cast<int64_t>(options.precision));
  set("suppress", options.suppress);
  set("linewidth", static_cast<int64_t>(options.width));
  set("nanstr", str_value(options.nan));
  set("infstr", str_value(options.inf));
  set("sign", str_value(std::string(1, options.sign)));
  set("formatter", nullptr);
  set("legacy", false);
  set("override_repr", nullptr);
  return dict;
}

void set_options(ApiCall& call, const Any& precision, const Any& threshold, const Any& edge, const Any& width,
                 const Any& suppress, const Any& nan, const Any& inf, const Any& formatter, const Any& sign,
                 const Any& floatmode) {
  ir::ArrayOptions& options = ir::array_options();
  if (!is_none(formatter))
    raise("NotImplementedError", call.span, "not-supported", "formatters of elements are not supported");
  if (!is_none(floatmode)) {
    std::string_view mode = text_of(floatmode);
    if (mode != "fixed" && mode != "unique" && mode != "maxprec" && mode != "maxprec_equal") {
      raise("ValueError", call.span, "wrong-value",
            "floatmode option must be one of \"fixed\", \"unique\", \"maxprec\", \"maxprec_equal\"");
    }
    options.floatmode = mode;
  }
  if (!is_none(sign)) {
    std::string_view text = text_of(sign);
    if (text != "-" && text != "+" && text != " ")
      raise("ValueError", call.span, "wrong-value", "sign option must be one of ' ', '+', or '-'");
    options.sign = text[0];
  }
  if (!is_none(precision)) options.precision = static_cast<int>(number(call, precision, "precision"));
  if (!is_none(threshold)) {
    // sys.maxsize and np.inf: everything is shown.
    Any plain = plain_number(threshold);
    options.threshold = is_float(plain) ? INT64_MAX : number(call, plain, "threshold");
  }
  if (!is_none(edge)) options.edge = number(call, edge, "edgeitems");
  if (!is_none(width)) {
    Any plain = plain_number(width);
    options.width = is_float(plain) ? size_t{1} << 40 : static_cast<size_t>(number(call, plain, "linewidth"));
  }
  if (!is_none(suppress)) options.suppress = evaluator_of(call.host).truth(suppress);
  if (!is_none(nan)) options.nan = text_of(nan);
  if (!is_none(inf)) options.inf = text_of(inf);
}

// Puts the options back when it goes.
struct Restored {
  ir::ArrayOptions before = ir::array_options();
  Restored() = default;
  ~Restored() { ir::array_options() = before; }
  Restored(const Restored&) = delete;
};

Any text_with(ApiCall& call, const Any& array, const Any& width, const Any& precision, const Any& suppress,
              ir::ArrayStyle style) {
  Restored restored;
  set_options(call, precision, nullptr, nullptr, width, suppress, nullptr, nullptr, nullptr, nullptr,
              nullptr);
  return str_value(ir::array_text(to_tensor(evaluator_of(call.host), array, call.span_of(0)), style));
}

const ApiRow rows[] = {
    {ApiKind::kFunction, "numpy",
     "set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None, "
     "nanstr=None, "
     "infstr=None, formatter=None, sign=None, floatmode=None, *, legacy=None, override_repr=None)",
     "How arrays are printed.",
     native([](ApiCall& call, Any precision, Any threshold, Any edge, Any width, Any suppress, Any nan,
               Any inf, Any formatter, Any sign, Any floatmode, Any, Any) {
       set_options(call, precision, threshold, edge, width, suppress, nan, inf, formatter, sign, floatmode);
     })},
    {ApiKind::kFunction, "numpy", "get_printoptions()", "How arrays are printed.",
     native([] { return options_value(); })},
    {ApiKind::kFunction, "numpy",
     "array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=' ', prefix='', *, "
     "formatter=None, threshold=None, edgeitems=None, sign=None, floatmode=None, suffix='', legacy=None)",
     "The elements of an array as text.",
     native([](ApiCall& call, Any array, Any width, Any precision, Any suppress, std::string separator,
               std::string prefix, Any formatter, Any threshold, Any edge, Any sign, Any floatmode,
               std::string suffix, Any) {
       Restored restored;
       set_options(call, precision, threshold, edge, width, suppress, nullptr, nullptr, formatter, sign,
                   floatmode);
       return str_value(ir::array_body(to_tensor(evaluator_of(call.host), array, call.span_of(0)), separator,
                                       prefix.size(), suffix.size()));
     })},
    {ApiKind::kFunction, "numpy", "array_repr(arr, max_line_width=None, precision=None, suppress_small=None)",
     "The text of repr.", native([](ApiCall& call, Any array, Any width, Any precision, Any suppress) {
       return text_with(call, array, width, precision, suppress, ir::ArrayStyle::kRepr);
     })},
    {ApiKind::kFunction, "numpy", "array_str(a, max_line_width=None, precision=None, suppress_small=None)",
     "The text of str.", native([](ApiCall& call, Any array, Any width, Any precision, Any suppress) {
       return text_with(call, array, width, precision, suppress, ir::ArrayStyle::kStr);
     })},
};

}  // namespace

std::span<const ir::ApiRow> np_print_rows() { return rows; }

}  // namespace mlc::script
