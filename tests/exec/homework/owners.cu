// Places of the host's calls are lines of the program: not of the toolkit's headers, which stand between (cudaMallocHost is a
// function of three), nor of nvcc's own files, for members that are written inside their class.
// long
// case: --sanitize memcheck :: 1
// err: error: api: cudaFree: 'cudaMalloc #1' has been freed already, at owners\.cu:@cudaFree(first.p)@ \(called by owners\.cu:@cudaFree(p)@;
// err: leakcheck: cudaHostAlloc #1, 4096 bytes, is never freed \(called by owners\.cu:@cudaMallocHost(@\)
// err: leakcheck: cudaMalloc #2, 256 bytes, is never freed \(called by owners\.cu:@cudaMalloc(&p@\)
// case: --sanitize memcheck --nvcc -g :: 1
// err: leakcheck: cudaMalloc #2, 256 bytes, is never freed \(called by owners\.cu:@cudaMalloc(&p@\)
struct Buffer {
  int* p;
  Buffer() { cudaMalloc(&p, 256); }
  ~Buffer() { cudaFree(p); }
};

int main() {
  float* pinned;
  cudaMallocHost(&pinned, 4096);
  Buffer first;
  new Buffer;
  cudaFree(first.p);
}
