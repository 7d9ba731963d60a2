// Tensor copies (PTX ISA: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor): a box of a tensor in global memory, which
// a tensor map describes (tensor_map.h), to shared memory or back. What is outside of the tensor is read as zeros or
// NaN, and not written. The tiled mode; im2col is not implemented. When they are done: async.h.

#include <fmt/format.h>

#include <algorithm>

#include "common/simt/isa/memory/bulk_lanes.h"
#include "common/simt/isa/memory/reductions.h"
#include "common/simt/machine/faults.h"
#include "common/simt/machine/memory/tensor_map.h"
#include "common/simt/machine/sync/async.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

// ---- the box ----

/// Where a copy begins: coordinates, innermost first.
struct Place {
  s32 at[kMostDimensions] = {};
};
/// What a store needs when it is done.
struct Pending {
  TensorMap map;
  Place place;
};

/// A row of the box along dimension 0: bytes [first, end) of it are inside of the tensor, and lie from `address` on.
struct BoxRow {
  u32 first = 0, end = 0;
  u64 address = 0;
};

/// Row `number` of the box, counted in dimension 1 first.
inline BoxRow box_row(const TensorMap& map, const Place& place, u64 number) {
  BoxRow row;
  u64 address = map.address;
  for (int d = 1; d < map.rank; ++d) {
    const auto k = static_cast<std::size_t>(d);
    const u32 count = map.count(d);
    const s64 at = s64{place.at[d]} + static_cast<s64>(number % count) * map.every[k];
    number /= count;
    if (at < 0 || at > s64{map.last[k]}) return row;
    address += static_cast<u64>(at) * map.strides[k - 1];
  }
  const s64 begin = place.at[0], extent = s64{map.last[0]} + 1;
  const s64 first = std::clamp<s64>(-begin, 0, map.box[0]), end = std::clamp<s64>(extent - begin, first, map.box[0]);
  const u32 bytes = element_bytes(map.type);
  row.first = static_cast<u32>(first) * bytes;
  row.end = static_cast<u32>(end) * bytes;
  row.address = address + static_cast<u64>(begin + first) * bytes;
  return row;
}

/// Calls f(offset, bytes) for pieces of [begin, end) that lie within 16 bytes of shared memory, where a swizzle leaves
/// bytes side by side.
template <typename F>
inline void in_pieces(u32 begin, u32 end, F f) {
  for (u32 at = begin; at < end;) {
    const u32 bytes = std::min(end - at, 16 - at % 16);
    f(at, bytes);
    at += bytes;
  }
}

/// Of elements outside of the tensor: 0x7ff7 in every 16 bits, of any type of numbers (an H100's).
inline void fill(const TensorMap& map, std::byte* to, u32 bytes) {
  if (!map.nan_outside) {
    std::memset(to, 0, bytes);
    return;
  }
  constexpr std::uint16_t nan = 0x7ff7;
  for (u32 at = 0; at < bytes; at += sizeof nan) std::memcpy(to + at, &nan, sizeof nan);
}

/// TF32: the nearest number of 10 bits after the point, ties to even, subnormals too; one NaN (an H100's).
inline u32 rounded_to_tf32(u32 bits) {
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fffe000;
  return (bits + 0xfff + (bits >> 13 & 1)) & ~u32{0x1fff};
}

/// The same for all from `from` up to `end`.
void round_to_tf32(std::byte* from, const std::byte* end) {
  for (; from != end; from += 4) {
    u32 bits = 0;
    std::memcpy(&bits, from, 4);
    bits = rounded_to_tf32(bits);
    std::memcpy(from, &bits, 4);
  }
}

/// The rows of the box, one behind the other.
std::vector<std::byte> read_box(Warp& w, const MicroOp* op, int lane, const TensorMap& map, const Place& place) {
  const u32 row_bytes = map.row_bytes();
  std::vector<std::byte> box(map.bytes());
  for (u64 k = 0; k < map.rows(); ++k) {
    std::byte* const at = box.data() + k * row_bytes;
    const BoxRow row = box_row(map, place, k);
    const u32 inside = row.end - row.first;
    if (inside > 0) {
      const std::byte* from = w.global->host(row.address, inside);
      if (!from) fault_access(w, op, row.address, lane, inside, "bulk load");
      std::memcpy(at + row.first, from, inside);
      if (map.type == TensorType::tf32 || map.type == TensorType::tf32_ftz) round_to_tf32(at + row.first, at + row.end);
    }
    fill(map, at, row.first);
    fill(map, at + row.end, row_bytes - row.end);
  }
  charge_work(w, map.rows() / 8);
  return box;
}

/// Brings rows that read_box() has read to where a swizzle has them. `begun.from`: the map's swizzle and row.
void land_swizzled(Warp& w, const Begun& begun, int lane) {
  const auto swizzle = static_cast<u32>(begun.from >> 32), row_bytes = static_cast<u32>(begun.from);
  const auto to = static_cast<u32>(begun.to);
  std::byte* const place = place_of(w, begun, lane);
  for (u32 at = 0; at < begun.width; at += 16) {
    const u32 plain = to + at / row_bytes * (16u << swizzle) + at % row_bytes;
    std::memcpy(place + (std::int64_t{swizzled(plain, swizzle)} - to), begun.bytes.data() + at, 16);
  }
}

// ---- operands ----

inline TensorMap map_at(Warp& w, const MicroOp* op, int lane, u64 address) {
  const std::byte* const bytes = map_bytes(w, op, lane, address, "load");
  const auto map = tensor_map_at(bytes);
  if (!map) fault_message(w, op, "illegal tensor copy: by what is no tensor map; cuTensorMapEncodeTiled makes one");
  return *map;
}
inline TensorMap map_of_rank(Warp& w, const MicroOp* op, int lane, u64 address, int rank) {
  const TensorMap map = map_at(w, op, lane, address);
  if (map.rank != rank)
    fault_message(w, op, "illegal tensor copy: with more or fewer coordinates than its map has dimensions");
  return map;
}
/// An H100 takes no box that begins within 16 bytes of its row.
inline Place place_of_lane(Warp& w, const MicroOp* op, const TensorMap& map, const u16* coordinates, int lane) {
  Place place;
  for (int d = 0; d < map.rank; ++d) place.at[d] = value_in<s32>(w, coordinates[d], lane);
  if (s64{place.at[0]} * element_bytes(map.type) % 16 != 0)
    fault_message(w, op, "illegal tensor copy: its first coordinate is no multiple of 16 bytes");
  return place;
}
/// An H100 writes no box that begins in front of the tensor, not even where all of it is outside. It does load such
/// ones, and writes one that begins behind the tensor's end (to nowhere).
inline void check_begins_inside(Warp& w, const MicroOp* op, const TensorMap& map, const Place& place, int lane) {
  for (int d = 0; d < map.rank; ++d)
    if (place.at[d] < 0)
      fault(w, op, lane,
            fmt::format("illegal tensor copy: it writes a box that begins at {} in dimension {} (0: the innermost)",
                        place.at[d], d),
            "loads may begin at a negative place, stores and reductions may not: begin at 0, by a map with a smaller "
            "box, or write these elements by plain stores");
}
/// What to do instead, where there is more than another operation.
inline const char* reduction_hint(TensorType type) {
  return type == TensorType::s64 ? "encode the map with CU_TENSOR_MAP_DATA_TYPE_UINT64: add, and, or and xor give the "
                                   "same bits of signed integers"
                                 : "";
}
/// Bytes of shared memory that the copy reaches; they fit 32 bits there, or nowhere. Bytes of a swizzle stay within a
/// multiple of its width, and the row there.
inline u32 shared_bytes_of(const TensorMap& map) {
  return static_cast<u32>(std::min<u64>(map.shared_bytes(), ~u32{0}));
}
inline void check_place(Warp& w, const MicroOp* op, u64 address) {
  if (address & 127)
    fault_message(w, op, "misaligned tensor copy: its shared memory does not begin at a multiple of 128 bytes");
}

// ---- loads ----

/// [dst], [map, {c …}], [mbarrier]{, mask}{, policy}
template <int rank, bool multicast>
const MicroOp* load_tensor(Warp& w, const MicroOp* op) {
  const u16* const r = operands(w, op);
  const u16* const behind = r + 2 + rank;
  for (u32 left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    const TensorMap map = map_of_rank(w, op, i, value_in<u64>(w, r[1], i), rank);
    const u32 reach = shared_bytes_of(map);
    const Place place = place_of_lane(w, op, map, r + 2, i);
    const u64 to = in_window(w, first_address(w, op, r[0], i));
    const u32 mbarrier = mbarrier_in_window(w, op, value_in<u64>(w, behind[0], i));
    const auto checked = [&](u64 at) {
      check_place(w, op, at);
      return bulk_target(w, op, i, in_window(w, at), reach, "bulk store");
    };
    const auto begin = [&](u32 target, const std::vector<std::byte>& box, u32 tells) {
      begin_bulk_load(w, op, i, target, box.data(), static_cast<u32>(box.size()), tells,
                      map.swizzle ? land_swizzled : nullptr, u64{map.swizzle} << 32 | map.row_bytes());
    };
    if constexpr (multicast) {
      std::vector<std::byte> box;
      for (u32 ranks = value_in<u32>(w, behind[1], i) & 0xffff; ranks; ranks &= ranks - 1) {
        const auto block = static_cast<u32>(__builtin_ctz(ranks));
        const u32 target = checked(mapped(static_cast<u32>(to), block));
        if (box.empty()) box = read_box(w, op, i, map, place);
        begin(target, box, static_cast<u32>(in_window(w, mapped(mbarrier, block))));
      }
    } else {
      const u32 target = checked(to);
      begin(target, read_box(w, op, i, map, place), mbarrier);
    }
  }
  return op + 1;
}

// ---- stores and reductions ----

enum class Operation { add, min, max, inc, dec, and_, or_, xor_ };
constexpr std::string_view operation_names[] = {".add", ".min", ".max", ".inc", ".dec", ".and", ".or", ".xor"};

/// By operation and type; those without `apply` do not exist.
constexpr auto reductions = [] {
  std::array<std::array<Reduction, kTensorTypes>, std::size(operation_names)> all{};
  const auto set = [&](Operation operation, TensorType type, const Reduction& with) {
    all[static_cast<std::size_t>(operation)][static_cast<std::size_t>(type)] = with;
  };
  using enum Operation;
  for (const auto type : {TensorType::u32, TensorType::s32}) {
    set(add, type, reduction<sum<u32>, u32>());
    set(and_, type, reduction<conjunction<u32>, u32>());
    set(or_, type, reduction<disjunction<u32>, u32>());
    set(xor_, type, reduction<difference<u32>, u32>());
  }
  // Of 64-bit integers an H100 adds unsigned ones alone, and combines the bits of no others.
  set(add, TensorType::u64, reduction<sum<u64>, u64>());
  set(and_, TensorType::u64, reduction<conjunction<u64>, u64>());
  set(or_, TensorType::u64, reduction<disjunction<u64>, u64>());
  set(xor_, TensorType::u64, reduction<difference<u64>, u64>());
  set(min, TensorType::u32, reduction<least<u32>, u32>());
  set(max, TensorType::u32, reduction<most<u32>, u32>());
  set(min, TensorType::s32, reduction<least<s32>, s32>());
  set(max, TensorType::s32, reduction<most<s32>, s32>());
  set(min, TensorType::u64, reduction<least<u64>, u64>());
  set(max, TensorType::u64, reduction<most<u64>, u64>());
  set(min, TensorType::s64, reduction<least<s64>, s64>());
  set(max, TensorType::s64, reduction<most<s64>, s64>());
  set(inc, TensorType::u32, reduction<increment, u32>());
  set(dec, TensorType::u32, reduction<decrement, u32>());
  set(add, TensorType::f32, reduction<sum_f32, float, true>());
  set(add, TensorType::f32_ftz, reduction<sum_f32, float, true>());
  set(add, TensorType::f64, reduction<sum_f64, double, true>());
  set(add, TensorType::f16, reduction<short_sum<Half>, Half, true>());
  set(min, TensorType::f16, reduction<short_least<Half>, Half>());
  set(max, TensorType::f16, reduction<short_most<Half>, Half>());
  set(add, TensorType::bf16, reduction<short_sum<Bfloat16>, Bfloat16, true>());
  set(min, TensorType::bf16, reduction<short_least<Bfloat16>, Bfloat16>());
  set(max, TensorType::bf16, reduction<short_most<Bfloat16>, Bfloat16>());
  return all;
}();

/// Of a copy that reduces, by the name in its opcode.
const Reduction& reduction_of(const Warp& w, const MicroOp* op, TensorType type) {
  const std::string_view opcode = opcode_of(w, op);
  std::size_t operation = 0;
  while (operation + 1 < std::size(operation_names) &&
         opcode.find(operation_names[operation]) == std::string_view::npos)
    ++operation;
  return reductions[operation][static_cast<std::size_t>(type)];
}

/// The kernel may have freed the tensor since the copy was issued.
template <bool reduces>
void land_in_tensor(Warp& w, const Begun& begun, int lane) {
  Pending pending;
  std::memcpy(&pending, begun.bytes.data(), sizeof pending);
  const TensorMap& map = pending.map;
  for (u64 k = 0; k < map.rows(); ++k) {
    const BoxRow row = box_row(map, pending.place, k);
    if (row.first == row.end) continue;
    std::byte* const to = w.global->host(row.address, row.end - row.first);
    if (!to) fault_access(w, begun.op, row.address, lane, row.end - row.first, "bulk store");
    const auto start = static_cast<u32>(begun.from + k * map.pitch());
    in_pieces(start + row.first, start + row.end, [&](u32 at, u32 bytes) {
      const std::byte* const from = w.shared + swizzled(at, map.swizzle);
      std::byte* const element = to + (at - start - row.first);
      if constexpr (reduces)
        reduce_all(w, reduction_of(w, begun.op, map.type), element, from, bytes, true);
      else
        std::memcpy(element, from, bytes);
    });
  }
  charge_work(w, map.rows() / 8);
}

/// [map, {c …}], [src]{, policy}
template <int rank, bool reduces>
const MicroOp* store_tensor(Warp& w, const MicroOp* op) {
  const u16* const r = operands(w, op);
  for (u32 left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    Pending pending{map_of_rank(w, op, i, first_address(w, op, r[0], i), rank), {}};
    pending.place = place_of_lane(w, op, pending.map, r + 1, i);
    check_begins_inside(w, op, pending.map, pending.place, i);
    if (reduces && !reduction_of(w, op, pending.map.type).apply)
      fault(w, op, i, "illegal tensor copy: it reduces in a way that its map's type does not have",
            reduction_hint(pending.map.type));
    const u32 bytes = shared_bytes_of(pending.map);
    const u64 from = value_in<u64>(w, r[1 + rank], i);
    check_place(w, op, in_window(w, from));
    const u32 source = bulk_shared(w, op, i, from, bytes, "bulk load");
    std::vector<std::byte> needed(sizeof pending);
    std::memcpy(needed.data(), &pending, sizeof pending);
    begin_bulk_store(w, op, i, pending.map.address, source, bytes, land_in_tensor<reduces>, std::move(needed));
  }
  return op + 1;
}

const MicroOp* nothing(Warp&, const MicroOp* op) { return op + 1; }

// ---- rows ----

constexpr OperandType address{Role::address}, policy{Role::optional_in, Kind::u64}, mask{Role::in, Kind::u16};
constexpr OperandType coordinates(int rank) { return {Role::in, Kind::s32, static_cast<u8>(rank)}; }

template <int rank, bool multicast>
constexpr Meaning loads() {
  Meaning meaning{.run = load_tensor<rank, multicast>, .traits = kOperandTable};
  if constexpr (multicast)
    meaning.operands = {{address, address, coordinates(rank), address, mask, policy}};
  else
    meaning.operands = {{address, address, coordinates(rank), address, policy}};
  return meaning;
}
template <int rank, bool reduces>
constexpr Meaning stores() {
  return {.run = store_tensor<rank, reduces>,
          .operands = {{address, coordinates(rank), address, policy}},
          .traits = kOperandTable};
}
constexpr Meaning prefetches(int rank) {
  return {.run = nothing, .operands = {{address, coordinates(rank), policy}}, .traits = kOperandTable};
}

#define LOAD(D) "cp.async.bulk.tensor." D "d(.shared::cluster,.shared::cta).global{.tile}.mbarrier::complete_tx::bytes"
#define HINT "{.L2::cache_hint}"
#define STORE(D, OP) "." D "d.global.shared::cta" OP "{.tile}.bulk_group" HINT " [map, {c}], [src]{, policy}"
#define REDUCE "(.add,.min,.max,.inc,.dec,.and,.or,.xor)"
#define ROWS(R, D)                                                                                        \
  {LOAD(D) HINT " [dst], [map, {c}], [mbarrier]{, policy}", Unit::async, loads<R, false>()},              \
      {LOAD(D) ".multicast::cluster" HINT " [dst], [map, {c}], [mbarrier], mask{, policy}", Unit::async,  \
       loads<R, true>()},                                                                                 \
      {"cp.async.bulk.prefetch.tensor." D "d.L2.global{.tile}" HINT " [map, {c}]{, policy}", Unit::async, \
       prefetches(R)},                                                                                    \
      {"cp.async.bulk.tensor" STORE(D, ""), Unit::async, stores<R, false>()}, {                           \
    "cp.reduce.async.bulk.tensor" STORE(D, REDUCE), Unit::async, stores<R, true>()                        \
  }

const Row rows[] = {ROWS(1, "1"), ROWS(2, "2"), ROWS(3, "3"), ROWS(4, "4"), ROWS(5, "5")};

}  // namespace

std::span<const Row> tensor_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
