// mistake: a cudaMemcpy, which uses the default stream, stands between begin and end of a capture.
// happens: it fails (cudaErrorStreamCaptureImplicit) and ends the capture; there is no graph, and nobody looks.
// to say: the copy at BUG is not allowed while a stream captures; cudaMemcpyAsync in that stream, or before it.
#include <cstdio>

// how: plain
// says: captur
__global__ void twice(int* x) { x[threadIdx.x] *= 2; }

int main() {
  int host[32];
  for (int i = 0; i < 32; ++i) host[i] = i;
  int* x;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t program;
  cudaStreamCreate(&stream);
  cudaMalloc(&x, sizeof(host));
  cudaMemset(x, 0, sizeof(host));
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);  // BUG
  twice<<<1, 32, 0, stream>>>(x);
  cudaError_t error = cudaStreamEndCapture(stream, &graph);
  if (error == cudaSuccess) error = cudaGraphInstantiate(&program, graph, 0);
  if (error == cudaSuccess) error = cudaGraphLaunch(program, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%s, %d (62 is right)\n", cudaGetErrorName(error), host[31]);
  cudaFree(x);
  cudaStreamDestroy(stream);
}
