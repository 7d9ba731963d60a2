#pragma once
// What the ways to eigenvalues and singular values have in common: one record for each, whatever the function's name.

#include <functional>
#include <memory>

#include "common/cuda_api/libraries/cusolver/functions.h"

namespace gpulab::cusolver {

/// What an algorithm by Jacobi's rotations tells when it is done.
struct JacobiDone {
  int sweeps = 0;
  double residual = 0;
  void tell(int swept, double left) { sweeps = swept, residual = left; }
};

struct EigenRequest {
  bool vectors = false, upper = false;
  int kind = 0;  ///< of a pair A, B: 1 to 3; 0: of A alone
  i64 n = 0;
  Out a = nullptr;
  i64 lda = 1;
  Out b = nullptr;
  i64 ldb = 1;
  cusolverEigRange_t range = CUSOLVER_EIG_RANGE_ALL;
  double vl = 0, vu = 0;
  i64 il = 0, iu = 0;
  Out w = nullptr, info = nullptr;
  i64 batch = 1;
  std::function<void(i64)> count{};  ///< told how many were found, before the call returns
  int first = 4;                     ///< which parameter A is
  bool sorted = true;
  std::shared_ptr<JacobiDone> jacobi{};
};
Status eigenvalues(const Call& call, const EigenRequest& request);

/// How many columns of vectors are written: none, those that go with values (`econ`), or as many as they have rows.
[[nodiscard]] inline i64 written_vectors(bool vectors, bool econ, i64 values, i64 rows) {
  if (!vectors) return 0;
  return econ ? values : rows;
}

/// Of m x n matrices. U has `left`, V `right` columns; V^H is written where `adjoint`.
struct SingularRequest {
  i64 m = 0, n = 0;
  In a = nullptr;
  i64 lda = 1, stride_a = 0;
  Out s = nullptr;
  i64 count = 0, stride_s = 0;  ///< of the values: how many are written
  Out u = nullptr;
  i64 left = 0, ldu = 1, stride_u = 0;
  Out v = nullptr;
  i64 right = 0, ldv = 1, stride_v = 0;
  bool adjoint = false;
  Out info = nullptr;
  i64 batch = 1;
  std::function<void(i64, double)> residual{};  ///< told |A - U S V^H| of each, before the call returns
  bool sorted = true;
  std::shared_ptr<JacobiDone> jacobi{};
};
Status singular_values(const Call& call, const SingularRequest& request);

}  // namespace gpulab::cusolver

struct syevjInfo {
  double tolerance = 0;
  int most_sweeps = 100, sorted = 1;
  std::shared_ptr<gpulab::cusolver::JacobiDone> done = std::make_shared<gpulab::cusolver::JacobiDone>();
};
struct gesvdjInfo : syevjInfo {};
