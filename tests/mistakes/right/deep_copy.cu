// right: the struct that goes to the GPU holds device pointers; the host only reads the copy that it made of them.
#include <cstdio>

struct Mesh {
  int count;
  float* weights;
  int* next;
};

__global__ void follow(const Mesh* mesh, float* out) {
  int at = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 3; ++k) {
    sum += mesh->weights[at];
    at = mesh->next[at];
  }
  out[threadIdx.x] = sum;
}

int main() {
  float weights[20], *out, result[20];
  int next[20];
  for (int i = 0; i < 20; ++i) weights[i] = i, next[i] = (i + 1) % 20;
  Mesh mesh = {20, nullptr, nullptr}, *deviceMesh;
  cudaMalloc(&mesh.weights, sizeof(weights));
  cudaMalloc(&mesh.next, sizeof(next));
  cudaMalloc(&deviceMesh, sizeof(Mesh));
  cudaMalloc(&out, sizeof(result));
  cudaMemcpy(mesh.weights, weights, sizeof(weights), cudaMemcpyHostToDevice);
  cudaMemcpy(mesh.next, next, sizeof(next), cudaMemcpyHostToDevice);
  cudaMemcpy(deviceMesh, &mesh, sizeof(Mesh), cudaMemcpyHostToDevice);
  follow<<<1, mesh.count>>>(deviceMesh, out);
  cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost);
  printf("%g %g\n", result[0], result[19]);
  cudaFree(mesh.weights);
  cudaFree(mesh.next);
  cudaFree(deviceMesh);
  cudaFree(out);
  return result[0] != 3 || result[19] != 20;
}
