// What the host's code does that costs time: copies, allocations, clocks.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/text.h"
#include "runner/report/advice/rules.h"

namespace gpulab::advice {
namespace {

using cuda_api::CallSite;

std::string each_text(const CallSite& site) {
  return bytes_text(static_cast<double>(site.bytes) / static_cast<double>(std::max<std::uint64_t>(site.calls, 1)));
}
std::string to_where(const CallSite& site) { return site.direction == "DtoH" ? "to the host" : "to the device"; }

/// The copy that brings back, about as often, what `up` takes to the device.
const CallSite* way_back(const Facts& facts, const CallSite& up) {
  for (const auto& site : facts.run->record.sites)
    if (site.direction == "DtoH" && site.device == up.device && site.calls >= up.calls / 2) return &site;
  return nullptr;
}

/// Copies to the device, again and again, of what lies there.
bool is_needless(const CallSite& site) {
  constexpr std::uint64_t least = 4;
  return site.direction == "HtoD" && site.needless >= least && site.needless * 2 >= site.calls;
}

std::vector<Advice> needless_copies(const Facts& facts) {
  std::vector<Advice> all;
  for (const auto& site : facts.run->record.sites) {
    if (!is_needless(site)) continue;
    Advice advice{.kind = "needless_copy", .where = site.caller};
    advice.ms = site.ms * static_cast<double>(site.needless) / static_cast<double>(site.calls);
    advice.text = fmt::format("{} copies to the device what lies there already: {} of {} times, {} each", site.function,
                              grouped(site.needless), grouped(site.calls), each_text(site));
    advice.remedy = "copy once, before the loop, and leave the data on the device between the launches";
    if (const CallSite* back = way_back(facts, site)) {
      advice.ms += back->ms * static_cast<double>(back->calls - 1) / static_cast<double>(back->calls);
      advice.text +=
          fmt::format("; what {} has brought to the host in {} goes up again unchanged", back->function, back->caller);
      advice.remedy += "; copy back once, behind the loop";
    }
    all.push_back(std::move(advice));
  }
  return all;
}

/// Data that goes to the device and back around each launch, changed by the host in between.
std::vector<Advice> round_trips(const Facts& facts) {
  constexpr std::uint64_t least = 10;
  constexpr double least_share = 0.25;
  std::vector<Advice> all;
  for (const auto& site : facts.run->record.sites) {
    const bool loops = site.calls >= least && site.repeated * 2 >= site.calls && site.behind_launch * 2 >= site.calls;
    if (site.direction != "HtoD" || !loops || is_needless(site)) continue;
    const CallSite* back = way_back(facts, site);
    if (back == nullptr || back->repeated * 2 < back->calls || site.ms + back->ms < least_share * facts.total_ms)
      continue;
    all.push_back({.kind = "round_trips",
                   .where = site.caller,
                   .ms = site.ms + back->ms,
                   .text = fmt::format("{} of the same array travel to the device around launches, {} times, and back "
                                       "to the host in {}",
                                       each_text(site), grouped(site.calls), back->caller),
                   .remedy = "where the host changes it in between, a kernel can do that too: then it stays on the "
                             "device"});
  }
  return all;
}

std::vector<Advice> small_copies(const Facts& facts) {
  constexpr std::uint64_t many = 100, small = 4096;
  std::vector<Advice> all;
  for (const auto& site : facts.run->record.sites) {
    if (site.calls < many || site.bytes > small * site.calls || site.direction == "DtoD" || site.direction.empty() ||
        is_needless(site))
      continue;
    const bool asks = site.direction == "DtoH" && site.behind_launch * 2 >= site.calls;
    all.push_back(
        {.kind = "small_copies",
         .where = site.caller,
         .ms = site.ms * static_cast<double>(site.calls - 1) / static_cast<double>(site.calls),
         .text = fmt::format("{} copies of {} each {} by {}: each takes {}, nearly all of it to begin",
                             grouped(site.calls), each_text(site), to_where(site), site.function,
                             duration_text(site.ms / static_cast<double>(site.calls))),
         .remedy = asks ? "ask less often, after every tenth launch say, or let the kernel decide"
                        : "one copy of an array that holds them all; cudaMemcpy2D where they lie at equal distances"});
  }
  return all;
}

std::vector<Advice> pageable_async(const Facts& facts) {
  std::vector<Advice> all;
  for (const auto& site : facts.run->record.sites) {
    if (site.pageable == 0 || site.function.find("Async") == std::string::npos || is_needless(site)) continue;
    all.push_back({.kind = "pageable_async",
                   .where = site.caller,
                   .ms = site.ms - site.pinned_ms,
                   .text = fmt::format("{} {} with memory of the host that is not pinned, {} in {}: it goes through a "
                                       "buffer of the driver's, at a quarter of the speed, and overlaps with nothing",
                                       site.function, to_where(site), bytes_text(static_cast<double>(site.bytes)),
                                       plural(site.calls, "call")),
                   .remedy = "cudaMallocHost for the host's array (cudaHostRegister for one that is there)"});
  }
  return all;
}

/// Allocations and frees that come with each launch. What they take is assumed: it depends on the driver.
std::vector<Advice> allocations(const Facts& facts) {
  constexpr std::uint64_t least = 10;
  constexpr double each_ms = 0.01;
  std::uint64_t calls = 0, frees = 0;
  const CallSite* most = nullptr;
  for (const auto& site : facts.run->record.sites) {
    if (!site.direction.empty() || site.behind_launch < least) continue;
    const bool is_free = site.function.starts_with("cudaFree");
    (is_free ? frees : calls) += site.behind_launch;
    if (!is_free && (most == nullptr || site.behind_launch > most->behind_launch)) most = &site;
  }
  if (most == nullptr || frees == 0) return {};
  return {
      {.kind = "allocation_in_loop",
       .where = most->caller,
       .ms = static_cast<double>(calls + frees) * each_ms,
       .beside = true,
       .text = fmt::format("memory is allocated and freed again around launches: {} times {}, {} times cudaFree; each "
                           "takes some 10 µs (assumed), and cudaFree waits for all kernels",
                           grouped(calls), most->function, grouped(frees)),
       .remedy = "allocate once before the loop, free once behind it; or cudaMallocAsync, which keeps a pool"}};
}

/// A clock of the host's that was read before a launch and behind it while nobody waited for the kernel.
std::vector<Advice> clocks(const Facts& facts) {
  std::vector<Advice> all;
  for (const auto& one : facts.run->record.clocks) {
    if (one.times == 0) continue;
    all.push_back(
        {.kind = "clock_without_wait",
         .where = one.to,
         .kernel = visible(one.kernel),
         .ms = one.ms,
         .least_share = 0,  // what it measures is wrong, however short that is
         .text = fmt::format("the clock is read in {} and in {}, {} is launched between them in {}, and nothing "
                             "waits for it: the difference is the time to launch, not the kernel's",
                             one.from, one.to, visible(one.kernel), one.launch),
         .remedy = "cudaDeviceSynchronize() before the second reading, or cudaEventRecord before and behind the "
                   "launch and cudaEventElapsedTime"});
  }
  return all;
}

constexpr std::array<Rule, 6> rules{needless_copies, round_trips, small_copies, pageable_async, allocations, clocks};

}  // namespace

std::span<const Rule> host_rules() { return rules; }

}  // namespace gpulab::advice
