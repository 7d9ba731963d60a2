// mistake: thrust::transform writes to a device_vector that is shorter than its input.
// happens: algorithms do not resize; elements 600.. are written past the vector's end.
// to say: out of bounds in the transform at BUG: 600 elements for 1000; resize the output (BUG2).
#include <thrust/device_vector.h>
#include <thrust/transform.h>

#include <cstdio>

// how: plain
// says: resize|too (small|short)|larger|shorter|smaller than|past the end|size of the (output|vector)
struct Cube {
  __host__ __device__ int operator()(int v) const { return v * v * v; }
};

int main() {
  thrust::device_vector<int> in(1000, 3);
  thrust::device_vector<int> out(600);                           // BUG2
  thrust::transform(in.begin(), in.end(), out.begin(), Cube{});  // BUG
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorName(error));
}
