// Attributes of streams: which of their memory stays in L2 (a window), priority, how the host waits. Windows are kept
// and given back; the model's L2 does not know them.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <unordered_map>

#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/streams/streams.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

struct Attributes {
  cudaAccessPolicyWindow window{};
  cudaSynchronizationPolicy sync = cudaSyncPolicyAuto;
};

/// Of streams that have been given some; under the session's lock.
std::unordered_map<std::uint64_t, Attributes>& attributes() {
  static auto& all = *new std::unordered_map<std::uint64_t, Attributes>;
  return all;
}

/// Those of `stream`, to be changed. Streams that were destroyed since leave theirs here.
Attributes& changed(Session& s, std::uint64_t stream) {
  auto& all = attributes();
  if (!all.contains(stream))
    std::erase_if(all, [&](const auto& one) { return s.timeline.stream(one.first) == nullptr; });
  return all[stream];
}

/// As an H100 takes them: what misses cannot persist, and no window is larger than
/// cudaDevAttrMaxAccessPolicyWindowSize.
bool can_be(const cudaAccessPolicyWindow& window, std::size_t most_bytes) {
  return window.hitRatio >= 0 && window.hitRatio <= 1 && window.missProp != cudaAccessPropertyPersisting &&
         window.num_bytes <= most_bytes;
}

cudaError_t set(Session& s, std::uint64_t stream, cudaLaunchAttributeID which, const cudaLaunchAttributeValue& value) {
  switch (which) {
    case cudaLaunchAttributeAccessPolicyWindow: {
      int most_bytes = 0;
      (void)cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxAccessPolicyWindowSize, 0);
      if (!can_be(value.accessPolicyWindow, static_cast<std::size_t>(most_bytes))) return cudaErrorInvalidValue;
      changed(s, stream).window = value.accessPolicyWindow;
      if (value.accessPolicyWindow.num_bytes > 0)
        s.note("times take no account of what cudaStreamSetAttribute has persist in L2 (accessPolicyWindow)");
      return cudaSuccess;
    }
    case cudaLaunchAttributeSynchronizationPolicy:
      if (value.syncPolicy < cudaSyncPolicyAuto || value.syncPolicy > cudaSyncPolicyBlockingSync)
        return cudaErrorInvalidValue;
      changed(s, stream).sync = value.syncPolicy;
      return cudaSuccess;
    case cudaLaunchAttributePriority:
      s.timeline.stream(stream)->priority = std::clamp(value.priority, -5, 0);
      return cudaSuccess;
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributeMemSyncDomainMap:
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t get(Session& s, std::uint64_t stream, cudaLaunchAttributeID which, cudaLaunchAttributeValue& value) {
  const auto known = attributes().find(stream);
  const Attributes mine = known == attributes().end() ? Attributes{} : known->second;
  switch (which) {
    case cudaLaunchAttributeAccessPolicyWindow:
      value.accessPolicyWindow = mine.window;
      return cudaSuccess;
    case cudaLaunchAttributeSynchronizationPolicy:
      value.syncPolicy = mine.sync;
      return cudaSuccess;
    case cudaLaunchAttributePriority:
      value.priority = s.timeline.stream(stream)->priority;
      return cudaSuccess;
    case cudaLaunchAttributeMemSyncDomain:
      value.memSyncDomain = cudaLaunchMemSyncDomainDefault;
      return cudaSuccess;
    case cudaLaunchAttributeMemSyncDomainMap:
      value.memSyncDomainMap = {0, 1};
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID which,
                                   const cudaLaunchAttributeValue* value) {
  return call("cudaStreamSetAttribute", Waits::no, [&](Session& s) {
    if (stream_of(stream) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_stream(stream));
    if (value == nullptr) return s.because(cudaErrorInvalidValue, null_argument("attribute's value"));
    return set(s, stream_number(stream), which, *value);
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID which, cudaLaunchAttributeValue* value) {
  return call("cudaStreamGetAttribute", Waits::no, [&](Session& s) {
    if (stream_of(stream) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_stream(stream));
    if (value == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the attribute's value"));
    return get(s, stream_number(stream), which, *value);
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return call("cudaStreamCopyAttributes", Waits::no, [&](Session& s) {
    for (cudaStream_t one : {to, from})
      if (stream_of(one) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_stream(one));
    const auto known = attributes().find(stream_number(from));
    const Attributes copied = known == attributes().end() ? Attributes{} : known->second;
    changed(s, stream_number(to)) = copied;
    return cudaSuccess;
  });
}

}  // extern "C"
