// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/model_params.h"

namespace mlc::transform::pass_bundle_model_params {
namespace {

constexpr char doc[] = R"(BundleModelParams(param_tuple_name=None): pass the weights of a model as one tuple.

    def main(x, w, b):                   def main(x, model_params):
        y = R.matmul(x, w)      =>           w = model_params[0]
                                             y = R.matmul(x, w)
needs: the attribute `num_input`: how many of the first parameters are inputs. Functions without it stay.
keeps: the inputs, and the order of the weights.
After the passes that bind or transform single weights, before the build: what calls the model hands over one value.)";

IRModule apply(const IRModule& mod, const PassOptions& options) {
  const Any& name = options.args[0];
  return bundle_weights(mod, *options.host, name == nullptr ? String("model_params") : name.cast<String>());
}

}  // namespace

extern const Pass bundle_model_params =
    of_first_level(graph_module_pass("BundleModelParams", "BundleModelParams(param_tuple_name=None)", doc, apply));

}  // namespace mlc::transform::pass_bundle_model_params
