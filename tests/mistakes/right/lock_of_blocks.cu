// right: one thread of each block takes the lock; fences stand after taking it and before giving it back.
#include <cstdio>

struct Account {
  int lock;
  int entries;
  float balance;
};

__global__ void pay(Account* account, const float* amounts) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&account->lock, 0, 1) != 0) {
    }
    __threadfence();
    account->balance += amounts[blockIdx.x];
    account->entries += 1;
    __threadfence();
    atomicExch(&account->lock, 0);
  }
}

int main() {
  float host[10], *amounts;
  for (int i = 0; i < 10; ++i) host[i] = i + 0.5f;
  Account result, *account;
  cudaMalloc(&amounts, sizeof(host));
  cudaMalloc(&account, sizeof(Account));
  cudaMemset(account, 0, sizeof(Account));
  cudaMemcpy(amounts, host, sizeof(host), cudaMemcpyHostToDevice);
  pay<<<10, 32>>>(account, amounts);
  cudaMemcpy(&result, account, sizeof(Account), cudaMemcpyDeviceToHost);
  printf("%d entries, %g\n", result.entries, result.balance);
  cudaFree(amounts);
  cudaFree(account);
  return result.entries != 10 || result.balance != 50;
}
