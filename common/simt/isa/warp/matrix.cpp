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
    return {outer, k, bits_of(type) >= 32 ? 1 : 32 / bits_of(type), bits_of(type), order};
  }
  constexpr Fragment left() const { return factor(left_rows(), left_type(), Fragment::Order::pairs); }
  constexpr Fragment right() const { return factor(right_columns(), right_type(), Fragment::Order::inner_first); }
  constexpr Fragment sum(Element type) const { return {left_rows(), right_columns(), 2, bits_of(type)}; }
  constexpr int a_count() const { return a_registers ? a_registers : (transposed() ? right() : left()).registers(); }
  constexpr int b_count() const { return b_registers ? b_registers : (transposed() ? left() : right()).registers(); }
};

/// Where the operands of one use lie.
struct Use {
  const Slot* regs;
  const u16 *d, *left, *right, *c;
  Use(Warp& w, const MicroOp* op, const Multiply& m) : regs(w.regs), d(operands(w, op)) {
    const u16* a = d + m.sum(m.d).registers();
    const u16* b = a + m.a_count();
    c = b + m.b_count();
    left = m.transposed() ? b : a;
    right = m.transposed() ? a : b;
  }
};

/// result(row, column): bits.
template <typename F>
inline void write_result(Warp& w, const Use& use, const Multiply& m, F result) {
  const Fragment f = m.sum(m.d);
  for (int b = 0; b < f.blocks(); ++b)
    for (int lane = 0; lane < kLanes; ++lane)
      for (int j = 0; j < f.piece; ++j) {
        const Place at = place_in(f, f.block(b), lane, j);
        set_element(w.regs, use.d, f, lane, b * f.piece + j, result(at.outer, at.inner));
      }
}

struct FloatMatrices {
  Factors factors;
  float c[kMaxOuter][kMaxRight];
  double sum[kMaxOuter][kMaxRight];
  bool left_special[kMaxOuter]{}, right_special[kMaxRight]{}, any_special = false;
};

inline void read_floats(const Use& use, const Multiply& m, FloatMatrices& x) {
  for_each_element(use.regs, use.left, m.left(), [&](Place at, u64 bits) {
    const Factor f = factor_of(m.left_type(), static_cast<u32>(bits));
    x.factors.left_significand[at.outer][at.inner] = f.significand;
    x.factors.left_exponent[at.outer][at.inner] = f.exponent;
    x.left_special[at.outer] |= f.special;
    x.any_special |= f.special;
  });
  for_each_element(use.regs, use.right, m.right(), [&](Place at, u64 bits) {
    const Factor f = factor_of(m.right_type(), static_cast<u32>(bits));
    x.factors.right_significand[at.inner][at.outer] = f.significand;
    x.factors.right_exponent[at.inner][at.outer] = f.exponent;
    x.right_special[at.outer] |= f.special;
    x.any_special |= f.special;
  });
  for_each_element(use.regs, use.c, m.sum(m.c), [&](Place at, u64 bits) {
    const auto value = static_cast<float>(double_of(m.c, static_cast<u32>(bits)));
    x.c[at.outer][at.inner] = value;
    x.any_special |= !(value - value == 0);
  });
}

/// Where an infinity or a NaN is among the terms, the sum is one.
[[gnu::noinline]] inline void add_specials(const Use& use, const Multiply& m, FloatMatrices& x) {
  static thread_local double left[kMaxOuter][16], right[kMaxRight][16];
  for_each_element(use.regs, use.left, m.left(), [&](Place at, u64 bits) {
    left[at.outer][at.inner] = double_of(m.left_type(), static_cast<u32>(bits));
  });
  for_each_element(use.regs, use.right, m.right(), [&](Place at, u64 bits) {
    right[at.outer][at.inner] = double_of(m.right_type(), static_cast<u32>(bits));
  });
  for (int i = 0; i < m.left_rows(); ++i)
    for (int j = 0; j < m.right_columns(); ++j) {
      const bool c_special = !(x.c[i][j] - x.c[i][j] == 0);
      if (!x.left_special[i] && !x.right_special[j] && !c_special) continue;
      double sum = static_cast<double>(x.c[i][j]);
      for (int k = 0; k < m.k; ++k) sum += left[i][k] * right[j][k];
      x.sum[i][j] = sum;
    }
}

[[gnu::noinline]] inline void multiply_floats(Warp& w, const MicroOp* op, const Multiply& m) {
  const Use use(w, op, m);
  FloatMatrices x;
  read_floats(use, m, x);
  for (int i = 0; i < m.left_rows(); ++i)
    if (m.right_columns() == 8)
      add_products<8>(x.factors, i, m.k, x.c[i], x.sum[i]);
    else
      add_products<16>(x.factors, i, m.k, x.c[i], x.sum[i]);
  if (x.any_special) add_specials(use, m, x);
  write_result(w, use, m, [&](int i, int j) { return float_result(m.d, x.sum[i][j]); });
}

[[gnu::noinline]] inline void multiply_doubles(Warp& w, const MicroOp* op, const Multiply& m) {
  const Use use(w, op, m);
  double left[16][16], right[8][16], sum[16][8];
  for_each_element(use.regs, use.left, m.left(),
                   [&](Place at, u64 bits) { left[at.outer][at.inner] = bits_as<double>(bits); });
  for_each_element(use.regs, use.right, m.right(),
                   [&](Place at, u64 bits) { right[at.outer][at.inner] = bits_as<double>(bits); });
  for_each_element(use.regs, use.c, m.sum(m.c),
                   [&](Place at, u64 bits) { sum[at.outer][at.inner] = bits_as<double>(bits); });
  for (int i = 0; i < m.left_rows(); ++i)
    for (int j = 0; j < m.right_columns(); ++j)
      for (int k = 0; k < m.k; ++k) sum[i][j] = std::fma(left[i][k], right[j][k], sum[i][j]);
  write_result(w, use, m, [&](int i, int j) { return bits_as<u64>(sum[i][j]); });
}

inline s32 integer_of(Element type, u32 bits) {
  switch (type) {
    case Element::s8:
      return static_cast<s8>(bits);
    case Element::s4:
      return static_cast<s32>(bits << 28) >> 28;
    default:
      return static_cast<s32>(bits);
  }
}

[[gnu::noinline]] inline void multiply_integers(Warp& w, const MicroOp* op, const Multiply& m) {
  const Use use(w, op, m);
  s32 left[kMaxOuter][256], right[kMaxRight][256];
  s64 sum[kMaxOuter][kMaxRight];
  for_each_element(use.regs, use.left, m.left(), [&](Place at, u64 bits) {
    left[at.outer][at.inner] = integer_of(m.left_type(), static_cast<u32>(bits));
  });
  for_each_element(use.regs, use.right, m.right(), [&](Place at, u64 bits) {
    right[at.outer][at.inner] = integer_of(m.right_type(), static_cast<u32>(bits));
  });
  for_each_element(use.regs, use.c, m.sum(m.c),
                   [&](Place at, u64 bits) { sum[at.outer][at.inner] = static_cast<s32>(bits); });
  const bool exclusive_or = (op->mods & kBoolMask) == kXor;  // of single bits; .and is their product
  for (int i = 0; i < m.left_rows(); ++i)
    for (int j = 0; j < m.right_columns(); ++j) {
      s32 products = 0;
      if (exclusive_or)
        for (int k = 0; k < m.k; ++k) products += left[i][k] ^ right[j][k];
      else
        for (int k = 0; k < m.k; ++k) products += left[i][k] * right[j][k];
      sum[i][j] += products;
    }
  write_result(w, use, m, [&](int i, int j) {
    const s64 exact = sum[i][j];
    return static_cast<u32>(m.saturate ? std::clamp<s64>(exact, INT32_MIN, INT32_MAX) : exact);
  });
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

const MicroOp* multiply_quads(Warp& w, const MicroOp* op) {
  if (!whole_warp_here(w, op)) return nullptr;
  const QuadPair& q = product_of(op).quads;
  const auto sum_registers = [](Element e) { return e == Element::f16 ? 4 : 8; };
  const u16* d = operands(w, op);
  const u16 *a = d + sum_registers(q.d), *b = a + 2, *c = b + 2;
  constexpr Fragment halves{8, 8, 2, 16}, words{8, 8, 2, 32};
  for (int quad = 0; quad < 4; ++quad) {
    Factors f;
    float sums[8][8];
    bool special = false;
    double left[8][4], right[8][4];
    for (const int high : {0, 16})
      for (int lane = quad * 4 + high; lane < quad * 4 + high + 4; ++lane) {
        for (int j = 0; j < 4; ++j) {
          const auto a_bits = static_cast<u32>(element(w.regs, a, halves, lane, j));
          const auto b_bits = static_cast<u32>(element(w.regs, b, halves, lane, j));
          const Place at_a = in_quad(q.a_by_rows, lane, j), at_b = in_quad(!q.b_by_rows, lane, j);
          const Factor fa = factor_of(Element::f16, a_bits), fb = factor_of(Element::f16, b_bits);
          f.left_significand[at_a.outer][at_a.inner] = fa.significand;
          f.left_exponent[at_a.outer][at_a.inner] = fa.exponent;
          f.right_significand[at_b.inner][at_b.outer] = fb.significand;
          f.right_exponent[at_b.inner][at_b.outer] = fb.exponent;
          left[at_a.outer][at_a.inner] = double_of(Element::f16, a_bits);
          right[at_b.outer][at_b.inner] = double_of(Element::f16, b_bits);
          special = special || fa.special || fb.special;
        }
        for (int j = 0; j < 8; ++j) {
          const Place at = in_quad_sum(q.c, lane, j);
          const u64 bits = element(w.regs, c, q.c == Element::f16 ? halves : words, lane, j);
          sums[at.outer][at.inner] = static_cast<float>(double_of(q.c, static_cast<u32>(bits)));
          special = special || !(sums[at.outer][at.inner] - sums[at.outer][at.inner] == 0);
        }
      }
    double sum[8][8];
    for (int i = 0; i < 8; ++i) {
      add_products<8>(f, i, 4, sums[i], sum[i]);
      for (int j = 0; special && j < 8; ++j) {
        double loose = static_cast<double>(sums[i][j]);
        for (int k = 0; k < 4; ++k) loose += left[i][k] * right[j][k];
        if (!(loose - loose == 0)) sum[i][j] = loose;
      }
    }
    for (const int high : {0, 16})
      for (int lane = quad * 4 + high; lane < quad * 4 + high + 4; ++lane)
        for (int j = 0; j < 8; ++j) {
          const Place at = in_quad_sum(q.d, lane, j);
          const double x = sum[at.outer][at.inner];
          set_element(w.regs, d, q.d == Element::f16 ? halves : words, lane, j, float_result(q.d, x));
        }
  }
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
