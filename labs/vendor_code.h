#pragma once
// What a labs/NAME/vendor.cu is written with: the call's parameters and buffers, errors, and the list of its functions,
//
//   std::span<const gpulab::vendor::Function> gpulab::labs::NAME::vendor_functions()
//
// which the build finds by the file's place (scripts/cmake/vendor.cmake). Part of libgpulab_vendor.so alone.

#include <cuda_runtime.h>

#include <cstdio>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "labs/vendor_interface.h"

namespace gpulab::vendor {

/// What a library's call failed with, and which.
class Error : public std::runtime_error {
 public:
  Error(Failure::Kind kind, const std::string& what, std::string where)
      : std::runtime_error(what), where(std::move(where)), kind(kind) {}
  std::string where;
  Failure::Kind kind;
};

inline void check(cudaError_t error, const char* where) {
  if (error == cudaSuccess) return;
  throw Error(error == cudaErrorMemoryAllocation ? Failure::out_of_memory : Failure::fault,
              std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error), where);
}

inline const Param& param(const Call& call, std::string_view name) {
  for (const auto& param : std::span(call.params, call.param_count))
    if (param.name == name) return param;
  throw std::logic_error("no parameter " + std::string(name));
}
inline std::int64_t integer(const Call& call, std::string_view name) { return param(call, name).integer; }
inline double real(const Call& call, std::string_view name) { return param(call, name).real; }
inline std::string_view word(const Call& call, std::string_view name) {
  const char* word = param(call, name).word;
  if (word == nullptr) throw std::logic_error("parameter " + std::string(name) + " is no word");
  return word;
}

/// The GPU's memory of that buffer, as elements of type T.
template <typename T>
T* buffer(const Call& call, std::string_view name) {
  for (const auto& buffer : std::span(call.buffers, call.buffer_count))
    if (buffer.name == name) return static_cast<T*>(buffer.pointer);
  throw std::logic_error("no buffer " + std::string(name));
}

/// No exception leaves the library: `work`, or the failure filled in.
template <typename Work>
auto guarded(Failure* failure, const Work& work) noexcept -> decltype(work()) {
  const auto fill = [&](Failure::Kind kind, const char* message, const char* where) {
    failure->kind = kind;
    std::snprintf(failure->message, sizeof failure->message, "%s", message);
    std::snprintf(failure->where, sizeof failure->where, "%s", where);
  };
  try {
    return work();
  } catch (const Error& error) {
    fill(error.kind, error.what(), error.where.c_str());
  } catch (const std::exception& error) {
    fill(Failure::defect, error.what(), "");
  }
  return decltype(work())();
}

/// Plain C++ functions, which may throw, as an entry of the library's list.
template <std::size_t (*workspace_bytes)(const Call&), void (*run)(const Call&)>
constexpr Function function(const char* name) {
  return {name,
          [](const Call* call, Failure* failure) { return guarded(failure, [&] { return workspace_bytes(*call); }); },
          [](const Call* call, Failure* failure) { guarded(failure, [&] { run(*call); }); }};
}

}  // namespace gpulab::vendor
