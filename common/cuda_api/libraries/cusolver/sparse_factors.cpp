// Sparse factors step by step: analysis, factors, pivots, solutions, of LU, QR and Cholesky, on the host or on the
// device. All are L U here: without pivoting for Cholesky's, whose L is U's rows by the roots of the pivots.

#include <cmath>
#include <numeric>

#include "common/cuda_api/libraries/cusolver/sparse.h"

#if __has_include(<cusolverSp_LOWLEVEL_PREVIEW.h>)

struct csrluInfoHost {
  std::shared_ptr<gpulab::cusolver::SparseState> state = std::make_shared<gpulab::cusolver::SparseState>();
};
struct csrqrInfoHost : csrluInfoHost {};
struct csrcholInfoHost : csrluInfoHost {};
struct csrqrInfo : csrluInfoHost {};
struct csrcholInfo : csrluInfoHost {};

namespace gpulab::cusolver {
namespace {

using State = std::shared_ptr<SparseState>;

template <typename Info>
State state_of(Info* info) {
  return info == nullptr ? nullptr : info->state;
}

Status give_sizes(const Call& call, const State& state, std::size_t* inner, std::size_t* work) {
  GPULAB_CHECK(state != nullptr && inner != nullptr && work != nullptr);
  constexpr std::size_t some = 1024;  // nothing is kept there
  *inner = *work = some;
  return CUSOLVER_STATUS_SUCCESS;
}

Status analyse_host(const Call& call, const SparseArguments& a, const State& state) {
  GPULAB_CHECK(a.valid() && state != nullptr && a.starts != nullptr);
  state->pattern = pattern_of(a.rows, a.columns, a.elements, static_cast<const int*>(a.starts),
                              static_cast<const int*>(a.indices), a.base);
  GPULAB_CHECK(state->pattern.has_value());
  return CUSOLVER_STATUS_SUCCESS;
}
Status analyse_device(const Call& call, const SparseArguments& a, const State& state) {
  GPULAB_CHECK(a.valid() && state != nullptr);
  const auto all = operands_of(a, CUDA_R_32I);
  const Status queued = queue(
      call, a.rows, a.columns, 0, {all[1].buffer(), all[2].buffer()},
      [=](LibraryAccess& memory) { state->pattern = load_pattern(memory, a); }, true);
  if (queued != CUSOLVER_STATUS_SUCCESS) return queued;
  GPULAB_CHECK(state->pattern.has_value());
  return CUSOLVER_STATUS_SUCCESS;
}

bool is_square(const State& state) { return state->pattern && state->pattern->rows == state->pattern->columns; }
/// What QR takes: least squares, too.
bool is_tall(const State& state) { return state->pattern && state->pattern->rows >= state->pattern->columns; }
std::vector<i64> plain_order(const State& state) { return order_of(*state->pattern, 0); }

Status factorise_host(const Call& call, const void* values, const State& state, double threshold) {
  GPULAB_CHECK(state != nullptr && values != nullptr);
  factorise(*state, values, type_of(call), threshold, plain_order(state));
  return is_too_large(*state) ? CUSOLVER_STATUS_ALLOC_FAILED : CUSOLVER_STATUS_SUCCESS;
}
Status solve_host(const Call& call, const State& state, const void* b, void* x) {
  GPULAB_CHECK(state != nullptr && b != nullptr && x != nullptr);
  return solve(*state, b, x) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
Status solve_device(const Call& call, i64 m, const State& state, In b, Out x) {
  GPULAB_CHECK(state != nullptr && is_tall(state) && m == state->pattern->rows);
  const Type t = type_of(call);
  const Operand from = vector("b", b, t, m, 1), to = vector("x", x, t, state->pattern->columns, 1).written();
  return queue(call, m, 1, 0, {from.buffer(), to.buffer()}, [=](LibraryAccess& memory) {
    const auto side = load_bytes(memory, from);
    std::vector<char> found(static_cast<std::size_t>(to.rows * bytes_of(t)));
    if (state->type == t && solve(*state, side.data(), found.data())) store_bytes(memory, to, found);
  });
}
Status tell_pivot(const Call& call, const State& state, double tolerance, bool positive, int* position) {
  GPULAB_CHECK(state != nullptr && position != nullptr);
  *position = static_cast<int>(zero_pivot(*state, tolerance, positive));
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

// LU, on the host alone.
Status lu_analysis(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In starts, In indices,
                   csrluInfoHost_t info) {
  return analyse_host(call, {n, n, elements, base_of(description), nullptr, starts, indices}, state_of(info));
}
Status lu_sizes(const Call& call, i64, i64, cusparseMatDescr_t, In, In, In, csrluInfoHost_t info, std::size_t* inner,
                std::size_t* work) {
  return give_sizes(call, state_of(info), inner, work);
}
Status lu_factor(const Call& call, i64, i64, cusparseMatDescr_t, In values, In, In, csrluInfoHost_t info,
                 double threshold, Out) {
  const State state = state_of(info);
  GPULAB_CHECK(state != nullptr && is_square(state));
  return factorise_host(call, values, state, threshold);
}
Status lu_pivot(const Call& call, csrluInfoHost_t info, double tolerance, int* position) {
  return tell_pivot(call, state_of(info), tolerance, false, position);
}
Status lu_solve(const Call& call, i64, In b, Out x, csrluInfoHost_t info, Out) {
  return solve_host(call, state_of(info), b, x);
}
Status lu_elements(const Call& call, int* of_l, int* of_u, csrluInfoHost_t info) {
  const State state = state_of(info);
  GPULAB_CHECK(state != nullptr && of_l != nullptr && of_u != nullptr);
  return std::visit(
      [&](const auto& lu) {
        if constexpr (std::is_same_v<std::decay_t<decltype(lu)>, std::monostate>) {
          return CUSOLVER_STATUS_INVALID_VALUE;
        } else {
          *of_l = static_cast<int>(lu.l.rows.size());  // without its diagonal of ones, as on an H100
          *of_u = static_cast<int>(lu.u.rows.size());
          return CUSOLVER_STATUS_SUCCESS;
        }
      },
      state->lu);
}

namespace {

/// A triangle by rows, each row's elements in the order of their columns.
template <typename W>
void write_rows(const SparseColumns<W>& from, i64 n, Type type, int base, char* values, int* starts, int* indices) {
  std::vector<std::vector<std::pair<i64, W>>> rows(static_cast<std::size_t>(n));
  for (i64 j = 0; j < n; ++j)
    for (i64 at = from.starts[static_cast<std::size_t>(j)]; at < from.starts[static_cast<std::size_t>(j + 1)]; ++at)
      rows[static_cast<std::size_t>(from.rows[static_cast<std::size_t>(at)])].emplace_back(
          j, from.values[static_cast<std::size_t>(at)]);
  i64 next = 0;
  for (i64 i = 0; i < n; ++i) {
    starts[i] = static_cast<int>(next) + base;
    auto& row = rows[static_cast<std::size_t>(i)];
    std::ranges::sort(row, {}, &std::pair<i64, W>::first);
    for (const auto& [column, value] : row) {
      indices[next] = static_cast<int>(column) + base;
      encode(type, &value, values + next * bytes_of(type), 1);
      ++next;
    }
  }
  starts[n] = static_cast<int>(next) + base;
}

}  // namespace

Status lu_extract(const Call& call, int* p, int* q, cusparseMatDescr_t of_l, Out l, int* l_starts, int* l_indices,
                  cusparseMatDescr_t of_u, Out u, int* u_starts, int* u_indices, csrluInfoHost_t info, Out) {
  const State state = state_of(info);
  GPULAB_CHECK(state != nullptr && p != nullptr && q != nullptr && l_starts != nullptr && u_starts != nullptr);
  return std::visit(
      [&](const auto& lu) {
        if constexpr (std::is_same_v<std::decay_t<decltype(lu)>, std::monostate>) {
          return CUSOLVER_STATUS_INVALID_VALUE;
        } else {
          const bool of_l_is_there = lu.l.rows.empty() || (l != nullptr && l_indices != nullptr);
          const bool of_u_is_there = lu.u.rows.empty() || (u != nullptr && u_indices != nullptr);
          if (!of_l_is_there || !of_u_is_there) return CUSOLVER_STATUS_INVALID_VALUE;
          for (i64 k = 0; k < lu.n; ++k) {
            p[k] = static_cast<int>(lu.rows[static_cast<std::size_t>(k)]);
            q[k] = static_cast<int>(lu.order[static_cast<std::size_t>(k)]);
          }
          write_rows(lu.l, lu.n, state->type, base_of(of_l), static_cast<char*>(l), l_starts, l_indices);
          write_rows(lu.u, lu.n, state->type, base_of(of_u), static_cast<char*>(u), u_starts, u_indices);
          return CUSOLVER_STATUS_SUCCESS;
        }
      },
      state->lu);
}

// Cholesky.
Status chol_analysis_host(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In starts, In indices,
                          csrcholInfoHost_t info) {
  return analyse_host(call, {n, n, elements, base_of(description), nullptr, starts, indices}, state_of(info));
}
Status chol_sizes_host(const Call& call, i64, i64, cusparseMatDescr_t, In, In, In, csrcholInfoHost_t info,
                       std::size_t* inner, std::size_t* work) {
  return give_sizes(call, state_of(info), inner, work);
}
Status chol_factor_host(const Call& call, i64, i64, cusparseMatDescr_t, In values, In, In, csrcholInfoHost_t info,
                        Out) {
  const State state = state_of(info);
  GPULAB_CHECK(state != nullptr && is_square(state));
  return factorise_host(call, values, state, 0);
}
Status chol_pivot_host(const Call& call, csrcholInfoHost_t info, double tolerance, int* position) {
  return tell_pivot(call, state_of(info), tolerance, true, position);
}
Status chol_solve_host(const Call& call, i64, In b, Out x, csrcholInfoHost_t info, Out) {
  return solve_host(call, state_of(info), b, x);
}
Status chol_analysis(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In starts, In indices,
                     csrcholInfo_t info) {
  return analyse_device(call, {n, n, elements, base_of(description), nullptr, starts, indices}, state_of(info));
}
Status chol_sizes(const Call& call, i64, i64, cusparseMatDescr_t, In, In, In, csrcholInfo_t info, std::size_t* inner,
                  std::size_t* work) {
  return give_sizes(call, state_of(info), inner, work);
}
Status chol_factor(const Call& call, i64 n, i64 elements, cusparseMatDescr_t, In values, In, In, csrcholInfo_t info,
                   Out) {
  const State state = state_of(info);
  GPULAB_CHECK(state != nullptr && is_square(state) && n == state->pattern->rows &&
               elements >= static_cast<i64>(state->pattern->indices.size()));
  const Type t = type_of(call);
  const Operand from = vector("csrVal", values, t, elements, 1);
  return queue(call, n, n, static_cast<double>(elements) * 200, {from.buffer()}, [=](LibraryAccess& memory) {
    factorise(*state, load_bytes(memory, from).data(), t, 0, plain_order(state));
  });
}
Status chol_pivot(const Call& call, csrcholInfo_t info, double tolerance, int* position) {
  return tell_pivot(call, state_of(info), tolerance, true, position);
}
Status chol_solve(const Call& call, i64 n, In b, Out x, csrcholInfo_t info, Out) {
  return solve_device(call, n, state_of(info), b, x);
}
Status chol_diagonal(const Call& call, csrcholInfo_t info, Out diagonal) {
  const State state = state_of(info);
  GPULAB_CHECK(state != nullptr && is_square(state));
  const i64 n = state->pattern->rows;
  const Operand to = vector("diag", diagonal, real_of(type_of(call)), n, 1).written();
  return queue(call, n, 1, 0, {to.buffer()}, [=](LibraryAccess& memory) {
    std::visit(
        [&](const auto& lu) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(lu)>, std::monostate>) {
            Values<double> roots(to);
            for (i64 k = 0; k < n; ++k)
              roots[k] = std::sqrt(static_cast<double>(
                  real_part(lu.u.values[static_cast<std::size_t>(lu.u.starts[static_cast<std::size_t>(k + 1)] - 1)])));
            store(memory, roots);
          }
        },
        state->lu);
  });
}

// QR.
Status qr_analysis_host(const Call& call, i64 m, i64 n, i64 elements, cusparseMatDescr_t description, In starts,
                        In indices, csrqrInfoHost_t info) {
  return analyse_host(call, {m, n, elements, base_of(description), nullptr, starts, indices}, state_of(info));
}
Status qr_sizes_host(const Call& call, i64, i64, i64, cusparseMatDescr_t, In, In, In, csrqrInfoHost_t info,
                     std::size_t* inner, std::size_t* work) {
  return give_sizes(call, state_of(info), inner, work);
}
namespace {

Complex number_of(const Call& call, const void* mu) {
  Complex value = 0;
  if (is_complex(type_of(call)))
    decode(type_of(call), mu, &value, 1);
  else
    decode(type_of(call), mu, reinterpret_cast<double*>(&value), 1);
  return value;
}

}  // namespace

Status setup_qr_host(const Call& call, i64, i64, i64 elements, In values, const void* mu, csrqrInfoHost_t info) {
  const State state = state_of(info);
  GPULAB_CHECK(state != nullptr && is_tall(state) && values != nullptr &&
               elements >= static_cast<i64>(state->pattern->indices.size()));
  const auto* bytes = static_cast<const char*>(values);
  state->values.assign(bytes, bytes + elements * bytes_of(type_of(call)));
  state->shift = number_of(call, mu);
  return CUSOLVER_STATUS_SUCCESS;
}
Status qr_factor_host(const Call& call, i64, i64, i64, In b, Out x, csrqrInfoHost_t info, Out) {
  const State state = state_of(info);
  GPULAB_CHECK(state != nullptr && !state->values.empty());
  const Status status = factorise_host(call, state->values.data(), state, 1);
  if (status != CUSOLVER_STATUS_SUCCESS || b == nullptr || x == nullptr) return status;
  return solve_host(call, state, b, x);
}
Status qr_pivot_host(const Call& call, csrqrInfoHost_t info, double tolerance, int* position) {
  return tell_pivot(call, state_of(info), tolerance, false, position);
}
Status qr_solve_host(const Call& call, i64, i64, In b, Out x, csrqrInfoHost_t info, Out) {
  return solve_host(call, state_of(info), b, x);
}
Status qr_analysis(const Call& call, i64 m, i64 n, i64 elements, cusparseMatDescr_t description, In starts, In indices,
                   csrqrInfo_t info) {
  return analyse_device(call, {m, n, elements, base_of(description), nullptr, starts, indices}, state_of(info));
}
Status qr_sizes(const Call& call, i64, i64, i64, cusparseMatDescr_t, In, In, In, csrqrInfo_t info, std::size_t* inner,
                std::size_t* work) {
  return give_sizes(call, state_of(info), inner, work);
}
Status qr_batched_sizes(const Call& call, i64, i64, i64, cusparseMatDescr_t, In, In, In, i64 batch, csrqrInfo_t info,
                        std::size_t* inner, std::size_t* work) {
  GPULAB_CHECK(batch >= 0);
  return give_sizes(call, state_of(info), inner, work);
}
Status setup_qr(const Call& call, i64 m, i64 n, i64 elements, In values, const void* mu, csrqrInfo_t info) {
  const State state = state_of(info);
  GPULAB_CHECK(state != nullptr && is_tall(state) && elements >= static_cast<i64>(state->pattern->indices.size()));
  const Operand from = vector("csrVal", values, type_of(call), elements, 1);
  state->shift = number_of(call, mu);
  return queue(call, m, n, 0, {from.buffer()},
               [=](LibraryAccess& memory) { state->values = load_bytes(memory, from); });
}
Status qr_factor(const Call& call, i64 m, i64 n, i64 elements, In b, Out x, csrqrInfo_t info, Out) {
  const State state = state_of(info);
  GPULAB_CHECK(state != nullptr && is_tall(state));
  const Type t = type_of(call);
  const Status status = queue(call, m, n, static_cast<double>(elements) * 200, {}, [=](LibraryAccess&) {
    if (state->values.size() >= state->pattern->indices.size() * static_cast<std::size_t>(bytes_of(t)))
      factorise(*state, state->values.data(), t, 1, plain_order(state));
  });
  if (status != CUSOLVER_STATUS_SUCCESS || b == nullptr || x == nullptr) return status;
  return solve_device(call, m, state, b, x);
}
Status qr_pivot(const Call& call, csrqrInfo_t info, double tolerance, int* position) {
  return tell_pivot(call, state_of(info), tolerance, false, position);
}
Status qr_solve(const Call& call, i64 m, i64, In b, Out x, csrqrInfo_t info, Out) {
  return solve_device(call, m, state_of(info), b, x);
}
Status qr_batched(const Call& call, i64 m, i64 n, i64 elements, cusparseMatDescr_t, In values, In, In, In b, Out x,
                  i64 batch, csrqrInfo_t info, Out) {
  const State state = state_of(info);
  GPULAB_CHECK(state != nullptr && is_tall(state) && m == state->pattern->rows && n == state->pattern->columns &&
               batch >= 0 && elements >= static_cast<i64>(state->pattern->indices.size()));
  const Type t = type_of(call);
  const Operand all = vector("csrVal", values, t, elements * batch, 1), from = vector("b", b, t, m * batch, 1),
                to = vector("x", x, t, n * batch, 1).written();
  return queue(call, m, n, static_cast<double>(elements) * 200 * static_cast<double>(batch),
               {all.buffer(), from.buffer(), to.buffer()}, [=](LibraryAccess& memory) {
                 const auto numbers = load_bytes(memory, all), sides = load_bytes(memory, from);
                 std::vector<char> found(static_cast<std::size_t>(to.rows * bytes_of(t)));
                 const i64 size = bytes_of(t);
                 for (i64 i = 0; i < batch; ++i) {
                   factorise(*state, numbers.data() + i * elements * size, t, 1, plain_order(state));
                   solve(*state, sides.data() + i * m * size, found.data() + i * n * size);
                 }
                 store_bytes(memory, to, found);
               });
}

}  // namespace gpulab::cusolver

extern "C" {

#define GPULAB_INFO(Name, type)                                \
  cusolverStatus_t cusolverSpCreate##Name(type##_t* info) {    \
    if (info == nullptr) return CUSOLVER_STATUS_INVALID_VALUE; \
    *info = new type;                                          \
    return CUSOLVER_STATUS_SUCCESS;                            \
  }                                                            \
  cusolverStatus_t cusolverSpDestroy##Name(type##_t info) {    \
    delete info;                                               \
    return CUSOLVER_STATUS_SUCCESS;                            \
  }
GPULAB_INFO(CsrluInfoHost, csrluInfoHost)
GPULAB_INFO(CsrqrInfoHost, csrqrInfoHost)
GPULAB_INFO(CsrcholInfoHost, csrcholInfoHost)
GPULAB_INFO(CsrqrInfo, csrqrInfo)
GPULAB_INFO(CsrcholInfo, csrcholInfo)
#undef GPULAB_INFO

#define GPULAB_SETUP(L, T, Kind, info_t, function)                                                                    \
  cusolverStatus_t cusolverSp##L##csrqrSetup##Kind(cusolverSpHandle_t handle, int m, int n, int elements,             \
                                                   const cusparseMatDescr_t, const T* values, const int*, const int*, \
                                                   T mu, info_t info) {                                               \
    return gpulab::cusolver::function(                                                                                \
        {handle, "cusolverSp" #L "csrqrSetup" #Kind, #L, false, __builtin_return_address(0)}, m, n, elements, values, \
        &mu, info);                                                                                                   \
  }
#define GPULAB_SETUPS(L, T)                                \
  GPULAB_SETUP(L, T, Host, csrqrInfoHost_t, setup_qr_host) \
  GPULAB_SETUP(L, T, , csrqrInfo_t, setup_qr)
GPULAB_SETUPS(S, float)
GPULAB_SETUPS(D, double)
GPULAB_SETUPS(C, cuComplex)
GPULAB_SETUPS(Z, cuDoubleComplex)
#undef GPULAB_SETUP
#undef GPULAB_SETUPS

}  // extern "C"

#endif
