// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/numpy/errors.h"

#include <algorithm>
#include <set>

namespace mlc::script {

namespace {

struct Category {
  int flag;
  std::string_view name, text;
  std::string_view mode;
};
// NumPy's defaults.
Category categories[] = {
    {FE_DIVBYZERO, "divide", "divide by zero", "warn"},
    {FE_OVERFLOW, "over", "overflow", "warn"},
    {FE_UNDERFLOW, "under", "underflow", "ignore"},
    {FE_INVALID, "invalid", "invalid value", "warn"},
};

Any modes() {
  Dict dict;
  for (const Category& category : categories) dict.Set(str_value(category.name), str_value(category.mode));
  return dict;
}

}  // namespace

void FloatErrors::report() {
  for (const Category& category : categories) {
    if (std::fetestexcept(category.flag) == 0 || category.mode == "ignore") continue;
    std::string text = fmt::format("{} encountered in {}", category.text, operation_);
    if (category.mode == "raise") raise("FloatingPointError", span_, "float-error", "{}", text);
    // As Python warns: once per place and text.
    static thread_local auto& seen = *new std::set<std::tuple<uint32_t, uint32_t, std::string>>;
    if (!seen.emplace(span_.file, span_.begin, text).second) continue;
    evaluator_.err(fmt::format("RuntimeWarning: {}\n", text));
  }
}

namespace {

const ir::ApiRow rows[] = {
    {ir::ApiKind::kFunction, "numpy", "seterr(all=None, divide=None, over=None, under=None, invalid=None)",
     "What floating-point errors do: 'ignore', 'warn' or 'raise'. Gives what they did.",
     ir::native([](ApiCall& call, Any all, Any divide, Any over, Any under, Any invalid) {
       Any before = modes();
       const Any* wanted[] = {&divide, &over, &under, &invalid};
       for (size_t i = 0; i < 4; ++i) {
         const Any& mode = is_none(*wanted[i]) ? all : *wanted[i];
         if (is_none(mode)) continue;
         std::string_view text = is_str(mode) ? text_of(mode) : std::string_view();
         static constexpr std::string_view known_modes[] = {"ignore", "warn", "raise"};
         auto found = std::find(std::begin(known_modes), std::end(known_modes), text);
         if (found == std::end(known_modes))
           raise("ValueError", call.span, "wrong-value",
                 "invalid error mode {} (it is 'ignore', 'warn' or 'raise')", call.host.repr(mode));
         categories[i].mode = *found;
       }
       return before;
     })},
    {ir::ApiKind::kFunction, "numpy", "geterr()", "What floating-point errors do.",
     ir::native([] { return modes(); })},
};

}  // namespace

std::span<const ir::ApiRow> np_error_rows() { return rows; }

}  // namespace mlc::script
