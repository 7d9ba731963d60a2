// right: thrust on device_vectors and, by thrust::device, on a pointer of cudaMalloc; the output was given its size.
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

#include <cstdio>

struct Half {
  __host__ __device__ float operator()(int v) const { return v * 0.5f; }
};

int main() {
  thrust::device_vector<int> in(300);
  int host[300], *raw;
  for (int i = 0; i < 300; ++i) host[i] = i;
  thrust::copy(host, host + 300, in.begin());
  thrust::device_vector<float> halves(in.size());
  thrust::transform(in.begin(), in.end(), halves.begin(), Half{});
  float sum = thrust::reduce(halves.begin(), halves.end(), 0.0f);
  cudaMalloc(&raw, sizeof(host));
  cudaMemcpy(raw, host, sizeof(host), cudaMemcpyHostToDevice);
  int largest = thrust::reduce(thrust::device, raw, raw + 300, 0, thrust::maximum<int>());
  float last = halves[299];
  printf("%g %d %g\n", sum, largest, last);
  cudaFree(raw);
  return sum != 22425 || largest != 299 || last != 149.5f;
}
