// right: a host function in the stream reads what the copy before it brought, and calls no CUDA; the host waits, then
// reads.
#include <cstdio>

struct Job {
  const int* numbers;
  int count;
  long sum;
};

__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }

static void addUp(void* data) {
  Job* job = static_cast<Job*>(data);
  for (int i = 0; i < job->count; ++i) job->sum += job->numbers[i];
}

int main() {
  int *x, *host;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&x, 100 * sizeof(int));
  cudaMallocHost(&host, 100 * sizeof(int));
  Job job = {host, 100, 0};
  fill<<<1, 100, 0, stream>>>(x);
  cudaMemcpyAsync(host, x, 100 * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaLaunchHostFunc(stream, addUp, &job);
  cudaStreamSynchronize(stream);
  printf("%ld\n", job.sum);
  cudaFree(x);
  cudaFreeHost(host);
  cudaStreamDestroy(stream);
  return job.sum != 4950;
}
