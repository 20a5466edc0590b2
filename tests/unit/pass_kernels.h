// SPDX-License-Identifier: Apache-2.0
// Tensor programs in blocks, built by hand: what passes and interpreter are tried on.
#pragma once

#include <functional>

#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/op.h"

namespace kernels {

using namespace mlc::ir;  // NOLINT: builders read like the language

inline Buffer buffer(const char* name, std::vector<Expr> shape, DataType dtype = DataType::Float(32)) {
  return make<VarNode>(name, make<BufferTypeNode>(dtype, "global", Array<Expr>(shape.begin(), shape.end()),
                                                  Array<Expr>{}, int32(0)));
}
inline Expr at(const Buffer& b, std::vector<Expr> index) {
  return make<TensorLoadNode>(b, Array<Expr>(index.begin(), index.end()));
}
inline Stmt set(const Buffer& b, std::vector<Expr> index, Expr value) {
  return make<BufferStoreNode>(b, value, Array<Expr>(index.begin(), index.end()));
}
inline Expr f32(double value) { return make_const(DataType::Float(32), value); }
inline Stmt loop(const Var& v, Expr extent, Stmt body, ForKind kind = ForKind::kSerial) {
  return make<ForNode>(v, const_like(v, 0), extent, kind, body);
}
inline Var index(const char* name, int bits = 32) { return make_var(name, DataType::Int(bits)); }

// for i in range(extent): body(i)
inline Stmt loop(const char* name, int64_t extent, const std::function<Stmt(Var)>& body,
                 ForKind kind = ForKind::kSerial) {
  Var v = index(name);
  return loop(v, int32(extent), body(v), kind);
}

struct Axis {
  char kind;  // 'S' spatial, 'R' reduction
  Expr extent;
  Expr value;
};
// A block whose body (and init) are made from its iterators. Regions are the whole buffers.
struct BlockParts {
  Stmt body;
  Stmt init = nullptr;
  std::vector<Buffer> reads = {}, writes = {}, allocs = {};
  std::vector<MatchBufferRegion> matches = {};
};
inline Stmt block(const char* name, const std::vector<Axis>& axes,
                  const std::function<BlockParts(const std::vector<Var>&)>& make_parts,
                  Expr predicate = bool_imm(true)) {
  Array<IterVar> iters;
  Array<Expr> values;
  std::vector<Var> vars;
  for (size_t i = 0; i < axes.size(); ++i) {
    Var v = make_var("v" + std::to_string(i), axes[i].value->dtype());
    vars.push_back(v);
    iters.push_back(make<IterVarNode>(make<RangeNode>(const_like(v, 0), axes[i].extent), v,
                                      axes[i].kind == 'R' ? IterType::kCommReduce : IterType::kDataPar));
    values.push_back(axes[i].value);
  }
  BlockParts parts = make_parts(vars);
  auto whole = [](const std::vector<Buffer>& buffers) {
    Array<TensorRegion> regions;
    for (const Buffer& b : buffers) {
      Array<Range> ranges;
      for (const Expr& dim : b->buffer()->shape) ranges.push_back(make<RangeNode>(const_like(dim, 0), dim));
      regions.push_back(make<TensorRegionNode>(b, ranges));
    }
    return regions;
  };
  SBlock made = make<SBlockNode>(iters, whole(parts.reads), whole(parts.writes), name, parts.body, parts.init,
                                 Array<Buffer>(parts.allocs.begin(), parts.allocs.end()),
                                 Array<MatchBufferRegion>(parts.matches.begin(), parts.matches.end()));
  return make<SBlockRealizeNode>(values, predicate, made);
}

inline PrimFunc function(std::vector<Var> params, Stmt body, std::vector<Buffer> allocs = {}) {
  Map<String, Any> attrs;
  attrs.Set("global_symbol", String("main"));
  attrs.Set("s_tir", true);
  SBlock root = make<SBlockNode>(Array<IterVar>{}, Array<TensorRegion>{}, Array<TensorRegion>{}, "root", body,
                                 Stmt(nullptr), Array<Buffer>(allocs.begin(), allocs.end()));
  return make<PrimFuncNode>(Array<Var>(params.begin(), params.end()), void_type(),
                            make<SBlockRealizeNode>(Array<Expr>{}, bool_imm(true), root), attrs);
}

// max(A @ B, 0), tiled by factors that do not divide, vectorized, unrolled and parallel.
inline PrimFunc tiled_matmul_relu(int64_t n, int64_t m, int64_t k, int64_t ti, int64_t tj) {
  Buffer a = buffer("A", {int32(n), int32(k)}), b = buffer("B", {int32(k), int32(m)});
  Buffer c = buffer("C", {int32(n), int32(m)}), y = buffer("Y", {int32(n), int32(m)});
  auto guard = [&](const Expr& i, const Expr& j) { return logical_and(lt(i, int32(n)), lt(j, int32(m))); };
  Stmt body = loop(
      "i0", (n + ti - 1) / ti,
      [&](Var i0) {
        return loop("j0", (m + tj - 1) / tj, [&](Var j0) {
          Stmt product = loop("k", k, [&](Var kk) {
            return loop(
                "i1", ti,
                [&](Var i1) {
                  return loop(
                      "j1", tj,
                      [&](Var j1) {
                        Expr i = Expr(i0) * ti + i1, j = Expr(j0) * tj + j1;
                        return block(
                            "mm", {{'S', int32(n), i}, {'S', int32(m), j}, {'R', int32(k), kk}},
                            [&](const std::vector<Var>& v) -> BlockParts {
                              return {set(y, {v[0], v[1]},
                                          at(y, {v[0], v[1]}) + at(a, {v[0], v[2]}) * at(b, {v[2], v[1]})),
                                      set(y, {v[0], v[1]}, f32(0)),
                                      {a, b},
                                      {y}};
                            },
                            guard(i, j));
                      },
                      ForKind::kVectorized);
                },
                ForKind::kUnrolled);
          });
          Stmt relu = loop("i2", ti, [&](Var i1) {
            return loop("j2", tj, [&](Var j1) {
              Expr i = Expr(i0) * ti + i1, j = Expr(j0) * tj + j1;
              return block(
                  "relu", {{'S', int32(n), i}, {'S', int32(m), j}},
                  [&](const std::vector<Var>& v) -> BlockParts {
                    return {set(c, {v[0], v[1]}, max(at(y, {v[0], v[1]}), f32(0))), nullptr, {y}, {c}};
                  },
                  guard(i, j));
            });
          });
          return seq({product, relu});
        });
      },
      ForKind::kParallel);
  return function({a, b, c}, body, {y});
}

// A 3x3 convolution of a padded image; padding by if_then_else into a buffer of its own.
inline PrimFunc padded_conv(int64_t h, int64_t w) {
  Buffer a = buffer("A", {int32(h), int32(w)}), k = buffer("K", {int32(3), int32(3)});
  Buffer out = buffer("B", {int32(h), int32(w)}), pad = buffer("P", {int32(h + 2), int32(w + 2)});
  Stmt padding = loop("i", h + 2, [&](Var i) {
    return loop(
        "j", w + 2,
        [&](Var j) {
          return block("pad", {{'S', int32(h + 2), i}, {'S', int32(w + 2), j}},
                       [&](const std::vector<Var>& v) -> BlockParts {
                         Expr inside = logical_and(logical_and(ge(v[0], int32(1)), lt(v[0], int32(h + 1))),
                                                   logical_and(ge(v[1], int32(1)), lt(v[1], int32(w + 1))));
                         return {set(pad, {v[0], v[1]},
                                     if_then_else(inside, at(a, {Expr(v[0]) - 1, Expr(v[1]) - 1}), f32(0))),
                                 nullptr,
                                 {a},
                                 {pad}};
                       });
        },
        ForKind::kVectorized);
  });
  Stmt conv = loop("i", h, [&](Var i) {
    return loop("j", w, [&](Var j) {
      return loop("p", 3, [&](Var p) {
        return loop(
            "q", 3,
            [&](Var q) {
              return block(
                  "conv", {{'S', int32(h), i}, {'S', int32(w), j}, {'R', int32(3), p}, {'R', int32(3), q}},
                  [&](const std::vector<Var>& v) -> BlockParts {
                    Expr sum =
                        at(out, {v[0], v[1]}) + at(pad, {v[0] + v[2], v[1] + v[3]}) * at(k, {v[2], v[3]});
                    return {set(out, {v[0], v[1]}, sum), set(out, {v[0], v[1]}, f32(0)), {pad, k}, {out}};
                  });
            },
            ForKind::kUnrolled);
      });
    });
  });
  return function({a, k, out}, seq({padding, conv}), {pad});
}

// Doubles 4x4 tiles seen through views with open strides.
inline PrimFunc matched_tiles() {
  Buffer a = buffer("A", {int32(16), int32(12)}), b = buffer("B", {int32(16), int32(12)});
  auto view = [](const char* name) {
    Array<Expr> strides = {make_var("s0", DataType::Int(32)), make_var("s1", DataType::Int(32))};
    return make<VarNode>(
        name, make<BufferTypeNode>(DataType::Float(32), "global", Array<Expr>{int32(4), int32(4)}, strides,
                                   make_var("off", DataType::Int(32))));
  };
  Stmt body = loop("i", 4, [&](Var i) {
    return loop("j", 3, [&](Var j) {
      return block(
          "tile", {{'S', int32(4), i}, {'S', int32(3), j}}, [&](const std::vector<Var>& v) -> BlockParts {
            auto tile = [&](const Buffer& of) {
              return make<TensorRegionNode>(of, Array<Range>{make<RangeNode>(Expr(v[0]) * 4, int32(4)),
                                                             make<RangeNode>(Expr(v[1]) * 4, int32(4))});
            };
            Buffer from = view("From"), to = view("To");
            Stmt copy = loop("p", 4, [&](Var p) {
              return loop(
                  "q", 4,
                  [&](Var q) {
                    return set(to, {p, q}, at(from, {p, q}) * f32(2));
                  },
                  ForKind::kVectorized);
            });
            return {
                copy, nullptr,
                {a},  {b},
                {},   {make<MatchBufferRegionNode>(from, tile(a)), make<MatchBufferRegionNode>(to, tile(b))}};
          });
    });
  });
  return function({a, b}, body);
}

// Row sums of an n x m matrix, both dimensions symbolic, as a chain of temporaries.
inline PrimFunc symbolic_rows() {
  Var n = index("n"), m = index("m");
  Buffer a = buffer("A", {n, m}), out = buffer("B", {n}), sq = buffer("Q", {n, m});
  Var i = index("i"), j = index("j"), i2 = index("i"), j2 = index("j");
  Stmt square = loop(
      i, n,
      loop(j, m, block("square", {{'S', n, i}, {'S', m, j}}, [&](const std::vector<Var>& v) -> BlockParts {
             return {set(sq, {v[0], v[1]}, at(a, {v[0], v[1]}) * at(a, {v[0], v[1]})), nullptr, {a}, {sq}};
           })));
  Stmt sum = loop(
      i2, n,
      loop(j2, m, block("sum", {{'S', n, i2}, {'R', m, j2}}, [&](const std::vector<Var>& v) -> BlockParts {
             return {set(out, {v[0]}, at(out, {v[0]}) + at(sq, {v[0], v[1]})),
                     set(out, {v[0]}, f32(0)),
                     {sq},
                     {out}};
           })));
  return function({a, out}, seq({square, sum}), {sq});
}

// A loop of vectors with a tail, a lane-dependent branch, a name, and a temporary per lane.
inline PrimFunc vector_tail(int64_t n, int64_t lanes) {
  Buffer a = buffer("A", {int32(n)}), b = buffer("B", {int32(n)}), t = buffer("t", {int32(2)});
  Stmt body = loop("i0", (n + lanes - 1) / lanes, [&](Var i0) {
    return loop(
        "i1", lanes,
        [&](Var i1) {
          Expr i = Expr(i0) * lanes + i1;
          return block(
              "b", {{'S', int32(n), i}},
              [&](const std::vector<Var>& v) -> BlockParts {
                Var x = make_var("x", DataType::Float(32));
                Stmt named = make<BindNode>(x, at(a, {v[0]}) * f32(3));
                Stmt temp = seq(
                    {set(t, {int32(0)}, Expr(x) + f32(1)), set(t, {int32(1)}, at(t, {int32(0)}) * Expr(x))});
                Stmt odd = make<IfThenElseNode>(
                    eq(floormod(v[0], int32(2)), int32(1)), set(b, {v[0]}, at(t, {int32(1)})),
                    set(b, {v[0]}, at(t, {int32(0)}) - cast(DataType::Float(32), v[0])));
                return {seq({named, temp, odd}), nullptr, {a}, {b}, {t}};
              },
              lt(i, int32(n)));
        },
        ForKind::kVectorized);
  });
  return function({a, b}, body);
}

// B = sum of A into one element and a running maximum, in a loop that was asked to be a vector.
inline PrimFunc reduction_in_vector_loop() {
  Buffer a = buffer("A", {int32(8)}), b = buffer("B", {int32(1)});
  Stmt body = loop(
      "i", 8,
      [&](Var i) {
        return block("sum", {{'R', int32(8), i}}, [&](const std::vector<Var>& v) -> BlockParts {
          return {
              set(b, {int32(0)}, at(b, {int32(0)}) + at(a, {v[0]})), set(b, {int32(0)}, f32(0)), {a}, {b}};
        });
      },
      ForKind::kVectorized);
  return function({a, b}, body);
}

// Three temporaries in a row: the first and the third are never alive together.
inline PrimFunc chain_of_temporaries() {
  Buffer a = buffer("A", {int32(32)}), d = buffer("D", {int32(32)});
  Buffer t[3] = {buffer("T0", {int32(32)}), buffer("T1", {int32(32)}), buffer("T2", {int32(32)})};
  auto step = [](const char* name, const Buffer& from, const Buffer& to, double scale) {
    return loop("i", 32, [&](Var i) {
      return block(name, {{'S', int32(32), i}}, [&](const std::vector<Var>& v) -> BlockParts {
        return {set(to, {v[0]}, at(from, {v[0]}) * f32(scale) + f32(1)), nullptr, {from}, {to}};
      });
    });
  };
  return function(
      {a, d},
      seq({step("a", a, t[0], 2), step("b", t[0], t[1], 3), step("c", t[1], t[2], 4), step("d", t[2], d, 5)}),
      {t[0], t[1], t[2]});
}

// 64-bit indices that fit 32 bits.
inline PrimFunc wide_indices() {
  DataType i64 = DataType::Int(64);
  Expr n = int_imm(i64, 24);
  Buffer a = buffer("A", {n, n}), b = buffer("B", {n, n});
  Var i = index("i", 64), j = index("j", 64);
  Stmt body = loop(
      i, n, loop(j, n, block("t", {{'S', n, i}, {'S', n, j}}, [&](const std::vector<Var>& v) -> BlockParts {
                   return {set(b, {v[1], v[0]},
                               at(a, {v[0], v[1]}) + cast(DataType::Float(32), Expr(v[0]) * Expr(v[1]))),
                           nullptr,
                           {a},
                           {b}};
                 })));
  return function({a, b}, body);
}

struct Named {
  const char* name;
  PrimFunc fn;
};
inline std::vector<Named> all() {
  return {{"tiled matmul", tiled_matmul_relu(10, 14, 6, 4, 4)},
          {"exact tiles", tiled_matmul_relu(8, 8, 5, 4, 4)},
          {"padded conv", padded_conv(7, 9)},
          {"matched tiles", matched_tiles()},
          {"symbolic rows", symbolic_rows()},
          {"vector tail", vector_tail(21, 4)},
          {"exact vectors", vector_tail(24, 8)},
          {"reduction in vector loop", reduction_in_vector_loop()},
          {"chain of temporaries", chain_of_temporaries()},
          {"wide indices", wide_indices()}};
}

}  // namespace kernels
