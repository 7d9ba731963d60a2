// right: a struct with holes between its members is written member by member and copied as a whole, holes and all.
#include <cstdio>

struct Particle {
  char kind;
  double mass;
  short charge;
};

__global__ void make(Particle* p) {
  p[threadIdx.x].kind = 'a' + threadIdx.x % 26;
  p[threadIdx.x].mass = threadIdx.x * 0.5;
  p[threadIdx.x].charge = short(threadIdx.x % 3) - 1;
}
__global__ void doubled(const Particle* from, Particle* to) {
  Particle p = from[threadIdx.x];
  p.mass *= 2;
  to[threadIdx.x] = p;
}

int main() {
  Particle host[40], *p, *q, *r;
  cudaMalloc(&p, sizeof(host));
  cudaMalloc(&q, sizeof(host));
  cudaMalloc(&r, sizeof(host));
  make<<<1, 40>>>(p);
  cudaMemcpy(q, p, sizeof(host), cudaMemcpyDeviceToDevice);
  doubled<<<1, 40>>>(q, r);
  cudaMemcpy(host, r, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%c %g %d\n", host[30].kind, host[30].mass, host[30].charge);
  cudaFree(p);
  cudaFree(q);
  cudaFree(r);
  return host[30].kind != 'e' || host[30].mass != 30 || host[30].charge != -1;
}
