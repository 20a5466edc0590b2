// SPDX-License-Identifier: Apache-2.0
// Bulk copies between global and shared memory, of bytes in a row and of boxes of a tensor (TMA), and from
// the shared memory of a block to that of another one. Loads complete at an mbarrier by bytes, at those of
// several blocks where they are multicast; stores and reductions by groups of their thread.
#include <cstring>

#include "backend/interp/gpu/cluster.h"
#include "backend/interp/gpu/memory_access.h"
#include "backend/interp/gpu/ptx_call.h"
#include "backend/interp/gpu/tensor_map.h"
#include "backend/interp/gpu/traffic.h"
#include "ir/core/refusal.h"
#include "ir/tir/op.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bulk-copy-elsewhere",
         .kind = "RuntimeError",
         .message = "{} copies to {}, and the copy completes at {}",
         .meaning = "A bulk copy completes at an mbarrier of the block that it writes to; with "
                    "`cta_group::2` it may be "
                    "one of the other block of the pair."},
        {.name = "bulk-copy-to-nobody", .message = "the mask of blocks of a multicast is 0"},
        {.name = "bulk-copy-misaligned",
         .message = "{} of a bulk copy is {}, no multiple of {}",
         .meaning = "Bulk copies move units of 16 bytes between addresses that are multiples of 16; swizzled "
                    "boxes begin at a "
                    "multiple of 128 in shared memory."},
        {.name = "bulk-copy-unfinished",
         .kind = "RuntimeError",
         .message = "{} ends, and one of its bulk copies still reads shared memory",
         .help = "wait for its group: `T.ptx.cp.async_.bulk.wait_group.read(0)`, behind `commit_group()`",
         .meaning =
             "The shared memory of a block is given to the next one when the block ends, whether copies out "
             "of it have read it or not."},
        {.name = "not-a-tensor-map",
         .message = "{} copies by a tensor map, and none is at its address",
         .help =
             "the host fills it: `T.tensormap_encode_tiled` or the call `runtime.cuTensorMapEncodeTiled`"},
        {.name = "tensor-map-differs",
         .message = "the instruction has {} coordinates, and the tensor map {} dimensions"},
    }};
MLC_REFUSALS(gpu_compile_bulk, refusals);

namespace {

using Integer = std::function<int64_t(Frame&)>;

void check_aligned(std::string_view what, int64_t value, int64_t unit, Span span) {
  if (value % unit != 0) throw ir::refuse(refusals["bulk-copy-misaligned"], what, value, unit).at(span);
}

// What a reduction makes of what is there and what comes; none: it is overwritten.
using Reduce = std::function<Lane(const Number&, Lane, Lane)>;
Reduce reduction(std::string_view op, Span span) {
  if (op.empty()) return nullptr;
  if (op == "add")
    return [](const Number& type, Lane a, Lane b) {
      return type.floating ? Lane{.f = type.round(a.f + b.f)}
                           : Lane{.i = type.wrap(static_cast<int64_t>(static_cast<uint64_t>(a.i) +
                                                                      static_cast<uint64_t>(b.i)))};
    };
  bool least = op == "min";
  if (least || op == "max")
    return [least](const Number& type, Lane a, Lane b) {
      bool first = type.floating      ? a.f < b.f
                   : type.is_unsigned ? static_cast<uint64_t>(a.i) < static_cast<uint64_t>(b.i)
                                      : a.i < b.i;
      return first == least ? a : b;
    };
  if (op == "inc" || op == "dec")
    return [op = std::string(op)](const Number& type, Lane a, Lane b) { return reduced(op, type, a, b); };
  if (op == "and") return [](const Number&, Lane a, Lane b) { return Lane{.i = a.i & b.i}; };
  if (op == "or") return [](const Number&, Lane a, Lane b) { return Lane{.i = a.i | b.i}; };
  if (op == "xor") return [](const Number&, Lane a, Lane b) { return Lane{.i = a.i ^ b.i}; };
  unsupported(span, fmt::format("bulk reductions by `{}`", op));
}

ir::DataType reduced_type(std::string_view ptx, Span span) {
  if (ptx == "bf16") return ir::DataType(kDLBfloat, 16);
  if (ptx == "f16" || ptx == "f32" || ptx == "f64")
    return ir::DataType::Float(ptx == "f16" ? 16 : ptx == "f32" ? 32 : 64);
  if (ptx == "u32" || ptx == "b32") return ir::DataType::UInt(32);
  if (ptx == "u64" || ptx == "b64") return ir::DataType::UInt(64);
  if (ptx == "s32" || ptx == "s64") return ir::DataType::Int(ptx == "s32" ? 32 : 64);
  unsupported(span, fmt::format("bulk reductions of `{}`", ptx));
}

// The two sides of a copy: what an agent reads at one and writes at the other.
struct Side {
  std::shared_ptr<Block> memory;
  char* at = nullptr;
};

// One copy on its way: for whom, and when it has read and written.
struct Transfer {
  Thread& thread;
  Epoch read, written;
  const AccessPoint& point;
  const Number* number;
  const Reduce& reduce;

  // Rows of a box are requests of their own; what a swizzle parts of them is not.
  // `elsewhere`: they go from the shared memory of a block to that of another one.
  void count(const Side& side, int64_t bytes, bool stores, bool elsewhere = false) const {
    if (Traffic* traffic = thread.block.kernel.traffic)
      traffic->bulk(*side.memory, side.at, bytes, stores, elsewhere, point);
  }
  void read_from(const Side& from, int64_t bytes) const {
    thread.read_by(read, *from.memory, from.at, bytes, point);
  }
  void write_to(const Side& to, int64_t bytes) const {
    if (reduce) return thread.touch_by(written, *to.memory, to.at, bytes, Touch::kAtomic, point);
    thread.write_by(written, *to.memory, to.at, bytes, point);
  }
  // What goes to several blocks is read once, by the first of their copies.
  void copy(const Side& from, const Side& to, int64_t bytes, bool first = true) const {
    if (first) count(from, bytes, false);
    count(to, bytes, true,
          from.memory->home >= 0 && to.memory->home >= 0 && from.memory->home != to.memory->home);
    read_from(from, bytes);
    write_to(to, bytes);
    move(from.at, to.at, bytes);
  }
  void move(const char* from, char* to, int64_t bytes) const {
    if (!reduce) {
      std::memcpy(to, from, static_cast<size_t>(bytes));
      return;
    }
    for (int64_t i = 0; i < bytes; i += number->bytes)
      number->store(to + i, reduce(*number, number->load(to + i), number->load(from + i)));
  }
};

// A copy out of shared memory, in the group of its thread that is open.
Transfer out_of_shared(Thread& thread, const AccessPoint& point, const Number* number, const Reduce& reduce) {
  thread.last_bulk_copy = {thread.bulk_group, &point};
  Epoch read{thread.agent(AgentKind::kBulkRead), thread.bulk_group};
  Epoch written{thread.agent(AgentKind::kBulkWrite), thread.bulk_group};
  return {thread, read, written, point, number, reduce};
}

// Where a copy into shared memory goes: an address in the window, and the mbarrier that counts its bytes.
struct Arrival {
  int64_t base;
  MBarrier* barrier;
};

// One, or one for each block of a mask, at the same place. A pair of blocks may count at a barrier of either:
// with a mask, at those of all even blocks or all odd ones, as the barrier that is named.
std::vector<Arrival> arrivals_of(Thread& thread, int64_t target, int64_t barrier, std::optional<int64_t> mask,
                                 bool pairs, const AccessPoint& point) {
  const ThreadBlock& block = thread.block;
  auto in_window = [&](int64_t address) {
    return block.window_address(thread.memory_at(address, 1, point.span).second);
  };
  int64_t base = in_window(target);
  if (!mask) {
    MBarrier& completes = thread.mbarrier_of_copy(barrier, point);
    int home = thread.memory_at(base, 1, point.span).first->home;
    bool there = pairs ? completes.rank / 2 == home / 2 : completes.rank == home;
    if (home >= 0 && !there) {
      throw ir::refuse(refusals["bulk-copy-elsewhere"], thread.name(), block.cluster.at(home).name(),
                       fmt::format("`{}` of {}", completes.name, block.cluster.at(completes.rank).name()))
          .at(point.span);
    }
    return {{base, &completes}};
  }
  if ((*mask & 0xFFFFFFFF) == 0) throw ir::refuse(refusals["bulk-copy-to-nobody"]).at(point.span);
  int64_t named = in_window(barrier);
  std::vector<Arrival> arrivals;
  for (int rank : ranks_of_mask(thread, *mask, point.span)) {
    int64_t at = pairs ? (rank & ~1) | (named >> Cluster::kWindowBits & 1) : rank;
    arrivals.push_back({thread.address_in(base, rank, point.span),
                        &thread.mbarrier_of_copy(thread.address_in(named, at, point.span), point)});
  }
  return arrivals;
}

// A box of a tensor at some coordinates, row by row: `row` is told the byte of the box where it begins, how
// many of its bytes are outside in front, how many are inside, and where they are.
template <class Row>
void each_row(const TensorMap& map, std::span<const int64_t> coordinates, Row&& row) {
  int64_t element = ir::DataType(map.dtype).bits(), bytes = map.box[0] * element / 8;
  auto rank = static_cast<size_t>(map.rank);
  int64_t rows = 1;
  for (size_t d = 1; d < rank; ++d) rows *= map.box[d];
  for (int64_t r = 0; r < rows; ++r) {
    bool inside = true;
    char* begin = map.data;
    int64_t rest = r;
    for (size_t d = 1; d < rank; ++d) {
      int64_t at = coordinates[d] + rest % map.box[d] * map.steps[d];
      rest /= map.box[d];
      inside = inside && at >= 0 && at < map.sizes[d];
      begin += at * map.strides[d - 1];
    }
    int64_t first = std::clamp<int64_t>(-coordinates[0], 0, map.box[0]);
    int64_t last = std::clamp<int64_t>(map.sizes[0] - coordinates[0], first, map.box[0]);
    if (!inside) first = last = map.box[0];
    row(r * bytes, first * element / 8, (last - first) * element / 8,
        begin + (coordinates[0] + first) * element / 8);
  }
}

int64_t box_bytes(const TensorMap& map) {
  int64_t elements = 1;
  for (size_t d = 0; d < map.rank; ++d) elements *= map.box[d];
  return elements * ir::DataType(map.dtype).bits() / 8;
}

const TensorMap& map_at(const Thread& thread, int64_t address, size_t coordinates, Span span) {
  auto* at = reinterpret_cast<char*>(address);
  auto memory = thread.block.kernel.program.heap.find(at);
  bool there = memory && at + sizeof(TensorMap) <= memory->end;
  const auto* map = reinterpret_cast<const TensorMap*>(at);
  if (!there || map->magic != TensorMap::kMagic)
    throw ir::refuse(refusals["not-a-tensor-map"], thread.name()).at(span);
  if (map->rank != coordinates)
    throw ir::refuse(refusals["tensor-map-differs"], coordinates, map->rank).at(span);
  for (size_t d = 0; d < coordinates; ++d)
    if (map->steps[d] != 1 && d == 0) unsupported(span, "tensor maps with steps in the innermost dimension");
  return *map;
}

// Pieces of a box in shared memory: within 16 bytes nothing is moved by a swizzle.
template <class Piece>
void each_piece(const Thread& thread, int64_t base, const TensorMap& map, int64_t from, int64_t bytes,
                Span span, Piece&& piece) {
  while (bytes > 0) {
    int64_t size = map.swizzle == 0 ? bytes : std::min<int64_t>(bytes, 16 - from % 16);
    auto [memory, at] = thread.memory_at(swizzled(base + from, map.swizzle), size, span);
    piece(Side{memory, at}, from, size);
    from += size;
    bytes -= size;
  }
}

}  // namespace

void Thread::check_finished() const {
  auto [group, point] = last_bulk_copy;
  if (group > bulk_read) throw ir::refuse(refusals["bulk-copy-unfinished"], name()).at(point->span);
}

// Bytes in a row: from global to shared memory, or back, or to another block.
Code Compiler::bulk_copy(const PtxCall& call) {
  call.without("report");
  call.without("ignore_oob");
  call.without("cp_mask");
  bool arrives = call.has("mbar");
  Reduce reduce = reduction(call.modifier("redop"), call.span());
  const Number* number = reduce ? &number_of(reduced_type(call.modifier("type"), call.span())) : nullptr;
  Integer barrier = arrives ? integer(call.one("mbar")) : Integer();
  Integer mask = call.has("cta_mask") ? integer(call.one("cta_mask")) : Integer();
  return [to = integer(call.one("dst_mem")), from = integer(call.one("src_mem")),
          size = integer(call.one("size")), barrier, mask, arrives, reduce, number,
          at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    int64_t target = to(frame), source = from(frame), bytes = size(frame);
    int64_t completes_at = barrier ? barrier(frame) : 0;
    std::optional<int64_t> blocks = mask ? std::optional(mask(frame)) : std::nullopt;
    frame.program.heap.use(at->span);
    check_aligned("the size", bytes, 16, at->span);
    check_aligned("the target", target, 16, at->span);
    check_aligned("the source", source, 16, at->span);
    out->i = 0;
    auto side = [&](int64_t address) {
      auto [memory, begin] = thread.memory_at(address, bytes, at->span);
      return Side{memory, begin};
    };
    Side source_side = side(source);
    if (!arrives) {
      out_of_shared(thread, *at, number, reduce).copy(source_side, side(target), bytes);
      return;
    }
    bool first = true;
    for (auto [base, completes] : arrivals_of(thread, target, completes_at, blocks, false, *at)) {
      Transfer transfer{thread, completes->now(), completes->now(), *at, number, reduce};
      transfer.copy(source_side, side(base), bytes, std::exchange(first, false));
      completes->complete(bytes, thread.seen, *at);
    }
  };
}

Code Compiler::bulk_tensor_load(const PtxCall& call) {
  call.only("load_mode", "tile");
  call.without("report");
  bool pairs = call.modifier("cta_group") == "cta_group::2";
  Integer mask = call.has("cta_mask") ? integer(call.one("cta_mask")) : Integer();
  std::vector<Integer> coordinates;
  for (const Expr& each : call.all("coords")) coordinates.push_back(integer(each));
  return [to = integer(call.one("dst_mem")), map_address = integer(call.one("tmap")), coordinates, mask,
          pairs, barrier = integer(call.one("mbar")), text = call.text(),
          at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    std::vector<int64_t> begin;
    for (const Integer& each : coordinates) begin.push_back(each(frame));
    int64_t target = to(frame), map_at_address = map_address(frame), barrier_address = barrier(frame);
    std::optional<int64_t> blocks = mask ? std::optional(mask(frame)) : std::nullopt;
    frame.program.heap.use(at->span);
    const TensorMap& map = map_at(thread, map_at_address, begin.size(), at->span);
    if (pairs) pair_of(thread.block, text, at->span);
    std::vector<Arrival> arrivals = arrivals_of(thread, target, barrier_address, blocks, pairs, *at);
    check_aligned("the target", arrivals[0].base, 128, at->span);
    Reduce none;
    std::vector<Transfer> transfers;
    for (auto [base, completes] : arrivals)
      transfers.push_back({thread, completes->now(), completes->now(), *at, nullptr, none});
    ir::DataType type(map.dtype);
    const Number* number = type.bits() >= 8 ? &number_of(type) : nullptr;
    each_row(map, begin, [&](int64_t offset, int64_t before, int64_t bytes, char* from) {
      int64_t whole = map.box[0] * type.bits() / 8;
      if (bytes > 0) {
        Side source{thread.memory_at(reinterpret_cast<int64_t>(from), bytes, at->span).first, from};
        transfers[0].count(source, bytes, false);
        for (const Transfer& transfer : transfers) transfer.read_from(source, bytes);
      }
      std::vector<char> row(static_cast<size_t>(whole), 0);
      if (map.fill == 1 && number != nullptr && number->floating && bytes < whole)
        for (int64_t i = 0; i < whole; i += number->bytes)
          number->store(row.data() + i, Lane{.f = std::numeric_limits<double>::quiet_NaN()});
      if (bytes > 0) std::memcpy(row.data() + before, from, static_cast<size_t>(bytes));
      for (size_t i = 0; i < arrivals.size(); ++i) {
        each_piece(thread, arrivals[i].base, map, offset, whole, at->span,
                   [&](const Side& side, int64_t where, int64_t size) {
                     if (where == offset) transfers[i].count(side, whole, true);
                     transfers[i].write_to(side, size);
                     std::memcpy(side.at, row.data() + (where - offset), static_cast<size_t>(size));
                   });
      }
    });
    for (auto [base, completes] : arrivals) completes->complete(box_bytes(map), thread.seen, *at);
    out->i = 0;
  };
}

Code Compiler::bulk_tensor_store(const PtxCall& call) {
  call.only("load_mode", "tile");
  Reduce reduce = reduction(call.modifier("redop"), call.span());
  std::vector<Integer> coordinates;
  for (const Expr& each : call.all("coords")) coordinates.push_back(integer(each));
  return [from = integer(call.one("src_mem")), map_address = integer(call.one("tmap")), coordinates, reduce,
          at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    std::vector<int64_t> begin;
    for (const Integer& each : coordinates) begin.push_back(each(frame));
    int64_t source = from(frame), map_at_address = map_address(frame);
    frame.program.heap.use(at->span);
    const TensorMap& map = map_at(thread, map_at_address, begin.size(), at->span);
    int64_t base = thread.block.window_address(reinterpret_cast<char*>(source));
    check_aligned("the source", base, 128, at->span);
    Transfer transfer = out_of_shared(thread, *at, &number_of(map.dtype), reduce);
    each_row(map, begin, [&](int64_t offset, int64_t before, int64_t bytes, char* to) {
      if (bytes <= 0) return;  // what is outside of the tensor is left out
      std::vector<char> row(static_cast<size_t>(bytes));
      each_piece(thread, base, map, offset + before, bytes, at->span,
                 [&](const Side& side, int64_t where, int64_t size) {
                   if (where == offset + before) transfer.count(side, bytes, false);
                   transfer.read_from(side, size);
                   std::memcpy(row.data() + (where - offset - before), side.at, static_cast<size_t>(size));
                 });
      Side target{thread.memory_at(reinterpret_cast<int64_t>(to), bytes, at->span).first, to};
      transfer.count(target, bytes, true);
      transfer.write_to(target, bytes);
      transfer.move(row.data(), to, bytes);
    });
    out->i = 0;
  };
}

Code Compiler::bulk_intrinsic(const ir::CallNode* node, std::string_view name) {
  if (name == "tirx.ptx.cp_async_bulk_commit_group") {
    return [](Frame& frame, Lane* out) {
      ++frame.program.heap.thread->bulk_group;
      out->i = 0;
    };
  }
  if (name == "tirx.ptx.cp_async_bulk_wait_group") {
    PtxCall call(node, name);
    bool only_read = call.modifier("read") == "read";
    return [left = static_cast<uint32_t>(call.constant("group")), only_read](Frame& frame, Lane* out) {
      Thread& thread = *frame.program.heap.thread;
      uint32_t committed = thread.bulk_group - 1;
      if (committed > left) {
        thread.bulk_read = committed - left;
        thread.see({thread.agent(AgentKind::kBulkRead), committed - left});
        if (!only_read) thread.see({thread.agent(AgentKind::kBulkWrite), committed - left});
      }
      out->i = 0;
    };
  }
  if (!name.starts_with("tirx.ptx.cp_async_bulk_") && !name.starts_with("tirx.ptx.cp_reduce_async_bulk_"))
    return nullptr;
  PtxCall call(node, name);
  constexpr std::string_view kRows[] = {"cp_async_bulk_g2s_cluster",
                                        "cp_async_bulk_g2s_cluster_multicast16",
                                        "cp_async_bulk_g2s_cluster_multicast32",
                                        "cp_async_bulk_g2s_cta",
                                        "cp_async_bulk_s2c",
                                        "cp_async_bulk_s2g",
                                        "cp_reduce_async_bulk_s2c",
                                        "cp_reduce_async_bulk_s2g",
                                        "cp_reduce_async_bulk_s2g_f32_noftz"};
  constexpr std::string_view kBoxes[] = {
      "cp_async_bulk_tensor_g2s_cluster", "cp_async_bulk_tensor_g2s_cluster_multicast16",
      "cp_async_bulk_tensor_g2s_cluster_multicast32", "cp_async_bulk_tensor_g2s_cta"};
  if (std::find(std::begin(kRows), std::end(kRows), call.row()) != std::end(kRows))
    return guarded(call, bulk_copy(call));
  if (std::find(std::begin(kBoxes), std::end(kBoxes), call.row()) != std::end(kBoxes))
    return guarded(call, bulk_tensor_load(call));
  if (call.row() == "cp_async_bulk_tensor_s2g" || call.row() == "cp_reduce_async_bulk_tensor")
    return guarded(call, bulk_tensor_store(call));
  unsupported(node->span, fmt::format("`{}`, the form {}", call.text(), call.row()));
}

}  // namespace mlc::interp
