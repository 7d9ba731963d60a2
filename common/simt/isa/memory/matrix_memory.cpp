// Matrices between memory and the registers of a warp (PTX ISA: ldmatrix, stmatrix, wmma.load, wmma.store). Their
// requests are those of the machine code that ptxas 13.0 makes for sm_90:
//   8 or 16-bit factors in .shared             ldmatrix of up to four 8x8 matrices of 16 bits; each 8 rows of 16 bytes
//                                              are one pass of the banks
//   16-bit elements elsewhere                  4 bytes per block and lane; lanes exchange halves (movmatrix) where
//                                              memory runs across the rows
//   other elements that lie along the pieces   a lane's whole piece per block
//   and those that lie across                  element by element

#include "common/simt/isa/memory/memory_lanes.h"
#include "common/simt/isa/warp/collective.h"
#include "common/simt/isa/warp/fragment.h"
#include "common/simt/machine/observer.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

enum class In { global, shared, generic };

/// wmma.load, wmma.store.
struct Transfer {
  Fragment fragment{};
  bool along = false;  ///< memory runs along the pieces
  In space = In::global;
  bool factor = false;  ///< A or B, not C or D
  int registers = 0;    ///< that the instruction names

  /// By ldmatrix.
  constexpr bool in_matrices() const {
    return factor && space == In::shared && (fragment.bits == 16 || (fragment.bits == 8 && along));
  }
  constexpr bool in_pieces() const { return along || fragment.bits == 16; }
  constexpr u32 width() const {
    if (in_matrices()) return 16;
    const int bits = in_pieces() ? fragment.piece * fragment.bits : fragment.bits;
    return static_cast<u32>(bits / 8);
  }
  /// 8-bit blocks go two by two, 16-bit ones four by four.
  constexpr int blocks_per_request() const {
    return !in_matrices() ? 1 : std::min(fragment.blocks(), fragment.bits == 8 ? 2 : 4);
  }
  constexpr int requests() const {
    return in_pieces() ? fragment.blocks() >> std::countr_zero(static_cast<u32>(blocks_per_request()))
                       : fragment.blocks() * fragment.piece;
  }
};

/// ldmatrix, stmatrix.
struct Matrices {
  int count = 0;
  bool transposed = false;
};
/// What a row does: its handlers are those of all shapes.
struct How {
  Matrices matrices{};
  Transfer transfer{};
};
const How& how_of(const MicroOp* op);

/// One request of a warp, on shared or global memory: where each lane's bytes are.
struct Request {
  std::byte* host[kLanes];
};

/// Request `number` of an instruction is traced.
inline void trace_request(Warp& w, const MicroOp* op, const Addresses::List& places, u32 width, bool shared,
                          Access access, int number) {
  if (w.traced) [[unlikely]]
    tell_request(w, op, {places.at, width, shared, access == Access::store, number});
}

template <bool counted>
inline void issue_shared(Warp& w, const MicroOp* op, const Addresses& addresses, u32 width, Access access,
                         Request& request) {
  const Resolved r = resolve_shared(w, op, addresses, width, access, counted);
  count_shared<counted>(w, op, *r.pattern);
  for (u32 left = w.mask; left; left &= left - 1)
    request.host[first_lane(left)] = w.shared + addresses[first_lane(left)];
}
template <bool counted>
inline void issue_global(Warp& w, const MicroOp* op, const Addresses& addresses, u32 width, Access access,
                         Request& request) {
  const Resolved r = resolve_global(w, op, addresses, width, access, counted);
  for (u32 left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    request.host[i] = r.pattern ? r.host + r.pattern->relative[i] : global_host(w, op, addresses, i, width, access);
  }
  count_global<counted>(w, op, r, addresses, width, access);
}

/// The window of a generic address: matrices lie in shared or global memory.
inline bool is_shared(Warp& w, const MicroOp* op, u64 address) {
  if (address - kLocalWindow < kWindowBytes) fault_message(w, op, "matrix in local memory");
  return address - kSharedWindow < kWindowBytes;
}
inline u64 in_space(const Warp& w, u64 address) {
  return address - kSharedWindow < kWindowBytes ? without_own(address - kSharedWindow, w.own_window) : address;
}

// ---- ldmatrix, stmatrix: row r of matrix i is at the address of lane 8i + r ----

/// An 8x8 matrix of 16 bits, whose rows are at 8 places, to or from a register: lane l has row l/4 and the pair l%4 of
/// columns of it, or of the transposed matrix.
template <Access access>
inline void move_matrix(std::byte* const* rows, u32* words, bool transposed) {
  constexpr bool loads = access == Access::load;
  Halves matrix[8];
  for (int i = 0; i < 8; ++i) matrix[i] = loads ? load<Halves>(rows[i]) : load<Halves>(words + 4 * i);
  if (transposed) transpose_halves(matrix);
  for (int i = 0; i < 8; ++i)
    if constexpr (loads)
      store(words + 4 * i, matrix[i]);
    else
      store(rows[i], matrix[i]);
}

template <Access access, bool counted>
const MicroOp* matrices(Warp& w, const MicroOp* op) {
  if (!whole_warp_here(w, op)) return nullptr;
  const auto [count, transposed] = how_of(op).matrices;
  constexpr bool loads = access == Access::load;
  const int address = loads ? count : 0, first = loads ? 0 : 1;
  auto places = Addresses(w, op, address).list();
  for (u64& at : places.at) at = in_space(w, at);
  Request request;
  if (count < 4) set_mask(w, (1u << 8 * (count & 3)) - 1);
  trace_request(w, op, places, 16, true, access, 0);
  issue_shared<counted>(w, op, Addresses(places), 16, access, request);
  set_mask(w, kFullMask);
  for (int i = 0; i < count; ++i) move_matrix<access>(request.host + 8 * i, values<u32>(w, op, first + i), transposed);
  return op + 1;
}
template <Access access>
constexpr RowWith<How> matrices_row(const char* form, int count, bool transposed) {
  const OperandType registers{access == Access::load ? Role::out : Role::in, Kind::u32, static_cast<u8>(count)};
  constexpr OperandType address{Role::address};
  Meaning meaning{.run = matrices<access, false>, .counted = matrices<access, true>};
  if constexpr (access == Access::load)
    meaning.operands = {{registers, address}}, meaning.traits = kLoad | kCollective | kEarlyClobber;
  else
    meaning.operands = {{address, registers}}, meaning.traits = kStore | kCollective;
  return {{form, Unit::shared, meaning}, {.matrices = {count, transposed}}};
}

// ---- wmma.load, wmma.store ----

/// Where the bytes of request n begin, of all lanes.
inline Addresses::List request_addresses(const Transfer& t, int n, u64 base, u32 stride) {
  const Fragment& f = t.fragment;
  const int group = t.blocks_per_request(), piece_bits = std::countr_zero(static_cast<u32>(f.piece));
  // A lane's first element is so many lines of memory, and so many elements, behind its block's.
  u32 lines[kLanes], elements[kLanes];
  for (int i = 0; i < kLanes; ++i) {
    const u32 lane = static_cast<u32>(i), row = lane / 4, place = lane % 4;
    if (t.in_matrices())
      lines[i] = lane % 8, elements[i] = 0;
    else if (t.along)
      lines[i] = row, elements[i] = place << piece_bits;
    else if (t.in_pieces())
      lines[i] = row, elements[i] = place * 2;
    else
      lines[i] = (place << piece_bits) + static_cast<u32>(n & (f.piece - 1)), elements[i] = row;
  }
  const int first = t.in_pieces() ? n * group : n >> piece_bits, bits = std::countr_zero(static_cast<u32>(f.bits));
  Addresses::List places;
  for (int quarter = 0; quarter < 4; ++quarter) {  // whose lanes are at one block
    const Fragment::Block block = f.block(first + (quarter & (group - 1)));
    const u64 line = static_cast<u64>(t.along ? block.outer : block.inner);
    const u64 start = line * stride + static_cast<u64>(t.along ? block.inner : block.outer);
    for (int i = quarter * 8; i < quarter * 8 + 8; ++i)
      places.at[i] = base + ((start + u64{lines[i]} * stride + elements[i]) << bits >> 3);
  }
  return places;
}

template <bool counted>
inline void issue_all(Warp& w, const MicroOp* op, const Transfer& t, u64 base, u32 stride, Access access,
                      Request* requests) {
  const bool shared = t.space == In::shared || (t.space == In::generic && is_shared(w, op, base));
  if (t.space == In::generic) base = in_space(w, base);
  const int lanes = t.in_matrices() ? 8 * t.blocks_per_request() : kLanes;
  if (lanes < kLanes) set_mask(w, (1u << (lanes & 31)) - 1);
  for (int n = 0; n < t.requests(); ++n) {
    const Addresses::List places = request_addresses(t, n, base, stride);
    const Addresses addresses(places);
    trace_request(w, op, places, t.width(), shared, access, n);
    if (shared)
      issue_shared<counted>(w, op, addresses, t.width(), access, requests[n]);
    else
      issue_global<counted>(w, op, addresses, t.width(), access, requests[n]);
  }
  set_mask(w, kFullMask);
}

/// A register's words to or from the lanes' places.
template <Access access>
inline void move_words(Warp& w, u16 slot, const Request& request, int byte) {
  u32* words = words_of(w.regs, slot);
  for (int lane = 0; lane < kLanes; ++lane)
    if constexpr (access == Access::load)
      words[lane] = peek<u32>(request.host[lane] + byte);
    else
      poke(request.host[lane] + byte, words[lane]);
}
/// Halves of which memory runs across the rows: an 8x8 matrix, of which each lane has two.
template <Access access>
inline void move_across(Warp& w, u16 slot, Request& request) {
  alignas(16) u32 words[kLanes];
  std::byte* lines[8];
  for (int i = 0; i < 8; ++i) lines[i] = reinterpret_cast<std::byte*>(words + 4 * i);
  if constexpr (access == Access::load) {
    for (int lane = 0; lane < kLanes; ++lane) words[lane] = peek<u32>(request.host[lane]);
    move_matrix<access>(lines, words_of(w.regs, slot), true);
  } else {
    move_matrix<access>(lines, words_of(w.regs, slot), true);
    for (int lane = 0; lane < kLanes; ++lane) poke(request.host[lane], words[lane]);
  }
}
/// Bytes or doubles, element by element.
template <typename T, Access access>
inline void move_elements(Warp& w, const Transfer& t, const u16* slots, const Request* requests) {
  const Fragment& f = t.fragment;
  for (int b = 0; b < f.blocks(); ++b)
    for (int j = 0; j < f.piece; ++j)
      for (int lane = 0; lane < kLanes; ++lane) {
        const int e = b * f.piece + j;
        std::byte* host = requests[t.along ? b : e].host[lane] + (t.along ? j * f.bits / 8 : 0);
        if constexpr (access == Access::load)
          set_element(w.regs, slots, f, lane, e, peek<T>(host));
        else
          poke(host, static_cast<T>(element(w.regs, slots, f, lane, e)));
      }
}
template <Access access>
inline void move_pieces(Warp& w, const Transfer& t, const u16* slots, Request* requests) {
  const Fragment& f = t.fragment;
  if (t.in_matrices()) {  // factors are but loaded; what ldmatrix moves is 16 bytes of a row, whatever they are
    int b = 0;
    for (int n = 0; n < t.requests(); ++n)
      for (int i = 0; i < t.blocks_per_request(); ++i, ++b)
        move_matrix<Access::load>(requests[n].host + i * 8, words_of(w.regs, slots[b]), !t.along);
  } else if (f.bits == 32) {  // pieces of one or two
    for (int r = 0; r < f.registers(); ++r)
      move_words<access>(w, slots[r], requests[t.along ? r >> (f.piece - 1) : r],
                         t.along ? (r & (f.piece - 1)) * 4 : 0);
  } else if (f.bits < 32 && t.along) {  // pieces are whole registers
    for (int b = 0; b < f.blocks(); ++b) move_words<access>(w, slots[b], requests[b], 0);
  } else if (f.bits == 16) {
    for (int b = 0; b < f.blocks(); ++b) move_across<access>(w, slots[b], requests[b]);
  } else if (f.bits == 64) {
    move_elements<u64, access>(w, t, slots, requests);
  } else {
    move_elements<u8, access>(w, t, slots, requests);
  }
}

constexpr int kMostRequests = 16;

template <Access access, bool counted>
const MicroOp* transfer(Warp& w, const MicroOp* op) {
  if (!whole_warp_here(w, op)) return nullptr;
  const Transfer& t = how_of(op).transfer;
  constexpr bool loads = access == Access::load;
  const u16* given = operands(w, op);
  const u16* slots = loads ? given : given + 1;
  const u16 address = loads ? given[t.registers] : given[0];
  // The address and the stride are the same in all lanes.
  const u64 base = (op->mods & kAddress32 ? u64{*reinterpret_cast<const u32*>(w.regs + address)}
                                          : *reinterpret_cast<const u64*>(w.regs + address)) +
                   static_cast<u64>(std::int64_t{op->imm});
  const u32 given_stride = *reinterpret_cast<const u32*>(w.regs + given[t.registers + 1]);
  const u32 stride = given_stride ? given_stride : static_cast<u32>(t.along ? t.fragment.inner : t.fragment.outer);
  Request requests[kMostRequests];
  issue_all<counted>(w, op, t, base, stride, access, requests);
  move_pieces<access>(w, t, slots, requests);
  if constexpr (loads)
    for (int r = t.fragment.registers(); r < t.registers; ++r)
      std::memcpy(w.regs + slots[r], w.regs + slots[r % t.fragment.registers()], 2 * sizeof(Slot));
  return op + 1;
}

template <Access access>
constexpr RowWith<How> transfer_row(const char* form, const Transfer& t) {
  const Kind kind = t.fragment.bits == 64 ? Kind::f64 : Kind::u32;
  const OperandType registers{access == Access::load ? Role::out : Role::in, kind, static_cast<u8>(t.registers)};
  constexpr OperandType address{Role::address}, stride{Role::optional_in, Kind::u32};
  Meaning meaning{.run = transfer<access, false>, .counted = transfer<access, true>};
  if constexpr (access == Access::load)
    meaning.operands = {{registers, address, stride}}, meaning.traits = kLoad | kCollective | kEarlyClobber;
  else
    meaning.operands = {{address, registers, stride}}, meaning.traits = kStore | kCollective;
  meaning.traits |= kOperandTable;
  meaning.width = static_cast<u8>(t.width());
  return {{form, Unit::matrix, meaning}, {.transfer = t}};
}

/// A, B, C and D of a shape; what is called left is A, or B of the shape that is multiplied transposed (fragment.h).
constexpr Fragment factor_fragment(bool is_a, int m, int n, int k, int bits) {
  const bool left = is_a != (m == 8 && n == 32);
  return {is_a ? m : n, k, bits >= 32 ? 1 : 32 / bits, bits,
          left ? Fragment::Order::pairs : Fragment::Order::inner_first};
}
constexpr Fragment sum_fragment(int m, int n, int bits) {
  return m == 8 && n == 32 ? Fragment{n, m, 2, bits} : Fragment{m, n, 2, bits};
}

enum class Matrix { a, b, sum };
template <Access access>
constexpr RowWith<How> wmma(const char* form, Matrix which, bool by_rows, In space, int m, int n, int k, int bits,
                            int named) {
  const bool factor = which != Matrix::sum;
  const Fragment f = factor ? factor_fragment(which == Matrix::a, m, n, k, bits) : sum_fragment(m, n, bits);
  const bool along = which == Matrix::a ? by_rows : which == Matrix::b ? !by_rows : by_rows != (m == 8 && n == 32);
  return transfer_row<access>(form, {f, along, space, factor, named ? named : f.registers()});
}

#define SPACES(MAKE, ...)                                                                    \
  MAKE(".global", global, __VA_ARGS__), MAKE("(.shared,.shared::cta)", shared, __VA_ARGS__), \
      MAKE("", generic, __VA_ARGS__)
#define LOAD(SPACE, IN, LETTER, WHICH, LAYOUT, ROWS, M, N, K, TYPES, BITS, NAMED)                  \
  wmma<Access::load>("wmma.load." LETTER ".sync.aligned." LAYOUT ".m" #M "n" #N "k" #K SPACE TYPES \
                     " r, [p]{, stride}",                                                          \
                     Matrix::WHICH, ROWS, In::IN, M, N, K, BITS, NAMED)
#define STORE(SPACE, IN, LAYOUT, ROWS, M, N, K, TYPES, BITS)                                                     \
  wmma<Access::store>("wmma.store.d.sync.aligned." LAYOUT ".m" #M "n" #N "k" #K SPACE TYPES " [p], r{, stride}", \
                      Matrix::sum, ROWS, In::IN, M, N, K, BITS, 0)
#define LOADS(LETTER, WHICH, ...) \
  SPACES(LOAD, LETTER, WHICH, "row", true, __VA_ARGS__), SPACES(LOAD, LETTER, WHICH, "col", false, __VA_ARGS__)
#define STORES(...) SPACES(STORE, "row", true, __VA_ARGS__), SPACES(STORE, "col", false, __VA_ARGS__)
#define FACTORS(...) LOADS("a", a, __VA_ARGS__), LOADS("b", b, __VA_ARGS__)
#define SUMS(M, N, K, TYPES, BITS) LOADS("c", sum, M, N, K, TYPES, BITS, 0), STORES(M, N, K, TYPES, BITS)
#define SHAPES_16(M, N)                                                                                      \
  FACTORS(M, N, 16, ".f16", 16, 8), FACTORS(M, N, 16, ".bf16", 16, 0), FACTORS(M, N, 16, "(.s8,.u8)", 8, 0), \
      SUMS(M, N, 16, ".f16", 16), SUMS(M, N, 16, "(.f32,.s32)", 32)
// Only these layouts exist for elements of less than a byte.
#define PARTS(K, TYPES, BITS)                                 \
  SPACES(LOAD, "a", a, "row", true, 8, 8, K, TYPES, BITS, 0), \
      SPACES(LOAD, "b", b, "col", false, 8, 8, K, TYPES, BITS, 0), SUMS(8, 8, K, ".s32", 32)
#define MATRICES(OPCODE, COUNT, OPERANDS, ACCESS)                                                                     \
  matrices_row<Access::ACCESS>(OPCODE ".sync.aligned.m8n8.x" #COUNT "{.shared,.shared::cta}.b16 " OPERANDS, COUNT,    \
                               false),                                                                                \
      matrices_row<Access::ACCESS>(OPCODE ".sync.aligned.m8n8.x" #COUNT ".trans{.shared,.shared::cta}.b16 " OPERANDS, \
                                   COUNT, true)

constexpr RowWith<How> table[] = {
    MATRICES("ldmatrix", 1, "r, [p]", load),
    MATRICES("ldmatrix", 2, "r, [p]", load),
    MATRICES("ldmatrix", 4, "r, [p]", load),
    MATRICES("stmatrix", 1, "[p], r", store),
    MATRICES("stmatrix", 2, "[p], r", store),
    MATRICES("stmatrix", 4, "[p], r", store),
    SHAPES_16(16, 16),
    SHAPES_16(32, 8),
    SHAPES_16(8, 32),
    FACTORS(16, 16, 8, ".tf32", 32, 0),
    SUMS(16, 16, 8, ".f32", 32),
    FACTORS(8, 8, 4, ".f64", 64, 0),
    SUMS(8, 8, 4, ".f64", 64),
    PARTS(32, "(.s4,.u4)", 4),
    PARTS(128, ".b1", 1),
};
constexpr auto rows = numbered(table);

constexpr bool requests_fit() {
  for (const auto& row : table)
    if (row.more.transfer.fragment.blocks() > 0 && row.more.transfer.requests() > kMostRequests) return false;
  return true;
}
static_assert(requests_fit());

const How& how_of(const MicroOp* op) { return table[op->extra].more; }

}  // namespace

std::span<const Row> matrix_memory_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
