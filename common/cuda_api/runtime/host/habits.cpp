#include "common/cuda_api/runtime/host/habits.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>
#include <unordered_map>

namespace gpulab::cuda_api::habits {
namespace {

/// Places of the program's code; those beyond are not looked at.
constexpr std::size_t kMostSites = 1000;
/// At this call of a site its place is looked up again: what comes so often is a loop, and of the places that share an
/// instruction (templates of the toolkit's headers) the one that it is in.
constexpr std::uint64_t kInLoop = 8;
/// Bytes of a copy that are compared; of more nobody can say that they are there.
constexpr std::size_t kMostCompared = std::size_t{64} << 20;

/// What a site's next call is compared with.
struct Before {
  std::size_t site = 0;  ///< in Record::sites
  std::uint64_t to = 0, from = 0, bytes = 0;
  std::uint64_t launches = 0, frees = 0;  ///< of the program until then
};

struct State {
  std::unordered_map<const void*, Before> sites;  ///< by return address
  std::uint64_t launches = 0, frees = 0;
};

// All calls come with the session's lock.
State& state() {
  static auto* const one = new State;
  return *one;
}

/// nullptr: there are too many.
Before* site_of(Session& session, const char* function, const void* caller) {
  auto& sites = state().sites;
  auto found = sites.find(caller);
  if (found == sites.end()) {
    if (sites.size() >= kMostSites) return nullptr;
    found = sites.emplace(caller, Before{}).first;
    found->second.site = session.record.sites.size();
    CallSite& made = session.record.sites.emplace_back();
    made.function = function;
    made.caller = Session::place_in_program(caller);
  }
  return &found->second;
}

}  // namespace

bool is_needless(Session& session, std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  const auto& tools = session.options.sanitize;
  if (!session.options.lines || bytes > kMostCompared) return false;
  // To read is to use what was never written.
  if (std::ranges::find(tools, "initcheck") != tools.end()) return false;
  std::array<std::byte, 65536> there;
  for (std::size_t at = 0; at < bytes; at += there.size()) {
    const auto part = std::span(there).first(std::min(there.size(), bytes - at));
    session.device().read(part, to + at);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the host's side
    if (std::memcmp(part.data(), reinterpret_cast<const std::byte*>(from + at), part.size()) != 0) return false;
  }
  return bytes > 0;
}

void copied(Session& session, const Copied& copy) {
  if (!session.options.lines) return;
  Before* before = site_of(session, copy.function, copy.caller);
  if (before == nullptr) return;
  CallSite& site = session.record.sites[before->site];
  site.direction = copy.direction;
  ++site.calls;
  site.bytes += copy.bytes;
  site.ms += copy.ms;
  site.pinned_ms += copy.pinned_ms;
  site.pageable += copy.pageable ? 1 : 0;
  site.needless += copy.needless && site.calls > 1 ? 1 : 0;  // memory may be zero by itself
  site.device = copy.direction == std::string_view("DtoH") ? copy.from : copy.to;
  if (site.calls > 1 && before->to == copy.to && before->from == copy.from && before->bytes == copy.bytes)
    ++site.repeated;
  if (site.calls > 1 && before->launches != state().launches) ++site.behind_launch;
  if (site.calls == kInLoop) site.caller = Session::place_in_program(copy.caller);
  *before = {before->site, copy.to, copy.from, copy.bytes, state().launches, state().frees};
}

void called(Session& session, const char* name, const void* caller) {
  if (!session.options.lines) return;
  const std::string_view function(name);
  const bool frees = function == "cudaFree" || function == "cudaFreeHost";
  if (frees) ++state().frees;
  if (function != "cudaMalloc" && function != "cudaMallocManaged" && function != "cudaMallocHost" && !frees) return;
  Before* before = site_of(session, name, caller);
  if (before == nullptr) return;
  CallSite& site = session.record.sites[before->site];
  if (++site.calls > 1 && before->launches != state().launches && (frees || before->frees != state().frees)) {
    ++site.behind_launch;
    if (site.behind_launch == 1 || site.behind_launch == kInLoop) site.caller = Session::place_in_program(caller);
  }
  before->launches = state().launches;
  before->frees = state().frees;
}

void launched() { ++state().launches; }

}  // namespace gpulab::cuda_api::habits
