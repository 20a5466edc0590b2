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
  dict.Set(str_value("edgeitems"), Any(options.edge));
  dict.Set(str_value("threshold"), Any(options.threshold));
  dict.Set(str_value("precision"), Any(static_cast<int64_t>(options.precision)));
  dict.Set(str_value("suppress"), Any(options.suppress));
  dict.Set(str_value("linewidth"), Any(static_cast<int64_t>(options.width)));
  return dict;
}

void set_options(ApiCall& call, const Any& precision, const Any& threshold, const Any& edge, const Any& width,
                 const Any& suppress) {
  ir::ArrayOptions& options = ir::array_options();
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
}

// Puts the options back when it goes.
struct Restored {
  ir::ArrayOptions before = ir::array_options();
  Restored() = default;
  ~Restored() { ir::array_options() = before; }
  Restored(const Restored&) = delete;
};

const ApiRow print_table[] = {
    {ApiKind::kFunction, "numpy",
     "set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None)",
     "How arrays are printed.",
     native([](ApiCall& call, Any precision, Any threshold, Any edge, Any width, Any suppress) {
       set_options(call, precision, threshold, edge, width, suppress);
     })},
    {ApiKind::kFunction, "numpy", "get_printoptions()", "How arrays are printed.",
     native([] { return options_value(); })},
    {ApiKind::kFunction, "numpy",
     "array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=' ', prefix='', *, "
     "threshold=None, edgeitems=None)",
     "The elements of an array as text.",
     native([](ApiCall& call, Any array, Any width, Any precision, Any suppress, std::string separator,
               std::string prefix, Any threshold, Any edge) {
       Restored restored;
       set_options(call, precision, threshold, edge, width, suppress);
       return str_value(ir::array_body(to_tensor(evaluator_of(call.host), array, call.span_of(0)), separator,
                                       prefix.size(), 0));
     })},
};

}  // namespace

std::span<const ir::ApiRow> np_print_rows() { return print_table; }

}  // namespace mlc::script
