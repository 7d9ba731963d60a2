// mistake: an object with virtual functions is made on the host, in managed memory, and used in a kernel.
// happens: its table of virtual functions is the host's; the call jumps to a host address.
// to say: at BUG a virtual function of an object that the host made; make it in a kernel.
#include <cstdio>
#include <new>

// how: plain
// says: vtable|virtual|(constructed|made) on the host|host (memory|address|code|function|object)|of the host
struct Shape {
  __host__ __device__ virtual float area() const { return 0; }
};
struct Square : Shape {
  float side;
  __host__ __device__ explicit Square(float s) : side(s) {}
  __host__ __device__ float area() const override { return side * side; }
};

__global__ void measure(Shape* const* shapes, float* areas) {
  areas[threadIdx.x] = shapes[threadIdx.x]->area();  // BUG
}

int main() {
  Shape** shapes;
  float* areas;
  cudaMallocManaged(&shapes, 4 * sizeof(Shape*));
  cudaMallocManaged(&areas, 4 * sizeof(float));
  for (int i = 0; i < 4; ++i) {
    Square* place;
    cudaMallocManaged(&place, sizeof(Square));
    shapes[i] = new (place) Square(i + 1.0f);
  }
  measure<<<1, 4>>>(shapes, areas);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s: ", cudaGetErrorName(error));
  if (error == cudaSuccess) printf("%g (16 is right)", areas[3]);
  printf("\n");
  return 0;
}
