// Kernels that change tensor maps (PTX ISA: tensormap.replace, tensormap.cp_fenceproxy). What is written is checked
// when a tensor copy reads the map.

#include <algorithm>

#include "common/simt/isa/memory/bulk_lanes.h"
#include "common/simt/machine/memory/tensor_map.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// Sets the field that the opcode names. `ordinal`: of a dimension.
void replace_field(Warp& w, const MicroOp* op, TensorMap& map, u32 ordinal, u64 value) {
  const std::string_view opcode = opcode_of(w, op);
  const auto names = [&](std::string_view field) { return opcode.find(field) != std::string_view::npos; };
  const auto dimension = [&](std::size_t dimensions) {
    if (ordinal >= dimensions) fault_message(w, op, "tensormap.replace of a dimension that a tensor map has not");
    return static_cast<std::size_t>(ordinal);
  };
  if (names(".global_address")) map.address = value;
  if (names(".rank")) map.rank = static_cast<u8>(value + 1);
  if (names(".box_dim")) map.box.at(dimension(map.box.size())) = static_cast<u16>(value);
  if (names(".global_dim")) map.last.at(dimension(map.last.size())) = static_cast<u32>(value - 1);
  if (names(".global_stride")) map.strides.at(dimension(map.strides.size())) = value;
  if (names(".element_stride")) {
    const std::size_t d = dimension(map.every.size());
    map.every.at(d) = d == 0 ? 1 : static_cast<u8>(value);
  }
  if (names(".elemtype")) map.type = static_cast<TensorType>(value);
  if (names(".swizzle_mode")) map.swizzle = static_cast<u8>(value);
  if (names(".fill_mode")) map.nan_outside = value != 0;
  if (names(".interleave_layout") && value != 0)
    fault_message(w, op, "tensormap.replace by an interleaved layout, which the simulator does not have");
}

/// A map that is to be changed. In shared memory an H200 writes a field of it, wherever in the 128 bytes that is, and
/// minds no end before them: so does this, as far as there is memory.
struct Field {
  std::byte* bytes;
  std::size_t there;
};
inline Field map_there(Warp& w, const MicroOp* op, int lane, u64 address) {
  if (address - kSharedWindow < kWindowBytes) {
    const u64 at = in_window(w, address);
    if (at < w.shared_bytes) return {w.shared + at, std::min<std::size_t>(sizeof(TensorMap), w.shared_bytes - at)};
  }
  return {map_bytes(w, op, lane, address, "store"), sizeof(TensorMap)};
}

/// [map]{, ordinal}, value
template <typename T, bool has_ordinal>
const MicroOp* replace(Warp& w, const MicroOp* op) {
  const Addresses at(w, op, 0);
  const bool shared = opcode_of(w, op).find(".shared::cta") != std::string_view::npos;
  for (u32 left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    const Field at_map = map_there(w, op, i, shared ? kSharedWindow + in_window(w, at[i]) : at[i]);
    TensorMap map;
    std::memcpy(&map, at_map.bytes, at_map.there);
    map.mark = TensorMap::kMark;
    const u32 ordinal = has_ordinal ? values<u32>(w, op, 1)[i] : 0;
    replace_field(w, op, map, ordinal, values<T>(w, op, has_ordinal ? 2 : 1)[i]);
    std::memcpy(at_map.bytes, &map, at_map.there);
  }
  return op + 1;
}

/// [dst], [src], 128: all lanes of a warp name the same.
const MicroOp* copy_map(Warp& w, const MicroOp* op) {
  const int i = first_lane(w.mask);
  const u64 from = kSharedWindow + in_window(w, values<u64>(w, op, 1)[i]);
  std::byte* const to = map_bytes(w, op, i, Addresses(w, op, 0)[i], "store");
  std::memcpy(to, map_bytes(w, op, i, from, "load"), sizeof(TensorMap));
  return op + 1;
}

constexpr OperandType address{Role::address}, in32{Role::in, Kind::u32}, in64{Role::in, Kind::u64};

#define REPLACE(FIELD) "tensormap.replace.tile" FIELD "{.global,.shared::cta}.b1024"

const Row rows[] = {
    {REPLACE(".global_address") ".b64 [map], value",
     Unit::async,
     {.run = replace<u64, false>, .operands = {{address, in64}}}},
    {REPLACE("(.rank,.elemtype,.interleave_layout,.swizzle_mode,.fill_mode)") ".b32 [map], value",
     Unit::async,
     {.run = replace<u32, false>, .operands = {{address, in32}}}},
    {REPLACE("(.box_dim,.global_dim,.element_stride)") ".b32 [map], ordinal, value",
     Unit::async,
     {.run = replace<u32, true>, .operands = {{address, in32, in32}}}},
    {REPLACE(".global_stride") ".b64 [map], ordinal, value",
     Unit::async,
     {.run = replace<u64, true>, .operands = {{address, in32, in64}}}},
    {"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release(.cta,.cluster,.gpu,.sys).sync.aligned "
     "[dst], [src], size",
     Unit::async,
     {.run = copy_map, .operands = {{address, address, in32}}, .traits = kCollective}},
};

}  // namespace

std::span<const Row> tensor_objects_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
