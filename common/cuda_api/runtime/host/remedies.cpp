#include "common/cuda_api/runtime/host/remedies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "common/cuda_api/runtime/host/host_pointers.h"

namespace gpulab::cuda_api {
namespace {

struct Fault {
  Session& session;
  const FaultRecord& record;
  const LaunchRequest& request;
  const LoadedFunction& kernel;
};

bool has_argument(const Fault& fault, std::uint64_t number) {
  const auto& sizes = fault.kernel.kernel.parameter_sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::uint64_t value = 0;
    if (sizes[i] > sizeof value) continue;
    std::memcpy(&value, fault.request.arguments[i], sizes[i]);
    if (value == number) return true;
  }
  return false;
}

/// "8" of "out-of-bounds store of 8 bytes at".
std::uint64_t accessed_bytes(const std::string& what) {
  const auto at = what.find(" of ");
  if (!what.starts_with("out-of-bounds ") || at == std::string::npos) return 0;
  std::uint64_t bytes = 0;
  std::from_chars(what.data() + at + 4, what.data() + what.size(), bytes);
  return bytes;
}

/// The kernel was told as many elements as the allocation has bytes.
std::string elements_for_bytes(const Fault& fault) {
  const std::uint64_t address = address_in(fault.record.what), element = accessed_bytes(fault.record.what);
  if (address == 0 || element < 2 || fault.record.what.find("which has") == std::string::npos) return {};
  const auto& all = fault.session.memory.all();
  auto above = all.upper_bound(address);
  if (above == all.begin()) return {};
  const MemoryEntry& entry = (--above)->second;
  if (entry.variable || !has_argument(fault, entry.bytes)) return {};
  return fmt::format(
      "'{}' was allocated at {} with {} bytes, and {} is the number of elements that the kernel was told: sizes are in "
      "bytes, n * sizeof(T)",
      entry.name, entry.caller, entry.bytes, entry.bytes);
}

/// Algorithms of thrust and cub write as many elements as they read.
std::string output_of_an_algorithm(const Fault& fault) {
  const auto& name = fault.record.kernel;
  const bool writes = fault.record.what.starts_with("out-of-bounds store");
  if (!writes || (name.find("cub::") == std::string::npos && name.find("thrust::") == std::string::npos)) return {};
  return "an algorithm does not resize its output, which is too small: make it as large as its input (resize) before";
}

constexpr std::array fault_rules{elements_for_bytes, output_of_an_algorithm};

/// Where bytes were copied to a part of the allocation alone.
std::string copied_in_part(Session& session, const Finding& finding) {
  if (finding.at.empty()) return {};
  const auto& address = finding.at.front().address;  // "cudaMalloc #1[125]"
  for (const auto& [begin, entry] : session.memory.all()) {
    if (!address.starts_with(entry.name + "[")) continue;
    const PartialCopy* copy = session.partial_copies.of(begin);
    if (copy == nullptr || copy->bytes >= entry.bytes) return {};
    return fmt::format("; {} brought {} of its {} bytes (called by {}): sizes are in bytes, n * sizeof(T){}",
                       copy->function, copy->bytes, entry.bytes, copy->caller,
                       copy->bytes == sizeof(void*) ? ", and sizeof of a pointer is 8" : "");
  }
  return {};
}

}  // namespace

std::string remedy_for(Session& session, const FaultRecord& fault, const LaunchRequest& request,
                       const LoadedFunction& kernel) {
  for (const auto& rule : fault_rules)
    if (auto said = rule({session, fault, request, kernel}); !said.empty()) return said;
  return {};
}

std::string remedy_for(Session& session, const Finding& finding) {
  return finding.tool == "initcheck" ? copied_in_part(session, finding) : std::string();
}

}  // namespace gpulab::cuda_api
