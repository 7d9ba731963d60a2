// What goes wrong with cuBLAS, each told by the call's name and line: memory that is too small, the host's, never written, freed; a
// scalar in the wrong memory; a stream that nobody waits for; a function that is not here.
// build: -lcublas
// case: --sanitize memcheck -- small :: 4
// err: out-of-bounds read of 4096 bytes at 0x[0-9a-f]+ by cublasSgemm \(32 x 32 x 32\): its 'B' goes 3072 bytes beyond the end of 'cudaMalloc #2', which has 1024
// err: in cublasSgemm, called by library_mistakes\.cu:@HERE: too small@
// err: cudaErrorIllegalAddress
// case: -- host :: 4
// err: by cublasSaxpy \(n = 4\): its 'x' is no memory of the device
// case: --sanitize initcheck -- unwritten :: 1
// err: error: initcheck: cublasSasum \(n = 256\) reads 1024 bytes of its 'x' that nothing has written, the first at byte 0 of 'cudaMalloc #1' \(called by library_mistakes\.cu:@HERE: unwritten@
// case: -- scalar :: 1
// err: cublasSdot: its 'result' lies in the device's memory, which the host cannot reach; the handle's pointer mode is CUBLAS_POINTER_MODE_HOST
// out: status 13
// case: --sanitize streamcheck -- order :: 1
// err: error: streamcheck: cublasSscal in stream #2 writes 1024 bytes of 'cudaMalloc #1' that cublasSscal in stream #1 may still be writing, and nothing orders the two
// case: --sanitize streamcheck -- ordered :: 0
// case: --sanitize streamcheck -- captured :: 0
// out: (?m)^twice scaled: 4
// err: cublasSscal n = 256 2 512
// case: -- missing :: 3
// err: error: unsupported: cublasUint8gemmBias, called by library_mistakes\.cu:@HERE: missing@
#include <cublas_v2.h>

#include <cstdio>
#include <string>

int main(int, char** arguments) {
  const std::string what = arguments[1];
  cublasHandle_t handle;
  cublasCreate(&handle);
  float *a, *b, *c, one = 1, two = 2, zero = 0, result = 0;
  const int n = 256;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 1024);
  cudaMalloc(&c, 4096);
  if (what != "unwritten") {
    cudaMemset(a, 0, 4096);
    cudaMemset(b, 0, 1024);
    cudaMemset(c, 0, 4096);
  }
  if (what == "small") cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 32, 32, 32, &one, a, 32, b, 32, &zero, c, 32);  // HERE: too small
  if (what == "host") {
    float x[4] = {};
    cublasSaxpy(handle, 4, &one, x, 1, a, 1);
  }
  if (what == "unwritten") cublasSasum(handle, n, a, 1, &result);  // HERE: unwritten
  if (what == "scalar") std::printf("status %d\n", cublasSdot(handle, n, a, 1, b, 1, c));
  if (what == "order" || what == "ordered") {
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cublasSetStream(handle, first);
    cublasSscal(handle, n, &two, a, 1);
    if (what == "ordered") cudaStreamSynchronize(first);
    cublasSetStream(handle, second);
    cublasSscal(handle, n, &two, a, 1);
  }
  if (what == "captured") {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    float host[n], *pinned = host;
    for (float& x : host) x = 1;
    cudaMemcpy(a, pinned, sizeof host, cudaMemcpyHostToDevice);
    cublasSetStream(handle, stream);
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cublasSscal(handle, n, &two, a, 1);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&made, graph, 0);
    cudaGraphLaunch(made, stream);
    cudaGraphLaunch(made, stream);
    cudaStreamSynchronize(stream);
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("twice scaled: %g\n", host[100]);
  }
  if (what == "missing")
    cublasUint8gemmBias(handle, CUBLAS_OP_N, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, (unsigned char*)a, 0, 1, (unsigned char*)b, 0, 1, (unsigned char*)c, 0, 1, 1, 0);  // HERE: missing
  cublasDestroy(handle);
}
