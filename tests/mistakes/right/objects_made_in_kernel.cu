// right: objects with virtual functions are made by new in one kernel, used in a second, deleted in a third.
#include <cstdio>

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Stripe : Shape {
  float length;
  __device__ explicit Stripe(float l) : length(l) {}
  __device__ float area() const override { return length * 0.5f; }
};

__global__ void make(Shape** shapes) {
  int t = threadIdx.x;
  if (t % 2) {
    shapes[t] = new Square(t);
  } else {
    shapes[t] = new Stripe(t);
  }
}
__global__ void measure(Shape* const* shapes, float* areas) {
  const Shape* mine = shapes[threadIdx.x];
  areas[threadIdx.x] = mine ? mine->area() : -1;
}
__global__ void end(Shape** shapes) { delete shapes[threadIdx.x]; }

int main() {
  float host[16], *areas;
  Shape** shapes;
  cudaMalloc(&areas, sizeof(host));
  cudaMalloc(&shapes, 16 * sizeof(Shape*));
  make<<<1, 16>>>(shapes);
  measure<<<1, 16>>>(shapes, areas);
  end<<<1, 16>>>(shapes);
  cudaMemcpy(host, areas, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g %g\n", host[5], host[8]);
  cudaFree(areas);
  cudaFree(shapes);
  return host[5] != 25 || host[8] != 4;
}
