// Sparse systems that one call solves, on the host or on the device, and orders of their rows.

#include <cmath>

#include "common/cuda_api/libraries/cusolver/sparse.h"
#include "common/cuda_api/libraries/sparse/order.h"

namespace gpulab::cusolver {
namespace {

enum class Way : std::uint8_t { lu, qr, cholesky };
constexpr double threshold_of(Way way) { return way == Way::cholesky ? 0 : 1; }

/// By factors of the matrix with reordered rows and columns; `singular`: the first pivot below the tolerance.
Status solve_here(SparseState& state, const void* values, Type type, Way way, int reorder, const void* b, double tol,
                  void* x, int* singular) {
  factorise(state, values, type, threshold_of(way), order_of(*state.pattern, reorder));
  if (is_too_large(state)) return CUSOLVER_STATUS_ALLOC_FAILED;
  *singular = static_cast<int>(zero_pivot(state, tol, way == Way::cholesky));
  if (*singular < 0) solve(state, b, x);
  return CUSOLVER_STATUS_SUCCESS;
}

struct System {
  SparseArguments a;
  In b;
  double tolerance;
  int reorder;
  Out x;
  int* singular;
};

Status on_host(const Call& call, const System& on, Way way) {
  GPULAB_CHECK(on.a.valid() && on.reorder >= 0 && on.reorder <= 3 && on.singular != nullptr && on.x != nullptr &&
               on.b != nullptr && on.a.starts != nullptr);
  SparseState state;
  state.pattern = pattern_of(on.a.rows, on.a.columns, on.a.elements, static_cast<const int*>(on.a.starts),
                             static_cast<const int*>(on.a.indices), on.a.base);
  if (!state.pattern) return CUSOLVER_STATUS_INVALID_VALUE;
  return solve_here(state, on.a.values, type_of(call), way, on.reorder, on.b, on.tolerance, on.x, on.singular);
}

Status on_device(const Call& call, const System& on, Way way) {
  GPULAB_CHECK(on.a.valid() && on.reorder >= 0 && on.reorder <= 3 && on.singular != nullptr);
  const Type t = type_of(call);
  const auto matrix = operands_of(on.a, t);
  const Operand from = vector("b", on.b, t, on.a.rows, 1), to = vector("x", on.x, t, on.a.rows, 1).written();
  const auto result = std::make_shared<Status>(CUSOLVER_STATUS_SUCCESS);
  const Status queued = queue(
      call, on.a.rows, on.a.rows, static_cast<double>(on.a.elements) * 200,
      {matrix[0].buffer(), matrix[1].buffer(), matrix[2].buffer(), from.buffer(), to.buffer()},
      [=](LibraryAccess& memory) {
        SparseState state;
        state.pattern = load_pattern(memory, on.a);
        if (!state.pattern) {
          *result = CUSOLVER_STATUS_INVALID_VALUE;
          return;
        }
        const auto values = load_bytes(memory, matrix[0]), side = load_bytes(memory, from);
        std::vector<char> found = load_bytes(memory, to);
        *result =
            solve_here(state, values.data(), t, way, on.reorder, side.data(), on.tolerance, found.data(), on.singular);
        if (*result == CUSOLVER_STATUS_SUCCESS && *on.singular < 0) store_bytes(memory, to, found);
      },
      true);
  return queued == CUSOLVER_STATUS_SUCCESS ? *result : queued;
}

}  // namespace

Status lsvlu_host(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In values, In starts,
                  In indices, In b, double tolerance, int reorder, Out x, int* singular) {
  return on_host(call,
                 {{n, n, elements, base_of(description), values, starts, indices}, b, tolerance, reorder, x, singular},
                 Way::lu);
}
Status lsvqr_host(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In values, In starts,
                  In indices, In b, double tolerance, int reorder, Out x, int* singular) {
  return on_host(call,
                 {{n, n, elements, base_of(description), values, starts, indices}, b, tolerance, reorder, x, singular},
                 Way::qr);
}
Status lsvchol_host(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In values, In starts,
                    In indices, In b, double tolerance, int reorder, Out x, int* singular) {
  return on_host(call,
                 {{n, n, elements, base_of(description), values, starts, indices}, b, tolerance, reorder, x, singular},
                 Way::cholesky);
}
Status lsvqr(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In values, In starts, In indices,
             In b, double tolerance, int reorder, Out x, int* singular) {
  return on_device(
      call, {{n, n, elements, base_of(description), values, starts, indices}, b, tolerance, reorder, x, singular},
      Way::qr);
}
Status lsvchol(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In values, In starts, In indices,
               In b, double tolerance, int reorder, Out x, int* singular) {
  return on_device(
      call, {{n, n, elements, base_of(description), values, starts, indices}, b, tolerance, reorder, x, singular},
      Way::cholesky);
}

namespace {

std::optional<Pattern> on_host(i64 n, i64 elements, cusparseMatDescr_t description, In starts, In indices) {
  if (n < 0 || elements < 0 || starts == nullptr) return std::nullopt;
  return pattern_of(n, n, elements, static_cast<const int*>(starts), static_cast<const int*>(indices),
                    base_of(description));
}
Status give_order(const Call& call, const std::optional<Pattern>& pattern, int reorder, int* order) {
  GPULAB_CHECK(pattern && order != nullptr);
  for (const i64 row : order_of(*pattern, reorder)) *order++ = static_cast<int>(row);
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

Status symrcm(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In starts, In indices,
              int* order) {
  return give_order(call, on_host(n, elements, description, starts, indices), 1, order);
}
Status symamd(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In starts, In indices,
              int* order) {
  return give_order(call, on_host(n, elements, description, starts, indices), 2, order);
}
Status metisnd(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In starts, In indices,
               const std::int64_t*, int* order) {
  return give_order(call, on_host(n, elements, description, starts, indices), 3, order);
}

Status is_symmetric(const Call& call, i64 m, i64 elements, cusparseMatDescr_t description, const int* starts,
                    const int* ends, const int* indices, int* symmetric) {
  GPULAB_CHECK(m >= 0 && elements >= 0 && starts != nullptr && ends != nullptr && symmetric != nullptr);
  const int base = base_of(description);
  std::vector<std::pair<i64, i64>> all, turned;
  for (i64 row = 0; row < m; ++row)
    for (i64 at = i64{starts[row]} - base; at < i64{ends[row]} - base; ++at) {
      if (at < 0 || at >= elements) return CUSOLVER_STATUS_INVALID_VALUE;
      all.emplace_back(row, indices[at] - base);
      turned.emplace_back(indices[at] - base, row);
    }
  std::ranges::sort(all);
  std::ranges::sort(turned);
  *symmetric = all == turned ? 1 : 0;
  return CUSOLVER_STATUS_SUCCESS;
}

Status perm_size(const Call& call, i64 m, i64 n, i64 elements, cusparseMatDescr_t, In, In, In, In, std::size_t* bytes) {
  GPULAB_CHECK(m >= 0 && n >= 0 && elements >= 0 && bytes != nullptr);
  constexpr std::size_t some = 1024;  // nothing is kept there
  *bytes = some;
  return CUSOLVER_STATUS_SUCCESS;
}
/// B = A(p, q), in the place of A; map[k]: where B's element k stood.
Status perm(const Call& call, i64 m, i64 n, i64 elements, cusparseMatDescr_t description, int* starts, int* indices,
            const int* p, const int* q, int* map, In) {
  GPULAB_CHECK(m >= 0 && n >= 0 && elements >= 0 && starts != nullptr && p != nullptr && q != nullptr &&
               map != nullptr);
  const int base = base_of(description);
  const auto pattern = pattern_of(m, n, elements, starts, indices, base);
  std::vector<i64> place(static_cast<std::size_t>(n), -1);  // of each old column
  for (i64 j = 0; j < n; ++j)
    if (q[j] >= 0 && q[j] < n) place[static_cast<std::size_t>(q[j])] = j;
  GPULAB_CHECK(pattern && std::ranges::count(place, -1) == 0);
  std::vector<int> kept(map, map + pattern->indices.size());
  std::size_t next = 0;
  for (i64 i = 0; i < m; ++i) {
    GPULAB_CHECK(p[i] >= 0 && p[i] < m);
    std::vector<std::pair<i64, i64>> row;
    for (i64 at = pattern->starts[static_cast<std::size_t>(p[i])];
         at < pattern->starts[static_cast<std::size_t>(p[i] + 1)]; ++at)
      row.emplace_back(place[static_cast<std::size_t>(pattern->indices[static_cast<std::size_t>(at)])], at);
    std::ranges::stable_sort(row, {}, &std::pair<i64, i64>::first);
    starts[i] = static_cast<int>(next) + base;
    for (const auto& [column, at] : row) {
      if (next >= kept.size()) return CUSOLVER_STATUS_INVALID_VALUE;  // p names a row twice
      indices[next] = static_cast<int>(column) + base;
      map[next++] = kept[static_cast<std::size_t>(at)];
    }
  }
  starts[m] = static_cast<int>(next) + base;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace gpulab::cusolver

extern "C" {

cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t* handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  (void)gpulab::libraries::runtime();
  *handle = new cusolverSpContext;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t* stream) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (stream == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *stream = handle->stream;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // extern "C"
