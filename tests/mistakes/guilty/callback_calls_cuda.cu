// mistake: a function started by cudaLaunchHostFunc copies with cudaMemcpy.
// happens: such a function must not call CUDA: cudaErrorNotPermitted (or a deadlock); nobody looks.
// to say: the call at BUG failed: it is in a host function of a stream; copy in the stream before it.
#include <cstdio>

// how: plain
// says: host function|cudaLaunchHostFunc|callback|not permitted|NotPermitted
struct Job {
  const int* from;
  int result;
};

__global__ void answer(int* x) { *x = 42; }

static void fetch(void* data) {
  Job* job = static_cast<Job*>(data);
  cudaMemcpy(&job->result, job->from, sizeof(int), cudaMemcpyDeviceToHost);  // BUG
}

int main() {
  int* x;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&x, sizeof(int));
  Job job = {x, -1};
  answer<<<1, 1, 0, stream>>>(x);
  cudaLaunchHostFunc(stream, fetch, &job);
  cudaStreamSynchronize(stream);
  printf("%d (42 is right)\n", job.result);
  cudaFree(x);
  cudaStreamDestroy(stream);
}
