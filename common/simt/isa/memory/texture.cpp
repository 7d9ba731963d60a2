// Textures and surfaces (PTX ISA: Texture Instructions, Surface Instructions) by the handle of an object, in a
// register: tex, tld4, txq; suld, sust, suq. Mipmaps, multisampling, offsets, comparisons and samplers of their own are
// not implemented: a level of detail means level 0, the only one. Counted as instructions alone: what a texture unit
// fetches is none of the counters' (common/counters.h).

#include "common/simt/machine/memory/texture.h"

#include "common/simt/isa/lanes.h"
#include "common/simt/machine/memory/texture_lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// What tells one row of a table from the others.
struct Form {
  Geometry geometry = Geometry::line;
  bool by_index = false;  ///< coordinates are the texels' numbers
  u8 channel = 0;         ///< tld4: which is gathered; queries: what of the extent is asked for, 3: the layers
  u8 bytes = 0;           ///< surfaces: of each register
  u8 registers = 4;       ///< that each lane reads or writes
};
const Form& form_of(const MicroOp* op);

constexpr int coordinates_of(Geometry geometry) {
  switch (geometry) {
    case Geometry::line:
      return 1;
    case Geometry::plane:
    case Geometry::lines:
      return 2;
    default:
      return 4;  // three, filled up
  }
}
constexpr bool has_layer(Geometry g) { return g == Geometry::lines || g == Geometry::planes || g == Geometry::cubes; }

/// The handle of a lane, which [a] holds.
u64 handle_of(Warp& w, const MicroOp* op, u16 slot, int lane) {
  const u64 base = op->mods & kAddress32 ? u64{reinterpret_cast<const u32*>(w.regs + slot)[lane]}
                                         : reinterpret_cast<const u64*>(w.regs + slot)[lane];
  return base + static_cast<u64>(std::int64_t{op->imm});
}
u32 word_of(Warp& w, u16 slot, int lane) { return reinterpret_cast<const u32*>(w.regs + slot)[lane]; }

/// x, y, z of a lane as they are in registers, and the layer, which comes before them.
struct Coordinates {
  std::array<u32, 3> at{};
  u32 layer = 0;
  Coordinates(Warp& w, const u16* slots, int lane, Geometry geometry) {
    const int layers = has_layer(geometry) ? 1 : 0;
    if (layers) layer = word_of(w, slots[0], lane);
    for (int k = 0; k < 3 && k + layers < coordinates_of(geometry); ++k)
      at[static_cast<std::size_t>(k)] = word_of(w, slots[k + layers], lane);
    if (geometry == Geometry::planes) at[2] = 0;  // it only fills up
  }
  [[nodiscard]] TexturePoint point() const {
    return {{bits_as<float>(at[0]), bits_as<float>(at[1]), bits_as<float>(at[2])}, layer};
  }
  [[nodiscard]] std::array<s32, 3> index() const {
    return {static_cast<s32>(at[0]), static_cast<s32>(at[1]), static_cast<s32>(at[2])};
  }
};

/// The object of the lane before, mostly this lane's, too.
class Bound {
 public:
  Bound(Warp& w, const MicroOp* op, u16 slot, bool surface) : w_(w), op_(op), slot_(slot), surface_(surface) {}
  const BoundTexture& of(int lane) {
    const u64 handle = handle_of(w_, op_, slot_, lane);
    if (handle != handle_ || !bound_.texture) bound_ = bound_texture(w_, op_, lane, handle, surface_);
    handle_ = handle;
    return bound_;
  }

 private:
  Warp& w_;
  const MicroOp* op_;
  u16 slot_;
  bool surface_;
  u64 handle_ = 0;
  BoundTexture bound_;
};

template <typename Work>
void for_active_lanes(const Warp& w, Work work) {
  for (u32 left = w.mask; left; left &= left - 1) work(__builtin_ctz(left));
}

/// What a lane's texel takes of the launch's budget, in warp instructions that take as long (about 5 ns each).
constexpr u64 kTexelWork = 8, kPlaceWork = 2;

/// Operands: {d, d, d, d}, [a], coordinates …
template <typename Read>
const MicroOp* read_texels(Warp& w, const MicroOp* op, Read read) {
  const Form& form = form_of(op);
  const u16* r = operands(w, op);
  Bound bound(w, op, r[4], false);
  charge_work(w, kTexelWork * active_count(w.mask));
  for_active_lanes(w, [&](int lane) {
    const Texel texel = read(form, bound.of(lane), Coordinates(w, r + 5, lane, form.geometry));
    for (int k = 0; k < 4; ++k) reinterpret_cast<u32*>(w.regs + r[k])[lane] = texel[static_cast<std::size_t>(k)];
  });
  return following(w, op);
}
const MicroOp* sample_lanes(Warp& w, const MicroOp* op) {
  return read_texels(w, op, [](const Form& form, const BoundTexture& bound, const Coordinates& c) {
    return form.by_index ? fetch(*bound.texture, bound.texels, c.index(), c.layer)
                         : sample(*bound.texture, bound.texels, form.geometry, c.point());
  });
}
const MicroOp* gather_lanes(Warp& w, const MicroOp* op) {
  return read_texels(w, op, [](const Form& form, const BoundTexture& bound, const Coordinates& c) {
    return gather(*bound.texture, bound.texels, c.point(), form.channel);
  });
}

/// Operands: d, [a]
template <bool surface>
const MicroOp* query_lanes(Warp& w, const MicroOp* op) {
  Bound bound(w, op, op->r[1], surface);
  u32* const d = values<u32>(w, op, 0);
  for_active_lanes(w, [&](int lane) {
    const Texture& t = *bound.of(lane).texture;
    const u8 what = form_of(op).channel;
    d[lane] = what == 3 ? t.layers : t.extent[what];
  });
  return following(w, op);
}

Outside outside_of(const MicroOp* op) {
  return op->mods & kOutsideClamps ? Outside::clamps : op->mods & kOutsideIsZero ? Outside::is_zero : Outside::faults;
}

/// Operands of loads: {d …}, [a], coordinates; of stores: [a], coordinates, {b …}.
template <bool stores>
const MicroOp* access_surface(Warp& w, const MicroOp* op) {
  const Form& form = form_of(op);
  const u16* r = operands(w, op);
  const u16* const address = stores ? r : r + form.registers;
  const u16* const registers = stores ? address + 1 + coordinates_of(form.geometry) : r;
  Bound bound(w, op, *address, true);
  charge_work(w, kPlaceWork * active_count(w.mask));
  for_active_lanes(w, [&](int lane) {
    const Coordinates c(w, address + 1, lane, form.geometry);
    std::byte* const place = surface_place(w, op, lane, bound.of(lane), c.index(), c.layer,
                                           u32{form.bytes} * form.registers, outside_of(op));
    for (int k = 0; k < form.registers; ++k) {
      // A register of 32 or 64 bits a lane; those of 8 and 16 bits are kept in 32.
      const std::size_t width = form.bytes == 8 ? 8 : 4;
      std::byte* const value =
          reinterpret_cast<std::byte*>(w.regs + registers[k]) + static_cast<std::size_t>(lane) * width;
      if constexpr (stores) {
        if (place) std::memcpy(place + k * form.bytes, value, form.bytes);
      } else {
        std::memset(value, 0, width);
        if (place) std::memcpy(value, place + k * form.bytes, form.bytes);
      }
    }
  });
  return following(w, op);
}

// ---- rows ----

constexpr OperandType address{Role::address};
constexpr OperandType words(Role role, int count) { return {role, Kind::u32, static_cast<u8>(count)}; }

/// `further`: vectors of operands behind the coordinates, each `width` wide, which change nothing.
constexpr RowWith<Form> reads(const char* form, Geometry geometry, bool by_index, int further = 0, int width = 1) {
  Meaning meaning{.run = sample_lanes, .traits = kOperandTable | kEarlyClobber};
  meaning.operands = {{words(Role::out, 4), address, words(Role::in, coordinates_of(geometry))}};
  for (int k = 0; k < further; ++k) meaning.operands[static_cast<std::size_t>(3 + k)] = words(Role::in, width);
  return {{form, Unit::texture, meaning}, {.geometry = geometry, .by_index = by_index}};
}
constexpr RowWith<Form> gathers(const char* form, u8 channel) {
  RowWith<Form> row = reads(form, Geometry::plane, false);
  row.row.meaning.run = gather_lanes;
  row.more.channel = channel;
  return row;
}
constexpr RowWith<Form> query(const char* form, bool surface, u8 what) {
  Meaning meaning{.run = surface ? query_lanes<true> : query_lanes<false>};
  meaning.operands = {{words(Role::out, 1), address}};
  return {{form, Unit::texture, meaning}, {.channel = what}};
}
constexpr RowWith<Form> surface(const char* form, bool stores, Geometry geometry, int registers, int bytes) {
  const OperandType values{stores ? Role::in : Role::out, bytes == 8 ? Kind::u64 : Kind::u32,
                           static_cast<u8>(registers)};
  const OperandType coordinates = words(Role::in, coordinates_of(geometry));
  Meaning meaning{.run = stores ? access_surface<true> : access_surface<false>,
                  .traits = kOperandTable | kEarlyClobber};
  if (stores)
    meaning.operands = {{address, coordinates, values}};
  else
    meaning.operands = {{values, address, coordinates}};
  return {{form, Unit::texture, meaning},
          {.geometry = geometry, .bytes = static_cast<u8>(bytes), .registers = static_cast<u8>(registers)}};
}

#define TEXEL ".v4(.u32,.s32,.f32)"
#define READS(NAME, GEOMETRY)                                                   \
  reads("tex." NAME TEXEL ".f32 {d,d,d,d}, [a, c]", Geometry::GEOMETRY, false), \
      reads("tex.level." NAME TEXEL ".f32 {d,d,d,d}, [a, c], lod", Geometry::GEOMETRY, false, 1)
#define GRADIENT(NAME, GEOMETRY, WIDTH) \
  reads("tex.grad." NAME TEXEL ".f32 {d,d,d,d}, [a, c], dx, dy", Geometry::GEOMETRY, false, 2, WIDTH)
#define INDEXED(NAME, GEOMETRY) reads("tex." NAME TEXEL ".s32 {d,d,d,d}, [a, c]", Geometry::GEOMETRY, true)
#define OUTSIDE "(.trap,.clamp,.zero)"
#define ACCESSES(NAME, GEOMETRY, VECTOR, COUNT, TYPE, BYTES)                                                        \
  surface("suld.b." NAME "{.ca,.cg,.cs,.cv}" VECTOR TYPE OUTSIDE " d, [a, c]", false, Geometry::GEOMETRY, COUNT,    \
          BYTES),                                                                                                   \
      surface("sust.b." NAME "{.wb,.cg,.cs,.wt}" VECTOR TYPE OUTSIDE " [a, c], b", true, Geometry::GEOMETRY, COUNT, \
              BYTES)
#define NARROW(NAME, GEOMETRY, VECTOR, COUNT)                                                            \
  ACCESSES(NAME, GEOMETRY, VECTOR, COUNT, ".b8", 1), ACCESSES(NAME, GEOMETRY, VECTOR, COUNT, ".b16", 2), \
      ACCESSES(NAME, GEOMETRY, VECTOR, COUNT, ".b32", 4)
#define SURFACES(NAME, GEOMETRY)                                                                     \
  NARROW(NAME, GEOMETRY, "", 1), NARROW(NAME, GEOMETRY, ".v2", 2), NARROW(NAME, GEOMETRY, ".v4", 4), \
      ACCESSES(NAME, GEOMETRY, "", 1, ".b64", 8), ACCESSES(NAME, GEOMETRY, ".v2", 2, ".b64", 8)
#define QUERIES(NAME, SURFACE)                                                               \
  query(NAME ".width.b32 d, [a]", SURFACE, 0), query(NAME ".height.b32 d, [a]", SURFACE, 1), \
      query(NAME ".depth.b32 d, [a]", SURFACE, 2), query(NAME ".array_size.b32 d, [a]", SURFACE, 3)

constexpr RowWith<Form> table[] = {
    READS("1d", line),
    READS("2d", plane),
    READS("3d", volume),
    READS("a1d", lines),
    READS("a2d", planes),
    READS("cube", cube),
    READS("acube", cubes),
    GRADIENT("1d", line, 1),
    GRADIENT("2d", plane, 2),
    GRADIENT("3d", volume, 4),
    GRADIENT("a1d", lines, 1),
    GRADIENT("a2d", planes, 2),
    GRADIENT("cube", cube, 4),
    GRADIENT("acube", cubes, 4),
    INDEXED("1d", line),
    INDEXED("2d", plane),
    INDEXED("3d", volume),
    INDEXED("a1d", lines),
    INDEXED("a2d", planes),
    gathers("tld4.r.2d" TEXEL ".f32 {d,d,d,d}, [a, c]", 0),
    gathers("tld4.g.2d" TEXEL ".f32 {d,d,d,d}, [a, c]", 1),
    gathers("tld4.b.2d" TEXEL ".f32 {d,d,d,d}, [a, c]", 2),
    gathers("tld4.a.2d" TEXEL ".f32 {d,d,d,d}, [a, c]", 3),
    QUERIES("txq", false),
    SURFACES("1d", line),
    SURFACES("2d", plane),
    SURFACES("3d", volume),
    SURFACES("a1d", lines),
    SURFACES("a2d", planes),
    QUERIES("suq", true),
};
constexpr auto rows = numbered(table);

const Form& form_of(const MicroOp* op) { return table[op->extra].more; }

}  // namespace

std::span<const Row> texture_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
