#include "common/cuda_api/libraries/nccl/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/cuda_api/libraries/library.h"
#include "common/cuda_api/libraries/nccl/elements.h"

namespace gpulab::nccl {
namespace {

using libraries::LibraryAccess;
using libraries::LibraryBuffer;

/// Elements that are computed at once: more would take the host's memory.
constexpr std::uint64_t kPiece = std::uint64_t{1} << 18;

bool reduces(Kind kind) { return kind == Kind::all_reduce || kind == Kind::reduce || kind == Kind::reduce_scatter; }
bool has_root(Kind kind) {
  return kind == Kind::broadcast || kind == Kind::reduce || kind == Kind::gather || kind == Kind::scatter;
}

LibraryBuffer buffer(const char* name, std::uint64_t address, std::uint64_t bytes, std::uint64_t element, bool writes) {
  LibraryBuffer made;
  made.name = name;
  made.alignment = element;
  made.first = address;
  made.end = bytes > ~address ? ~std::uint64_t{0} : address + bytes;
  made.rows = 1;
  made.row = [address, bytes](std::uint64_t) { return std::pair(address, bytes); };
  made.reads = !writes;
  made.writes = writes;
  return made;
}

/// Bytes that a rank sends and receives.
std::pair<std::uint64_t, std::uint64_t> sides_of(const Posted& call, std::uint64_t ranks) {
  const std::uint64_t bytes = call.count * bytes_of(call.type);
  const bool root = call.rank == call.peer;
  switch (call.kind) {
    case Kind::all_reduce:
      return {bytes, bytes};
    case Kind::broadcast:
      return {root ? bytes : 0, bytes};
    case Kind::reduce:
      return {bytes, root ? bytes : 0};
    case Kind::all_gather:
      return {bytes, bytes * ranks};
    case Kind::reduce_scatter:
      return {bytes * ranks, bytes};
    case Kind::gather:
      return {bytes, root ? bytes * ranks : 0};
    case Kind::scatter:
      return {root ? bytes * ranks : 0, bytes};
    case Kind::all_to_all:
      return {bytes * ranks, bytes * ranks};
    case Kind::split:
      return {};
    case Kind::send:
      return {bytes, 0};
    case Kind::receive:
      return {0, bytes};
  }
  return {};
}

/// Which ranks' data comes to a rank.
bool comes_from(const Posted& to, const Posted& from) {
  switch (to.kind) {
    case Kind::broadcast:
    case Kind::scatter:
      return from.rank == to.peer;
    case Kind::reduce:
    case Kind::gather:
      return to.rank == to.peer;
    case Kind::send:
      return false;
    default:
      return true;
  }
}

/// What the busiest link carries in one direction, and steps from GPU to GPU, as a ring does it.
std::pair<double, double> on_links(const Posted& call, double ranks) {
  const double bytes = static_cast<double>(call.count * bytes_of(call.type));
  if (call.of_two()) return {bytes, 1};
  if (ranks < 2) return {0, 0};
  switch (call.kind) {
    case Kind::all_reduce:
      return {2 * (ranks - 1) / ranks * bytes, 2 * (ranks - 1)};
    case Kind::all_gather:
    case Kind::reduce_scatter:
    case Kind::gather:
    case Kind::scatter:
    case Kind::all_to_all:
      return {(ranks - 1) * bytes, ranks - 1};
    default:
      return {bytes, ranks - 1};
  }
}

cuda_api::LibraryPart part_of(const Posted& call, const std::vector<Call>& calls) {
  cuda_api::LibraryPart part;
  const auto ranks = static_cast<double>(calls.size());
  part.gpu = call.gpu;
  part.operation.function = call.function;
  part.operation.shape = fmt::format("{} {}", call.count, name_of(call.type));
  if (reduces(call.kind)) {
    part.operation.shape += ", " + name_of_operation(call.operation);
    part.operation.operations = static_cast<double>(call.count) * (ranks - 1);
  }
  if (!call.of_two()) part.operation.shape += fmt::format(", {} ranks", calls.size());
  const auto [bytes, hops] = on_links(call, ranks);
  part.operation.link_bytes = bytes;
  part.operation.hops = hops;
  part.operation.unit = libraries::LibraryUnit::memory;
  part.operation.stream = call.stream;
  part.operation.caller = call.caller;
  const auto [sent, received] = sides_of(call, calls.size());
  const std::uint64_t element = reduces(call.kind) ? bytes_of(call.type) : 1;  // others move bytes
  if (sent > 0) part.buffers.push_back(buffer("sendbuff", call.from, sent, element, false));
  if (received > 0) part.buffers.push_back(buffer("recvbuff", call.to, received, element, true));
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (calls[i].get() != &call && comes_from(call, *calls[i])) part.after.push_back(i);
  return part;
}

void copy(LibraryAccess& memory, std::uint64_t to, const std::vector<char>& bytes) {
  memory.write(to, bytes.data(), bytes.size());
}

std::vector<char> read(LibraryAccess& memory, std::uint64_t from, std::uint64_t bytes) {
  std::vector<char> data(bytes);
  memory.read(data.data(), from, bytes);
  return data;
}

/// What the ranks hold from `offset` on, in bytes, as a ring adds it up whose last rank is `end`.
std::vector<char> sum_of(LibraryAccess& memory, const std::vector<Call>& calls, std::uint64_t offset,
                         std::uint64_t count, std::uint64_t end) {
  const Posted& first = *calls[0];
  std::vector<std::vector<char>> ranks;
  std::vector<long double> factors;
  const bool weighed = std::ranges::any_of(calls, [](const Call& call) { return call->factor.has_value(); });
  const std::uint64_t size = bytes_of(first.type);
  for (std::uint64_t step = 1; step <= calls.size(); ++step) {
    const Posted& call = *calls[(end + step) % calls.size()];
    ranks.push_back(read(memory, call.from + offset, count * size));
    if (!weighed) continue;
    const auto [value, address, type] = call.factor.value_or(Factor{});  // another rank's sum may have none
    factors.push_back(address == 0 ? value : number_of(type, read(memory, address, size).data()));
  }
  return reduced(first.type, first.operation, ranks, factors, count);
}

/// A ring of one channel sums a part of the elements for each rank: whole 16 bytes, so that the last parts are shorter.
void all_reduce(LibraryAccess& memory, const std::vector<Call>& calls, std::uint64_t first, std::uint64_t count) {
  const Posted& any = *calls[0];
  const std::uint64_t size = bytes_of(any.type), packet = 16 / size, ranks = calls.size();
  const std::uint64_t part = ((any.count + ranks - 1) / ranks + packet - 1) / packet * packet;
  for (std::uint64_t at = first; at < first + count;) {
    const std::uint64_t end = std::min(first + count, (at / part + 1) * part);
    const auto sum = sum_of(memory, calls, at * size, end - at, at / part);
    for (const auto& call : calls) copy(memory, call->to + at * size, sum);
    at = end;
  }
}

/// `count` elements from `first` on, of each rank's.
void move(LibraryAccess& memory, const std::vector<Call>& calls, std::uint64_t first, std::uint64_t count) {
  const Posted& any = *calls[0];
  const std::uint64_t size = bytes_of(any.type), at = first * size, each = any.count * size;
  const auto& root = *calls[has_root(any.kind) ? static_cast<std::size_t>(any.peer) : 0];
  switch (any.kind) {
    case Kind::all_reduce:
      all_reduce(memory, calls, first, count);
      break;
    case Kind::reduce:
      copy(memory, root.to + at, sum_of(memory, calls, at, count, static_cast<std::uint64_t>(root.rank)));
      break;
    case Kind::broadcast: {
      const auto all = read(memory, root.from + at, count * size);
      for (const auto& call : calls) copy(memory, call->to + at, all);
      break;
    }
    case Kind::all_gather:
      for (const auto& from : calls) {
        const auto mine = read(memory, from->from + at, count * size);
        for (const auto& to : calls) copy(memory, to->to + static_cast<std::uint64_t>(from->rank) * each + at, mine);
      }
      break;
    case Kind::reduce_scatter:
      for (const auto& to : calls) {
        const auto rank = static_cast<std::uint64_t>(to->rank);
        copy(memory, to->to + at, sum_of(memory, calls, rank * each + at, count, rank));
      }
      break;
    case Kind::gather:
      for (const auto& from : calls)
        copy(memory, root.to + static_cast<std::uint64_t>(from->rank) * each + at,
             read(memory, from->from + at, count * size));
      break;
    case Kind::scatter:
      for (const auto& to : calls)
        copy(memory, to->to + at,
             read(memory, root.from + static_cast<std::uint64_t>(to->rank) * each + at, count * size));
      break;
    case Kind::all_to_all:
      for (const auto& from : calls)
        for (const auto& to : calls)
          copy(memory, to->to + static_cast<std::uint64_t>(from->rank) * each + at,
               read(memory, from->from + static_cast<std::uint64_t>(to->rank) * each + at, count * size));
      break;
    case Kind::split:
      break;
    case Kind::send:
    case Kind::receive:
      copy(memory, calls[1]->to + at, read(memory, calls[0]->from + at, count * size));
      break;
  }
}

/// When NCCL first connects two GPUs, it enables that each reaches the other's memory, and it stays so: neighbours of
/// the ring, or who sends to whom (4 H100s).
void connect(const std::vector<Call>& calls) {
  const Posted& any = *calls[0];
  const std::size_t ranks = calls.size();
  const auto pair = [&](std::size_t one, std::size_t other) {
    libraries::runtime().reach_each_other(calls[one % ranks]->gpu, calls[other % ranks]->gpu);
  };
  for (std::size_t rank = 0; rank < ranks; ++rank)
    if (any.kind == Kind::gather || any.kind == Kind::scatter)
      pair(rank, static_cast<std::size_t>(any.peer));
    else if (any.kind == Kind::all_to_all)
      for (std::size_t other = 0; other < rank; ++other) pair(rank, other);
    else
      pair(rank, rank + 1);
}

/// Ranks of one color are a communicator, in the order of their keys.
void split(const std::vector<Call>& calls) {
  std::map<int, std::vector<Call>> parts;
  for (const auto& call : calls)
    if (call->color >= 0) parts[call->color].push_back(call);
  for (auto& [color, part] : parts) {
    std::ranges::stable_sort(part, {}, [](const Call& call) { return call->key; });
    const auto made = std::make_shared<Clique>();
    made->ranks = made->came = static_cast<int>(part.size());
    made->collectives.resize(part.size());
    for (const auto& call : part) {
      made->gpus.push_back(call->gpu);
      made->callers.push_back(call->caller);
    }
    for (int rank = 0; rank < made->ranks; ++rank) part[static_cast<std::size_t>(rank)]->joins(made, rank);
  }
}

}  // namespace

std::string in_words(const Posted& call) {
  if (call.kind == Kind::split) return call.function;
  std::string words = fmt::format("{} ({} {}", call.function, call.count, name_of(call.type));
  if (reduces(call.kind)) words += ", " + name_of_operation(call.operation);
  if (has_root(call.kind)) words += fmt::format(", root {}", call.peer);
  if (call.of_two()) words += fmt::format(", {} rank {}", call.kind == Kind::send ? "to" : "from", call.peer);
  return words + ")";
}

std::string disagreement(const std::vector<Call>& calls) {
  const Posted& one = *calls[0];
  for (const auto& call : calls) {
    const Posted& other = *call;
    const bool bytes = one.count * bytes_of(one.type) == other.count * bytes_of(other.type);
    const bool alike = one.of_two() ? bytes
                                    : one.kind == other.kind && one.count == other.count && one.type == other.type &&
                                          (!reduces(one.kind) || one.operation == other.operation) &&
                                          (!has_root(one.kind) || one.peer == other.peer);
    if (!alike)
      return fmt::format("rank {} calls {}, and rank {} {}", one.rank, in_words(one), other.rank, in_words(other));
  }
  return {};
}

ncclResult_t perform(const std::vector<Call>& calls) {
  if (calls[0]->kind == Kind::split) {
    split(calls);
    return ncclSuccess;
  }
  std::vector<cuda_api::LibraryPart> parts;
  for (const auto& call : calls) parts.push_back(part_of(*call, calls));
  const std::uint64_t count = calls[0]->count;
  if (count == 0) return ncclSuccess;
  connect(calls);
  const cudaError_t error = libraries::runtime().queue_together(parts, [&](LibraryAccess& memory) {
    for (std::uint64_t first = 0; first < count; first += kPiece)
      move(memory, calls, first, std::min(kPiece, count - first));
  });
  return error == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

}  // namespace gpulab::nccl
