// The simulator's counters against what Nsight Compute counted on an H200 (tests/data/h200_counters.csv: each kernel
// once over 2^20 elements, blocks of 256; 32x8 for the transposes of a 1024x1024 matrix).

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "common/device/simulator/simulated.h"
#include "common/embedded.h"
#include "common/gpu_profile.h"
#include "labs/lab.h"
#include "tests/catch.h"
#include "tests/folder.h"

namespace gpulab {
namespace {

/// One line of the table: column name -> value.
using Hardware = std::map<std::string, double>;

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

Hardware hardware(const std::string& kernel) {
  std::ifstream file(tests::tests_folder().string() + "/data/h200_counters.csv");
  std::string line;
  std::getline(file, line);
  const auto names = fields_of(line);
  while (std::getline(file, line)) {
    const auto fields = fields_of(line);
    if (fields.front() != kernel) continue;
    Hardware row;
    for (std::size_t i = 3; i < fields.size(); ++i) row[names[i]] = std::stod(fields[i]);
    return row;
  }
  FAIL("no line for " << kernel);
  return {};
}

std::unique_ptr<Device> simulator(std::string_view lab) {
  auto device = make_simulator(gpu_profile("h200"));
  for (const auto& kernels : embedded_kernels())
    if (kernels.lab == lab && kernels.file == "kernels.cu") device->load({"kernels.cu", kernels.ptx, {}});
  return device;
}

Counters counted(Device& device, std::string_view kernel, const LaunchConfig& config,
                 const std::vector<KernelArgument>& arguments) {
  device.launch(device.kernel(kernel), config, arguments);
  return *device.take_counters();
}

Counters reduction(std::string_view kernel) {
  constexpr int n = 1 << 20;
  const auto device = simulator("reduce");
  const auto in = device->allocate("in", n * 4), out = device->allocate("out", n / 256 * 4);
  device->write(in, random_values(Scalar::i32, n, 1, -1000, 1000));
  return counted(*device, kernel, {{n / 256, 1, 1}, {256, 1, 1}, 1024, false},
                 {KernelArgument::of(in), KernelArgument::of(out), KernelArgument::of(n)});
}

Counters transpose(std::string_view kernel) {
  constexpr int n = 1024;
  const auto device = simulator("transpose");
  const auto in = device->allocate("in", n * n * 4), out = device->allocate("out", n * n * 4);
  device->write(in, random_values(Scalar::f32, n * n, 1, -1, 1));
  // A tile of 32x32 is one block's; naive_row gives each thread one element.
  const std::uint32_t rows_per_block = kernel.find("coarsened") == std::string_view::npos ? 8 : 32;
  return counted(*device, kernel, {{32, n / rows_per_block, 1}, {32, 8, 1}, 0, false},
                 {KernelArgument::of(in), KernelArgument::of(out), KernelArgument::of(n), KernelArgument::of(n)});
}

/// Address-derived counts are equal; shared wavefronts and conflicts within the hardware's arbitration noise, 5% of
/// the wavefronts; what remains of wavefronts without conflicts exactly (tests/fidelity/README.md).
void agrees(const Counters& c, const Hardware& h) {
  CHECK(c["global_load_requests"] == h.at("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"));
  CHECK(c["global_load_sectors"] == h.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"));
  CHECK(c["global_store_requests"] == h.at("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"));
  CHECK(c["global_store_sectors"] == h.at("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"));
  const auto shared = [&](std::uint64_t wavefronts, std::uint64_t conflicts, const std::string& op) {
    const double w = h.at("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + op + ".sum");
    const double b = h.at("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + op + ".sum");
    CHECK(std::abs(static_cast<double>(wavefronts) - w) <= 0.05 * w);
    CHECK(std::abs(static_cast<double>(conflicts) - b) <= 0.05 * w);
    CHECK(static_cast<double>(wavefronts - conflicts) == w - b);
  };
  shared(c["shared_load_wavefronts"], c["shared_load_bank_conflicts"], "ld");
  shared(c["shared_store_wavefronts"], c["shared_store_bank_conflicts"], "st");
}

TEST_CASE("memory counters of the lecture's reductions are an H200's") {
  const std::vector<std::pair<std::string, std::string>> kernels = {
      {"reduce_neighbored<int, Sum>", "neighbored"},
      {"reduce_shared_divergent<int, Sum>", "smem_default"},
      {"reduce_shared_strided<int, Sum>", "smem_strided"},
      {"reduce_shared_sequential<int, Sum>", "smem_seq"}};
  for (const auto& [ours, theirs] : kernels) {
    DYNAMIC_SECTION(ours) { agrees(reduction(ours), hardware(theirs)); }
  }
}

TEST_CASE("memory counters of the transposes are an H200's") {
  const std::vector<std::pair<std::string, std::string>> kernels = {
      {"transpose_naive_row<float>", "tr_naive"},
      {"transpose_coarsened<float>", "tr_tile<0>"},
      {"transpose_coarsened_padded<float>", "tr_tile<1>"}};
  for (const auto& [ours, theirs] : kernels) {
    DYNAMIC_SECTION(ours) { agrees(transpose(ours), hardware(theirs)); }
  }
}

TEST_CASE("per block of 256 the divergent reduction works in 47 warps, the sequential one in 12") {
  constexpr std::uint64_t blocks = (1 << 20) / 256, filling = 8;
  CHECK(reduction("reduce_shared_divergent<int, Sum>")["shared_store_requests"] == blocks * (filling + 47));
  CHECK(reduction("reduce_shared_sequential<int, Sum>")["shared_store_requests"] == blocks * (filling + 12));
}

TEST_CASE("padding takes the bank conflicts of a transposed tile from 31 per request to 0") {
  const Counters tiled = transpose("transpose_coarsened<float>"),
                 padded = transpose("transpose_coarsened_padded<float>");
  CHECK(tiled["shared_load_bank_conflicts"] == 31 * tiled["shared_load_requests"]);
  CHECK(padded["shared_load_bank_conflicts"] == 0);
  CHECK(padded["shared_load_requests"] == tiled["shared_load_requests"]);
}

}  // namespace
}  // namespace gpulab
