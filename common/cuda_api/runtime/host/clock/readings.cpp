#include "common/cuda_api/runtime/host/clock/readings.h"

#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <map>
#include <string_view>

#include "common/cuda_api/runtime/host/clock/host_clock.h"
#include "common/cuda_api/runtime/session.h"

namespace gpulab::cuda_api::clocks {
namespace {

/// A program that reads its clock more often is left alone: to look who does takes time.
constexpr std::uint64_t kMostReadings = 10'000;
constexpr std::size_t kMostPairs = 100;
/// Who computes longer than this between launch and clock, by the CPU's time, means to: both work at once.
constexpr std::int64_t kAtOnceNs = 100'000;

std::atomic<bool> watching{false};

std::int64_t cpu_ns() { return host_clock::machine_ns(CLOCK_THREAD_CPUTIME_ID); }

/// Where a file's code lies in memory.
struct Range {
  std::uint64_t first = UINT64_MAX, end = 0;
  [[nodiscard]] bool holds(const void* address) const {
    const auto at = reinterpret_cast<std::uint64_t>(address);
    return first <= at && at < end;
  }
};
struct Ranges {
  Range program, ours;
};
const Ranges& ranges() {
  static const Ranges found = [] {
    Ranges made;
    dl_iterate_phdr(
        [](dl_phdr_info* file, std::size_t, void* data) {
          auto& all = *static_cast<Ranges*>(data);
          Range range;
          for (int i = 0; i < file->dlpi_phnum; ++i) {
            const auto& part = file->dlpi_phdr[i];
            if (part.p_type != PT_LOAD) continue;
            range.first = std::min<std::uint64_t>(range.first, file->dlpi_addr + part.p_vaddr);
            range.end = std::max<std::uint64_t>(range.end, file->dlpi_addr + part.p_vaddr + part.p_memsz);
          }
          if (all.program.end == 0) all.program = range;  // the first is the program
          if (range.holds(reinterpret_cast<const void*>(&ranges))) all.ours = range;
          return 0;
        },
        &made);
    return made;
  }();
  return found;
}

/// The program's own instruction behind the call that ends in us; null: we, or only others, have called.
const void* program_caller(const void* caller) {
  if (ranges().program.holds(caller)) return caller;
  if (ranges().ours.holds(caller)) return nullptr;
  struct Walk {
    const void* found = nullptr;
    int frames = 0;
    bool begun = false;
  } walk;
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* data) {
        constexpr int most_frames = 10;
        auto& at = *static_cast<Walk*>(data);
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        const auto* here = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
        const bool ours = ranges().ours.holds(here);
        if (ours && at.begun) return _URC_NORMAL_STOP;  // a clock of ours, through another library
        at.begun |= !ours;
        if (ranges().program.holds(here)) at.found = here;
        return at.found != nullptr || ++at.frames == most_frames ? _URC_NORMAL_STOP : _URC_NO_REASON;
      },
      &walk);
  return walk.found;
}

/// What a thread has done since it read the clock last.
struct Since {
  std::string from;  ///< where that was; empty: never
  std::string kernel;
  const void* launch = nullptr;
  std::uint64_t launches = 0;  ///< that nobody waited for
  double ms = 0;
  std::int64_t at_ns = 0;                     ///< when the last of them came back
  std::pair<const void*, const void*> told;   ///< the pair of places that was told last, until something else happens
  std::map<const void*, std::string> places;  ///< that were looked up
  bool then_waited = false;                   ///< and all that happened since is a call that only waits
};
/// Never destroyed: programs read clocks while they end.
Since& since() {
  thread_local auto* const one = new Since;
  return *one;
}

const std::string& place(const void* address) {
  auto& text = since().places[address];
  if (text.empty()) text = Session::place_in_program(address);
  return text;
}

std::map<std::pair<const void*, const void*>, std::size_t>& pairs() {  // of launch and reading; with the session's lock
  static auto* const one = new std::map<std::pair<const void*, const void*>, std::size_t>;
  return *one;
}

void add(const void* reading, int times) {
  Session& session = Session::instance();
  const std::unique_lock lock(session.mutex, std::try_to_lock);
  if (!lock) return;
  auto& clocks = session.record.clocks;
  const std::pair key(since().launch, reading);
  if (times < 0) {  // measured twice on purpose: first what it takes to launch, then all of it
    const auto found = pairs().find(since().told);
    if (found == pairs().end() || clocks[found->second].times == 0) return;
    auto& one = clocks[found->second];
    one.ms -= one.ms / static_cast<double>(one.times);
    --one.times;
    return;
  }
  const auto [found, fresh] = pairs().try_emplace(key, clocks.size());
  if (fresh && clocks.size() >= kMostPairs) {
    pairs().erase(found);
    return;
  }
  if (fresh)
    clocks.push_back(
        {.from = since().from, .to = place(reading), .kernel = since().kernel, .launch = place(since().launch)});
  auto& one = clocks[found->second];
  ++one.times;
  one.ms += since().ms;
  since().told = key;
}

}  // namespace

void read_by(const void* caller) {
  if (!watching.load(std::memory_order_relaxed)) return;
  static std::atomic<std::uint64_t> readings{0};
  if (readings.load(std::memory_order_relaxed) >= kMostReadings) return;
  const void* const reading = program_caller(caller);
  if (reading == nullptr) return;
  readings.fetch_add(1, std::memory_order_relaxed);
  if (since().then_waited) add(reading, -1);
  since().told = {};
  since().then_waited = false;
  const bool at_once = since().launches > 0 && cpu_ns() - since().at_ns < kAtOnceNs;
  if (at_once && !since().from.empty()) add(reading, 1);
  since().from = place(reading);
  since().launches = 0;
  since().ms = 0;
}

void watch() { watching = true; }

void launched(const std::string& kernel, const void* caller, double ms) {
  if (!watching) return;
  since().told = {};
  since().then_waited = false;
  since().kernel = kernel;
  since().launch = caller;
  ++since().launches;
  since().ms += ms;
  since().at_ns = cpu_ns();
}

void waited(const char* function) {
  if (!watching) return;
  const std::string_view name(function);
  since().then_waited = since().told.first != nullptr && name.ends_with("Synchronize");
  if (!since().then_waited) since().told = {};
  since().launches = 0;
  since().ms = 0;
}

}  // namespace gpulab::cuda_api::clocks
