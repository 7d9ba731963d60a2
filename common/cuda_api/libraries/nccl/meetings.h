#pragma once
// Ranks meet: what one calls waits until the others, or the one on the other side, have called it, too. Then all of it
// is done, each rank's part in its stream. A call that nobody will ever meet ends the program.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/cuda_api/libraries/nccl/interface.h"

namespace gpulab::nccl {

enum class Kind : std::uint8_t {
  all_reduce,
  broadcast,
  reduce,
  all_gather,
  reduce_scatter,
  gather,
  scatter,
  all_to_all,
  split,
  send,
  receive
};

struct Clique;
/// What each rank's elements are multiplied by before they are added: a number, or where one lies.
struct Factor {
  long double value = 1;  ///< with room for 64 bits of an integer
  std::uint64_t address = 0;
  int type = 0;  ///< DataType that it is for
};

/// What one rank has called.
struct Posted {
  Kind kind{};
  std::string function;  ///< "ncclAllReduce"
  std::uint64_t from = 0, to = 0, count = 0;
  ncclDataType_t type = 0;
  ncclRedOp_t operation = 0;
  int rank = 0, gpu = 0;
  int peer = 0;  ///< the root, or who is on the other side
  std::optional<Factor> factor{};
  // Of a split: which part, the place in it, and who is told of it.
  int color = 0, key = 0;
  std::function<void(const std::shared_ptr<Clique>&, int rank)> joins{};
  cudaStream_t stream = nullptr;
  void* caller = nullptr;
  bool done = false;
  ncclResult_t result = ncclSuccess;

  [[nodiscard]] bool of_two() const { return kind == Kind::send || kind == Kind::receive; }
};
using Call = std::shared_ptr<Posted>;

/// The ranks of one communicator, and what they have called that has not been met.
struct Clique {
  std::string id;  ///< of ncclGetUniqueId, or one of its own
  int ranks = 0;
  std::vector<int> gpus;  ///< by rank; -1: it has not come yet
  std::vector<void*> callers;
  int came = 0;
  bool aborted = false;
  std::vector<std::deque<Call>> collectives;                        ///< by rank, in its order
  std::map<std::pair<int, int>, std::deque<Call>> sends, receives;  ///< by sender and receiver
};
using Ranks = std::shared_ptr<Clique>;

/// All of these are posted, and met: returns when they are done, with the first error.
ncclResult_t meet(const std::vector<std::pair<Ranks, Call>>& calls);

/// A rank comes to its communicator, which several threads may do, each for one; then they wait for the others.
struct Arrival {
  Ranks ranks;
  int rank = 0, gpu = 0;
  void* caller = nullptr;
};
[[nodiscard]] Ranks clique_of(const ncclUniqueId& id, int ranks);
ncclResult_t arrive(const std::vector<Arrival>& arrivals);
/// Who waits in it goes on, with an error.
void abort(Clique& clique);

/// Of all that is here.
void use_from_this_thread();

}  // namespace gpulab::nccl
