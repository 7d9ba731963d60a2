#include <stdexcept>

#include "tests/catch.h"
#include "tests/fidelity/agreement.h"
#include "tests/folder.h"

using namespace gpulab;
using namespace gpulab::fidelity;
using Verdict = Judged::Verdict;

namespace {

/// Counters that are not equal.
std::vector<Judged> others(const Counters& counters, const Metrics& metrics) {
  auto all = judged(counters, metrics);
  std::erase_if(all, [](const Judged& j) { return j.verdict == Verdict::equal; });
  return all;
}

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
  REQUIRE_FALSE(files.empty());
  const auto residuals = read_residuals(tests::tests_folder().string() + "/data/fidelity_residuals.csv");
  for (const auto& file : files)
    for (const auto& line : compare(read_hardware(file), residuals).wrong) FAIL_CHECK(line);
}

TEST_CASE("requests, sectors and atomics must be equal") {
  Counters counters;
  counters["global_load_sectors"] = 7;
  counters["global_atomic_requests"] = 5;
  Metrics metrics = no_work();
  metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 8;
  metrics["smsp__inst_executed_op_global_red.sum"] = 3;
  metrics["smsp__inst_executed_op_global_atom.sum"] = 2;
  CHECK(others(counters, metrics) == std::vector<Judged>{{"global_load_sectors", 7, 8, Verdict::differs}});
  metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 7;
  CHECK(others(counters, metrics).empty());
}

TEST_CASE("atomics with a result are measured by whichever metric ncu has, and not judged where it has none") {
  Counters counters;
  counters["global_atomic_requests"] = 5;
  Metrics metrics = no_work();
  metrics["smsp__inst_executed_op_global_red.sum"] = 3;
  metrics.erase("smsp__inst_executed_op_global_atom.sum");
  CHECK(others(counters, metrics) == std::vector<Judged>{{"global_atomic_requests", 5, 0, Verdict::not_measured}});
  for (const char* name :
       {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "smsp__sass_inst_executed_op_global_atom.sum"}) {
    metrics[name] = 2;
    CHECK(others(counters, metrics).empty());
    metrics[name] = 1;
    CHECK(others(counters, metrics) == std::vector<Judged>{{"global_atomic_requests", 5, 4, Verdict::differs}});
    metrics.erase(name);
  }
}

TEST_CASE("wavefronts may differ by 5%, without conflicts they may not") {
  Counters counters;
  counters["shared_load_wavefronts"] = 100;
  counters["shared_load_bank_conflicts"] = 60;
  Metrics metrics = no_work();
  auto& wavefronts = metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"];
  auto& conflicts = metrics["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"];
  wavefronts = 105, conflicts = 65;
  CHECK(others(counters, metrics) ==
        std::vector<Judged>{{"shared_load_wavefronts", 100, 105, Verdict::within_noise},
                            {"shared_load_bank_conflicts", 60, 65, Verdict::within_noise}});
  wavefronts = 106, conflicts = 66;
  CHECK(others(counters, metrics) == std::vector<Judged>{{"shared_load_wavefronts", 100, 106, Verdict::differs},
                                                         {"shared_load_bank_conflicts", 60, 66, Verdict::differs}});
  wavefronts = 100, conflicts = 61;
  CHECK(others(counters, metrics) ==
        std::vector<Judged>{{"shared_load_bank_conflicts", 60, 61, Verdict::within_noise},
                            {"shared_load_wavefronts - conflicts", 40, 39, Verdict::differs}});
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
  const std::string about = "# gpu: G\n# driver: 1\n# ncu: 2\n", header = about + "case,m.sum,n.sum\n";
  const HardwareData data = parse_hardware(header + "k 1 [1 of 32],12,\n", "fidelity_x.csv");
  CHECK(data.gpu == "x");
  CHECK(data.about.at("driver") == "1");
  CHECK(data.cases.at("k 1 [1 of 32]") == Metrics{{"m.sum", 12}});
  CHECK(error_of_hardware("# gpu: G\n# ncu: 2\n") == "fidelity_x.csv: no '# driver: ' line");
  CHECK(error_of_hardware(about + "k,1\n") == "fidelity_x.csv:4: 'case' and the metrics' names expected");
  CHECK(error_of_hardware(header + "k,1x,2\n") == "fidelity_x.csv:5: '1x' is no number");
  CHECK(error_of_hardware(header + "k,1,2,3\n") == "fidelity_x.csv:5: '2,3' is no number");
  CHECK(error_of_hardware(header + "k,1\n") == "fidelity_x.csv:5: 3 fields expected");
  CHECK(error_of_residuals("x,k,c,1,2,\n") == "r.csv:1: a residual without its cause");
  CHECK(error_of_residuals("x,k,c,1\n") == "r.csv:1: 6 fields expected");
  CHECK(parse_residuals("x,k,c,1,2,because, of this\n", "r.csv")[0].cause == "because, of this");
}

TEST_CASE("data that lack a metric, a case, or know one too many are told") {
  CHECK_THROWS_WITH(judged({}, {}), "the data have no l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
  HardwareData data;
  data.gpu = "x";
  data.cases["of the past"] = no_work();
  const auto wrong = compare(data, {}).wrong;
  CHECK(wrong.front() == "x: load_stride<unsigned char> 1 [1 of 32]: not in the data");
  CHECK(wrong.back() == "x: of the past: the suite has no such case (any more)");
}
