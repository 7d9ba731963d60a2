// cuBLASLt: products with orders, batches, epilogues, and bias and auxiliary matrices.
#include <cublasLt.h>
#include <cublas_v2.h>

#include "blas.h"

static cublasLtHandle_t lt;
static void* workspace;
constexpr size_t kWorkspace = 32u << 20;
template <typename W> W put_together(W alpha, W p, W beta, W c) { return (alpha == W(0) ? W(0) : times(alpha, p)) + (beta == W(0) ? W(0) : times(beta, c)); }

/// (1 + tanh(y)) / 2, exact where it is near 0, too.
static L half_of_tanh(L x) { return 1 / (1 + std::exp(-2 * std::sqrt(2 / std::acos(-1.0L)) * (x + 0.044715L * x * x * x))); }
static L gelu(L x) { return x * half_of_tanh(x); }
static L gelu_slope(L x) {
  const L h = half_of_tanh(x);
  return h + x * 2 * h * (1 - h) * std::sqrt(2 / std::acos(-1.0L)) * (1 + 3 * 0.044715L * x * x);
}

struct Shape { int m, n, k; };
struct How {
  cublasOperation_t opa = CUBLAS_OP_N, opb = CUBLAS_OP_N;
  int alpha = 1, beta = 0, batch = 1;
  unsigned rows = 0;  // bits: A, B, D by rows
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  bool in_place = true;
};

/// A matrix of a layout: `ld` elements between columns, or rows.
template <typename T> struct Laid {
  int m, n, batch;
  bool rows;
  int64_t ld, stride;
  Array<T> array;
  cublasLtMatrixLayout_t layout;
  Laid(int m, int n, bool rows, int batch, cudaDataType type, bool empty)
      : m(m), n(n), batch(batch), rows(rows), ld((std::max(1, rows ? n : m) + 7) / 8 * 8), stride(ld * (rows ? m : n)), array(size_t(stride * batch), !empty) {
    cublasLtMatrixLayoutCreate(&layout, type, uint64_t(m), uint64_t(n), ld);
    const cublasLtOrder_t order = rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
    cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
    cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch);
    cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride);
  }
  ~Laid() { cublasLtMatrixLayoutDestroy(layout); }
  size_t at(int64_t i, int64_t j, int b) const { return size_t(b * stride + (rows ? i * ld + j : j * ld + i)); }
  Dense<Wide<T>> dense(int b) const {
    Dense<Wide<T>> to(m, n);
    for (int j = 0; j < n; ++j) for (int i = 0; i < m; ++i) to(i, j) = wide(array.host[at(i, j, b)]);
    return to;
  }
  template <typename Of> void check(const std::string& name, int status, Of of) const {
    vector<Wide<T>> whole(array.host.size());
    vector<char> written(array.host.size());
    for (int b = 0; b < batch; ++b) for (int j = 0; j < n; ++j) for (int i = 0; i < m; ++i) whole[at(i, j, b)] = of(i, j, b), written[at(i, j, b)] = 1;
    ::check(name, status, array, whole, written);
  }
};

template <typename A, typename To, typename S> void matmul(const char* types, cudaDataType at, cudaDataType ct, cudaDataType st, cublasComputeType_t compute, Shape shape, How how) {
  using W = Wide<To>;
  Case one;
  const auto [m, n, k] = shape;
  const bool plain_a = how.opa == CUBLAS_OP_N, plain_b = how.opb == CUBLAS_OP_N;
  Laid<A> a(plain_a ? m : k, plain_a ? k : m, how.rows & 1, how.batch, at, false), b(plain_b ? k : n, plain_b ? n : k, how.rows & 2, how.batch, at, false);
  Laid<To> c(m, n, how.rows & 4, how.batch, ct, how.beta == 0), d(m, n, how.rows & 4, how.batch, ct, true);
  S alpha, beta;
  if constexpr (is_complex<S> || std::is_same_v<S, float> || std::is_same_v<S, double>) alpha = scalar<S>(how.alpha), beta = scalar<S>(how.beta);
  else alpha = real_of<S>(how.alpha == 2 ? 0.15 : how.alpha), beta = real_of<S>(how.beta == 2 ? 0.15 : how.beta);
  if constexpr (std::is_same_v<S, int>) alpha = how.alpha, beta = how.beta;
  cublasLtMatmulDesc_t description;
  cublasLtMatmulDescCreate(&description, compute, st);
  const auto set = [&](cublasLtMatmulDescAttributes_t which, auto value) { return int(cublasLtMatmulDescSetAttribute(description, which, &value, sizeof value)); };
  set(CUBLASLT_MATMUL_DESC_TRANSA, how.opa), set(CUBLASLT_MATMUL_DESC_TRANSB, how.opb), set(CUBLASLT_MATMUL_DESC_EPILOGUE, how.epilogue);
  const unsigned e = how.epilogue;
  const bool has_bias = e & 4, relu = e & 2, d_relu = e & 8, bias_gradient = e & 16, is_gelu = e & 32, d_gelu = e & 64, has_aux = e & 128, of_a = e & 256, of_b = e & 512;
  Array<To> bias(size_t(std::max(m, n)));
  if (has_bias || bias_gradient || of_a || of_b) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.device);
  const int64_t aux_ld = (relu || d_relu) ? (m + 127) / 128 * 128 : (m + 7) / 8 * 8;
  Array<To> aux(size_t(aux_ld * n));
  Array<int8_t> mask(size_t(aux_ld / 8 * n));
  for (auto& bits : mask.host) bits = int8_t(std::lrint(number() * 127));
  mask.put();
  if (has_aux) set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, (relu || d_relu) ? (void*)mask.device : (void*)aux.device), set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, aux_ld);
  cublasLtMatmulPreference_t preference;
  cublasLtMatmulPreferenceCreate(&preference);
  cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace, sizeof kWorkspace);
  cublasLtMatmulHeuristicResult_t found[1] = {};
  int count = 0;
  const auto& from = how.in_place ? d : c;
  if (how.in_place) d.array.host = c.array.host, d.array.put();
  const int searched = cublasLtMatmulAlgoGetHeuristic(lt, description, a.layout, b.layout, c.layout, d.layout, preference, 1, found, &count);
  int status = searched;
  if (searched == 0 && count > 0)
    status = cublasLtMatmul(lt, description, &alpha, a.array.device, a.layout, b.array.device, b.layout, &beta, from.array.device, from.layout, d.array.device, d.layout, &found[0].algo, workspace, kWorkspace, 0);
  cudaDeviceSynchronize();
  const std::string name = text("Lt %s %d x %d x %d ops %d %d scalars %d %d batch %d rows %d epilogue %d%s", types, m, n, k, how.opa, how.opb, how.alpha, how.beta, how.batch, how.rows, e, how.in_place ? "" : " C to D");
  if (status != 0) {
    line(name, status, 0, 0, "refused");
  } else {
    vector<Dense<W>> sums;
    for (int i = 0; i < how.batch; ++i) {
      auto p = product(op_of(a.dense(i), how.opa), op_of(b.dense(i), how.opb));
      const auto old = from.dense(i);
      for (int64_t at = 0; at < int64_t(p.all.size()); ++at) p.all[size_t(at)] = put_together<W>(W(wide(alpha)), p.all[size_t(at)], W(wide(beta)), old.all[size_t(at)]);
      sums.push_back(p);
    }
    if constexpr (!is_complex<To>) {
      auto& s = sums[0];
      const auto before = s;
      vector<L> gradient(size_t(std::max(m, n)));
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
          L& v = s(i, j);
          if (has_bias) v += wide(bias.host[size_t(i)]);
          if (relu && e != 8) v = std::max<L>(v, 0);
          if (is_gelu) v = gelu(v);
          if (d_gelu) v *= gelu_slope(wide(aux.host[size_t(j * aux_ld + i)]));
          if (d_relu && !(uint8_t(mask.host[size_t(j * aux_ld / 8 + i / 8)]) >> i % 8 & 1)) v = 0;
          if (bias_gradient) gradient[size_t(i)] += v;
        }
      const auto x = op_of(a.dense(0), how.opa), y = op_of(b.dense(0), how.opb);
      for (int l = 0; l < k; ++l) {
        if (of_a) for (int i = 0; i < m; ++i) gradient[size_t(i)] += x(i, l);
        if (of_b) for (int j = 0; j < n; ++j) gradient[size_t(j)] += y(l, j);
      }
      if (bias_gradient || of_a || of_b) {
        vector<char> written(bias.host.size());
        for (int i = 0; i < (of_b ? n : m); ++i) written[size_t(i)] = 1;
        check(name + " bias", status, bias, gradient, written);
      }
      if (has_aux && is_gelu) {
        vector<L> whole(aux.host.size());
        vector<char> written(aux.host.size());
        for (int j = 0; j < n; ++j) for (int i = 0; i < m; ++i) whole[size_t(j * aux_ld + i)] = before(i, j) + (has_bias ? wide(bias.host[size_t(i)]) : 0), written[size_t(j * aux_ld + i)] = 1;
        check(name + " aux", status, aux, whole, written);
      }
      if (has_aux && relu) {
        const auto now = mask.get();
        int wrong = 0;
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < m; ++i) wrong += (uint8_t(now[size_t(j * aux_ld / 8 + i / 8)]) >> i % 8 & 1) != (before(i, j) + (has_bias ? wide(bias.host[size_t(i)]) : 0) > 0);
        line(name + " aux", status, 0, 0, text("%d bits off", wrong));
      }
    }
    d.check(name, status, [&](int i, int j, int b) { return sums[size_t(b)](i, j); });
  }
  cublasLtMatmulPreferenceDestroy(preference);
  cublasLtMatmulDescDestroy(description);
}

template <typename A, typename To, typename S> void all(const char* types, cudaDataType at, cudaDataType ct, cudaDataType st, cublasComputeType_t compute, bool epilogues, bool orders = true) {
  const auto run = [&](Shape shape, How how) { matmul<A, To, S>(types, at, ct, st, compute, shape, how); };
  const auto N = CUBLAS_OP_N, T = CUBLAS_OP_T;
  for (const Shape& shape : vector<Shape>{{1, 1, 1}, {8, 8, 8}, {16, 24, 32}, {5, 3, 7}, {33, 17, 65}, {64, 1, 16}, {1, 64, 300}}) {
    for (const auto a : {N, T})
      for (const auto b : {N, T}) run(shape, {a, b}), run(shape, {a, b, 2, 2}), run(shape, {a, b, 2, 2, 1, 0, CUBLASLT_EPILOGUE_DEFAULT, false});
    run(shape, {N, N, 0, 1}), run(shape, {T, N, 1, 1, 3}), run(shape, {N, T, 2, 2, 3});
    if (orders) for (unsigned rows = 1; rows < 8; ++rows) run(shape, {N, N, 2, 2, 1, rows}), run(shape, {T, N, 1, 0, 1, rows});
  }
  if (!epilogues) return;
  for (const Shape& shape : vector<Shape>{{16, 24, 32}, {64, 40, 72}, {33, 17, 65}, {8, 1, 8}})
    for (const unsigned e : {2u, 4u, 6u, 32u, 36u, 130u, 134u, 160u, 164u, 136u, 152u, 192u, 208u, 256u, 512u})
      for (const auto a : {N, T}) run(shape, {a, N, 1, 0, 1, 0, cublasLtEpilogue_t(e)}), run(shape, {a, N, 2, 2, 1, 0, cublasLtEpilogue_t(e)}), run(shape, {a, T, 1, 0, 1, 0, cublasLtEpilogue_t(e), false});
}

/// Which algorithms there are for types, and what the first ones can; what is asked of none, or of too little room.
static void algorithms() {
  const struct { const char* name; cublasComputeType_t compute; cudaDataType scale, a, c; } kinds[] = {
      {"S", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F}, {"S tf32", CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
      {"H", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F}, {"H 16F", CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F}, {"B", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF},
      {"D", CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F}, {"C", CUBLAS_COMPUTE_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F}, {"Z", CUBLAS_COMPUTE_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
      {"I8", CUBLAS_COMPUTE_32I, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I}, {"none", CUBLAS_COMPUTE_64F, CUDA_R_32F, CUDA_R_16F, CUDA_R_32F}};
  for (const auto& kind : kinds) {
    int ids[300], count = -7;
    for (const int most : {300, 2, 0}) {
      const int status = cublasLtMatmulAlgoGetIds(lt, kind.compute, kind.scale, kind.a, kind.a, kind.c, kind.c, most, ids, &count);
      std::string told = text("count %d:", count);
      for (int i = 0; i < count && i < most; ++i) told += text(" %d", ids[i]);
      line(text("ids of %s, %d at most", kind.name, most), status, 0, 0, told);
    }
    cublasLtMatmulAlgoGetIds(lt, kind.compute, kind.scale, kind.a, kind.a, kind.c, kind.c, 300, ids, &count);
    for (const int which : {0, count - 1, count}) {
      if (which < 0) continue;
      const int id = which < count ? ids[which] : 9999;
      cublasLtMatmulAlgo_t algo;
      const int made = cublasLtMatmulAlgoInit(lt, kind.compute, kind.scale, kind.a, kind.a, kind.c, kind.c, id, &algo);
      line(text("init of %s, id %d", kind.name, id), made, 0, 0);
      if (made != 0) continue;
      for (int cap = 0; cap <= 22; ++cap) {
        size_t written = 7777;
        uint32_t values[256] = {};
        int status = cublasLtMatmulAlgoCapGetAttribute(&algo, cublasLtMatmulAlgoCapAttributes_t(cap), nullptr, 0, &written);
        std::string told = text("asked %zu", written);
        status = status * 1000 + cublasLtMatmulAlgoCapGetAttribute(&algo, cublasLtMatmulAlgoCapAttributes_t(cap), values, written < sizeof values ? written : 4, &written);
        told += text(" written %zu:", written);
        for (size_t i = 0; i < (written + 3) / 4 && i < 64; ++i) told += text(" %u", values[i]);
        line(text("cap %d of %s, id %d", cap, kind.name, id), status, 0, 0, told);
      }
      for (int config = 0; config <= 8; ++config) {
        uint64_t value = 0;
        size_t written = 7777;
        int status = cublasLtMatmulAlgoConfigGetAttribute(&algo, cublasLtMatmulAlgoConfigAttributes_t(config), &value, config < 7 ? 4 : 2, &written);
        const std::string before = text("first %llu of %zu", (unsigned long long)value, written);
        value = 2;
        status = status * 1000 + cublasLtMatmulAlgoConfigSetAttribute(&algo, cublasLtMatmulAlgoConfigAttributes_t(config), &value, config < 7 ? 4 : 2);
        value = 0;
        status = status * 1000 + cublasLtMatmulAlgoConfigGetAttribute(&algo, cublasLtMatmulAlgoConfigAttributes_t(config), &value, config < 7 ? 4 : 2, &written);
        line(text("config %d of %s, id %d", config, kind.name, id), status, 0, 0, before + text(" then %llu", (unsigned long long)value));
      }
    }
  }
}

int main(int count, char**) {
  begin();
  cublasLtCreate(&lt);
  if (count > 1) return algorithms(), end();
  workspace = take(kWorkspace);
  using H = __half;
  using B = __nv_bfloat16;
  all<float, float, float>("S", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, true);
  all<float, float, float>("S tf32", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, true);
  all<H, H, float>("H", CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, true);
  all<H, H, H>("H 16F", CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, true);
  all<H, float, float>("H S", CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, true);
  all<B, B, float>("B", CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, true);
  all<double, double, double>("D", CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, true);
  all<C, C, C>("C", CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F, false);
  all<Z, Z, Z>("Z", CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F, false);
  all<int8_t, int, int>("I8", CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I, false, false);
  cublasLtDestroy(lt);
  return end();
}
