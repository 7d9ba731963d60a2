// Clusters as kernels see them: registers, addresses of siblings' shared memory, accesses and atomics there, mbarriers and copies. What
// is expected is what an H100 printed (driver 580).
// long
// build: -arch=sm_90
// case: -- registers :: 0
// out: plain 2x2: call cudaSuccess, last cudaSuccess, sync cudaSuccess
// out: attribute 1,1,1 of 2: call cudaSuccess, last cudaSuccess, sync cudaSuccess
// out: attribute 2,1,1 of 4: call cudaSuccess, last cudaSuccess, sync cudaSuccess
// out: attribute 2,2,1 of 4x2: call cudaSuccess, last cudaSuccess, sync cudaSuccess
// out: attribute 1,2,2 of 2x2x2: call cudaSuccess, last cudaSuccess, sync cudaSuccess
// out: attribute 3,1,1 of 6: call cudaSuccess, last cudaSuccess, sync cudaSuccess
// out: dims 2,1,1 of 4: call cudaSuccess, last cudaSuccess, sync cudaSuccess
// out: dims 1,2,2 of 1x2x2: call cudaSuccess, last cudaSuccess, sync cudaSuccess
// out: dims 2,1,1 of 3: call cudaSuccess, last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: dims 2,1,1 and attribute 2,1,1: call cudaSuccess, last cudaSuccess, sync cudaSuccess
// out: dims 2,1,1 and attribute 4,1,1: call cudaErrorInvalidClusterSize, last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: dims 2,1,1 and attribute 1,1,1: call cudaErrorInvalidClusterSize, last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: dims 2,1,1 and attribute 0,0,0: call cudaSuccess, last cudaSuccess, sync cudaSuccess
// out:   block 2,0,0 id 1,0,0 of 2,1,1 cta 0,0,0 of 2,1,1 rank 0 of 2 explicit 1
// out:   block 3,0,0 id 1,0,0 of 2,1,1 cta 1,0,0 of 2,1,1 rank 1 of 2 explicit 1
// out:   block 0,0,0 id 0,0,0 of 2,1,1 cta 0,0,0 of 2,2,1 rank 0 of 4 explicit 1
// out:   block 1,0,0 id 0,0,0 of 2,1,1 cta 1,0,0 of 2,2,1 rank 1 of 4 explicit 1
// out:   block 2,0,0 id 1,0,0 of 2,1,1 cta 0,0,0 of 2,2,1 rank 0 of 4 explicit 1
// out:   block 3,0,0 id 1,0,0 of 2,1,1 cta 1,0,0 of 2,2,1 rank 1 of 4 explicit 1
// out:   block 0,1,0 id 0,0,0 of 2,1,1 cta 0,1,0 of 2,2,1 rank 2 of 4 explicit 1
// out:   block 1,1,0 id 0,0,0 of 2,1,1 cta 1,1,0 of 2,2,1 rank 3 of 4 explicit 1
// out:   block 2,1,0 id 1,0,0 of 2,1,1 cta 0,1,0 of 2,2,1 rank 2 of 4 explicit 1
// out:   block 3,1,0 id 1,0,0 of 2,1,1 cta 1,1,0 of 2,2,1 rank 3 of 4 explicit 1
// out:   block 0,0,0 id 0,0,0 of 2,1,1 cta 0,0,0 of 1,2,2 rank 0 of 4 explicit 1
// out:   block 1,0,0 id 1,0,0 of 2,1,1 cta 0,0,0 of 1,2,2 rank 0 of 4 explicit 1
// out:   block 0,1,0 id 0,0,0 of 2,1,1 cta 0,1,0 of 1,2,2 rank 1 of 4 explicit 1
// out:   block 1,1,0 id 1,0,0 of 2,1,1 cta 0,1,0 of 1,2,2 rank 1 of 4 explicit 1
// out:   block 0,0,1 id 0,0,0 of 2,1,1 cta 0,0,1 of 1,2,2 rank 2 of 4 explicit 1
// out:   block 1,0,1 id 1,0,0 of 2,1,1 cta 0,0,1 of 1,2,2 rank 2 of 4 explicit 1
// out:   block 0,1,1 id 0,0,0 of 2,1,1 cta 0,1,1 of 1,2,2 rank 3 of 4 explicit 1
// out:   block 1,1,1 id 1,0,0 of 2,1,1 cta 0,1,1 of 1,2,2 rank 3 of 4 explicit 1
// out:   block 0,0,0 id 0,0,0 of 2,1,1 cta 0,0,0 of 3,1,1 rank 0 of 3 explicit 1
// out:   block 1,0,0 id 0,0,0 of 2,1,1 cta 1,0,0 of 3,1,1 rank 1 of 3 explicit 1
// out:   block 2,0,0 id 0,0,0 of 2,1,1 cta 2,0,0 of 3,1,1 rank 2 of 3 explicit 1
// out:   block 3,0,0 id 1,0,0 of 2,1,1 cta 0,0,0 of 3,1,1 rank 0 of 3 explicit 1
// case: -- addresses :: 0
// out: cudaSuccess addresses: launch cudaSuccess, end cudaSuccess
// out: rank 0: 1 0 1 1 0 1 1 267 107 105 1 -1 1 0 103 3 1 1 1 -1 1 -1 -1 -1
// out: rank 1: 1 0 1 1 1 2 1 267 207 205 1 -1 2 1 203 103 1 1 1 -1 1 -1 -1 -1
// out: rank 2: 1 0 1 1 2 3 1 267 307 305 1 -1 3 2 303 203 1 1 1 -1 1 -1 -1 -1
// out: rank 3: 1 0 1 1 3 0 1 267 7 5 1 -1 0 3 3 303 1 1 253 -1 253 -1 -1 -1
// case: -- accesses :: 0
// out: cudaSuccess accesses: launch cudaSuccess, end cudaSuccess
// out: rank 0: 1 0 2 3 1 1 2 3 64 64 63 5 7 4 192 32 1004 3 128 64 3210 1005 192 0
// out: rank 1: 0 0 2 3 0 1 2 3 64 64 63 5 7 4 192 32 1003 3 128 64 3211 1006 192 0
// out: cudaSuccess accesses: launch cudaSuccess, end cudaSuccess
// out: rank 0: 3 0 2 3 3 1 2 3 64 64 63 5 7 4 192 32 1006 3 128 64 3210 1005 192 0
// out: rank 1: 0 0 2 3 0 1 2 3 64 64 63 5 7 4 192 32 1003 3 128 64 3211 1006 192 0
// out: rank 2: 1 0 2 3 1 1 2 3 64 64 63 5 7 4 192 32 1004 3 128 64 3212 1007 192 0
// out: rank 3: 2 0 2 3 2 1 2 3 64 64 63 5 7 4 192 32 1005 3 128 64 3213 1008 192 0
// case: -- copies :: 0
// out: cudaSuccess copies: launch cudaSuccess, end cudaSuccess
// out: rank 0: 3000 3005 3063, 3000 4245 3063
// out: rank 1: 0 5 63, 0 4242 63
// out: rank 2: 1000 1005 1063, 1000 4243 1063
// out: rank 3: 2000 2005 2063, 2000 4244 2063
// case: --sanitize memcheck,racecheck,initcheck,synccheck -- accesses :: 0
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
namespace cg = cooperative_groups;
typedef unsigned int u32;
typedef unsigned long long u64;

#define NAME(e) cudaGetErrorName(e)
static void end_of(const char* what) {
  cudaError_t launch = cudaGetLastError();
  cudaError_t sync = cudaDeviceSynchronize();
  printf("%s: launch %s, end %s\n", what, NAME(launch), NAME(sync));
}
template <typename... P, typename... A>
static cudaError_t launch(void (*kernel)(P...), dim3 grid, dim3 block, dim3 cluster, size_t shared, A... args) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = cluster.x;
  attribute[0].val.clusterDim.y = cluster.y;
  attribute[0].val.clusterDim.z = cluster.z;
  config.attrs = attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, (P)args...);
}

// ---- registers ----
struct Seen { u32 id[3], n[3], cta[3], ncta[3], rank, nrank, is_explicit, block[3]; };
__device__ void see(Seen* out) {
  Seen s;
#define R(name, to) asm volatile("mov.u32 %0, %%" name ";" : "=r"(to))
  R("clusterid.x", s.id[0]); R("clusterid.y", s.id[1]); R("clusterid.z", s.id[2]);
  R("nclusterid.x", s.n[0]); R("nclusterid.y", s.n[1]); R("nclusterid.z", s.n[2]);
  R("cluster_ctaid.x", s.cta[0]); R("cluster_ctaid.y", s.cta[1]); R("cluster_ctaid.z", s.cta[2]);
  R("cluster_nctaid.x", s.ncta[0]); R("cluster_nctaid.y", s.ncta[1]); R("cluster_nctaid.z", s.ncta[2]);
  R("cluster_ctarank", s.rank); R("cluster_nctarank", s.nrank);
  asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(s.is_explicit));
  s.block[0] = blockIdx.x; s.block[1] = blockIdx.y; s.block[2] = blockIdx.z;
  out[blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)] = s;
}
__global__ void registers(Seen* out) { if (threadIdx.x == 0) see(out); }
__global__ void __cluster_dims__(2, 1, 1) registers_211(Seen* out) { if (threadIdx.x == 0) see(out); }
__global__ void __cluster_dims__(1, 2, 2) registers_122(Seen* out) { if (threadIdx.x == 0) see(out); }
static void show(const char* what, const Seen* seen, int count) {
  printf("%s\n", what);
  for (int i = 0; i < count; ++i) {
    const Seen& s = seen[i];
    printf("  block %u,%u,%u id %u,%u,%u of %u,%u,%u cta %u,%u,%u of %u,%u,%u rank %u of %u explicit %u\n", s.block[0], s.block[1],
           s.block[2], s.id[0], s.id[1], s.id[2], s.n[0], s.n[1], s.n[2], s.cta[0], s.cta[1], s.cta[2], s.ncta[0], s.ncta[1],
           s.ncta[2], s.rank, s.nrank, s.is_explicit);
  }
}
static void section_registers() {
  Seen* out;
  cudaMallocManaged(&out, 64 * sizeof(Seen));
  auto after = [&](const char* what, cudaError_t e, int count) {
    cudaError_t last = cudaGetLastError(), sync = cudaDeviceSynchronize();
    printf("%s: call %s, last %s, sync %s\n", what, NAME(e), NAME(last), NAME(sync));
    if (!e && !last && !sync) show(what, out, count);
  };
  registers<<<dim3(2, 2), 32>>>(out);
  after("plain 2x2", cudaSuccess, 4);
  after("attribute 1,1,1 of 2", launch(registers, 2, 32, dim3(1, 1, 1), 0, out), 2);
  after("attribute 2,1,1 of 4", launch(registers, 4, 32, dim3(2, 1, 1), 0, out), 4);
  after("attribute 2,2,1 of 4x2", launch(registers, dim3(4, 2), 32, dim3(2, 2, 1), 0, out), 8);
  after("attribute 1,2,2 of 2x2x2", launch(registers, dim3(2, 2, 2), 32, dim3(1, 2, 2), 0, out), 8);
  after("attribute 3,1,1 of 6", launch(registers, 6, 32, dim3(3, 1, 1), 0, out), 6);
  registers_211<<<4, 32>>>(out);
  after("dims 2,1,1 of 4", cudaSuccess, 4);
  registers_122<<<dim3(1, 2, 2), 32>>>(out);
  after("dims 1,2,2 of 1x2x2", cudaSuccess, 4);
  registers_211<<<3, 32>>>(out);
  after("dims 2,1,1 of 3", cudaSuccess, 3);
  after("dims 2,1,1 and attribute 2,1,1", launch(registers_211, 4, 32, dim3(2, 1, 1), 0, out), 4);
  after("dims 2,1,1 and attribute 4,1,1", launch(registers_211, 4, 32, dim3(4, 1, 1), 0, out), 4);
  after("dims 2,1,1 and attribute 1,1,1", launch(registers_211, 4, 32, dim3(1, 1, 1), 0, out), 4);
  after("dims 2,1,1 and attribute 0,0,0", launch(registers_211, 4, 32, dim3(0, 0, 0), 0, out), 4);
}

// ---- addresses ----
__global__ void addresses(u32* out, u64* box) {
  __shared__ int s[64];
  cg::cluster_group cluster = cg::this_cluster();
  const u32 rank = cluster.block_rank(), other = (rank + 1) % cluster.num_blocks();
  s[threadIdx.x] = 100 * (int)rank + (int)threadIdx.x;
  if (threadIdx.x == 0) box[rank] = (u64)&s[5];
  __threadfence();
  cluster.sync();
  if (threadIdx.x == 0) {
    u32* o = out + 24 * rank;
    int* mine = cluster.map_shared_rank(s, rank);
    int* theirs = cluster.map_shared_rank(s, other);
    o[0] = mine == s;
    o[1] = theirs == s;
    o[2] = cluster.map_shared_rank(theirs, rank) == mine;
    o[3] = cluster.map_shared_rank(theirs, other) == theirs;
    o[4] = cluster.query_shared_rank(s);
    o[5] = cluster.query_shared_rank(theirs);
    o[6] = __isShared(s) | __isShared(theirs) << 1 | __isShared(out) << 2;
    u32 is_cluster = 0;
    const void* all[3] = {s, theirs, out};
    for (int i = 0; i < 3; ++i) {
      u32 one;
      asm volatile("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(one) : "l"(all[i]));
      is_cluster |= one << i;
      asm volatile("{ .reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(one) : "l"(all[i]));
      is_cluster |= one << (i + 3);
      asm volatile("{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(one) : "l"(all[i]));
      is_cluster |= one << (i + 6);
    }
    o[7] = is_cluster;
    o[8] = (u32)theirs[7];
    // A generic pointer to its own that a sibling has given away.
    o[9] = (u32) * (volatile int*)((volatile u64*)box)[other];
    const u32 own32 = (u32)__cvta_generic_to_shared(s);
    u32 mapped_own, mapped, rank_of, value;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped_own) : "r"(own32), "r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(own32), "r"(other));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank_of) : "r"(mapped));
    o[10] = mapped_own == own32;
    o[12] = rank_of;
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank_of) : "r"(own32));
    o[13] = rank_of;
    asm volatile("ld.shared::cluster.u32 %0, [%1+12];" : "=r"(value) : "r"(mapped));
    o[14] = value;
    asm volatile("ld.shared::cluster.u32 %0, [%1+12];" : "=r"(value) : "r"(own32));
    o[15] = value;
    u64 generic;
    asm volatile("{ .reg .u64 a; cvt.u64.u32 a, %1; cvta.shared::cluster.u64 %0, a; }" : "=l"(generic) : "r"(mapped));
    o[16] = generic == (u64)theirs;
    asm volatile("{ .reg .u64 a; cvta.to.shared::cluster.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(value) : "l"(theirs));
    o[17] = value == mapped;
    o[18] = (u32)((u64)theirs - (u64)s) >> 24;
    o[20] = (u32)((u64)box[other] - (u64)&s[5]) >> 24;
  }
  cluster.sync();
}
static void section_addresses() {
  u32* out;
  u64* box;
  cudaMallocManaged(&out, 4 * 24 * 4);
  cudaMallocManaged(&box, 64);
  memset(out, 0xff, 4 * 24 * 4);
  printf("%s ", NAME(launch(addresses, 4, 64, dim3(4), 0, out, box)));
  end_of("addresses");
  for (int r = 0; r < 4; ++r) {
    printf("rank %d:", r);
    for (int i = 0; i < 24; ++i) printf(" %d", (int)out[24 * r + i]);
    printf("\n");
  }
}

// ---- accesses and atomics on a sibling ----
__global__ void accesses(float* out) {
  __shared__ alignas(16) float s[128];
  __shared__ alignas(16) u64 w[16];
  __shared__ alignas(16) unsigned short h[32];
  cg::cluster_group cluster = cg::this_cluster();
  const u32 rank = cluster.block_rank(), n = cluster.num_blocks(), t = threadIdx.x;
  for (u32 i = t; i < 128; i += blockDim.x) s[i] = i == 100 ? __uint_as_float(1) : 0;  // a subnormal
  if (t < 16) w[t] = 0;
  if (t < 32) h[t] = 0;
  cluster.sync();
  float* next = cluster.map_shared_rank(s, (rank + 1) % n);
  u64* next_w = cluster.map_shared_rank(w, (rank + 1) % n);
  unsigned short* next_h = cluster.map_shared_rank(h, (rank + 1) % n);
  ((float4*)next)[t % 4] = make_float4(rank, t % 4, 2, 3);
  atomicAdd(&next[20], 1.0f);
  atomicAdd((int*)&next[21], 1);
  atomicMax((int*)&next[22], (int)t);
  atomicExch((int*)&next[23 + t % 8], 5);
  atomicCAS((int*)&next[32], 0, 7);
  atomicInc((u32*)&next[33], 9);
  atomicAdd(&next_w[0], 3ull);
  atomicAdd((double*)&next_w[1], 0.5);
  if (t < 16) next_h[t] = (unsigned short)(1000 + t + rank);
  if (t == 0) atomicAdd(&next[100], __uint_as_float(2));
  const int before = atomicAdd((int*)&next[34], 2);
  atomicAdd((int*)&next[35], before >= 0);
  cluster.sync();
  if (t == 0) {
    float* o = out + 32 * rank;
    for (int i = 0; i < 8; ++i) o[i] = s[i];
    o[8] = s[20]; o[9] = (float)__float_as_int(s[21]); o[10] = (float)__float_as_int(s[22]); o[11] = (float)__float_as_int(s[23]);
    o[12] = (float)__float_as_int(s[32]); o[13] = (float)__float_as_int(s[33]); o[14] = (float)w[0]; o[15] = (float)*(double*)&w[1];
    o[16] = h[3]; o[17] = (float)__float_as_int(s[100]); o[18] = (float)__float_as_int(s[34]); o[19] = (float)__float_as_int(s[35]);
    const float4 v = ((float4*)next)[1];
    o[20] = v.x + 10 * v.y + 100 * v.z + 1000 * v.w;
    o[21] = next_h[5];
    o[22] = (float)next_w[0];
  }
  cluster.sync();
}
static void section_accesses() {
  float* out;
  cudaMallocManaged(&out, 4 * 32 * 4);
  for (int n : {2, 4}) {
    memset(out, 0, 4 * 32 * 4);
    printf("%s ", NAME(launch(accesses, n, 64, dim3(n), 0, out)));
    end_of("accesses");
    for (int r = 0; r < n; ++r) {
      printf("rank %d:", r);
      for (int i = 0; i < 24; ++i) printf(" %g", out[32 * r + i]);
      printf("\n");
    }
  }
}

// ---- mbarriers of a sibling, copies to it ----
__global__ void copies(u32* out) {
  __shared__ alignas(128) u32 from[64], to[64];
  __shared__ alignas(8) u64 bar[2];
  cg::cluster_group cluster = cg::this_cluster();
  const u32 rank = cluster.block_rank(), n = cluster.num_blocks(), t = threadIdx.x, other = (rank + 1) % n;
  from[t] = 1000 * rank + t;
  to[t] = 7;
  const u32 b0 = (u32)__cvta_generic_to_shared(&bar[0]), b1 = (u32)__cvta_generic_to_shared(&bar[1]);
  if (t == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b0));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(b1));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  asm volatile("fence.proxy.async.shared::cta;");
  cluster.sync();
  u32 remote_bar, remote_to, remote_b1;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote_bar) : "r"(b0), "r"(other));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote_b1) : "r"(b1), "r"(other));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote_to) : "r"((u32)__cvta_generic_to_shared(to)), "r"(other));
  if (t == 0) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], 256; }" ::"r"(b0));
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(remote_to),
                 "r"((u32)__cvta_generic_to_shared(from)), "r"(remote_bar) : "memory");
  }
  auto wait = [](u32 at, u32 parity) {
    u32 done = 0;
    while (!done)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done) : "r"(at), "r"(parity) : "memory");
  };
  wait(b0, 0);
  out[128 * rank + t] = to[t];
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote_b1) : "memory");
  wait(b1, 0);
  // st.async: 4 bytes, counted at the sibling's mbarrier.
  if (t == 0) asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], 4; }" ::"r"(b0));
  cluster.sync();
  if (t == 5)
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(remote_to + 20),
                 "r"(4242 + rank), "r"(remote_bar) : "memory");
  wait(b0, 1);
  out[128 * rank + 64 + t] = to[t];
  cluster.sync();
}
static void section_copies() {
  u32* out;
  cudaMallocManaged(&out, 4 * 128 * 4);
  memset(out, 0, 4 * 128 * 4);
  printf("%s ", NAME(launch(copies, 4, 64, dim3(4), 0, out)));
  end_of("copies");
  for (int r = 0; r < 4; ++r) printf("rank %d: %u %u %u, %u %u %u\n", r, out[128 * r], out[128 * r + 5], out[128 * r + 63], out[128 * r + 64], out[128 * r + 69], out[128 * r + 127]);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "registers")) section_registers();
  if (!strcmp(what, "addresses")) section_addresses();
  if (!strcmp(what, "accesses")) section_accesses();
  if (!strcmp(what, "copies")) section_copies();
}
