// Matrix multiply-accumulate (PTX ISA: Warp-Level Matrix Multiply-Accumulate Instructions: mma.sync, wmma.mma) and
// movmatrix. What is computed: tensor_core.h; where elements lie: fragment.h.

#include "common/simt/isa/warp/collective.h"
#include "common/simt/isa/warp/tensor_core.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// One shape and its types. The "left" matrix has the rows of D's blocks: A, or B where the product is transposed.
struct Multiply {
  int m = 0, n = 0, k = 0;
  Element a{}, b{}, c{}, d{};
  bool saturate = false;
  int a_registers = 0, b_registers = 0;  ///< that the instruction names; 0: as many as hold distinct elements

  constexpr bool transposed() const { return m == 8 && n == 32; }
  constexpr int left_rows() const { return transposed() ? n : m; }
  constexpr int right_columns() const { return transposed() ? m : n; }
  constexpr Element left_type() const { return transposed() ? b : a; }
  constexpr Element right_type() const { return transposed() ? a : b; }
  constexpr Fragment factor(int outer, Element type, Fragment::Order order) const {
    return {outer, k, in_word(type), bits_of(type), order};
  }
  constexpr Fragment left() const { return factor(left_rows(), left_type(), Fragment::Order::pairs); }
  constexpr Fragment right() const { return factor(right_columns(), right_type(), Fragment::Order::inner_first); }
  constexpr Fragment sum(Element type) const { return {left_rows(), right_columns(), 2, bits_of(type)}; }
  constexpr int a_count() const { return a_registers ? a_registers : (transposed() ? right() : left()).registers(); }
  constexpr int b_count() const { return b_registers ? b_registers : (transposed() ? left() : right()).registers(); }
};

/// Where the operands of one use lie.
struct Use {
  Slot* regs;
  const u16 *d, *left, *right, *c;
  Use(Warp& w, const MicroOp* op, const Multiply& m) : regs(w.regs), d(operands(w, op)) {
    const u16* a = d + m.sum(m.d).registers();
    const u16* b = a + m.a_count();
    c = b + m.b_count();
    left = m.transposed() ? b : a;
    right = m.transposed() ? a : b;
  }
};

/// The words of C as single precision, [column][row], and back: a word of 16-bit elements holds two columns.
inline void widen(int columns, const Sums& words, Sums& c) {
  for (int column = 0; column < columns; ++column)
    for (int row = 0; row < kRows; ++row)
      c.of[column][row] = bits_as<u32>(float_of(Half(words.of[column / 2][row] >> column % 2 * 16)));
}
inline void join_halves(int columns, Sums& d) {
  for (int column = 0; column < columns; column += 2)
    for (int row = 0; row < kRows; ++row) d.of[column / 2][row] = d.of[column][row] | d.of[column + 1][row] << 16;
}

/// Where an infinity or a NaN is among the factors, sums are such, too.
[[gnu::noinline]] inline void set_special_sums(const Use& use, const Multiply& m) {
  double left[kMaxOuter][16], right[kMaxColumns][16], c[kMaxOuter][kMaxColumns];
  bool left_special[kMaxOuter]{}, right_special[kMaxColumns]{};
  for_each_element(use.regs, use.left, m.left(), [&](Place at, u64 bits) {
    const double value = left[at.outer][at.inner] = double_of(m.left_type(), static_cast<u32>(bits));
    left_special[at.outer] |= !(value - value == 0);
  });
  for_each_element(use.regs, use.right, m.right(), [&](Place at, u64 bits) {
    const double value = right[at.outer][at.inner] = double_of(m.right_type(), static_cast<u32>(bits));
    right_special[at.outer] |= !(value - value == 0);
  });
  for_each_element(use.regs, use.c, m.sum(m.c),
                   [&](Place at, u64 bits) { c[at.outer][at.inner] = double_of(m.c, static_cast<u32>(bits)); });
  const Fragment f = m.sum(m.d);
  for (int b = 0; b < f.blocks(); ++b)
    for (int lane = 0; lane < kLanes; ++lane)
      for (int j = 0; j < f.piece; ++j) {
        const auto [row, column] = place_in(f, f.block(b), lane, j);
        double sum = c[row][column];
        if (!left_special[row] && !right_special[column] && sum - sum == 0) continue;
        for (int k = 0; k < m.k; ++k) sum += left[row][k] * right[column][k];
        set_element(use.regs, use.d, f, lane, b * f.piece + j,
                    m.d == Element::f16 ? float_result<true>(sum) : float_result<false>(sum));
      }
}

/// d = c + the products of factors of which none is infinite or NaN.
template <bool half>
inline void add(const Extent& extent, const FloatFactors& left, const FloatFactors& right, const Sums& c, Sums& d) {
  Totals sums;
  if (!tops_of(extent.columns, c, sums)) {
    add_products(extent, left, right, sums);
    round_sums<half>(extent.columns, sums, c, d);
  } else {
    Sums finite = c;
    drop_specials(extent.columns, finite, sums);
    add_products(extent, left, right, sums);
    round_sums<half>(extent.columns, sums, finite, d);
    keep_specials<half>(extent.columns, c, d);
  }
}

[[gnu::noinline]] inline void multiply_floats(Warp& w, const MicroOp* op, const Multiply& m) {
  const Use use(w, op, m);
  const int parts = in_word(m.a);
  const Extent extent{parts, parts == 2 ? m.k / 2 : m.k, m.right_columns()};
  FloatFactors left, right;
  Words words;
  read_columns(use.regs, use.right, m.right(), kWords, words.of);
  decode(m.right_type(), words, extent.columns * kWords, right);
  bool special = right.special();
  if (special) drop_specials(right);
  for (int first = 0; first < m.left_rows(); first += kRows) {
    read_rows(use.regs, use.left, m.left(), first, words.of);
    decode(m.left_type(), words, extent.words * kRows, left);
    if (left.special()) special = true, drop_specials(left);
    Sums c, d;
    if (m.c == Element::f16) {
      read_sums(use.regs, use.c, m.sum(m.c), first, d.of);
      widen(extent.columns, d, c);
    } else {
      read_sums(use.regs, use.c, m.sum(m.c), first, c.of);
    }
    if (m.d == Element::f16) {
      add<true>(extent, left, right, c, d);
      join_halves(extent.columns, d);
    } else {
      add<false>(extent, left, right, c, d);
    }
    write_sums(use.regs, use.d, m.sum(m.d), first, d.of);
  }
  if (special) set_special_sums(use, m);
}

[[gnu::noinline]] inline void multiply_doubles(Warp& w, const MicroOp* op, const Multiply& m) {
  const Use use(w, op, m);
  double left[16][16], right[16][8], sum[16][8];
  for_each_double(use.regs, use.left, m.left(), [&](Place at, const double& x) { left[at.outer][at.inner] = x; });
  for_each_double(use.regs, use.right, m.right(), [&](Place at, const double& x) { right[at.inner][at.outer] = x; });
  const auto multiply_by = [&](auto multiply_add) {
    for_each_double(use.regs, use.c, m.sum(m.c), [&](Place at, const double& x) { sum[at.outer][at.inner] = x; });
    for (int i = 0; i < m.left_rows(); ++i)
      for (int k = 0; k < m.k; ++k)
        for (int j = 0; j < 8; ++j) sum[i][j] = multiply_add(left[i][k], right[k][j], sum[i][j]);
  };
  constexpr auto fused = [](double a, double b, double c) { return __builtin_fma(a, b, c); };
  multiply_by(fused);
  int nans = 0;
  for (int i = 0; i < m.left_rows(); ++i)
    for (int j = 0; j < 8; ++j) nans += sum[i][j] != sum[i][j] ? 1 : 0;
  if (nans != 0) multiply_by([&](double a, double b, double c) { return with_first_nan(fused, a, b, c); });
  for_each_double(use.regs, use.d, m.sum(m.d), [&](Place at, double& x) { x = sum[at.outer][at.inner]; });
}

[[gnu::noinline]] inline void multiply_integers(Warp& w, const MicroOp* op, const Multiply& m) {
  const Use use(w, op, m);
  const bool single_bits = m.a == Element::b1;
  const Extent extent{single_bits ? 1 : 16 / bits_of(m.a), m.k * bits_of(m.a) / 32, m.right_columns()};
  Words left, right;
  read_columns(use.regs, use.right, m.right(), kWords, right.of);
  Pairs left_pairs, right_pairs;
  if (!single_bits) decode(m.right_type(), right, extent.columns * kWords, right_pairs);
  for (int first = 0; first < m.left_rows(); first += kRows) {
    read_rows(use.regs, use.left, m.left(), first, left.of);
    Sums products, c{}, d;  // there may be but 8 rows
    read_sums(use.regs, use.c, m.sum(m.c), first, c.of);
    if (!single_bits) {
      decode(m.left_type(), left, extent.words * kRows, left_pairs);
      add_products(extent, left_pairs, right_pairs, products);
    } else if ((op->mods & kBoolMask) == kXor) {
      count_bits<true>(extent, left, right, products);
    } else {
      count_bits<false>(extent, left, right, products);
    }
    add_integers(extent.columns, m.saturate, products, c, d);
    write_sums(use.regs, use.d, m.sum(m.d), first, d.of);
  }
}

/// mma.m8n8k4 (f16): four products of their own, each of a quad pair: lanes 4q to 4q+3 and 16 above.
struct QuadPair {
  bool a_by_rows = true, b_by_rows = true;
  Element c = Element::f16, d = Element::f16;
};

/// What a row multiplies: its handlers are those of all shapes.
struct Product {
  Multiply shape;
  QuadPair quads{};
};
const Product& product_of(const MicroOp* op);

const MicroOp* multiply(Warp& w, const MicroOp* op) {
  if (!whole_warp_here(w, op)) return nullptr;
  const Multiply& m = product_of(op).shape;
  if (m.a == Element::f64)
    multiply_doubles(w, op, m);
  else if (m.d == Element::s32)
    multiply_integers(w, op, m);
  else
    multiply_floats(w, op, m);
  return op + 1;
}

constexpr Kind kind_of_register(Element e) { return e == Element::f64 ? Kind::f64 : Kind::u32; }
constexpr std::uint16_t kTogether = kCollective | kEarlyClobber;

constexpr RowWith<Product> product(const char* form, const Multiply& m) {
  const auto vector = [](Role role, Element e, int count) {
    return OperandType{role, kind_of_register(e), static_cast<u8>(count)};
  };
  const Meaning meaning{
      .run = multiply,
      .operands = {{vector(Role::out, m.d, m.sum(m.d).registers()), vector(Role::in, m.a, m.a_count()),
                    vector(Role::in, m.b, m.b_count()), vector(Role::in, m.c, m.sum(m.c).registers())}},
      .traits = kTogether | kOperandTable};
  return {{form, Unit::matrix, meaning}, {m}};
}

// ---- mma.m8n8k4 (f16) ----

/// Element j of a lane of the upper or lower quad (high) of A or B as (row of D or column of D, k).
constexpr Place in_quad(bool along_k, int lane, int j) {
  const int high = lane / 16 * 4;
  return along_k ? Place{lane % 4 + high, j} : Place{j + high, lane % 4};
}
constexpr Place in_quad_sum(Element type, int lane, int j) {
  const int high = lane / 16 * 4;
  if (type == Element::f16) return {lane % 4 + high, j};
  return {(lane & 1) + (j & 2) + high, (j & 4) + (lane & 2) + (j & 1)};
}

/// Where the operands of four products lie.
struct QuadUse {
  const u16 *d, *a, *b, *c;
};
inline void multiply_quad(Warp& w, const QuadPair& q, int quad, const QuadUse& use) {
  constexpr Fragment halves{8, 8, 2, 16}, words{8, 8, 2, 32};
  constexpr Extent extent{2, 2, 8};
  double left[8][4], right[8][4], loose[8][8];  // for infinities and NaN
  Words left_words, right_words;
  Sums c{}, d;
  const auto for_each_lane_of_quad = [&](auto f) {
    for (const int high : {0, 16})
      for (int lane = quad * 4 + high; lane < quad * 4 + high + 4; ++lane) f(lane);
  };
  for_each_lane_of_quad([&](int lane) {
    for (int j = 0; j < 4; ++j) {
      const auto a = static_cast<u32>(element(w.regs, use.a, halves, lane, j));
      const auto b = static_cast<u32>(element(w.regs, use.b, halves, lane, j));
      const Place at_a = in_quad(q.a_by_rows, lane, j), at_b = in_quad(!q.b_by_rows, lane, j);
      left[at_a.outer][at_a.inner] = double_of(Element::f16, a);
      right[at_b.outer][at_b.inner] = double_of(Element::f16, b);
      left_words.of[at_a.inner / 2 * kRows + at_a.outer] |= a << at_a.inner % 2 * 16;
      right_words.of[at_b.outer * kWords + at_b.inner / 2] |= b << at_b.inner % 2 * 16;
    }
    for (int j = 0; j < 8; ++j) {
      const Place at = in_quad_sum(q.c, lane, j);
      const u64 bits = element(w.regs, use.c, q.c == Element::f16 ? halves : words, lane, j);
      loose[at.outer][at.inner] = double_of(q.c, static_cast<u32>(bits));
      c.of[at.inner][at.outer] = bits_as<u32>(static_cast<float>(loose[at.outer][at.inner]));
    }
  });
  FloatFactors f, g;
  decode<Element::f16>(left_words, extent.words * kRows, f);
  decode<Element::f16>(right_words, extent.columns * kWords, g);
  const bool special = f.special() || g.special();
  if (special) drop_specials(f), drop_specials(g);
  if (q.d == Element::f16)
    add<true>(extent, f, g, c, d);
  else
    add<false>(extent, f, g, c, d);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; special && j < 8; ++j) {
      for (int k = 0; k < 4; ++k) loose[i][j] += left[i][k] * right[j][k];
      if (loose[i][j] - loose[i][j] == 0) continue;
      d.of[j][i] = q.d == Element::f16 ? float_result<true>(loose[i][j]) : float_result<false>(loose[i][j]);
    }
  for_each_lane_of_quad([&](int lane) {
    for (int j = 0; j < 8; ++j) {
      const Place at = in_quad_sum(q.d, lane, j);
      set_element(w.regs, use.d, q.d == Element::f16 ? halves : words, lane, j, d.of[at.inner][at.outer]);
    }
  });
}

const MicroOp* multiply_quads(Warp& w, const MicroOp* op) {
  if (!whole_warp_here(w, op)) return nullptr;
  const QuadPair& q = product_of(op).quads;
  const auto sum_registers = [](Element e) { return e == Element::f16 ? 4 : 8; };
  const u16* d = operands(w, op);
  const u16 *a = d + sum_registers(q.d), *b = a + 2, *c = b + 2;
  for (int quad = 0; quad < 4; ++quad) multiply_quad(w, q, quad, {d, a, b, c});
  return op + 1;
}
constexpr RowWith<Product> product_of_quads(const char* form, const QuadPair& q) {
  const u8 c = q.c == Element::f16 ? 4 : 8, d = q.d == Element::f16 ? 4 : 8;
  const Meaning meaning{.run = multiply_quads,
                        .operands = {{{Role::out, Kind::u32, d},
                                      {Role::in, Kind::u32, 2},
                                      {Role::in, Kind::u32, 2},
                                      {Role::in, Kind::u32, c}}},
                        .traits = kTogether | kOperandTable};
  return {{form, Unit::matrix, meaning}, {{}, q}};
}

/// movmatrix: an 8x8 matrix of 16-bit elements, transposed.
const MicroOp* transpose(Warp& w, const MicroOp* op) {
  if (!whole_warp_here(w, op)) return nullptr;
  constexpr Fragment f{8, 8, 2, 16};
  u16 elements[8][8];
  for_each_element(w.regs, &op->r[1], f,
                   [&](Place at, u64 bits) { elements[at.inner][at.outer] = static_cast<u16>(bits); });
  for (int lane = 0; lane < kLanes; ++lane)
    for (int j = 0; j < 2; ++j) set_element(w.regs, &op->r[0], f, lane, j, elements[lane / 4][lane % 4 * 2 + j]);
  return op + 1;
}

#define ROW(FORM, M, N, K, A, B, C, D, ...) \
  product(FORM " d, a, b, c",               \
          Multiply{M, N, K, Element::A, Element::B, Element::C, Element::D __VA_OPT__(, ) __VA_ARGS__})
#define MMA(SHAPE, TYPES, ...) ROW("mma.sync.aligned." SHAPE ".row.col" TYPES, __VA_ARGS__)
#define WMMA(SHAPE, TYPES, ...) ROW("wmma.mma.sync.aligned(.row,.col)(.row,.col)." SHAPE TYPES, __VA_ARGS__)
#define MMA_INTEGER(SHAPE, M, N, K, A, B)                        \
  MMA(SHAPE, ".s32." #A "." #B ".s32", M, N, K, A, B, s32, s32), \
      MMA(SHAPE, ".satfinite.s32." #A "." #B ".s32", M, N, K, A, B, s32, s32, true)
#define MMA_INTEGERS(SHAPE, M, N, K, S, U)                                                                 \
  MMA_INTEGER(SHAPE, M, N, K, S, S), MMA_INTEGER(SHAPE, M, N, K, S, U), MMA_INTEGER(SHAPE, M, N, K, U, S), \
      MMA_INTEGER(SHAPE, M, N, K, U, U)
#define MMA_BITS(SHAPE, M, N, K) MMA(SHAPE, ".s32.b1.b1.s32(.xor,.and).popc", M, N, K, b1, b1, s32, s32)
#define MMA_HALVES(SHAPE, M, N, K)                             \
  MMA(SHAPE, ".f16.f16.f16.f16", M, N, K, f16, f16, f16, f16), \
      MMA(SHAPE, ".f32.f16.f16.f32", M, N, K, f16, f16, f32, f32)
// wmma names 8 registers for each f16 factor, whatever the shape.
#define WMMA_HALVES(SHAPE, M, N, K)                                                                              \
  WMMA_HALF(SHAPE, M, N, K, f16, f16), WMMA_HALF(SHAPE, M, N, K, f32, f32), WMMA_HALF(SHAPE, M, N, K, f32, f16), \
      WMMA_HALF(SHAPE, M, N, K, f16, f32)
#define WMMA_HALF(SHAPE, M, N, K, D, C) WMMA(SHAPE, "." #D "." #C, M, N, K, f16, f16, C, D, false, 8, 8)
#define WMMA_INTEGER(SHAPE, M, N, K, T)                           \
  WMMA(SHAPE, ".s32." #T "." #T ".s32", M, N, K, T, T, s32, s32), \
      WMMA(SHAPE, ".s32." #T "." #T ".s32.satfinite", M, N, K, T, T, s32, s32, true)
#define QUADS(A, B, A_ROWS, B_ROWS) \
  QUAD(A, B, A_ROWS, B_ROWS, f16, f16), QUAD(A, B, A_ROWS, B_ROWS, f32, f32), QUAD(A, B, A_ROWS, B_ROWS, f32, f16)
#define QUAD(A, B, A_ROWS, B_ROWS, D, C)                                                     \
  product_of_quads("mma.sync.aligned.m8n8k4." #A "." #B "." #D ".f16.f16." #C " d, a, b, c", \
                   QuadPair{A_ROWS, B_ROWS, Element::C, Element::D})

constexpr RowWith<Product> table[] = {
    MMA_HALVES("m16n8k8", 16, 8, 8),
    MMA_HALVES("m16n8k16", 16, 8, 16),
    MMA("m16n8k8", ".f32.bf16.bf16.f32", 16, 8, 8, bf16, bf16, f32, f32),
    MMA("m16n8k16", ".f32.bf16.bf16.f32", 16, 8, 16, bf16, bf16, f32, f32),
    MMA("m16n8k4", ".f32.tf32.tf32.f32", 16, 8, 4, tf32, tf32, f32, f32),
    MMA("m16n8k8", ".f32.tf32.tf32.f32", 16, 8, 8, tf32, tf32, f32, f32),
    MMA("m8n8k4", ".f64.f64.f64.f64{.rn}", 8, 8, 4, f64, f64, f64, f64),
    MMA("m16n8k4", ".f64.f64.f64.f64{.rn}", 16, 8, 4, f64, f64, f64, f64),
    MMA("m16n8k8", ".f64.f64.f64.f64{.rn}", 16, 8, 8, f64, f64, f64, f64),
    MMA("m16n8k16", ".f64.f64.f64.f64{.rn}", 16, 8, 16, f64, f64, f64, f64),
    MMA_INTEGERS("m8n8k16", 8, 8, 16, s8, u8),
    MMA_INTEGERS("m16n8k16", 16, 8, 16, s8, u8),
    MMA_INTEGERS("m16n8k32", 16, 8, 32, s8, u8),
    MMA_INTEGERS("m8n8k32", 8, 8, 32, s4, u4),
    MMA_INTEGERS("m16n8k32", 16, 8, 32, s4, u4),
    MMA_INTEGERS("m16n8k64", 16, 8, 64, s4, u4),
    MMA_BITS("m8n8k128", 8, 8, 128),
    MMA_BITS("m16n8k128", 16, 8, 128),
    MMA_BITS("m16n8k256", 16, 8, 256),
    QUADS(row, row, true, true),
    QUADS(row, col, true, false),
    QUADS(col, row, false, true),
    QUADS(col, col, false, false),

    WMMA_HALVES("m16n16k16", 16, 16, 16),
    WMMA_HALVES("m32n8k16", 32, 8, 16),
    WMMA_HALVES("m8n32k16", 8, 32, 16),
    WMMA("m16n16k16", ".f32.bf16.bf16.f32", 16, 16, 16, bf16, bf16, f32, f32),
    WMMA("m32n8k16", ".f32.bf16.bf16.f32", 32, 8, 16, bf16, bf16, f32, f32),
    WMMA("m8n32k16", ".f32.bf16.bf16.f32", 8, 32, 16, bf16, bf16, f32, f32),
    WMMA("m16n16k8", ".f32.tf32.tf32.f32", 16, 16, 8, tf32, tf32, f32, f32),
    WMMA("m8n8k4", ".f64.f64.f64.f64{.rn}", 8, 8, 4, f64, f64, f64, f64),
    WMMA_INTEGER("m16n16k16", 16, 16, 16, s8),
    WMMA_INTEGER("m16n16k16", 16, 16, 16, u8),
    WMMA_INTEGER("m32n8k16", 32, 8, 16, s8),
    WMMA_INTEGER("m32n8k16", 32, 8, 16, u8),
    WMMA_INTEGER("m8n32k16", 8, 32, 16, s8),
    WMMA_INTEGER("m8n32k16", 8, 32, 16, u8),
    WMMA_INTEGER("m8n8k32", 8, 8, 32, s4),
    WMMA_INTEGER("m8n8k32", 8, 8, 32, u4),
    ROW("wmma.mma(.xor,.and).popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 8, 8, 128, b1, b1, s32, s32),

    {{"movmatrix.sync.aligned.m8n8.trans.b16 d, a",
      Unit::matrix,
      {.run = transpose, .operands = {{{Role::out, Kind::u32}, {Role::in, Kind::u32}}}, .traits = kTogether}},
     {}},
};
constexpr auto rows = numbered(table);

const Product& product_of(const MicroOp* op) { return table[op->extra].more; }

}  // namespace

std::span<const Row> matrix_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
