#include "runner/execution/wire.h"

#include <cmath>
#include <limits>

#include "tests/catch.h"

namespace gpulab {
namespace {

Result full_result() {
  Result r;
  r.variant = "warp";
  r.kernel = "reduce_warp<float, Sum>";
  r.status = CaseStatus::wrong;
  r.message = "line 1\nline \"2\"";
  r.summary = "shuffles";
  r.params = {{"n", std::int64_t{1} << 40}, {"type", "float"}};
  r.launch = LaunchFacts{{3, 2, 1}, {256, 1, 1}, 128, 64, std::nullopt, 18, 2};
  r.occupancy = Occupancy{0.625, 5, {"registers", "warps"}};
  r.spread = Spread{132, 7, 0.5, 0.25};
  r.simulation_ms = 12.5;
  r.verification = Verification{VerificationStatus::failed,
                                0.5,
                                std::numeric_limits<double>::infinity(),
                                1e-300,
                                3,
                                {{7, std::nan(""), 0.1}, {8, std::int64_t{-1}, std::uint64_t{1} << 63}},
                                "wraps"};
  r.timing = Timing{TimeSource::cuda_events, CacheState::cold, 31, 0.1, 0.2, 0.3, 0.4, 0.30000000000000004, 0};
  r.timing->samples_ms = {0.1, 0.30000000000000004};
  r.timing->sm_mhz = {1980, 1755.5};
  r.timing->in_turn = true;
  r.timing->stopped_by = StoppedBy::entropy;
  r.timing->discarded = {{"power cap", 3}};
  r.timing->throttled = "power cap";
  r.timing->throttling_unseen = "no NVML";
  r.metrics = {{"bandwidth", -std::numeric_limits<double>::infinity(), "GB/s"}};
  r.counters = Counters{};
  (*r.counters)["warps"] = 12;
  (*r.counters)["barriers"] = std::numeric_limits<std::uint64_t>::max();
  r.findings = {
      {"racecheck", Severity::error, "race", 2, {{"kernels.cu", 41, "write", {1, 2, 3}, {4, 5, 6}, "s[35]"}}}};
  r.output = "from the device\n";
  r.buffers = {{"x", "f16", 3, {0.5, std::nan("")}, "00ff", {{100, {1.5, std::int64_t{-3}}}}}};
  return r;
}

TEST_CASE("a result with every field survives the wire") {
  const Result sent = full_result();
  const std::string line = encode(WireReply{sent, std::nullopt});
  CHECK(line.find('\n') == std::string::npos);
  const auto reply = decode_reply(line);
  REQUIRE(reply.result);
  CHECK_FALSE(reply.error);
  const Result& got = *reply.result;
  CHECK(encode(WireReply{got, std::nullopt}) == line);  // every field, once more
  CHECK(got.message == sent.message);
  CHECK(got.params == sent.params);
  CHECK(got.launch->static_shared_bytes == 64);
  CHECK_FALSE(got.launch->local_bytes.has_value());
  CHECK(got.occupancy->limited_by == sent.occupancy->limited_by);
  CHECK(std::isnan(std::get<double>(got.verification->mismatches[0].got)));
  CHECK(std::get<std::uint64_t>(got.verification->mismatches[1].expected) == std::uint64_t{1} << 63);
  CHECK(got.verification->max_rel_error == std::numeric_limits<double>::infinity());
  CHECK(got.timing->mean_ms == 0.30000000000000004);
  CHECK(got.spread->waves == 0.5);
  CHECK(got.simulation_ms == 12.5);
  CHECK(got.metrics[0].value == -std::numeric_limits<double>::infinity());
  CHECK(*got.counters == *sent.counters);
  CHECK(got.findings[0].at[0].thread == Dim3{4, 5, 6});
  CHECK(std::get<double>(got.buffers.at(0).first.at(0)) == 0.5);
  CHECK(got.buffers.at(0).slices.at(0).from == 100);
}

TEST_CASE("lines survive the wire, and the text that they are of") {
  Result sent;
  LaunchLines launch;
  launch.kernel = "k";
  launch.text = "first\nsecond\n";
  launch.grid = {1, 2, 3};
  launch.phases = 2;
  launch.lines = {{.line = 7, .phase = 1, .executions = 5, .counters = {}}};
  launch.lines[0].counters["warps"] = 12;
  LineAccess access;
  access.instruction = "ld.shared.f32";
  access.shared = true;
  access.addresses[31] = -4;
  access.max_same_address = 3;
  launch.accesses = {access};
  launch.idle = {{.line = 7, .branch = 6, .slots = 100, .warps = 4}};
  sent.lines = {launch};
  const auto reply = decode_reply(encode(WireReply{sent, std::nullopt}));
  REQUIRE(reply.result);
  CHECK(reply.texts == std::vector<std::string>{"first\nsecond\n"});
  const auto& got = reply.result->lines.at(0);
  CHECK(got.grid == Dim3{1, 2, 3});
  CHECK(got.lines.at(0).counters["warps"] == 12);
  CHECK(got.idle.at(0).branch == 6);
  CHECK(got.idle.at(0).slots == 100);
  CHECK(got.accesses.at(0).addresses[31] == -4);
  CHECK(got.accesses.at(0).max_same_address == 3);
}

TEST_CASE("a case and the one beside it survive the wire, and so do both results") {
  WireCase sent;
  sent.lab = "reduce";
  sent.variant = "warp";
  sent.options.measure.stop = StopBy::entropy;
  auto& beside = sent.beside.emplace_back();
  beside.lab = "run";
  beside.file = KernelFile{};
  beside.file->entry = "spin";
  const auto got = decode_case(encode(sent));
  CHECK(got.options.measure.stop == StopBy::entropy);
  REQUIRE(got.beside.size() == 1);
  CHECK(got.beside[0].lab == "run");
  CHECK(got.beside[0].file->entry == "spin");
  WireReply reply;
  reply.result = full_result();
  reply.beside = full_result();
  reply.beside->variant = "other";
  const auto answered = decode_reply(encode(reply));
  CHECK(answered.result->variant == "warp");
  CHECK(answered.beside->variant == "other");
  CHECK(answered.beside->timing->sm_mhz == std::vector{1980.0, 1755.5});
}

TEST_CASE("how a simulator is to run survives the wire") {
  DeviceRequest sent;
  sent.profile = "a100";
  sent.simulation.threads = 3;
  sent.simulation.sanitize = {"memcheck", "racecheck"};
  sent.simulation.schedule = std::numeric_limits<std::uint64_t>::max();
  const auto got = decode_request(encode(sent));
  CHECK(encode(got) == encode(sent));
  CHECK(got.profile == "a100");
  CHECK(got.simulation.sanitize == sent.simulation.sanitize);
  CHECK(got.simulation.schedule == sent.simulation.schedule);
}

TEST_CASE("an empty result survives the wire") {
  const auto reply = decode_reply(encode(WireReply{Result{}, std::nullopt}));
  REQUIRE(reply.result);
  CHECK_FALSE(reply.result->launch.has_value());
  CHECK_FALSE(reply.result->counters.has_value());
  CHECK(reply.result->status == CaseStatus::ok);
}

TEST_CASE("what a kernel printed need not be text") {
  Result result;
  result.output = std::string("caf\xe9 \xff") + '\0' + " end";
  const auto reply = decode_reply(encode(WireReply{result, std::nullopt}));
  CHECK(reply.result->output == result.output);
}

TEST_CASE("a piece of what a kernel printed is a reply of its own") {
  const std::string line = encode(WireReply{.printed = "a \"line\"\n"});
  CHECK(line.starts_with(printed_reply));
  const auto reply = decode_reply(line);
  CHECK(reply.printed == "a \"line\"\n");
  CHECK((!reply.result && !reply.error));
  CHECK_FALSE(encode(WireReply{full_result(), std::nullopt}).starts_with(printed_reply));
}

TEST_CASE("how far a launch is, is a reply of its own") {
  LaunchProgress::Now now{.kernel = "k", .launch = 2, .launches = 3, .blocks = 64, .done = 17, .elapsed_ms = 4200};
  const std::string line = encode(WireReply{.progress = now});
  CHECK(line.starts_with(progress_reply));
  const auto reply = decode_reply(line);
  REQUIRE(reply.progress);
  CHECK(text_of(*reply.progress) == text_of(now));
  CHECK((!reply.result && !reply.error && !reply.printed));
}

TEST_CASE("an error survives the wire") {
  const auto reply = decode_reply(encode(WireReply{std::nullopt, Error(ExitCode::missing, "no GPU", "gpu", "hint")}));
  REQUIRE(reply.error);
  CHECK(reply.error->code == ExitCode::missing);
  CHECK(std::string(reply.error->what()) == "no GPU");
  CHECK(reply.error->where == "gpu");
  CHECK(reply.error->hint == "hint");
}

TEST_CASE("a case survives the wire") {
  WireCase sent{"reduce", "warp", {}, {}};
  sent.listens = true;
  sent.point.params.values = {{"n", std::int64_t{4096}}, {"op", "sum"}};
  sent.point.block = {32, 8, 1};
  sent.point.seed = std::numeric_limits<std::uint64_t>::max();
  sent.point.sm_count = 132;
  sent.options.grid = Dim3{7, 1, 1};
  sent.options.measure.max_noise = 0.01;
  sent.options.measure.warm = true;
  sent.options.shows = {{"x", 100, 120}};
  const auto got = decode_case(encode(sent));
  CHECK(encode(got) == encode(sent));
  CHECK(got.variant == "warp");
  CHECK(got.point.n() == 4096);
  CHECK(got.options.shows.at(0).end == 120);
  CHECK(got.point.params.word("op") == "sum");
  CHECK(got.point.block == Dim3{32, 8, 1});
  CHECK(got.point.seed == std::numeric_limits<std::uint64_t>::max());
  CHECK(got.options.grid == Dim3{7, 1, 1});
  CHECK(got.options.measure.warm);
}

TEST_CASE("text that is no case and no reply is refused") {
  for (const auto* line : {"", "hello", "{}", "[]", "{\"result\": 3}", "[1, 2"}) {
    CHECK_THROWS_AS(decode_case(line), std::exception);
    CHECK_THROWS_AS(decode_reply(line), std::exception);
  }
}

}  // namespace
}  // namespace gpulab
