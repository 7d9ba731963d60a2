#include "common/cuda_api/libraries/nccl/meetings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "common/cuda_api/libraries/library.h"
#include "common/cuda_api/libraries/nccl/collectives.h"
#include "common/cuda_api/libraries/nccl/patience.h"

namespace gpulab::nccl {
namespace {

constexpr const char* kTogether =
    "every rank has to call it: from a thread of its own, or all from one thread between ncclGroupStart() and "
    "ncclGroupEnd()";

/// Never destroyed: programs call while they end.
struct World {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Ranks> cliques;  ///< that not all have come to
  std::thread::id first_user;
  bool several_users = false;
};
World& world() {
  static auto* const all = new World;
  return *all;
}

[[noreturn]] void hang(const Posted& call, const std::string& what, const std::string& hint) {
  libraries::hang(call.function, what, hint, call.caller);
}

/// All are met whose partners have called, too.
void meet_collectives(Clique& clique) {
  const auto waits = [](const auto& calls) { return !calls.empty(); };
  while (std::ranges::all_of(clique.collectives, waits)) {
    std::vector<Call> calls;
    for (auto& rank : clique.collectives) {
      calls.push_back(rank.front());
      rank.pop_front();
    }
    if (const auto wrong = disagreement(calls); !wrong.empty())
      hang(*calls[0], "ranks of one communicator do not call the same: " + wrong,
           "the n-th call of each rank is one operation of all of them, of one size, type and root");
    const ncclResult_t result = perform(calls);
    for (const auto& call : calls) call->done = true, call->result = result;
  }
}

void meet_pairs(Clique& clique) {
  for (auto& [ends, sends] : clique.sends) {
    auto& receives = clique.receives[ends];
    while (!sends.empty() && !receives.empty()) {
      const std::vector<Call> calls{sends.front(), receives.front()};
      sends.pop_front();
      receives.pop_front();
      if (const auto wrong = disagreement(calls); !wrong.empty())
        hang(*calls[0], "a send and its receive are of two sizes: " + wrong, "give both the same count and type");
      const ncclResult_t result = perform(calls);
      for (const auto& call : calls) call->done = true, call->result = result;
    }
  }
}

/// What a rank has called that still waits.
const Posted* waiting(const Clique& clique, int rank) {
  const auto& collectives = clique.collectives[static_cast<std::size_t>(rank)];
  if (!collectives.empty()) return collectives.front().get();
  for (const auto* pairs : {&clique.sends, &clique.receives})
    for (const auto& [ends, calls] : *pairs)
      for (const auto& call : calls)
        if (call->rank == rank) return call.get();
  return nullptr;
}

[[noreturn]] void nobody_comes(const Clique& clique, const Posted& call) {
  std::vector<int> missing;
  for (int rank = 0; rank < clique.ranks; ++rank)
    if (call.of_two() ? rank == call.peer : clique.collectives[static_cast<std::size_t>(rank)].empty())
      missing.push_back(rank);
  std::string what = fmt::format("rank {} waits in {} for ever: ", call.rank, in_words(call));
  if (call.of_two())
    what += fmt::format("rank {} calls no {} {} rank {}", call.peer, call.kind == Kind::send ? "ncclRecv" : "ncclSend",
                        call.kind == Kind::send ? "from" : "to", call.rank);
  else
    what += fmt::format("{} {} {} not called it", missing.size() == 1 ? "rank" : "ranks", fmt::join(missing, ", "),
                        missing.size() == 1 ? "has" : "have");
  for (const int rank : missing)
    if (const Posted* other = rank == call.rank ? nullptr : waiting(clique, rank))
      what += fmt::format("; rank {} waits in {}", rank, in_words(*other));
  hang(call, what,
       call.of_two() ? "sends and receives that wait for each other stand between ncclGroupStart() and ncclGroupEnd()"
                     : kTogether);
}

void post(const Ranks& ranks, const Call& call) {
  if (call->of_two()) {
    const bool sends = call->kind == Kind::send;
    const std::pair ends = sends ? std::pair(call->rank, call->peer) : std::pair(call->peer, call->rank);
    (sends ? ranks->sends : ranks->receives)[ends].push_back(call);
  } else {
    ranks->collectives[static_cast<std::size_t>(call->rank)].push_back(call);
  }
}

}  // namespace

void use_from_this_thread() {
  World& all = world();
  const std::lock_guard lock(all.mutex);
  if (all.first_user == std::thread::id()) all.first_user = std::this_thread::get_id();
  all.several_users |= all.first_user != std::this_thread::get_id();
}

ncclResult_t meet(const std::vector<std::pair<Ranks, Call>>& calls) {
  World& all = world();
  std::unique_lock lock(all.mutex);
  for (const auto& [ranks, call] : calls) post(ranks, call);
  for (const auto& [ranks, call] : calls) {
    meet_collectives(*ranks);
    meet_pairs(*ranks);
  }
  all.changed.notify_all();
  Patience patience(!all.several_users);
  ncclResult_t result = ncclSuccess;
  for (const auto& [ranks, call] : calls) {
    while (!call->done && !ranks->aborted)
      if (all.changed.wait_for(lock, Patience::kLook) == std::cv_status::timeout && patience.is_over() && !call->done &&
          !ranks->aborted)
        nobody_comes(*ranks, *call);
    if (result == ncclSuccess) result = call->done ? call->result : ncclSystemError;
  }
  return result;
}

Ranks clique_of(const ncclUniqueId& id, int ranks) {
  World& all = world();
  const std::lock_guard lock(all.mutex);
  const std::string name(id.internal, sizeof id.internal);
  auto& known = all.cliques[name];
  if (known == nullptr) {
    known = std::make_shared<Clique>();
    known->id = name;
    known->ranks = ranks;
    known->gpus.assign(static_cast<std::size_t>(ranks), -1);
    known->collectives.resize(static_cast<std::size_t>(ranks));
  }
  return known->ranks == ranks ? known : nullptr;
}

ncclResult_t arrive(const std::vector<Arrival>& arrivals) {
  World& all = world();
  std::unique_lock lock(all.mutex);
  for (const auto& one : arrivals) {
    int& place = one.ranks->gpus[static_cast<std::size_t>(one.rank)];
    if (place >= 0) return ncclInvalidUsage;  // two with one rank
    place = one.gpu;
    if (++one.ranks->came == one.ranks->ranks) all.cliques.erase(one.ranks->id);
  }
  all.changed.notify_all();
  Patience patience(!all.several_users);
  ncclResult_t result = ncclSuccess;
  for (const auto& one : arrivals) {
    Clique& clique = *one.ranks;
    while (clique.came < clique.ranks)
      if (all.changed.wait_for(lock, Patience::kLook) == std::cv_status::timeout && patience.is_over() &&
          clique.came < clique.ranks)
        libraries::hang("ncclCommInitRank",
                        fmt::format("rank {} waits in ncclCommInitRank for ever: of {} ranks {} came", one.rank,
                                    clique.ranks, clique.came),
                        fmt::format("{}; ranks in other processes are not simulated", kTogether), one.caller);
    auto gpus = clique.gpus;
    std::ranges::sort(gpus);
    if (std::ranges::adjacent_find(gpus) != gpus.end()) result = ncclInvalidUsage;  // as NCCL has it: one rank a GPU
  }
  return result;
}

void abort(Clique& clique) {
  World& all = world();
  const std::lock_guard lock(all.mutex);
  clique.aborted = true;
  all.changed.notify_all();
}

}  // namespace gpulab::nccl
