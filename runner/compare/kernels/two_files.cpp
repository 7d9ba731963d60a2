#include "runner/compare/kernels/two_files.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "common/error.h"
#include "common/text.h"
#include "runner/compare/kernels/answers.h"
#include "runner/compare/kernels/two_rungs.h"
#include "runner/execution/batch.h"
#include "runner/execution/open_device.h"
#include "runner/options/file_options.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view placeholder = "{n}";
constexpr std::array with_sizes{"arg", "set", "expect", "shared", "grid"};

/// Where the kernels' buffers are dumped to; gone at the end.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::string name = (fs::temp_directory_path() / "gpulab-compare-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw usage_error(fmt::format("compare: cannot make a folder in {}", fs::temp_directory_path().string()));
    path_ = name;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

/// One kernel at one size: what runs it, a block after the other, its results, and what it left in its buffers.
struct SideRun {
  std::vector<std::shared_ptr<const Batch>> batches;  ///< of one case each; owners of the source that lines are of
  std::vector<Result> results;
  std::vector<Buffer> buffers;                   ///< as they were given
  std::vector<std::vector<std::string>> dumped;  ///< files of each result's buffers
  DeviceInfo device;
};

std::string spec_text(const Buffer& buffer) {
  return fmt::format("{}:{}[{}]", buffer.name, name_of(buffer.type), buffer.count);
}

class Side {
 public:
  Side(const TwoFiles& request, std::size_t which, const PrivateFolder& folder)
      : request_(request), which_(which), folder_(folder) {}

  SideRun prepared(std::optional<std::int64_t> size) {
    auto given = size ? with_size(request_.given, *size) : request_.given;
    given.erase("kernel");
    if (!request_.kernels[which_].empty()) given["kernel"] = {request_.kernels[which_]};
    auto file = parse_file_request("compare", request_.files[which_], given);
    const auto launch = parse_launch_options(given);
    const auto blocks = launch.blocks.empty() ? std::vector<Dim3>{{256, 1, 1}} : launch.blocks;
    const auto set = comparing(request_.machine);
    const auto access = file_access(file, {{"", folder_.file("x")}});
    const bool is_gpu = measures(set);
    SideRun ran;
    for (const auto& block : blocks) {
      file.blocks = {block};
      file.grid = launch.grid;
      if (!executor_ || !is_gpu)
        executor_ = is_gpu ? open_device_for_file(set, access) : open_simulator_for_file(set, access, true);
      const auto executor = executor_;
      ran.device = executor->info();
      auto one = launch;
      one.blocks = {block};
      const auto sweep_options = sweep_of_file(lab_of_file(file, ran.device), one);
      prepare_one(sweep_options, executor, set, ran);
    }
    return ran;
  }

 private:
  void prepare_one(const SweepOptions& options, const std::shared_ptr<Executor>& executor, const MachineOptions& set,
                   SideRun& ran) {
    auto batch = std::make_shared<Batch>();
    batch->lab = options.lab;
    ran.batches.push_back(batch);
    batch->executor = executor;
    batch->cases = sweep(options, host_of(*executor));
    batch->options.grid = options.launch.grid;
    batch->options.counters = *set.counters;
    batch->options.measure = request_.measure;
    ran.buffers = options.lab->problem(batch->cases.front().settings).buffers;
    std::vector<std::string> files;
    for (const auto& buffer : ran.buffers) {
      files.push_back(folder_.file(fmt::format("{}_{}_{}", which_, dumps_++, files.size())));
      batch->options.dumps[buffer.name] = files.back();
    }
    ran.dumped.push_back(std::move(files));
  }

  const TwoFiles& request_;
  std::size_t which_, dumps_ = 0;
  const PrivateFolder& folder_;
  std::shared_ptr<Executor> executor_;  ///< of the last case; a GPU's does for all
};

Result run_alone(const std::shared_ptr<const Batch>& batch) {
  auto result = run_batch(batch).front();
  if (result.status == CaseStatus::interrupted) throw Error(ExitCode::interrupted, "interrupted");
  return result;
}

/// On a GPU in turn, as far as that goes well; else one after the other.
void run_both(std::optional<std::int64_t> size, SideRun& a, SideRun& b) {
  for (std::size_t i = 0; i < std::min(a.batches.size(), b.batches.size()); ++i) {
    const auto case_of = [](const Batch& batch) {
      const auto& swept = batch.cases.front();
      return CaseToRun{*batch.lab, *swept.variant, swept.settings, batch.options};
    };
    auto& executor = *a.batches[i]->executor;
    const bool is_whole = a.batches[i]->cases.front().skip.empty() && b.batches[i]->cases.front().skip.empty();
    auto both = is_whole && executor.capabilities().measures_time
                    ? executor.run_in_turn(case_of(*a.batches[i]), case_of(*b.batches[i]))
                    : std::nullopt;
    if (!both) {
      auto first = run_alone(a.batches[i]);
      both.emplace(std::move(first), run_alone(b.batches[i]));
    }
    for (auto* result : {&both->first, &both->second})
      if (size) result->params.insert(result->params.begin(), {"n", *size});
    a.results.push_back(std::move(both->first));
    b.results.push_back(std::move(both->second));
  }
}

/// Times of kernels that work on different data say nothing.
void check_same_inputs(const SideRun& a, const SideRun& b) {
  const std::string hint = "give every argument of both with --arg, in the order of the parameters";
  if (a.buffers.size() != b.buffers.size())
    throw usage_error(fmt::format("compare: A takes {} and B {}", plural(a.buffers.size(), "buffer"),
                                  plural(b.buffers.size(), "buffer")),
                      hint);
  for (std::size_t i = 0; i < a.buffers.size(); ++i) {
    const auto &one = a.buffers[i], &other = b.buffers[i];
    if (one.type != other.type || one.count != other.count)
      throw usage_error(fmt::format("compare: A is given {}, B {}", spec_text(one), spec_text(other)), hint);
    if (one.initial != other.initial)
      throw usage_error(fmt::format("compare: {} begins with other values for B", spec_text(one)), hint);
  }
}

std::vector<std::byte> bytes_of_file(const std::string& path) {
  const auto text = read_file(path, "compare");
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

/// Where --expect says what is right, it alone does.
void compare_answers(const SideRun& a, const SideRun& b, std::size_t i, bool is_expected, RanPair& pair) {
  if (is_expected || pair.a.status != CaseStatus::ok || pair.b.status != CaseStatus::ok) return;
  double rounding = 0;
  for (std::size_t buffer = 0; buffer < a.buffers.size(); ++buffer) {
    const auto found = answer_difference(a.buffers[buffer].name, a.buffers[buffer].type,
                                         bytes_of_file(a.dumped[i][buffer]), bytes_of_file(b.dumped[i][buffer]));
    rounding = std::max(rounding, found.rounding);
    if (found.apart.empty()) continue;
    pair.apart =
        "the answers differ: " + found.apart + "; --expect says which is right, and that scratch does not matter";
    return;
  }
  if (rounding > 0)
    pair.notes =
        fmt::format("the answers differ by up to {:.1g} of their size, as by another order of roundings", rounding);
}

/// "scale.cu", "scale.cu: scale_vec".
std::string side_name(const TwoFiles& request, std::size_t which) {
  return request.kernels[which].empty() ? request.files[which]
                                        : fmt::format("{}: {}", request.files[which], request.kernels[which]);
}

}  // namespace

RanPairs run_two_files(const TwoFiles& request) {
  const PrivateFolder folder;
  std::vector<std::optional<std::int64_t>> sizes(request.sizes.begin(), request.sizes.end());
  if (sizes.empty()) sizes.emplace_back();
  RanPairs ran{.a = side_name(request, 0), .b = side_name(request, 1)};
  Side first(request, 0, folder), second(request, 1, folder);
  for (const auto& size : sizes) {
    auto a = first.prepared(size), b = second.prepared(size);
    check_same_inputs(a, b);
    run_both(size, a, b);
    ran.device = a.device;
    std::vector<RanPair> pairs;
    for (std::size_t i = 0; i < a.results.size(); ++i) {
      RanPair pair{std::move(a.results[i]), std::move(b.results[i])};
      compare_answers(a, b, i, request.given.contains("expect"), pair);
      pairs.push_back(std::move(pair));
    }
    std::vector<std::shared_ptr<const void>> owners(a.batches.begin(), a.batches.end());
    owners.insert(owners.end(), b.batches.begin(), b.batches.end());
    ran.add(std::move(pairs), std::move(owners));
  }
  return ran;
}

Given with_size(Given given, std::int64_t size) {
  const auto text = fmt::format("{}", size);
  for (const auto* name : with_sizes) {
    const auto found = given.find(std::string_view(name));
    if (found == given.end()) continue;
    for (auto& value : found->second)
      for (auto at = value.find(placeholder); at != std::string::npos; at = value.find(placeholder, at))
        value.replace(at, placeholder.size(), text);
  }
  return given;
}

bool has_size(const Given& given) {
  return std::ranges::any_of(with_sizes, [&](const char* name) {
    const auto found = given.find(std::string_view(name));
    return found != given.end() && std::ranges::any_of(found->second, [](const std::string& value) {
             return value.find(placeholder) != std::string::npos;
           });
  });
}

}  // namespace gpulab
