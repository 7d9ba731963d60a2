// Moves (PTX ISA: Data Movement: mov, cvta, isspacep, prmt): registers, packing of vectors, generic addresses.

#include "common/simt/decode/program.h"
#include "common/simt/isa/lanes.h"
#include "common/simt/machine/memory/windows.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

template <typename T>
constexpr auto same = [](T a) { return a; };

/// mov d, {a, b, …}: the first element is the least significant.
template <typename Whole, typename Part>
struct Packing {
  static constexpr int parts = sizeof(Whole) / sizeof(Part);
  static constexpr u32 part_bits = 8 * sizeof(Part);

  static const MicroOp* pack(Warp& w, const MicroOp* op) {
    const Raw<Part>* from[parts];
    for (int k = 0; k < parts; ++k) from[k] = values<Part>(w, op, 1 + k);
    for_each_lane<Whole>(w, op, [&](int i) {
      Whole whole = 0;
      for (int k = 0; k < parts; ++k)
        whole = static_cast<Whole>(whole | static_cast<Whole>(static_cast<Part>(from[k][i])) << (k * part_bits));
      return whole;
    });
    return following(w, op);
  }
  /// Elements that are `_` are left out.
  static const MicroOp* unpack(Warp& w, const MicroOp* op) {
    const Source<Whole> from(w, op, parts);
    for (int k = 0; k < parts; ++k) {
      if (op->r[k] == kNoOperand) continue;
      Raw<Part>* to = values<Part>(w, op, k);
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i) {
        const Raw<Part> part = static_cast<Part>(from[i] >> (k * part_bits));
        to[i] = w.lanes[i] ? part : to[i];
      }
    }
    return following(w, op);
  }
};
template <typename Whole, typename Part>
constexpr Meaning packed() {
  using P = Packing<Whole, Part>;
  return {.run = &P::pack, .operands = {{{Role::out, kind_of<Whole>()}, {Role::in, kind_of<Part>(), P::parts}}}};
}
template <typename Whole, typename Part>
constexpr Meaning unpacked() {
  using P = Packing<Whole, Part>;
  return {.run = &P::unpack,
          .operands = {{{Role::out, kind_of<Part>(), P::parts}, {Role::in, kind_of<Whole>()}}},
          .traits = kEarlyClobber};
}

template <typename T>
constexpr Meaning copied() {
  Meaning meaning = lane<same<T>>();
  meaning.traits = kCopies;
  return meaning;
}

// Generic addresses: shared and local memory are windows, everything else is global. See memory.h.
constexpr auto from_shared = [](u64 a) { return a + kSharedWindow; };
constexpr auto to_shared = [](u64 a) { return a - kSharedWindow; };
/// In a cluster an own address names its block once it is generic: windows.h. The lanes' functions above are what it is
/// elsewhere, and in compiled code, which no cluster of several blocks runs.
const MicroOp* generic_of_own(Warp& w, const MicroOp* op) {
  const Source<u64> a(w, op, 1);
  const u64 own = kSharedWindow + w.own_window;
  for_each_lane<u64>(w, op, [&](int i) { return a[i] + (a[i] < kRankBytes ? own : kSharedWindow); });
  return following(w, op);
}
const MicroOp* own_of_generic(Warp& w, const MicroOp* op) {
  const Source<u64> a(w, op, 1);
  const u64 own = kSharedWindow + w.own_window;
  for_each_lane<u64>(w, op, [&](int i) { return a[i] - (a[i] - own < kRankBytes ? own : kSharedWindow); });
  return following(w, op);
}
const MicroOp* is_own_shared(Warp& w, const MicroOp* op) {
  const Source<u64> a(w, op, 1);
  const u64 first = kSharedWindow + w.own_window, bytes = w.own_window != 0 ? kRankBytes : kWindowBytes;
  write_pred(w, op->r[0], true_lanes([&](int i) { return a[i] - first < bytes || a[i] - kSharedWindow < kRankBytes; }));
  return following(w, op);
}
template <auto function>
constexpr Meaning in_clusters(Handler run) {
  Meaning meaning = lane<function>();
  meaning.run = run;
  return meaning;
}
constexpr auto from_local = [](u64 a) { return a + kLocalWindow; };
constexpr auto to_local = [](u64 a) { return a - kLocalWindow; };
constexpr auto is_shared = [](u64 a) { return a - kSharedWindow < kWindowBytes; };
constexpr auto is_local = [](u64 a) { return a - kLocalWindow < kWindowBytes; };
constexpr auto is_global = [](u64 a) { return a >= kHostStart; };

/// Kernel parameters whose address is taken have a copy in memory.
const MicroOp* is_parameter(Warp& w, const MicroOp* op) {
  const Source<u64> a(w, op, 1);
  const u64 start = w.program != nullptr ? w.program->parameter_address : 0;
  const u64 bytes = start != 0 ? w.program->parameter_bytes : 0;
  write_pred(w, op->r[0], true_lanes([&](int i) { return a[i] - start < bytes; }));
  return following(w, op);
}

/// Byte `selector` (0…7) of b:a; its bit 3 replicates the byte's sign instead.
inline u32 picked(u64 bytes, u32 selector) {
  const u32 byte = static_cast<u32>(bytes >> 8 * (selector & 7)) & 0xff;
  return selector & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte;
}
constexpr auto permuted = [](u32 a, u32 b, u32 c) {
  const u64 bytes = static_cast<u64>(b) << 32 | a;
  return picked(bytes, c) | picked(bytes, c >> 4) << 8 | picked(bytes, c >> 8) << 16 | picked(bytes, c >> 12) << 24;
};
/// prmt's modes: selectors that follow from the two low bits of c, lowest byte's in the lowest nibble.
template <u32 s0, u32 s1, u32 s2, u32 s3>
constexpr auto permuted_by_mode = [](u32 a, u32 b, u32 c) {
  const u32 n = c & 3;
  return permuted(a, b, n == 0 ? s0 : n == 1 ? s1 : n == 2 ? s2 : s3);
};

constexpr Row rows[] = {
    {"mov.pred d, a", Unit::alu, mask_function<same<u32>>()},
    {"mov(.b16,.u16,.s16) d, a", Unit::alu, copied<u16>()},
    {"mov(.b32,.u32,.s32) d, a", Unit::alu, copied<u32>()},
    {"mov(.b64,.u64,.s64) d, a", Unit::alu, copied<u64>()},
    {"mov.f32 d, a", Unit::alu, copied<float>()},
    {"mov.f64 d, a", Unit::alu, copied<double>()},
    {"mov.b16 d, {a, b}", Unit::alu, packed<u16, u8>()},
    {"mov.b32 d, {a, b}", Unit::alu, packed<u32, u16>()},
    {"mov.b32 d, {a, b, c, e}", Unit::alu, packed<u32, u8>()},
    {"mov.b64 d, {a, b}", Unit::alu, packed<u64, u32>()},
    {"mov.b64 d, {a, b, c, e}", Unit::alu, packed<u64, u16>()},
    {"mov.b16 {d, e}, a", Unit::alu, unpacked<u16, u8>()},
    {"mov.b32 {d, e}, a", Unit::alu, unpacked<u32, u16>()},
    {"mov.b32 {d, e, f, g}, a", Unit::alu, unpacked<u32, u8>()},
    {"mov.b64 {d, e}, a", Unit::alu, unpacked<u64, u32>()},
    {"mov.b64 {d, e, f, g}, a", Unit::alu, unpacked<u64, u16>()},

    {"cvta{.to}(.global,.const,.param).u64 p, a", Unit::alu, copied<u64>()},
    {"cvta.shared{::cta,::cluster}.u64 p, a", Unit::alu, in_clusters<from_shared>(generic_of_own)},
    {"cvta.to.shared{::cta,::cluster}.u64 p, a", Unit::alu, in_clusters<to_shared>(own_of_generic)},
    {"cvta.local.u64 p, a", Unit::alu, lane<from_local>()},
    {"cvta.to.local.u64 p, a", Unit::alu, lane<to_local>()},
    {"isspacep.shared{::cta} p, a", Unit::alu, in_clusters<is_shared>(is_own_shared)},
    {"isspacep.shared::cluster p, a", Unit::alu, lane<is_shared>()},
    {"isspacep.local p, a", Unit::alu, lane<is_local>()},
    {"isspacep.global p, a", Unit::alu, lane<is_global>()},
    {"isspacep.param{::entry} p, a",
     Unit::alu,
     {.run = is_parameter, .operands = {{{Role::out, Kind::pred}, {Role::in, Kind::u64}}}}},

    {"prmt.b32 d, a, b, c", Unit::alu, lane<permuted>()},
    {"prmt.b32.f4e d, a, b, c", Unit::alu, lane<permuted_by_mode<0x3210, 0x4321, 0x5432, 0x6543>>()},
    {"prmt.b32.b4e d, a, b, c", Unit::alu, lane<permuted_by_mode<0x5670, 0x6701, 0x7012, 0x0123>>()},
    {"prmt.b32.rc8 d, a, b, c", Unit::alu, lane<permuted_by_mode<0x0000, 0x1111, 0x2222, 0x3333>>()},
    {"prmt.b32.ecl d, a, b, c", Unit::alu, lane<permuted_by_mode<0x3210, 0x3211, 0x3222, 0x3333>>()},
    {"prmt.b32.ecr d, a, b, c", Unit::alu, lane<permuted_by_mode<0x0000, 0x1110, 0x2210, 0x3210>>()},
    {"prmt.b32.rc16 d, a, b, c", Unit::alu, lane<permuted_by_mode<0x1010, 0x3232, 0x1010, 0x3232>>()},
};

}  // namespace

std::span<const Row> move_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
