// scan: How can every element know the sum of all before it, without waiting for them one by one?
//
//   writes in[0] + … + in[i] to out[i], of at most as many elements as the block has threads
//   launch: one block; n is at most its number of threads
//   blocks of 1024
//   shared: dynamic shared memory for two ints for each thread
//   before: outputs hold nothing that was ever written; inputs stay as they are
//   numbers: modulo 2^32
//   classes: usual, empty, one, warps, odd, extreme
//
// Write the kernel, then: gpulab check scan starter.cu --contract tile
// Other names of parameters, helper functions, printf and host code beside it are fine.

__global__ void tile(const int* in, int* out, int n) {
  // your code
}
