// Words of memory that streams write, and wait for (CUDA Driver API: Stream Memory Operations). What a stream waits for
// has to be there when the wait is queued: work is done as it is queued here, and what comes later nobody knows of.

#include <cuda_runtime_api.h>

#include <cstring>
#include <span>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/streams/streams.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

struct Word {
  CUdeviceptr address = 0;
  std::uint64_t value = 0;
  std::size_t bytes = 0;
  unsigned flags = 0;
};

cudaError_t check(Session& s, const Word& word, cudaStream_t stream) {
  if (stream_of(stream) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_stream(stream));
  if (word.address % word.bytes != 0) return cudaErrorInvalidValue;
  const MemoryEntry* entry = s.memory_at(word.address);
  if (entry == nullptr || word.address + word.bytes > entry->address + entry->bytes)
    return s.because(cudaErrorInvalidValue, null_or_freed(s, "word", word.address));
  return cudaSuccess;
}

cudaError_t write(Session& s, const Word& word, cudaStream_t stream) {
  if (const auto e = check(s, word, stream); e != cudaSuccess) return e;
  const auto work = [word](Session& now, cudaStream_t) {
    now.device().write(word.address, std::as_bytes(std::span(&word.value, 1)).first(word.bytes));
    return cudaSuccess;
  };
  return s.capture(stream, work, cudaGraphNodeTypeKernel) ? cudaSuccess : work(s, stream);
}

bool is_so(Session& s, const Word& word) {
  std::uint64_t there = 0;
  s.device().read(std::as_writable_bytes(std::span(&there, 1)).first(word.bytes), word.address);
  const std::uint64_t difference = there - word.value;
  switch (word.flags & 3U) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return word.bytes == 4 ? static_cast<std::int32_t>(difference) >= 0 : static_cast<std::int64_t>(difference) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
      return difference == 0;
    case CU_STREAM_WAIT_VALUE_AND:
      return (there & word.value) != 0;
    default:  // …NOR
      return (word.bytes == 4 ? static_cast<std::uint32_t>(~(there | word.value)) : ~(there | word.value)) != 0;
  }
}

cudaError_t wait(Session& s, const Word& word, cudaStream_t stream, const char* function, void* caller) {
  if (const auto e = check(s, word, stream); e != cudaSuccess) return e;
  const auto work = [=](Session& now, cudaStream_t) {
    if (!is_so(now, word))
      now.refuse(std::string(function) + " of a value that is not there when the wait is queued", caller,
                 "write the value before (cuStreamWriteValue32, or the host), or let streams wait by events");
    return cudaSuccess;
  };
  return s.capture(stream, work, cudaGraphNodeTypeKernel) ? cudaSuccess : work(s, stream);
}

cudaError_t one_of(Session& s, const CUstreamBatchMemOpParams& asked, cudaStream_t stream, void* caller) {
  switch (asked.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
      return wait(s, {asked.waitValue.address, asked.waitValue.value, 4, asked.waitValue.flags}, stream,
                  "cuStreamBatchMemOp", caller);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      return wait(s, {asked.waitValue.address, asked.waitValue.value64, 8, asked.waitValue.flags}, stream,
                  "cuStreamBatchMemOp", caller);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      return write(s, {asked.writeValue.address, asked.writeValue.value, 4}, stream);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      return write(s, {asked.writeValue.address, asked.writeValue.value64, 8}, stream);
    default:
      return cudaSuccess;  // barriers and flushes: nothing is under way
  }
}

}  // namespace

extern "C" {

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return driver_call("cuStreamWriteValue32", Needs::context, [&](Session& s) {
    return write(s, {address, value, 4, flags}, stream);
  });
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  return driver_call("cuStreamWriteValue64", Needs::context, [&](Session& s) {
    return write(s, {address, value, 8, flags}, stream);
  });
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  void* const caller = __builtin_return_address(0);
  return driver_call("cuStreamWaitValue32", Needs::context, [&](Session& s) {
    return wait(s, {address, value, 4, flags}, stream, "cuStreamWaitValue32", caller);
  });
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  void* const caller = __builtin_return_address(0);
  return driver_call("cuStreamWaitValue64", Needs::context, [&](Session& s) {
    return wait(s, {address, value, 8, flags}, stream, "cuStreamWaitValue64", caller);
  });
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams* asked, unsigned flags) {
  void* const caller = __builtin_return_address(0);
  return driver_call("cuStreamBatchMemOp", Needs::context, [&](Session& s) {
    if (asked == nullptr || count > 256 || flags != 0) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; ++i)
      if (const auto e = one_of(s, asked[i], stream, caller); e != cudaSuccess) return e;
    return cudaSuccess;
  });
}

}  // extern "C"
