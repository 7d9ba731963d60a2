#include "common/cuda_api/runtime/host/host_pointers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "common/cuda_api/runtime/host/address_owner.h"

namespace gpulab::cuda_api {
namespace {

using Kind = AddressOwner::Kind;

/// "void fill<int>(int*, int const&)" -> "int*", "int const&".
std::vector<std::string> parameter_types(const std::string& function) {
  const auto end = function.rfind(')');
  if (end == std::string::npos) return {};
  std::vector<std::string> types;
  std::size_t last = end;  // where the type behind this place ends
  int depth = 0;
  for (std::size_t i = end; i-- > 0;) {
    const char c = function[i];
    if (c == ')' || c == '>' || c == ']') ++depth;
    if (depth == 0 && (c == ',' || c == '(')) {
      const auto begin = function.find_first_not_of(' ', i + 1);
      types.insert(types.begin(), function.substr(begin, last - begin));
      last = i;
      if (c == '(') return types;
    }
    if (c == '(' || c == '<' || c == '[') --depth;
  }
  return {};
}

/// A word of an argument that is an address of the host's, of the same kind of memory and not far from the one used.
struct Carrier {
  std::size_t argument = 0, offset = 0;
  std::string type;  ///< empty: unknown
  std::uint64_t distance = 0;
  bool is_word = false;  ///< it is all of the argument
};

std::optional<Carrier> carrier_of(const Session& session, std::uint64_t address, Kind kind,
                                  const LaunchRequest& request, const LoadedFunction& kernel) {
  constexpr std::uint64_t far = std::uint64_t{1} << 30;
  const auto& sizes = kernel.kernel.parameter_sizes;
  const auto types = parameter_types(kernel.name);
  std::optional<Carrier> best;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto* bytes = static_cast<const std::byte*>(request.arguments[i]);
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= sizes[i]; at += sizeof(std::uint64_t)) {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes + at, sizeof value);
      const std::uint64_t distance = value > address ? value - address : address - value;
      if (distance >= far || (best && best->distance <= distance) || owner_of(session, value).kind != kind) continue;
      best = {i, at, types.size() == sizes.size() ? types[i] : std::string(), distance, sizes[i] == sizeof value};
    }
  }
  return best;
}

/// A word of memory of the device's that is the address, or the nearest before it: a pointer that was copied there.
struct Holder {
  const MemoryEntry* entry = nullptr;
  std::uint64_t offset = 0, distance = UINT64_MAX;
};

/// Of the first megabytes alone: a program that has failed is to end soon.
Holder holder_of(Session& session, std::uint64_t address, Kind kind) {
  constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20, near = std::uint64_t{1} << 20;
  std::uint64_t left = most_bytes;
  int asked = 1000;  // whose an address is takes a look at the system's maps
  Holder best;
  std::vector<std::uint64_t> words;
  for (const auto& [begin, entry] : session.memory.all()) {
    if (entry.kind != MemoryEntry::Kind::device && !entry.variable) continue;
    const std::uint64_t bytes =
        std::min<std::uint64_t>(entry.bytes, left) / sizeof(std::uint64_t) * sizeof(std::uint64_t);
    if (bytes == 0 || !session.has_device()) continue;
    left -= bytes;
    words.resize(bytes / sizeof(std::uint64_t));
    session.device().read(std::as_writable_bytes(std::span(words)), begin);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (address - words[i] >= std::min(near, best.distance) || --asked < 0 ||
          owner_of(session, words[i]).kind != kind)
        continue;
      best = {&entry, i * sizeof(std::uint64_t), address - words[i]};
    }
  }
  return best;
}

std::string remedy(Kind kind, const std::optional<Carrier>& carrier) {
  if (kind == Kind::symbol)
    return "name the variable in the kernel instead of passing its address, or pass what cudaGetSymbolAddress gives";
  if (kind == Kind::code)
    return "a kernel can call functions of the device alone: take the address of a __device__ function in device code";
  if (carrier && carrier->type.ends_with('&'))
    return "a kernel cannot follow a reference to the host's variables: take the parameter by value";
  if (!carrier && kind == Kind::image)
    return "an object with virtual functions holds a pointer to a table of them, and the host's table is no use to a "
           "kernel: make the object in a kernel (new, or placement new where it is to lie); other data of the host's "
           "has "
           "to be copied to the device";
  if (!carrier)
    return "copy what it points to, too (cudaMalloc, cudaMemcpy), and store the copy's address in its place";
  return "copy what it points to into memory of the device (cudaMalloc, cudaMemcpy), or allocate it with "
         "cudaMallocManaged";
}

}  // namespace

std::uint64_t address_in(const std::string& what) {
  for (const std::string_view lead : {" at 0x", "call of address 0x"})
    if (const auto at = what.find(lead); at != std::string::npos)
      return std::strtoull(what.c_str() + at + lead.size(), nullptr, 16);
  return 0;
}

HostPointer host_pointer(Session& session, std::uint64_t address, const LaunchRequest& request,
                         const LoadedFunction& kernel) {
  const auto owner = owner_of(session, address);
  if (!owner.is_host()) return {};
  const auto carrier = carrier_of(session, address, owner.kind, request, kernel);
  std::string who = "no argument of the launch carries it: the kernel has read it from memory";
  if (!carrier)
    if (const auto holder = holder_of(session, address, owner.kind); holder.entry != nullptr)
      who = fmt::format("no argument of the launch carries it: it stands in byte {} of '{}', {}", holder.offset,
                        holder.entry->name,
                        holder.entry->host_may_touch() ? "where the host has stored it" : "to which it was copied");
  if (carrier) {
    const std::string type = carrier->type.empty() ? "" : fmt::format(" ({})", carrier->type);
    const std::string part = carrier->is_word ? "" : fmt::format(", {} bytes from its begin", carrier->offset);
    who = fmt::format("argument {} of the launch{} carries it{}", carrier->argument + 1, type, part);
  }
  return {fmt::format("host memory ({})", in_words(owner)), who + "; " + remedy(owner.kind, carrier)};
}

std::string with_owner(std::string what, const HostPointer& pointer) {
  if (pointer.where.empty()) return what;
  for (const std::string_view nobody : {"belongs to no allocation", "where no function is"})
    if (const auto at = what.find(nobody); at != std::string::npos)
      return what.replace(at, nobody.size(), (nobody.starts_with("where") ? "which is " : "is ") + pointer.where);
  return what;
}

}  // namespace gpulab::cuda_api
