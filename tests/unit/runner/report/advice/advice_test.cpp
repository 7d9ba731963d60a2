// Each rule on records made by hand: what it says, and of whom it says nothing.
#include "runner/report/advice/advice.h"

#include <algorithm>
#include <functional>

#include "tests/catch.h"

using namespace gpulab;
using cuda_api::CallSite;
using cuda_api::KernelRecord;

namespace {

/// One kernel of 100 µs whose source is below, launched once, that is as it should be.
ProgramRun good() {
  ProgramRun run;
  run.profile = "h200";
  run.explained = true;
  KernelRecord& kernel = run.record.kernels.emplace_back();
  kernel.name = "k(float*)";
  kernel.cpp_name = "k";
  kernel.launches = 1;
  kernel.ms = 0.1;
  kernel.registers = 32;
  kernel.caller = "main.cu:9";
  LaunchLines& launch = kernel.lines.emplace();
  launch.kernel = "k";
  launch.file = "/home/ada/k.cu";
  launch.grid = {1000, 1, 1};
  launch.block = {256, 1, 1};
  launch.counters["warps"] = 8000;
  launch.counters["warp_instructions"] = 80000;
  LineCounts& line = launch.lines.emplace_back();
  line.line = 3;
  launch.time.emplace();
  launch.time->ms = 0.1;
  launch.time->kernel_ms = 0.0975;
  launch.time->lines.push_back({.line = 3, .issue = 0.0975});
  run.sources["/home/ada/k.cu"] =
      "__global__ void k(float* x) {\n  __shared__ float tile[4096];\n  x[threadIdx.x] *= 0.5;\n  for (;;) v = v + "
      "1;\n}\n";
  return run;
}

CallSite copy_site(const std::string& direction, std::uint64_t calls) {
  CallSite site;
  site.function = "cudaMemcpy";
  site.caller = direction == "HtoD" ? "main.cu:20" : "main.cu:22";
  site.direction = direction;
  site.calls = calls;
  site.bytes = calls * 65536;
  site.ms = 0.002 * static_cast<double>(calls);
  site.pinned_ms = site.ms;
  site.device = 4096;
  return site;
}

const Advice* find(const AdviceList& list, const std::string& kind) {
  const auto found = std::ranges::find(list.advices, kind, &Advice::kind);
  return found == list.advices.end() ? nullptr : &*found;
}

/// What the rule says of the good program changed so; nullptr: nothing.
std::optional<Advice> advice(const std::string& kind, const std::function<void(ProgramRun&)>& change) {
  ProgramRun run = good();
  change(run);
  const auto list = advice_of(run);
  const Advice* one = find(list, kind);
  return one == nullptr ? std::nullopt : std::optional(*one);
}

LaunchLines& lines(ProgramRun& run) { return *run.record.kernels.front().lines; }

}  // namespace

TEST_CASE("of a program that is as it should be nothing is said, and nothing where nobody asked", "[advice]") {
  CHECK(advice_of(good()).advices.empty());
  CHECK(advice_of(good()).total_ms == 0.1);
  ProgramRun run = good();
  run.record.sites.push_back(copy_site("HtoD", 50));
  run.record.sites.back().needless = 49;
  run.explained = false;
  CHECK(advice_of(run).advices.empty());
}

TEST_CASE("a block's shared memory that keeps an SM empty is told at its declaration", "[advice]") {
  const auto few = [](ProgramRun& run) {
    run.record.kernels.front().shared_bytes = 40960;
    lines(run).block = {32, 1, 1};
    lines(run).time->more_resident_ms = 0.06;
  };
  const auto told = advice("low_occupancy", few);
  REQUIRE(told);
  CHECK(told->where == "k.cu:2");
  CHECK(told->ms == Catch::Detail::Approx(0.04));
  CHECK(told->text ==
        "occupancy of 8%: a block of 32 threads takes 40 KiB of shared memory, so that an SM holds 5 blocks, 5 of 64 "
        "warps; "
        "too few to work while others wait");
  CHECK(told->remedy == "a smaller array, or more threads that share it");
  CHECK_FALSE(advice("low_occupancy", [&](ProgramRun& run) {  // more warps would not help
    few(run);
    lines(run).time->more_resident_ms = 0.095;
  }));
}

TEST_CASE("registers that keep an SM empty are told where much is lost", "[advice]") {
  const auto few = [](ProgramRun& run, double ms) {
    run.record.kernels.front().registers = 255;
    lines(run).time->more_resident_ms = ms;
  };
  const auto told = advice("low_occupancy", [&](ProgramRun& run) { few(run, 0.05); });
  REQUIRE(told);
  CHECK(told->where == "k.cu:1");
  CHECK(told->text ==
        "occupancy of 12%: a block of 256 threads takes 255 registers for each, so that an SM holds 1 block, 8 of 64 "
        "warps; "
        "too few to work while others wait");
  CHECK_FALSE(advice("low_occupancy", [&](ProgramRun& run) { few(run, 0.08); }));
}

TEST_CASE("a double literal in a kernel of floats is told with what the GPU makes of it", "[advice]") {
  const auto slow = [](ProgramRun& run) {
    run.profile = "rtx4090";
    lines(run).doubles = {{3, 5000}};
    lines(run).time->in_float_ms = 0.04;
  };
  const auto told = advice("double_arithmetic", slow);
  REQUIRE(told);
  CHECK(told->where == "k.cu:3");
  CHECK(told->ms == Catch::Detail::Approx(0.06));
  CHECK(told->text ==
        "double arithmetic on floats: 0.5 is a double, so that the line converts, computes in double and converts back "
        "(5,000 instructions of warps); an SM of this GPU computes 2 results in double a cycle where 128 are float");
  CHECK(told->remedy == "0.5f for 0.5");
  const auto by_function = advice("double_arithmetic", [&](ProgramRun& run) {
    slow(run);
    lines(run).doubles = {{0, 90000}, {3, 500}};  // most of it in a function of the C library
  });
  REQUIRE(by_function);
  CHECK(by_function->ms == Catch::Detail::Approx(0.06));
  const auto in_part = advice("double_arithmetic", [&](ProgramRun& run) {
    slow(run);
    lines(run).doubles = {{3, 500}, {4, 500}};  // of line 4 nobody knows why
  });
  REQUIRE(in_part);
  CHECK(in_part->ms == Catch::Detail::Approx(0.03));
  CHECK_FALSE(advice("double_arithmetic", [&](ProgramRun& run) {  // meant so
    slow(run);
    run.sources["/home/ada/k.cu"] = "__global__ void k(float* x) {\n  double v = *x;\n  *x = v * 0.5;\n}\n";
  }));
  CHECK_FALSE(advice("double_arithmetic", [&](ProgramRun& run) {  // no literal of the line's
    slow(run);
    lines(run).doubles = {{4, 5000}};
  }));
  CHECK_FALSE(advice("double_arithmetic", [&](ProgramRun& run) {  // it costs nothing
    slow(run);
    lines(run).time->in_float_ms = 0.099;
  }));
}

TEST_CASE("a kernel that stores nothing is told at the work that the compiler took away", "[advice]") {
  const auto told = advice("stores_nothing", [](ProgramRun& run) { lines(run).leaves_nothing = true; });
  REQUIRE(told);
  CHECK(told->where == "k.cu:4");
  CHECK(told->text ==
        "k stores nothing: nobody can see what it computes, so the compiler left it out: 10 instructions of a thread "
        "are there, and a time taken of it says nothing");
  CHECK_FALSE(advice("stores_nothing", [](ProgramRun& run) {
    lines(run).leaves_nothing = true;
    run.record.kernels.front().cpp_name = "warmUp";
  }));
  CHECK_FALSE(advice("stores_nothing", [](ProgramRun& run) {  // it is empty: nothing was taken away
    lines(run).leaves_nothing = true;
    run.sources["/home/ada/k.cu"] = "__global__ void k(float* x) {\n\n\n}\n";
  }));
}

TEST_CASE("a hundred launches that take longer to begin than to run are told where they are made", "[advice]") {
  const auto tiny = [](ProgramRun& run, std::uint64_t launches) {
    auto& kernel = run.record.kernels.front();
    kernel.launches = launches;
    lines(run).grid = {1, 1, 1};
    lines(run).block = {32, 1, 1};
    lines(run).time->ms = 0.0035;
    lines(run).time->kernel_ms = 0.001;
    kernel.ms = 0.0035 * static_cast<double>(launches);
  };
  const auto told = advice("tiny_launches", [&](ProgramRun& run) { tiny(run, 2000); });
  REQUIRE(told);
  CHECK(told->where == "main.cu:9");
  CHECK(told->ms == Catch::Detail::Approx(5));
  CHECK(told->text ==
        "2,000 launches of k, of 32 threads each: it runs for 1 µs at most, and to launch it takes 2.5 µs");
  CHECK_FALSE(advice("tiny_launches", [&](ProgramRun& run) { tiny(run, 99); }));
}

TEST_CASE("a copy of what lies on the device already is told with the one that brought it back", "[advice]") {
  const auto told = advice("needless_copy", [](ProgramRun& run) {
    run.record.sites = {copy_site("HtoD", 50), copy_site("DtoH", 50)};
    run.record.sites[0].needless = 49;
  });
  REQUIRE(told);
  CHECK(told->where == "main.cu:20");
  CHECK(told->ms == Catch::Detail::Approx(0.196));
  CHECK(told->text ==
        "cudaMemcpy copies to the device what lies there already: 49 of 50 times, 64 KiB each; what cudaMemcpy has "
        "brought "
        "to the host in main.cu:22 goes up again unchanged");
  CHECK(told->remedy ==
        "copy once, before the loop, and leave the data on the device between the launches; copy back once, behind the "
        "loop");
  CHECK_FALSE(advice("needless_copy", [](ProgramRun& run) {  // new data each time
    run.record.sites = {copy_site("HtoD", 50)};
    run.record.sites[0].needless = 3;
  }));
}

TEST_CASE("data that the host changes between launches is told where its travels take much of the time", "[advice]") {
  const auto travels = [](ProgramRun& run, std::uint64_t repeated) {
    run.record.sites = {copy_site("HtoD", 50), copy_site("DtoH", 50)};
    for (auto& site : run.record.sites) site.repeated = repeated, site.behind_launch = 49;
  };
  const auto told = advice("round_trips", [&](ProgramRun& run) { travels(run, 49); });
  REQUIRE(told);
  CHECK(told->where == "main.cu:20");
  CHECK(told->text ==
        "64 KiB of the same array travel to the device around launches, 50 times, and back to the host in "
        "main.cu:22");
  CHECK_FALSE(advice("round_trips", [&](ProgramRun& run) { travels(run, 0); }));  // another part each time
}

TEST_CASE("hundreds of small copies are told with the remedy that fits their direction", "[advice]") {
  const auto small = [](ProgramRun& run, const char* direction, std::uint64_t bytes) {
    run.record.sites = {copy_site(direction, 1000)};
    run.record.sites[0].bytes = 1000 * bytes;
    run.record.sites[0].behind_launch = direction == std::string("DtoH") ? 999 : 0;
  };
  const auto up = advice("small_copies", [&](ProgramRun& run) { small(run, "HtoD", 4); });
  REQUIRE(up);
  CHECK(up->where == "main.cu:20");
  CHECK(up->text == "1,000 copies of 4 B each to the device by cudaMemcpy: each takes 2 µs, nearly all of it to begin");
  CHECK(up->remedy == "one copy of an array that holds them all; cudaMemcpy2D where they lie at equal distances");
  const auto down = advice("small_copies", [&](ProgramRun& run) { small(run, "DtoH", 4); });
  REQUIRE(down);
  CHECK(down->remedy == "ask less often, after every tenth launch say, or let the kernel decide");
  CHECK_FALSE(advice("small_copies", [&](ProgramRun& run) { small(run, "HtoD", 65536); }));
}

TEST_CASE("an asynchronous copy of memory that is not pinned is told by what pinning would gain", "[advice]") {
  const auto pageable = [](ProgramRun& run, const char* function) {
    run.record.sites = {copy_site("HtoD", 2)};
    run.record.sites[0].function = function;
    run.record.sites[0].pageable = 2;
    run.record.sites[0].ms = 0.2;
    run.record.sites[0].pinned_ms = 0.05;
  };
  const auto told = advice("pageable_async", [&](ProgramRun& run) { pageable(run, "cudaMemcpyAsync"); });
  REQUIRE(told);
  CHECK(told->ms == Catch::Detail::Approx(0.15));
  CHECK(
      told->text ==
      "cudaMemcpyAsync to the device with memory of the host that is not pinned, 128 KiB in 2 calls: it goes through a "
      "buffer of the driver's, at a quarter of the speed, and overlaps with nothing");
  CHECK(told->remedy == "cudaMallocHost for the host's array (cudaHostRegister for one that is there)");
  CHECK_FALSE(advice("pageable_async", [&](ProgramRun& run) { pageable(run, "cudaMemcpy"); }));
}

TEST_CASE("memory that comes and goes with each launch is told where it is allocated", "[advice]") {
  const auto loop = [](ProgramRun& run, std::uint64_t behind_launch) {
    CallSite site;
    site.calls = 50;
    site.behind_launch = behind_launch;
    site.function = "cudaMalloc";
    site.caller = "main.cu:15";
    run.record.sites.push_back(site);
    site.function = "cudaFree";
    site.caller = "main.cu:18";
    run.record.sites.push_back(site);
  };
  const auto told = advice("allocation_in_loop", [&](ProgramRun& run) { loop(run, 49); });
  REQUIRE(told);
  CHECK(told->where == "main.cu:15");
  CHECK(told->ms == Catch::Detail::Approx(0.98));
  CHECK(told->share == Catch::Detail::Approx(0.98 / 1.08));
  CHECK(told->text ==
        "memory is allocated and freed again around launches: 49 times cudaMalloc, 49 times cudaFree; each takes some "
        "10 µs (assumed), and cudaFree waits for all kernels");
  CHECK_FALSE(advice("allocation_in_loop", [&](ProgramRun& run) { loop(run, 0); }));
}

TEST_CASE("a clock around a launch that nobody waited for is told with all three places", "[advice]") {
  const auto told = advice("clock_without_wait", [](ProgramRun& run) {
    run.record.clocks.push_back({"main.cu:8", "main.cu:10", "k(float*)", "main.cu:9", 1, 0.001});
  });
  REQUIRE(told);
  CHECK(told->where == "main.cu:10");
  CHECK(
      told->text ==
      "the clock is read in main.cu:8 and in main.cu:10, k(float*) is launched between them in main.cu:9, and nothing "
      "waits for it: the difference is the time to launch, not the kernel's");
  CHECK(told->remedy.starts_with("cudaDeviceSynchronize() before the second reading"));
  CHECK_FALSE(advice("clock_without_wait", [](ProgramRun& run) {  // taken back
    run.record.clocks.push_back({"main.cu:8", "main.cu:10", "k(float*)", "main.cu:9", 0, 0});
  }));
}

TEST_CASE("kernels' lines and the host's mistakes are one list, the dearest first, without what costs little",
          "[advice]") {
  ProgramRun run = good();
  run.record.sites = {copy_site("HtoD", 50)};
  run.record.sites[0].needless = 50;
  lines(run).lines[0].counters["warp_instructions"] = 80000;
  auto& counters = lines(run).lines[0].counters;
  counters["shared_load_wavefronts"] = 32000;
  counters["shared_load_bank_conflicts"] = 31000;
  lines(run).counters = counters;
  lines(run).time->what_ifs.push_back({3, "bank_conflict", 0.05});
  const auto list = advice_of(run);
  REQUIRE(list.advices.size() == 2);
  CHECK(list.advices[0].kind == "needless_copy");
  CHECK(list.advices[1].kind == "bank_conflict");
  CHECK(list.advices[1].where == "k.cu:3");
  CHECK(list.advices[1].ms == Catch::Detail::Approx(0.05));
  run.record.kernels.front().ms = 10;  // of a hundred launches
  run.record.sites[0].ms = 0.1;
  const auto now = advice_of(run);
  REQUIRE(now.advices.size() == 1);
  CHECK(now.advices[0].kind == "bank_conflict");
  CHECK(now.advices[0].ms == Catch::Detail::Approx(5));
}
