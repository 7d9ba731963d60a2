// transpose: Why is moving data in another order so slow, and what does shared memory do about it?
//
//   writes the transpose of in, rows x cols, to out, cols x rows; both row-major
//   launch: a thread for each element of in, x along its columns, y along its rows; with 32x8, 32x16
//       or 16x16 also a block for each tile of 32x32
//   blocks of 32x32, 32x8 for 32x32, 16x16, 32x8, 16x16 for 32x32, 8x8, 32x16 for 32x32; the first
//       with which it is right counts; a kernel that is made for others says so in a comment, 'gpulab:
//       block 32x8 for 32x32'
//   shared: no dynamic shared memory
//   before: outputs hold nothing that was ever written; inputs stay as they are
//   numbers: moved as it is, bit for bit: NaN, infinities and -0, too
//   classes: usual, rectangle, empty, one, odd, long, large, special
//
// Write the kernel, then: gpulab check transpose starter.cu
// Other names of parameters, helper functions, printf and host code beside it are fine.

__global__ void transpose(const float* in, float* out, int rows, int cols) {
  // your code
}
