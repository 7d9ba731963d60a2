// A host's address in a kernel is told as what it is, by what carried it, and never as an index into memory of the device.
// case: -- vector :: 4
// err: error: out-of-bounds load of 4 bytes at 0x[0-9a-f]+, which is host memory \(malloc, new, a container such as std::vector\) in add, block
// err: hint: argument 1 of the launch \(float\*\) carries it; copy what it points to into memory of the device \(cudaMalloc, cudaMemcpy\), or allocate it with cudaMallocManaged
// case: -- reference :: 4
// err: error: out-of-bounds load of 4 bytes at 0x[0-9a-f]+, which is host memory \(a variable on the host's stack\) in fill, block
// err: hint: argument 2 of the launch \(int const&\) carries it; a kernel cannot follow a reference to the host's variables: take the parameter by value
// case: --sanitize memcheck -- reference :: 4
// err: ^gpulab: host_pointers on a simulated h200: exit code 0\nerror: out-of-bounds load .*host memory .*(\n .*)*\n\n
// case: -- member :: 4
// err: which is host memory \(malloc, new, a container such as std::vector\) in member, block
// err: hint: argument 1 of the launch \(Pair\) carries it, 8 bytes from its begin; copy what it points to
// case: -- nested :: 4
// err: which is host memory \(malloc, new, a container such as std::vector\) in nested, block
// err: hint: no argument of the launch carries it: it stands in byte \d+ of 'cudaMalloc #2', to which it was copied; copy what it points to, too
// case: -- symbol :: 4
// err: which is host memory \(what stands for the __device__ variable 'table' in the host's program\) in add, block
// err: hint: argument 1 of the launch \(float\*\) carries it; name the variable in the kernel instead of passing its address, or pass what cudaGetSymbolAddress gives
// case: -- global :: 4
// err: which is host memory \(global variables and constants of the host's program\) in add, block
// case: -- virtual :: 4
// err: which is host memory \(global variables and constants of the host's program\) in ask, block
// err: hint: no argument of the launch carries it: .*an object with virtual functions holds a pointer to a table of them, and the host.s table is no use to a kernel: make the object in a kernel
// case: -- function :: 4
// err: error: call of address 0x[0-9a-f]+, which is host memory \(code of the host's program\) in apply, block
// err: hint: argument 2 of the launch \(float \(\*\)\(float\)\) carries it; a kernel can call functions of the device alone
// case: -- far :: 4
// err: error: out-of-bounds store of 4 bytes at 0x[0-9a-f]+, byte 17\d+ of '[^']+', which has \d+ bytes in store_at, block
// case: -- freed :: 4
// err: 'cudaMalloc #1' has been freed in add, block
#include <cstring>
#include <vector>

struct Pair {
  float* on_device;
  float* on_host;
};
struct Shape {
  virtual __host__ __device__ float area() const { return 2; }
};
__device__ float table[8];
float everywhere[8];

__global__ void add(float* x) { x[threadIdx.x] += 1; }
__global__ void fill(int* x, const int& n) {
  if (int(threadIdx.x) < n) x[threadIdx.x] = 1;
}
__global__ void store_at(int* x, unsigned at) { x[at] = 1; }
__global__ void member(Pair p) { p.on_device[0] = p.on_host[0]; }
__global__ void nested(Pair* p) { p->on_device[0] = p->on_host[0]; }
__global__ void ask(float* x, const Shape* s) { x[0] = s->area(); }
__global__ void apply(float* x, float (*f)(float)) { x[0] = f(x[0]); }
__host__ __device__ float twice(float x) { return 2 * x; }

int main(int, char** argv) {
  const auto is = [&](const char* word) { return std::strcmp(argv[1], word) == 0; };
  float* device;
  int n = 20;
  cudaMalloc(&device, 400);
  std::vector<float> own(100000);
  const Pair pair{device, own.data()};
  void* copied;
  cudaMalloc(&copied, sizeof(Pair));
  if (is("vector")) add<<<1, 32>>>(own.data());
  if (is("reference")) fill<<<1, 32>>>(reinterpret_cast<int*>(device), n);
  if (is("member")) member<<<1, 1>>>(pair);
  if (is("nested")) {
    cudaMemcpy(copied, &pair, sizeof pair, cudaMemcpyHostToDevice);
    nested<<<1, 1>>>(static_cast<Pair*>(copied));
  }
  if (is("symbol")) add<<<1, 8>>>(table);
  if (is("global")) add<<<1, 8>>>(everywhere);
  if (is("virtual")) {
    const Shape shape;
    cudaMemcpy(copied, &shape, sizeof shape, cudaMemcpyHostToDevice);
    ask<<<1, 1>>>(device, static_cast<const Shape*>(copied));
  }
  if (is("function")) apply<<<1, 1>>>(device, twice);
  if (is("far")) store_at<<<1, 1>>>(reinterpret_cast<int*>(device), ~0u);
  if (is("freed")) {
    cudaFree(device);
    add<<<1, 1>>>(device);
  }
}
