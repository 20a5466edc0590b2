// SPDX-License-Identifier: Apache-2.0
// oneDNN on the layers of bench/convolutions.mlc. Reads lines `name layout N C H W O kernel stride padding
// groups` and prints `name same own`: seconds of the fastest way from tensors as TVM lays them out to such a
// result, and of the primitive alone on tensors that lie as oneDNN likes best.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <vector>

using namespace dnnl;
using tag = memory::format_tag;

namespace {

double seconds_of(const auto& run) {
  double best = 1e9, total = 0;
  for (int i = 0; i < 100 && total < 0.25; ++i) {
    auto start = std::chrono::steady_clock::now();
    run();
    double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::min(best, took);
    total += took;
  }
  return best;
}

}  // namespace

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream queue(cpu);
  std::string name, layout;
  memory::dim n, c, h, w, o, k, s, p, g;
  while (std::cin >> name >> layout >> n >> c >> h >> w >> o >> k >> s >> p >> g) {
    memory::dim oh = (h + 2 * p - k) / s + 1, ow = (w + 2 * p - k) / s + 1;
    bool nchw = layout == "NCHW";
    memory::dims weight_dims = g == 1 ? memory::dims{o, c, k, k} : memory::dims{g, o / g, c / g, k, k};
    auto f32 = memory::data_type::f32;
    auto data = nchw ? tag::nchw : tag::nhwc;
    auto filter = g == 1 ? (nchw ? tag::oihw : tag::hwio) : (nchw ? tag::goihw : tag::hwigo);
    memory::desc src({n, c, h, w}, f32, data), weights(weight_dims, f32, filter),
        dst({n, o, oh, ow}, f32, data);
    memory src_memory(src, cpu), weights_memory(weights, cpu), dst_memory(dst, cpu);
    for (auto* each : {&src_memory, &weights_memory}) {
      auto* values = static_cast<float*>(each->get_data_handle());
      for (std::size_t i = 0; i < each->get_desc().get_size() / sizeof(float); ++i)
        values[i] = float(i % 7) - 3;
    }

    double same = 1e9, own = 1e9;
    // Data as given or as oneDNN likes it, and weights likewise.
    for (bool any_data : {false, true}) {
      for (bool any_weights : {false, true}) {
        memory::desc src_any({n, c, h, w}, f32, any_data ? tag::any : data);
        memory::desc dst_any({n, o, oh, ow}, f32, any_data ? tag::any : data);
        memory::desc weights_any(weight_dims, f32, any_weights ? tag::any : filter);
        convolution_forward::desc op(prop_kind::forward_inference, algorithm::convolution_direct, src_any,
                                     weights_any, dst_any, {s, s}, {p, p}, {p, p});
        convolution_forward::primitive_desc chosen(op, cpu);
        if (std::string(chosen.impl_info_str()).starts_with("ref"))
          continue;  // minutes, and never the fastest
        convolution_forward primitive(chosen);
        auto like = [&](const memory& given, const memory::desc& wanted) {
          return wanted == given.get_desc() ? given : memory(wanted, cpu);
        };
        memory a = like(src_memory, chosen.src_desc()), b = like(weights_memory, chosen.weights_desc()),
               r = like(dst_memory, chosen.dst_desc());
        auto reordered = [&](memory& from, memory& to) {
          if (from.get_desc() != to.get_desc()) reorder(from, to).execute(queue, from, to);
        };
        auto compute = [&] {
          primitive.execute(queue, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, r}});
        };
        reordered(src_memory, a);
        reordered(weights_memory, b);
        own = std::min(own, seconds_of([&] { compute(), queue.wait(); }));
        same = std::min(same, seconds_of([&] {
                          reordered(src_memory, a);
                          reordered(weights_memory, b);
                          compute();
                          reordered(r, dst_memory);
                          queue.wait();
                        }));
      }
    }
    std::cout << name << ' ' << same << ' ' << own << std::endl;
  }
}
