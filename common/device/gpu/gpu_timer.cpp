#include "common/device/gpu/gpu_timer.h"

#include <algorithm>
#include <cstdint>

namespace gpulab {
namespace {

/// One thread that waits until %globaltimer has advanced by the argument (nanoseconds), from one of its ticks to
/// another: it ticks each 32 ns on some GPUs and each microsecond on others. Leaves how many cycles of its SM that
/// took, and how many nanoseconds.
constexpr const char* hold_ptx = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry gpulab_hold(.param .u64 nanoseconds, .param .u64 reading)
{
  .reg .pred %p;
  .reg .b64 %t<5>, %c<3>, %out;
  ld.param.u64 %t1, [nanoseconds];
  ld.param.u64 %out, [reading];
  cvta.to.global.u64 %out, %out;
  mov.u64 %t2, %globaltimer;
tick:
  mov.u64 %t3, %globaltimer;
  setp.eq.u64 %p, %t3, %t2;
  @%p bra tick;
  mov.u64 %c1, %clock64;
  add.u64 %t1, %t1, %t3;
again:
  mov.u64 %t4, %globaltimer;
  setp.lt.u64 %p, %t4, %t1;
  @%p bra again;
  mov.u64 %c2, %clock64;
  sub.u64 %c2, %c2, %c1;
  sub.u64 %t4, %t4, %t3;
  st.global.u64 [%out], %c2;
  st.global.u64 [%out+8], %t4;
  ret;
}
)";

struct Reading {
  std::uint64_t cycles = 0, nanoseconds = 0;
};

/// Longer than the host needs to queue an event, a few launches and an event (2 to 5 microseconds each).
constexpr std::uint64_t hold_nanoseconds = 40'000;
/// Behind the work: as long as its clock needs to be read, a few ticks of a slow globaltimer.
constexpr std::uint64_t look_nanoseconds = 5'000;

constexpr std::size_t smallest_flush_bytes = std::size_t{32} << 20;

}  // namespace

GpuTimer::GpuTimer(const DriverApi& driver, std::size_t l2_bytes)
    // Twice the cache: one pass over exactly its size leaves lines behind where its replacement is not LRU.
    : driver_(driver), flush_bytes_(std::max(2 * l2_bytes, smallest_flush_bytes)) {
  driver_.check(driver_.cuEventCreate(&start_, CU_EVENT_DEFAULT), DriverUse::start, "timer");
  driver_.check(driver_.cuEventCreate(&stop_, CU_EVENT_DEFAULT), DriverUse::start, "timer");
  driver_.check(driver_.cuModuleLoadDataEx(&hold_module_, hold_ptx, 0, nullptr, nullptr), DriverUse::load, "timer");
  driver_.check(driver_.cuModuleGetFunction(&hold_, hold_module_, "gpulab_hold"), DriverUse::load, "timer");
}

GpuTimer::~GpuTimer() {
  if (flush_buffer_ != 0) driver_.cuMemFree(flush_buffer_);
  if (readings_ != 0) driver_.cuMemFree(readings_);
  if (hold_module_ != nullptr) driver_.cuModuleUnload(hold_module_);
  if (stop_ != nullptr) driver_.cuEventDestroy(stop_);
  if (start_ != nullptr) driver_.cuEventDestroy(start_);
}

/// Evicts what the last sample left in L2 by writing a buffer larger than it.
void GpuTimer::flush_l2() {
  if (flush_buffer_ == 0)
    driver_.check(driver_.cuMemAlloc(&flush_buffer_, flush_bytes_), DriverUse::memory, "buffer that flushes L2");
  driver_.check(driver_.cuMemsetD32Async(flush_buffer_, ++flushes_, flush_bytes_ / 4, nullptr), DriverUse::memory,
                "buffer that flushes L2");
}

/// Keeps the GPU busy while the host queues the events and the work: otherwise a short kernel's time would contain
/// the host's launch overhead.
void GpuTimer::hold_stream(std::uint64_t nanoseconds, std::size_t reading) {
  if (readings_ == 0) {
    driver_.check(driver_.cuMemAlloc(&readings_, 2 * sizeof(Reading)), DriverUse::memory, "timer");
    driver_.check(driver_.cuMemsetD32Async(readings_, 0, 2 * sizeof(Reading) / 4, nullptr), DriverUse::memory, "timer");
  }
  CUdeviceptr out = readings_ + reading * sizeof(Reading);
  void* arguments[] = {&nanoseconds, &out};
  driver_.check(driver_.cuLaunchKernel(hold_, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr), DriverUse::launch,
                "timer");
}

void GpuTimer::read_clock() {
  Reading seen[2];
  driver_.check(driver_.cuMemcpyDtoH(seen, readings_, sizeof seen), DriverUse::launch, "timer");
  double sum = 0;
  for (const auto& one : seen)
    if (one.nanoseconds > 0) sum += 1000 * double(one.cycles) / double(one.nanoseconds);
  sm_mhz_ = seen[0].nanoseconds > 0 && seen[1].nanoseconds > 0 ? sum / 2 : 0;
}

double GpuTimer::time(const std::function<void()>& work, bool cold) {
  if (cold) flush_l2();
  hold_stream(hold_nanoseconds, 0);
  driver_.check(driver_.cuEventRecord(start_, nullptr), DriverUse::launch, "timer");
  work();
  driver_.check(driver_.cuEventRecord(stop_, nullptr), DriverUse::launch, "timer");
  hold_stream(look_nanoseconds, 1);
  driver_.check(driver_.cuEventSynchronize(stop_), DriverUse::launch);
  float milliseconds = 0;
  driver_.check(driver_.cuEventElapsedTime(&milliseconds, start_, stop_), DriverUse::launch, "timer");
  read_clock();
  return milliseconds;
}

}  // namespace gpulab
