#include "tests/instructions/matrix_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>

#include "tests/instructions/matrix_values.h"

namespace gpulab::tests {
namespace {

constexpr int lanes = 32;

// ---- fragments of mma, as the manual gives them (Matrix Fragments for mma.*), in closed form ----

struct Coordinate {
  int row, column;
};

/// Element i of a lane's fragment of A, as many per register as it holds.
Coordinate in_a(const MatrixForm& f, int lane, int i) {
  const int per = std::max(32 / bits_of(f.a), 1), reg = i / per, halves = f.m / 8;
  if (f.quads()) return f.a_by_rows ? Coordinate{lane % 4 + lane / 16 * 4, i} : Coordinate{i + lane / 16 * 4, lane % 4};
  return {lane / 4 + 8 * (reg % halves), lane % 4 * per + i % per + reg / halves * 4 * per};
}
Coordinate in_b(const MatrixForm& f, int lane, int i) {
  const int per = std::max(32 / bits_of(f.b), 1);
  if (f.quads()) return f.b_by_rows ? Coordinate{lane % 4, i + lane / 16 * 4} : Coordinate{i, lane % 4 + lane / 16 * 4};
  return {lane % 4 * per + i % per + i / per * 4 * per, lane / 4};
}
Coordinate in_c(const MatrixForm& f, const std::string& type, int lane, int i) {
  if (f.quads() && type == "f16") return {lane % 4 + lane / 16 * 4, i};
  if (f.quads()) return {(lane & 1) + (i & 2) + lane / 16 * 4, (i & 4) + (lane & 2) + (i & 1)};
  return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2};
}

int elements_of_lane(const MatrixForm& f, char which) {
  const int products = f.quads() ? 4 : 1;
  return products * (which == 'a' ? f.m * f.k : which == 'b' ? f.k * f.n : f.m * f.n) / lanes;
}
/// Registers that the instruction names.
int registers_of(const MatrixForm& f, char which) {
  const std::string& type = which == 'a' ? f.a : which == 'b' ? f.b : which == 'c' ? f.c : f.d;
  if (f.wmma && type == "f16" && (which == 'a' || which == 'b')) return 8;
  return elements_of_lane(f, which) / std::max(32 / bits_of(type), 1);
}

// ---- the kernel ----

std::string register_list(const std::string& type, int first, int count) {
  const char* kind = type == "f32" ? "f" : type == "f64" ? "fd" : "r";
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i ? ", " : "", kind, first + i);
  return text + "}";
}
constexpr int first_register(char which) { return which == 'a' ? 0 : which == 'b' ? 8 : which == 'c' ? 16 : 24; }
std::string registers(const MatrixForm& f, char which) {
  const std::string& type = which == 'a' ? f.a : which == 'b' ? f.b : which == 'c' ? f.c : f.d;
  return register_list(type, first_register(which), registers_of(f, which));
}

std::string opcode_of(const MatrixForm& f) {
  const std::string shape = fmt::format("m{}n{}k{}", f.m, f.n, f.k), sat = f.saturate ? ".satfinite" : "";
  const auto by = [](bool rows) { return rows ? "row" : "col"; };
  const auto layouts = fmt::format("{}.{}", by(f.a_by_rows), by(f.b_by_rows));
  const auto types = fmt::format("{}.{}.{}.{}", f.d, f.a, f.b, f.c);
  if (f.wmma && f.a == "f16") return fmt::format("wmma.mma.sync.aligned.{}.{}.{}.{}{}", layouts, shape, f.d, f.c, sat);
  if (f.wmma && f.a == "b1")
    return fmt::format("wmma.mma.{}.popc.sync.aligned.{}.{}.{}", f.operation, layouts, shape, types);
  if (f.wmma) return fmt::format("wmma.mma.sync.aligned.{}.{}.{}{}", layouts, shape, types, sat);
  if (f.a == "b1") return fmt::format("mma.sync.aligned.{}.{}.{}.{}.popc", shape, layouts, types, f.operation);
  return fmt::format("mma.sync.aligned.{}.{}{}.{}", shape, layouts, sat, types);
}

/// A matrix in memory: whose rows, or columns, follow each other.
struct Stored {
  int lines, length, bits;
  bool by_rows;
  [[nodiscard]] int stride() const { return length + 128 / bits; }
  [[nodiscard]] int bytes() const { return (lines * stride() * bits / 8 + 127) / 128 * 128; }
  [[nodiscard]] int index(Coordinate at) const {
    return by_rows ? at.row * stride() + at.column : at.column * stride() + at.row;
  }
};
Stored stored(const MatrixForm& f, char which) {
  const int rows = which == 'b' ? f.k : f.m, columns = which == 'a' ? f.k : f.n;
  const bool by_rows = which == 'a' ? f.a_by_rows : which == 'b' ? f.b_by_rows : f.c_by_rows;
  const std::string& type = which == 'a' ? f.a : which == 'b' ? f.b : which == 'c' ? f.c : f.d;
  return {by_rows ? rows : columns, by_rows ? columns : rows, bits_of(type), by_rows};
}

/// Copies a buffer between global memory (%rd1 … %rd4: a, b, c, d) and shared memory, 4 bytes per lane at a time.
std::string copy_text(char which, int bytes, bool to_shared) {
  std::string text = fmt::format(
      "  mov.u32 %r40, s{};\n  shl.b32 %r41, %r60, 2;\n  add.u32 %r40, %r40, %r41;\n"
      "  cvt.u64.u32 %rd10, %r41;\n  add.u64 %rd10, %rd10, %rd{};\n",
      which, which - 'a' + 1);
  for (int at = 0; at < bytes; at += 128)
    text += to_shared ? fmt::format("  ld.global.b32 %r42, [%rd10+{0}];\n  st.shared.b32 [%r40+{0}], %r42;\n", at)
                      : fmt::format("  ld.shared.b32 %r42, [%r40+{0}];\n  st.global.b32 [%rd10+{0}], %r42;\n", at);
  return text;
}

/// wmma: where the instruction finds a matrix. Generic addresses of A and B are in global memory, of C and D in shared.
bool lies_in_shared(const MatrixForm& f, char which) {
  return f.space == ".shared" || (f.space.empty() && which >= 'c');
}
std::string load_text(const MatrixForm& f, char which) {
  const Stored s = stored(f, which);
  const std::string type = which == 'a' ? f.a : which == 'b' ? f.b : which == 'c' ? f.c : f.d;
  std::string text, address = fmt::format("%rd{}", which - 'a' + 1);
  if (lies_in_shared(f, which)) {
    if (which != 'd') text += copy_text(which, s.bytes(), true) + "  bar.warp.sync 0xffffffff;\n";
    if (f.space.empty())
      text += fmt::format("  mov.u64 %rd11, s{};\n  cvta.shared.u64 %rd11, %rd11;\n", which), address = "%rd11";
    else
      address = fmt::format("s{}", which);
  } else if (f.space.empty()) {
    text += fmt::format("  cvta.global.u64 %rd11, {};\n", address), address = "%rd11";
  }
  const auto form = fmt::format("wmma.{}.{}.sync.aligned.{}.m{}n{}k{}{}.{}", which == 'd' ? "store" : "load", which,
                                s.by_rows ? "row" : "col", f.m, f.n, f.k, f.space, type);
  text += which == 'd' ? fmt::format("  {} [{}], {}, {};\n", form, address, registers(f, which), s.stride())
                       : fmt::format("  {} {}, [{}], {};\n", form, registers(f, which), address, s.stride());
  if (which == 'd' && lies_in_shared(f, which))
    text += "  bar.warp.sync 0xffffffff;\n" + copy_text(which, s.bytes(), false);
  return text;
}

/// mma: registers from, or to, memory, lane by lane.
std::string registers_text(const MatrixForm& f, char which) {
  const std::string& type = which == 'a' ? f.a : which == 'b' ? f.b : which == 'c' ? f.c : f.d;
  const int count = registers_of(f, which), size = type == "f64" ? 8 : 4;
  const char* kind = type == "f32" ? "f" : type == "f64" ? "fd" : "r";
  std::string text =
      fmt::format("  mul.wide.u32 %rd10, %r60, {};\n  add.u64 %rd10, %rd10, %rd{};\n", count * size, which - 'a' + 1);
  for (int i = 0; i < count; ++i)
    text +=
        which == 'd'
            ? fmt::format("  st.global.b{} [%rd10+{}], %{}{};\n", 8 * size, i * size, kind, first_register(which) + i)
            : fmt::format("  ld.global.b{} %{}{}, [%rd10+{}];\n", 8 * size, kind, first_register(which) + i, i * size);
  return text;
}

std::string kernel_text(const MatrixKernel& kernel) {
  const MatrixForm& f = kernel.form;
  std::string text = fmt::format(
      ".visible .entry {}(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {{\n  .reg .b32 %r<64>;\n"
      "  .reg .f32 %f<32>;\n  .reg .f64 %fd<32>;\n  .reg .b64 %rd<16>;\n",
      kernel.name);
  for (const char which : {'a', 'b', 'c', 'd'}) {
    if (f.wmma && lies_in_shared(f, which))
      text += fmt::format("  .shared .align 32 .b8 s{}[{}];\n", which, stored(f, which).bytes());
    text +=
        fmt::format("  ld.param.u64 %rd{0}, [p{1}];\n  cvta.to.global.u64 %rd{0}, %rd{0};\n", which - 'a' + 1, which);
  }
  text += "  mov.u32 %r60, %tid.x;\n";
  for (const char which : {'a', 'b', 'c'}) text += f.wmma ? load_text(f, which) : registers_text(f, which);
  text += fmt::format("  {} {}, {}, {}, {};\n", kernel.opcode, registers(f, 'd'), registers(f, 'a'), registers(f, 'b'),
                      registers(f, 'c'));
  return text + (f.wmma ? load_text(f, 'd') : registers_text(f, 'd')) + "  ret;\n}\n";
}

// ---- which forms there are ----

void add_wmma(std::vector<MatrixForm>& all, MatrixForm form, bool every_place) {
  form.wmma = true;
  const bool parts = bits_of(form.a) < 8;
  for (const char* space : {".global", ".shared", ""})
    for (const bool rows : {true, false}) {
      form.space = space;
      form.c_by_rows = rows;
      form.a_by_rows = parts || rows;
      form.b_by_rows = !parts && rows == (form.space == ".shared");
      if (form.space.empty() && !parts) form.b_by_rows = rows;
      all.push_back(form);
      if (!every_place) return;
    }
}

std::vector<MatrixForm> forms() {
  std::vector<MatrixForm> all;
  const auto shaped = [](int m, int n, int k, std::string a, std::string b, std::string c, std::string d) {
    MatrixForm f;
    f.m = m, f.n = n, f.k = k, f.a = std::move(a), f.b = std::move(b), f.c = std::move(c), f.d = std::move(d);
    return f;
  };
  const auto mma = [&](int m, int n, int k, const std::string& t, const std::string& sum) {
    all.push_back(shaped(m, n, k, t, t, sum, sum));
  };
  for (const int k : {8, 16})
    for (const char* sum : {"f16", "f32"}) mma(16, 8, k, "f16", sum);
  for (const int k : {8, 16}) mma(16, 8, k, "bf16", "f32");
  for (const int k : {4, 8}) mma(16, 8, k, "tf32", "f32");
  mma(8, 8, 4, "f64", "f64");
  for (const int k : {4, 8, 16}) mma(16, 8, k, "f64", "f64");
  const auto integers = [&](int m, int k, const char* s, const char* u) {
    for (const char* a : {s, u})
      for (const char* b : {s, u})
        for (const bool saturate : {false, true}) {
          all.push_back(shaped(m, 8, k, a, b, "s32", "s32"));
          all.back().saturate = saturate;
        }
  };
  integers(8, 16, "s8", "u8"), integers(16, 16, "s8", "u8"), integers(16, 32, "s8", "u8");
  integers(8, 32, "s4", "u4"), integers(16, 32, "s4", "u4"), integers(16, 64, "s4", "u4");
  for (const auto& [m, k] : {std::pair{8, 128}, {16, 128}, {16, 256}})
    for (const char* operation : {"xor", "and"}) {
      mma(m, 8, k, "b1", "s32");
      all.back().operation = operation;
    }
  for (const bool a_rows : {true, false})
    for (const bool b_rows : {true, false})
      for (const auto& [d, c] : {std::pair{"f16", "f16"}, {"f32", "f32"}, {"f32", "f16"}}) {
        all.push_back(shaped(8, 8, 4, "f16", "f16", c, d));
        all.back().a_by_rows = a_rows, all.back().b_by_rows = b_rows;
      }
  for (const auto& [m, n] : {std::pair{16, 16}, {32, 8}, {8, 32}}) {
    for (const char* d : {"f16", "f32"})
      for (const char* c : {"f16", "f32"}) add_wmma(all, shaped(m, n, 16, "f16", "f16", c, d), std::string(c) == d);
    add_wmma(all, shaped(m, n, 16, "bf16", "bf16", "f32", "f32"), true);
    for (const char* t : {"s8", "u8"})
      for (const bool saturate : {false, true}) {
        MatrixForm f = shaped(m, n, 16, t, t, "s32", "s32");
        f.saturate = saturate;
        add_wmma(all, f, !saturate);
      }
  }
  add_wmma(all, shaped(16, 16, 8, "tf32", "tf32", "f32", "f32"), true);
  add_wmma(all, shaped(8, 8, 4, "f64", "f64", "f64", "f64"), true);
  for (const char* t : {"s4", "u4"})
    for (const bool saturate : {false, true}) {
      MatrixForm f = shaped(8, 8, 32, t, t, "s32", "s32");
      f.saturate = saturate;
      add_wmma(all, f, true);
    }
  for (const char* operation : {"xor", "and"}) {
    MatrixForm f = shaped(8, 8, 128, "b1", "b1", "s32", "s32");
    f.operation = operation;
    add_wmma(all, f, true);
  }
  return all;
}

// ---- values ----

struct Values {
  std::vector<double> a, b, c;  ///< by rows
};

/// Element (row, column) of a matrix that lies row by row.
std::size_t at(int row, int columns, int column) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
}

/// Of products number q (quads have four).
Values values_of(const MatrixForm& f, int q) {
  Values v;
  std::mt19937 random(static_cast<unsigned>(f.m * 1000 + f.n * 100 + f.k + q));
  const auto fill = [&](std::vector<double>& to, int count, const std::string& type) {
    for (int i = 0; i < count; ++i) to.push_back(small_value(type, random()));
  };
  fill(v.a, f.m * f.k, f.a);
  fill(v.b, f.k * f.n, f.b);
  fill(v.c, f.m * f.n, f.c);
  // The first row and column are large, all of one sign, and meet a sum near the end of its range: it overflows.
  for (int k = 0; k < f.k; ++k) {
    v.a[static_cast<std::size_t>(k)] = largest_value(f.a);
    v.b[at(k, f.n, 0)] = largest_value(f.b);
  }
  if (f.c == "s32") v.c[0] = 2147483600.0, v.c[1] = -2147483600.0;
  if (f.c == "f16") v.c[0] = 65504;
  return v;
}

double expected_value(const MatrixForm& f, const Values& v, int i, int j) {
  double sum = v.c[at(i, f.n, j)];
  for (int k = 0; k < f.k; ++k) {
    const double a = v.a[at(i, f.k, k)], b = v.b[at(k, f.n, j)];
    sum += f.operation == "xor" ? std::abs(a - b) : a * b;
  }
  return sum;
}

/// A buffer of elements of any width.
struct Packed {
  std::vector<std::uint8_t> bytes;
  int bits;
  void set(int index, std::uint64_t value) {
    for (int i = 0; i < bits; ++i) {
      const int at = index * bits + i;
      auto& byte = bytes[static_cast<std::size_t>(at / 8)];
      byte = static_cast<std::uint8_t>((byte & ~(1 << at % 8)) | static_cast<int>(value >> i & 1) << at % 8);
    }
  }
  [[nodiscard]] std::uint64_t get(int index) const {
    std::uint64_t value = 0;
    for (int i = 0; i < bits; ++i) {
      const int at = index * bits + i;
      value |= static_cast<std::uint64_t>(bytes[static_cast<std::size_t>(at / 8)] >> at % 8 & 1) << i;
    }
    return value;
  }
};

/// f(product, row and column, index in the packed buffer) for every element of a matrix.
template <typename F>
void for_each_place(const MatrixForm& f, char which, F visit) {
  const int rows = which == 'b' ? f.k : f.m, columns = which == 'a' ? f.k : f.n;
  if (f.wmma) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) visit(0, Coordinate{i, j}, stored(f, which).index({i, j}));
    return;
  }
  const int count = elements_of_lane(f, which);
  for (int lane = 0; lane < lanes; ++lane)
    for (int i = 0; i < count; ++i) {
      const Coordinate at = which == 'a'   ? in_a(f, lane, i)
                            : which == 'b' ? in_b(f, lane, i)
                                           : in_c(f, which == 'c' ? f.c : f.d, lane, i);
      visit(f.quads() ? lane % 16 / 4 : 0, at, lane * count + i);
    }
}

Packed packed(const MatrixForm& f, char which, const MatrixBits& matrices) {
  const std::string& type = which == 'a' ? f.a : which == 'b' ? f.b : which == 'c' ? f.c : f.d;
  Packed buffer{std::vector<std::uint8_t>(8192, 0xcd), bits_of(type)};
  if (which == 'd') return buffer;
  const int columns = which == 'a' ? f.k : f.n;
  const auto& all = which == 'a' ? matrices.a : which == 'b' ? matrices.b : matrices.c;
  for_each_place(f, which, [&](int product, Coordinate place, int index) {
    buffer.set(index, all[static_cast<std::size_t>(product)][at(place.row, columns, place.column)]);
  });
  return buffer;
}

std::vector<std::uint64_t> encoded_all(const std::string& type, const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double value : values) bits.push_back(encoded(type, value, false));
  return bits;
}

}  // namespace

int products_of(const MatrixForm& form) { return form.quads() ? 4 : 1; }

const MatrixKernels& matrix_kernels() {
  static const MatrixKernels all = [] {
    MatrixKernels made;
    constexpr int in_module = 60;
    for (const auto& form : forms()) {
      MatrixKernel kernel{fmt::format("m{}", made.kernels.size()), opcode_of(form), form,
                          static_cast<int>(made.kernels.size()) / in_module};
      if (made.kernels.size() % in_module == 0)
        made.modules.emplace_back(".version 8.0\n.target sm_90\n.address_size 64\n");
      made.modules.back() += kernel_text(kernel);
      made.kernels.push_back(std::move(kernel));
    }
    return made;
  }();
  return all;
}

void multiply(Device& device, const MatrixKernel& kernel, MatrixBits& matrices) {
  const MatrixForm& f = kernel.form;
  std::vector<KernelArgument> arguments;
  std::vector<DevicePointer> buffers;
  Packed d = packed(f, 'd', matrices);
  for (const char which : {'a', 'b', 'c', 'd'}) {
    const Packed buffer = packed(f, which, matrices);
    buffers.push_back(device.allocate(std::string(1, which), buffer.bytes.size()));
    device.write(buffers.back(), std::as_bytes(std::span(buffer.bytes)));
    arguments.push_back(KernelArgument::of(buffers.back()));
  }
  device.launch(device.kernel(kernel.name), {{1, 1, 1}, {32, 1, 1}}, arguments);
  device.synchronize();
  device.read(std::as_writable_bytes(std::span(d.bytes)), buffers[3]);
  for (const auto buffer : buffers) device.release(buffer);
  matrices.d.assign(static_cast<std::size_t>(products_of(f)), std::vector<std::uint64_t>(at(f.m, f.n, 0)));
  for_each_place(f, 'd', [&](int product, Coordinate place, int index) {
    matrices.d[static_cast<std::size_t>(product)][at(place.row, f.n, place.column)] = d.get(index);
  });
}

std::string run_matrix_kernel(Device& device, const MatrixKernel& kernel) {
  const MatrixForm& f = kernel.form;
  std::vector<Values> values;
  MatrixBits matrices;
  for (int q = 0; q < products_of(f); ++q) {
    values.push_back(values_of(f, q));
    matrices.a.push_back(encoded_all(f.a, values.back().a));
    matrices.b.push_back(encoded_all(f.b, values.back().b));
    matrices.c.push_back(encoded_all(f.c, values.back().c));
  }
  multiply(device, kernel, matrices);
  for (std::size_t q = 0; q < values.size(); ++q)
    for (int i = 0; i < f.m; ++i)
      for (int j = 0; j < f.n; ++j) {
        const double exact = expected_value(f, values[q], i, j);
        const std::uint64_t expected = encoded(f.d, exact, f.saturate), got = matrices.d[q][at(i, f.n, j)];
        if (got != expected)
          return fmt::format("{} ({} {}): element {},{} is {:#x}, not {:#x} ({})", kernel.opcode, kernel.name, f.space,
                             i, j, got, expected, exact);
      }
  return "";
}

}  // namespace gpulab::tests
