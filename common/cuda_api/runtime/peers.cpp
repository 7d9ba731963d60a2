// Several GPUs: whose kernels reach whose memory (CUDA Runtime API: Peer Device Memory Access).

#include <cuda_runtime_api.h>

#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/session.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

cudaError_t check_gpu(Session& s, int device) {
  if (s.has_gpu(device)) return cudaSuccess;
  if (device > 0) s.asks_for_gpu(device);
  return s.because(cudaErrorInvalidDevice, no_device(device));
}

/// `peer` as one whose memory the current GPU may reach; `own`: what a GPU says of itself.
cudaError_t check_peer(Session& s, int peer, cudaError_t own) {
  if (const auto e = check_gpu(s, peer); e != cudaSuccess) return e;
  return peer == current_gpu() ? s.because(own, own_peer(peer)) : cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call("cudaDeviceCanAccessPeer", Waits::no, [&](Session& s) {
    if (can == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the answer"));
    *can = 0;
    for (const int one : {device, peer})
      if (const auto e = check_gpu(s, one); e != cudaSuccess) return e;
    *can = device != peer ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return call("cudaDeviceEnablePeerAccess", Waits::no, [&](Session& s) {
    if (flags != 0) return s.because(cudaErrorInvalidValue, {"the flags are not 0", "pass 0: there are none yet"});
    // An H100 says so.
    if (const auto e = check_peer(s, peer, cudaErrorPeerAccessUnsupported); e != cudaSuccess) return e;
    if (s.reach(current_gpu(), peer, true)) return cudaSuccess;
    return s.because(cudaErrorPeerAccessAlreadyEnabled, peer_enabled_already(current_gpu(), peer));
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return call("cudaDeviceDisablePeerAccess", Waits::no, [&](Session& s) {
    if (const auto e = check_peer(s, peer, cudaErrorInvalidDevice); e != cudaSuccess) return e;
    if (s.reach(current_gpu(), peer, false)) return cudaSuccess;
    return s.because(cudaErrorPeerAccessNotEnabled, peer_not_enabled(current_gpu(), peer));
  });
}

/// All GPUs are alike, and so are the links between any two.
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer) {
  return call("cudaDeviceGetP2PAttribute", Waits::no, [&](Session& s) {
    for (const int one : {device, peer})
      if (const auto e = check_gpu(s, one); e != cudaSuccess) return e;
    if (value == nullptr || device == peer) return cudaErrorInvalidValue;
    const bool links = s.profile().nvlink_gbs > 0;
    *value = attribute == cudaDevP2PAttrPerformanceRank         ? 0
             : attribute == cudaDevP2PAttrAccessSupported       ? 1
             : attribute == cudaDevP2PAttrNativeAtomicSupported ? (links ? 1 : 0)
                                                                : 1;
    return cudaSuccess;
  });
}

}  // extern "C"
