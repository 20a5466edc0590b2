// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"

namespace mlc::transform::pass_annotate_entry_func {
namespace {

constexpr char doc[] = R"(AnnotateEntryFunc(): say which function a program begins with.

    def main(...):      =>      def main(...):
                                    T.func_attr({"tirx.is_entry_func": True})
needs: nothing.
keeps: every body. The one PrimFunc of a module is the entry, or the one that others can call where all the
rest are private; with several of them none is.
Before host and device are split: the names of device functions follow the entry.)";

IRModule apply(const IRModule& mod, const PassOptions&) {
  GlobalVar only = nullptr;
  size_t functions = 0, exposed = 0;
  for (const auto& [name, base] : mod->functions) {
    if (!Any(base).as<PrimFuncNode>()) continue;
    ++functions;
    if (has_flag(base, "tirx.is_entry_func")) return mod;
    bool callable = attr(base, "global_symbol").has_value();
    exposed += callable;
    if (!only || callable) only = name;
  }
  if (!only || (functions > 1 && exposed != 1)) return mod;
  auto fn = Any(mod->functions.at(only)).cast<PrimFunc>();
  return with_function(mod, only, with_attr(fn, "tirx.is_entry_func", true));
}

}  // namespace

extern const Pass annotate_entry_func{
    "AnnotateEntryFunc", "tirx.transform", "AnnotateEntryFunc()", doc, nullptr, apply};

}  // namespace mlc::transform::pass_annotate_entry_func
