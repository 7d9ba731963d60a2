#pragma once
// QR by Householder reflections, as LAPACK's geqrf: R above, the reflections' vectors below the diagonal, tau beside.

#include "common/cuda_api/libraries/numbers.h"

namespace gpulab::libraries {

/// `a`: m x n by columns of ld rows; tau: min(m, n).
template <typename W>
void factorise_qr(W* a, i64 m, i64 n, i64 ld, W* tau);

/// C (m x n) becomes op(Q) C, or C op(Q) where `right`; of the first `count` reflections in `a`.
template <typename W>
void apply_q(const W* a, i64 ld, const W* tau, i64 count, bool right, bool adjoint, W* c, i64 m, i64 n);

/// A reflection H = I - tau v v^H, v[0] = 1, with H^H x = beta e1. x becomes (beta, v[1:]). Returns tau.
template <typename W>
W reflection(W* x, i64 n);

}  // namespace gpulab::libraries
