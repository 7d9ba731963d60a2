"""Kernels of Numba's, and cuda-python's runtime: `kernels.py race|beyond|slow|right|grid|runtime|processes`. run.py knows the lines by their comments."""
import sys

import numpy as np
from numba import cuda, float32


@cuda.jit(lineinfo=True)
def mirror(values, out):
    shared = cuda.shared.array(64, dtype=float32)
    t = cuda.threadIdx.x
    shared[t] = values[t]  # the write
    out[t] = shared[63 - t]  # the read


@cuda.jit(lineinfo=True)
def shift(values, out):
    i = cuda.grid(1)
    out[i] = values[i + 1]  # the load past the end


@cuda.jit(lineinfo=True)
def columns(matrix, out):
    row = cuda.grid(1)
    total = float32(0)
    for column in range(matrix.shape[1]):
        total += matrix[row, column]  # the slow access
    out[row] = total


@cuda.jit(lineinfo=True)
def twice(values, out):
    i = cuda.grid(1)
    if i < values.size:
        out[i] = 2 * values[i]


@cuda.jit(lineinfo=True)
def sums_of_others(values, out):
    i = cuda.grid(1)
    grid = cuda.cg.this_grid()
    for _ in range(3):
        values[i] += 1
        grid.sync()
        out[i] += values[values.size - 1 - i]  # of another block
        grid.sync()


def of_runtime():
    """By a wheel whose own runtime has no names."""
    from cuda.bindings import runtime
    error, memory = runtime.cudaMalloc(64)
    back = np.zeros(16, dtype=np.int32)
    errors = [error, runtime.cudaMemset(memory, 1, 64)[0],
              runtime.cudaMemcpy(back.ctypes.data, memory, 64, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost)[0], runtime.cudaFree(memory)[0]]
    print("runtime", [int(one) for one in errors], (back == 0x01010101).all())


def in_a_process(lock, results, by):
    with lock:
        values = cuda.to_device(np.arange(4, dtype=np.float32))
        out = cuda.to_device(np.zeros(4, dtype=np.float32))
        twice[1, 4](values, out)
        results.put((by, float(out.copy_to_host().sum()) * by))


def of_processes():
    """Locks and queues of multiprocessing's."""
    import multiprocessing
    context = multiprocessing.get_context("spawn")
    results, lock = context.Queue(), context.Lock()
    processes = [context.Process(target=in_a_process, args=(lock, results, by)) for by in (1, 2)]
    for one in processes:
        one.start()
    print("processes", sorted(results.get(timeout=100) for _ in processes))
    for one in processes:
        one.join()


def main(word):
    if word == "runtime":
        of_runtime()
        return
    if word == "processes":
        of_processes()
        return
    host = np.arange(64, dtype=np.float32)
    values = cuda.to_device(host)  # the allocation
    out = cuda.to_device(np.zeros_like(host))
    if word == "race":
        mirror[1, 64](values, out)  # the launch of the race
    elif word == "beyond":
        shift[1, 64](values, out)  # the launch past the end
        cuda.synchronize()
    elif word == "slow":
        matrix = cuda.to_device(np.ones((1024, 64), dtype=np.float32))
        sums = cuda.device_array(1024, dtype=np.float32)
        columns[8, 128](matrix, sums)
        print("sum", sums.copy_to_host().sum())
    elif word == "grid":
        sums_of_others[2, 32](values, out)
        print("grid", out.copy_to_host()[0], out.copy_to_host()[63])
    else:
        twice[1, 64](values, out)
        print("right", np.array_equal(out.copy_to_host(), 2 * host))


if __name__ == "__main__":
    main(sys.argv[1])
