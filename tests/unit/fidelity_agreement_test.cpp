#include <stdexcept>

#include "tests/catch.h"
#include "tests/fidelity/agreement.h"

using namespace gpulab;
using namespace gpulab::fidelity;

namespace {

Metrics no_work() {
  return {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 0},
          {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 0},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 0},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 0},
          {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 0},
          {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 0},
          {"smsp__inst_executed_op_global_red.sum", 0},
          {"smsp__inst_executed_op_global_atom.sum", 0},
          {"smsp__inst_executed_op_shared_atom.sum", 0},
          {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 0},
          {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 0},
          {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 0},
          {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 0}};
}

std::string error_of_hardware(const std::string& text) {
  try {
    (void)parse_hardware(text, "fidelity_x.csv");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}
std::string error_of_residuals(const std::string& text) {
  try {
    (void)parse_residuals(text, "r.csv");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("the simulator counts on the fidelity suite what Nsight Compute counted, residuals listed") {
  const auto files = data_files();
  if (files.empty())
    WARN(
        "tests/data has no fidelity_<gpu>.csv yet: nobody has measured the suite on a GPU (scripts/fidelity.py); "
        "the rules of metrics.md alone were checked");
  const auto residuals = read_residuals(GPULAB_TESTS_DIR "/data/fidelity_residuals.csv");
  for (const auto& file : files)
    for (const auto& line : disagreements(read_hardware(file), residuals)) FAIL_CHECK(line);
}

TEST_CASE("requests, sectors and atomics must be equal") {
  Counters counters;
  counters.global_load_sectors = 7;
  counters.global_atomic_requests = 5;
  Metrics metrics = no_work();
  metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 8;
  metrics["smsp__inst_executed_op_global_red.sum"] = 3;
  metrics["smsp__inst_executed_op_global_atom.sum"] = 2;
  const std::vector<Difference> found = {{"x", "k", "global_load_sectors", 7, 8}};
  CHECK(differences("x", "k", counters, metrics) == found);
  metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 7;
  CHECK(differences("x", "k", counters, metrics).empty());
}

TEST_CASE("wavefronts may differ by 5%, without conflicts they may not") {
  Counters counters;
  counters.shared_load_wavefronts = 100;
  counters.shared_load_bank_conflicts = 60;
  Metrics metrics = no_work();
  auto& wavefronts = metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"];
  auto& conflicts = metrics["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"];
  wavefronts = 105, conflicts = 65;
  CHECK(differences("x", "k", counters, metrics).empty());
  wavefronts = 106, conflicts = 66;
  CHECK(differences("x", "k", counters, metrics).size() == 2);
  wavefronts = 101, conflicts = 60;
  const std::vector<Difference> found = {{"x", "k", "shared_load_wavefronts - conflicts", 40, 41}};
  CHECK(differences("x", "k", counters, metrics) == found);
}

TEST_CASE("a difference must be listed as a residual, and a residual must be a difference") {
  const Difference known{"x", "k", "global_load_sectors", 7, 8}, other{"x", "k2", "global_load_sectors", 1, 2};
  const std::vector<Residual> residuals = {{known, "ptxas merges them"}, {{"y", "k", "c", 1, 2}, "another GPU's"}};
  CHECK(unexplained("x", std::vector{known}, residuals).empty());
  CHECK(unexplained("x", std::vector{known, other}, residuals) ==
        std::vector<std::string>{"x: k2: global_load_sectors: simulator 1, hardware 2"});
  CHECK(unexplained("x", {}, residuals) ==
        std::vector<std::string>{"x: k: global_load_sectors: simulator 7, hardware 8: listed as a residual, but not so "
                                 "(any more)"});
}

TEST_CASE("data of the fidelity suite say what measured them, and name the line that is malformed") {
  const std::string header = "# gpu: G\n# driver: 1\n# ncu: 2\nkernel,counter,value\n";
  const HardwareData data = parse_hardware(header + "k 1 [1 of 32],m.sum,12\n", "fidelity_x.csv");
  CHECK(data.gpu == "x");
  CHECK(data.about.at("driver") == "1");
  CHECK(data.cases.at("k 1 [1 of 32]").at("m.sum") == 12);
  CHECK(error_of_hardware("# gpu: G\n# ncu: 2\n") == "fidelity_x.csv: no '# driver: ' line");
  CHECK(error_of_hardware(header + "k,m.sum,1x\n") == "fidelity_x.csv:5: '1x' is no number");
  CHECK(error_of_hardware(header + "k;m.sum\n") == "fidelity_x.csv:5: 3 fields expected");
  CHECK(error_of_residuals("x,k,c,1,2,\n") == "r.csv:1: a residual without its cause");
  CHECK(error_of_residuals("x,k,c,1\n") == "r.csv:1: 6 fields expected");
  CHECK(parse_residuals("x,k,c,1,2,because, of this\n", "r.csv")[0].cause == "because, of this");
}

TEST_CASE("data that lack a metric, a case, or know one too many are told") {
  Counters counters;
  CHECK_THROWS_WITH(differences("x", "k", counters, {}),
                    "the data have no l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
  HardwareData data;
  data.gpu = "x";
  data.cases["of the past"] = no_work();
  const auto wrong = disagreements(data, {});
  CHECK(wrong.front() == "x: load_stride<unsigned char> 1 [1 of 32]: not in the data");
  CHECK(wrong.back() == "x: of the past: the suite has no such case (any more)");
}
