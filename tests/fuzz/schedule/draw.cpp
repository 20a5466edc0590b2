// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/schedule/draw.h"

#include <fmt/format.h>

#include <string_view>

namespace mlc::fuzz {

std::string draw_step(Choices& c) {
  using fmt::format;
  std::string b = format("blk({})", c.below(5));
  std::string other = format("blk({})", c.below(5));
  size_t m = c.below(7);
  std::string l = format("loop({}, {})", b, m);
  static constexpr std::string_view kScopes[] = {"global", "shared", "local"};
  static constexpr int kFactors[] = {1, 2, 3, 4, 5, 8};
  static constexpr std::string_view kMaps[] = {"lambda i: (i // 4, i % 4)",
                                               "lambda i, j: (j, i)",
                                               "lambda i, j: (i // 4, j, i % 4)",
                                               "lambda i, j: (i * 8 + j,)",
                                               "lambda *i: i",
                                               "lambda i, j: (i // 3, j, i % 3)",
                                               "lambda i, j, k: (k, i, j)",
                                               "lambda i, j: (i, j + 1)",
                                               "lambda i, j: (j // 2, i, j % 2)",
                                               "lambda i, j, k: (i, k // 2, j, k % 2)"};
  std::string_view scope = c.one_of(kScopes);
  int factor = c.one_of(kFactors);
  static constexpr std::string_view kSides[] = {"read", "write"};
  std::string buffer = format("(\"{}\", {})", c.one_of(kSides), c.below(2));
  switch (c.below(53)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return format("sch.split({}, [None, {}])", l, factor);
    case 4:
    case 5:
      return format("sch.split({}, [{}, None])", l, factor);
    case 6:
      return format("sch.split({}, [None, 2, {}])", l, factor);
    case 7:
    case 8:
    case 9:
      return format("sch.fuse(*sch.get_loops({})[{}:{}])", b, m % 3, m % 3 + 2 + c.below(2));
    case 10:
    case 11:
    case 12:
    case 13:
      return format("sch.reorder({}, loop({}, {}))", l, b, c.below(7));
    case 14:
      return format("sch.{}({})", c.one_of((const std::string_view[]){"vectorize", "parallel", "unroll"}), l);
    case 15:
      return format("sch.bind({}, \"{}\")", l,
                    c.one_of((const std::string_view[]){"blockIdx.x", "threadIdx.x", "threadIdx.y"}));
    case 16:
    case 17:
      return format("sch.cache_read({}, {}, \"{}\")", b, c.below(3), scope);
    case 18:
    case 19:
      return format("sch.cache_write({}, 0, \"{}\")", b, scope);
    case 20:
    case 21:
    case 22:
    case 23:
      return format("sch.compute_at({}, loop({}, {}), {}, {})", b, other, m,
                    c.below(3) == 0 ? "True" : "False", c.one_of((const int[]){-1, -1, -2}));
    case 24:
    case 25:
    case 26:
    case 27:
      return format("sch.reverse_compute_at({}, loop({}, {}), {})", b, other, m,
                    c.below(3) == 0 ? "True" : "False");
    case 28:
    case 29:
      return format("sch.compute_inline({})", b);
    case 30:
    case 31:
      return format("sch.reverse_compute_inline({})", b);
    case 32:
    case 33:
      return format("sch.decompose_reduction({}, {})", b, l);
    case 34:
    case 35:
      return format("sch.rfactor({}, {})", l, c.one_of((const int[]){0, 0, 1, -1}));
    case 36:
      return format("sch.blockize({})", l);
    case 37:
      return format("sch.add_unit_loop({})", c.below(2) ? b : l);
    case 38:
      return format("sch.storage_align({}, 0, {}, 8, 2)", b, static_cast<int>(m) - 3);
    case 39:
      return format("sch.set_scope({}, 0, \"{}\")", b, scope);
    case 40:
      return format("sch.reindex({}, {})", b, buffer);
    case 41:
    case 42:
      return format("sch.transform_layout({}, {}, {}, {})", b, buffer, c.one_of(kMaps),
                    c.one_of((const std::string_view[]){"None", "None", "0", "0.0"}));
    case 43:
      // A map of a block's iterators names them: `*i` says too little there.
      return format("sch.transform_block_layout({}, {})", b,
                    c.one_of((const std::string_view[]){"lambda i: (i // 4, i % 4)", "lambda i, j: (j, i)",
                                                        "lambda i, j: (i // 4, j, i % 4)", "lambda i, j: (i * 8 + j,)",
                                                        "lambda i, j, k: (k, i, j)", "lambda i, j: (i, j + 1)",
                                                        "lambda i, j, k: (i, k // 2, j, k % 2)"}));
    case 44:
      return c.below(2) ? format("sch.decompose_padding({}, {})", b, l)
                        : format("sch.pad_einsum({}, [{}, {}, {}])", b, factor, c.one_of(kFactors),
                                 c.one_of(kFactors));
    case 45:
      return c.below(2) ? format("sch.rolling_buffer({}, 0)", b)
                        : format("sch.loop_partition({}, [{}])", l, factor);
    case 46:
      return c.below(2) ? format("sch.merge(loop({}, 0), loop({}, 0))", b, other)
                        : format("sch.reorder_block_iter_var({}, [{}, {}, {}])", b, c.below(3), c.below(3),
                                 c.below(3));
    case 47:
      return format("sch.cache_inplace({}, 0, \"{}\")", b, scope);
    case 48:
      return format("sch.split({}, sch.sample_perfect_tile({}, n={}))", l, l, 2 + c.below(2));
    case 49:
      return format("sch.compute_at({}, sch.sample_compute_location({}))", b, b);
    case 50:
      return format("sch.fuse_reduction_epilogue({}, {})", b, other);
    case 51:
      return c.below(2) ? format("sch.read_at({}, {}, {}, \"{}\")", l, c.below(2) ? b : other, c.below(2), scope)
                        : format("sch.write_at({}, {}, 0, \"{}\")", l, b, scope);
    default:
      return format("sch.reindex_cache_{}({}, 0, \"{}\", lambda i, j: (j, i))", c.below(2) ? "read" : "write",
                    b, scope);
  }
}

}  // namespace mlc::fuzz
