#pragma once
// What all functions of cuSOLVER share: the types that a call's letters name, operands, checks, and the queue.

#include <algorithm>
#include <vector>

#include "common/cuda_api/libraries/cusolver/functions.h"
#include "common/cuda_api/libraries/operands.h"

namespace gpulab::cusolver {

using namespace gpulab::libraries;
using Layout = Operand::Layout;

[[nodiscard]] Type type_of(const Call& call);
/// The same call for the type that a 64-bit function's argument names; its pivots are 64-bit numbers.
[[nodiscard]] Call with_type(const Call& call, Type type);
[[nodiscard]] bool is_solvable(Type type);

[[nodiscard]] inline i64 at_least_one(i64 value) { return std::max<i64>(1, value); }
[[nodiscard]] inline double cube(i64 a, i64 b, i64 c) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}
[[nodiscard]] inline bool is_fill(cublasFillMode_t fill) {
  return fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER;
}

[[nodiscard]] Operand info_of(Out info, i64 count = 1);
void store_info(LibraryAccess& memory, const Operand& to, i64 value, i64 index = 0);

/// Many that lie one behind the other: `count` of them, `stride` elements apart.
[[nodiscard]] Operand batched(Operand one, i64 count, i64 stride);

/// `waits`: the host has the result when the call returns.
Status queue(const Call& call, i64 m, i64 n, double operations, const std::vector<LibraryBuffer>& buffers,
             const cuda_api::LibraryWork& work, bool waits = false);

[[nodiscard]] Status check(const Call& call, bool valid);
/// A parameter is wrong (from 1, the handle not counted): devInfo says so, too.
Status tell_parameter(const Call& call, int parameter, Out info);
/// devInfo alone is written; no pointer: nothing is.
Status set_info(const Call& call, i64 value, Out info);
/// A parameter is wrong, and an H100's status does not say so: a finding does.
void find_wrong(const Call& call, const std::string& what);
Status give_size(const Call& call, bool valid, int* size);

#define GPULAB_CHECK(valid) \
  if (const Status wrong = check(call, valid); wrong != CUSOLVER_STATUS_SUCCESS) return wrong
/// Where the parameters are looked at one by one, and only the handle is left.
#define GPULAB_CHECK_HANDLE() GPULAB_CHECK(true)

[[nodiscard]] Operand triangle(In a, Type t, i64 n, i64 lda, bool upper);
/// A triangle as a whole lower one: of an upper one its mirror.
template <typename W>
std::vector<W> lower_of(const Values<W>& a, bool upper) {
  const i64 n = a.operand.columns;
  std::vector<W> made(static_cast<std::size_t>(n * n));
  for (i64 j = 0; j < n; ++j) {
    const Column c = a.operand.column(j);
    for (i64 k = 0; k < c.count; ++k) {
      const i64 i = c.first + k;
      made[static_cast<std::size_t>(upper ? i * n + j : j * n + i)] =
          upper ? conjugate(a.column(j)[k]) : a.column(j)[k];
    }
  }
  return made;
}
template <typename W>
void put_lower(const std::vector<W>& from, Values<W>& a, bool upper) {
  const i64 n = a.operand.columns;
  for (i64 j = 0; j < n; ++j) {
    const Column c = a.operand.column(j);
    for (i64 k = 0; k < c.count; ++k) {
      const i64 i = c.first + k;
      a.column(j)[k] =
          upper ? conjugate(from[static_cast<std::size_t>(i * n + j)]) : from[static_cast<std::size_t>(j * n + i)];
    }
  }
}
/// The whole Hermitian matrix of which a lower triangle is given; its diagonal is real.
template <typename W>
void mirror(std::vector<W>& a, i64 n) {
  for (i64 j = 0; j < n; ++j)
    for (i64 i = 0; i <= j; ++i) {
      auto& mirrored = a[static_cast<std::size_t>(j * n + i)];
      mirrored = i == j ? W(real_part(mirrored)) : conjugate(a[static_cast<std::size_t>(i * n + j)]);
    }
}

/// Pivots from 1 become rows from 0; those that point nowhere stay where they are.
[[nodiscard]] std::vector<i64> load_pivots(LibraryAccess& memory, const Operand& from, i64 n);
/// 64-bit in the 64-bit functions.
[[nodiscard]] Operand pivots_of(const Call& call, const char* name, In pivots, i64 count);

/// Matrices that an array of pointers in the device's memory names.
[[nodiscard]] std::vector<std::uint64_t> load_pointers(LibraryAccess& memory, const Operand& array);

}  // namespace gpulab::cusolver
