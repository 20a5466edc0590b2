// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/schedule/draw.h"

#include <fmt/format.h>

#include <string_view>

namespace mlc::fuzz {

namespace {

// What takes something on trust ends the comparisons of a schedule, and what only looks needs few draws.
std::string draw_rare(Choices& c, const std::string& b) {
  using fmt::format;
  switch (c.below(12)) {
    case 0:
      return format("sch.annotate_buffer_access({}, 0, \"read\", lambda *i: [(x, x + 1) for x in i])", b);
    case 1:
      return format("sch.unsafe_set_dtype({}, 0, \"float64\")", b);
    case 2:
      return format("sch.unsafe_hide_buffer_access({}, \"read\", [0])", b);
    case 3:
    case 4:
    case 5:
      return format("sch.annotate(sch.get_producers({})[0], \"key\", 2)", b);
    case 6:
    case 7:
    case 8:
      return format("sch.annotate(sch.get_consumers({})[0], \"key\", 3)", b);
    case 9:
    case 10:
      return "sch.annotate(sch.get_output_blocks(\"root\")[0], \"key\", 4)";
    default:
      return "sch.enter_postproc()";
  }
}

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
  switch (c.below(58)) {
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
      return format(
          "sch.bind({}, \"{}\")", l,
          c.one_of((const std::string_view[]){"blockIdx.x", "threadIdx.x", "threadIdx.y", "vthread.x"}));
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
      return c.below(4) ? format("sch.blockize({})", l) : format("sch.blockize([{}, {}])", b, other);
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
                    c.one_of((const std::string_view[]){
                        "lambda i: (i // 4, i % 4)", "lambda i, j: (j, i)", "lambda i, j: (i // 4, j, i % 4)",
                        "lambda i, j: (i * 8 + j,)", "lambda i, j, k: (k, i, j)", "lambda i, j: (i, j + 1)",
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
      return c.below(2)
                 ? format("sch.read_at({}, {}, {}, \"{}\")", l, c.below(2) ? b : other, c.below(2), scope)
                 : format("sch.write_at({}, {}, 0, \"{}\")", l, b, scope);
    case 52:
      return format("sch.annotate({}, \"key\", 1)", c.below(2) ? b : l);
    case 53:
      return format("sch.unannotate({}, \"key\")", c.below(2) ? b : l);
    case 54:
      return format("sch.cache_index({}, \"{}\", {})", b, scope, c.below(2));
    case 55:
      return c.below(2)
                 ? format("sch.split({}, [None, sch.sample_categorical([1, 2, 4], [0.25, 0.25, 0.5])])", l)
                 : format(
                       "sch.split({}, sch.sample_partitioned_tile({}, n=3, partition_pos=1, "
                       "innerpart_factor=2))",
                       l, l);
    case 56:
      return draw_rare(c, b);
    default:
      return format("sch.reindex_cache_{}({}, 0, \"{}\", lambda i, j: (j, i))", c.below(2) ? "read" : "write",
                    b, scope);
  }
}

// Steps that rarely meet by chance.
void draw_together(Choices& c, std::vector<std::string>& steps) {
  using fmt::format;
  size_t n = c.below(4);
  std::string b = format("blk({})", n), next = format("blk({})", n + 1);
  static constexpr std::string_view kMaps[] = {"lambda i, j: (i // 5, j, i % 5)",
                                               "lambda i, j: (i, j // 5, j % 5)", "lambda i: (i // 4, i % 4)",
                                               "lambda i, j: (j // 4, i, j % 4)"};
  auto add = [&](std::string step) { steps.push_back(std::move(step)); };
  switch (c.below(6)) {
    case 0:
      add(format("keep(sch.cache_read({}, {}, \"global\"))", b, c.below(2)));
      add("keep(sch.split(sch.get_loops(kept[0])[-1], [None, 4])[1])");
      return add("sch.tensorize(kept[0], \"fuzz.copy4\")");
    case 1:
      add(format("sch.compute_at({}, loop({}, {}))", b, next, c.below(2)));
      return add(format("sch.rolling_buffer({}, 0)", b));
    case 2:
      add(format("sch.compute_at({}, loop({}, {}))", b, next, c.below(2)));
      return add(format("sch.transform_layout({}, (\"write\", 0), {}, {})", b, c.one_of(kMaps),
                        c.one_of((const std::string_view[]){"0", "0.0", "1.0", "1"})));
    case 3:
      return add(format("sch.fuse_reduction_epilogue({}, {})", b, next));
    case 4:
      add(format("sch.split(loop({}, {}), [None, {}])", b, c.below(3), 2 + c.below(3)));
      return add(format("sch.rfactor(loop({}, {}), {})", b, c.below(4), c.below(2)));
    default:
      add(format("keep(sch.split(loop({}, {}), [None, {}])[0])", b, c.below(3), 2 + c.below(3)));
      add(format("sch.{}(kept[0])", c.one_of((const std::string_view[]){"parallel", "vectorize", "unroll"})));
      return add(format("sch.reverse_compute_at({}, kept[0])", next));
  }
}

}  // namespace

void draw_steps(Choices& choices, std::vector<std::string>& steps) {
  if (choices.below(10) == 0) return draw_together(choices, steps);
  steps.push_back(draw_step(choices));
}

}  // namespace mlc::fuzz
