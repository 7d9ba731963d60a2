// The reference: blocks and threads are counted with x fastest, warps and lanes along a block's threads.
//! item {"name": "one_store", "kind": "require", "points": 30, "require": ["global_store_requests<=1.2*reference"]}
__global__ void ids(int4* ids, int n) {
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  //! correct x_only: const int block = blockIdx.x;
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  //! correct without_z: const int thread = threadIdx.x + blockDim.x * threadIdx.y;
  const int id = block * blockDim.x * blockDim.y * blockDim.z + thread;
  if (id < n) ids[id] = make_int4(block, thread, thread / 32, thread % 32);
  //! correct no_test: ids[id] = make_int4(block, thread, thread / 32, thread % 32);
  //! correct warp_of_the_grid: if (id < n) ids[id] = make_int4(block, thread, id / 32, id % 32);
  //! one_store four_stores: volatile int* to = reinterpret_cast<volatile int*>(ids + id); if (id < n) to[0] = block, to[1] = thread, to[2] = thread / 32, to[3] = thread % 32;
}
