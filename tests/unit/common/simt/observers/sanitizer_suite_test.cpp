// The kernels of tests/sanitizer (README.md there says how they are marked): each guilty one is named with its tool and
// exactly its lines, no innocent one is accused, under 20 schedules. The labs' right variants are innocent, too.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "common/enum_text.h"
#include "common/launch_error.h"
#include "tests/all_tools.h"
#include "tests/catch.h"
#include "tests/folder.h"
#include "tests/unit/on_simulator.h"

namespace gpulab::tests {
namespace {

constexpr std::uint64_t kSchedules = 20;

const auto all_tools = tests::all_tools();

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path);
  REQUIRE(in);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// "racecheck 12 write".
using Accusations = std::set<std::string>;

struct SuiteKernel {
  std::string name;
  LaunchConfig launch;
  std::vector<std::string> arguments;
  bool guilty = false;
  Accusations expected;
  std::vector<std::string> advice;  ///< against its races, each of them; none: not looked at
};

struct SuiteFile {
  std::string name, ptx;
  std::vector<SuiteKernel> kernels;
};

std::uint32_t number(const std::string& text) { return static_cast<std::uint32_t>(std::stoul(text)); }

Dim3 extent(const std::string& text) {
  const auto cross = text.find('x');
  return cross == std::string::npos ? Dim3{number(text)}
                                    : Dim3{number(text.substr(0, cross)), number(text.substr(cross + 1))};
}

/// "// guilty <<<2x2, 64, 256>>> in[64] out[64]? 64"
std::optional<SuiteKernel> parse_head(const std::string& line) {
  static const std::regex head(
      R"(// (guilty|innocent) <<<(cooperative )?([0-9x]+), ([0-9x]+)(?:, ([0-9]+))?>>>((?: \S+)+))");
  std::smatch m;
  if (!std::regex_match(line, m, head)) return std::nullopt;
  SuiteKernel kernel;
  kernel.guilty = m[1] == "guilty";
  kernel.launch = {extent(m[3]), extent(m[4]), m[5].matched ? number(m[5]) : 0, m[2].matched};
  std::istringstream arguments(m[6]);
  for (std::string argument; arguments >> argument;) kernel.arguments.push_back(argument);
  return kernel;
}

void add_marks(SuiteKernel& kernel, const std::string& line, int number) {
  static const std::regex mark(R"(// guilty: (\w+)((?: \w+)*)$)"), note("// noted: (\\w+)$");
  std::smatch m;
  if (std::regex_search(line, m, note)) kernel.expected.insert(fmt::format("note of {} {}", m[1].str(), number));
  if (!std::regex_search(line, m, mark)) return;
  REQUIRE(kernel.guilty);
  std::istringstream words(m[2]);
  std::string access;
  if (m[2].length() == 0) kernel.expected.insert(fmt::format("{} {}", m[1].str(), number));
  while (words >> access) kernel.expected.insert(fmt::format("{} {} {}", m[1].str(), number, access));
}

SuiteFile read_suite_file(const std::filesystem::path& source) {
  static const std::regex signature(R"(.*__global__ void (\w+)\(.*)");
  static const std::string advised = "// advised: ";
  SuiteFile file{source.filename().string(),
                 contents(std::filesystem::path(GPULAB_SANITIZER_PTX) / source.stem().concat(".ptx")),
                 {}};
  std::ifstream in(source);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::smatch m;
    if (auto kernel = parse_head(line)) {
      file.kernels.push_back(std::move(*kernel));
    } else if (line.starts_with(advised)) {
      file.kernels.back().advice.push_back(line.substr(advised.size()));
    } else if (file.kernels.empty()) {
      continue;
    } else if (std::regex_match(line, m, signature)) {
      INFO(file.name << ":" << number << ": a kernel without a line that says how it is launched");
      REQUIRE(file.kernels.back().name.empty());
      file.kernels.back().name = m[1];
    } else {
      add_marks(file.kernels.back(), line, number);
    }
  }
  return file;
}

std::vector<SuiteFile> suite() {
  std::vector<SuiteFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(tests::tests_folder().string() + "/sanitizer"))
    if (entry.path().extension() == ".cu") files.push_back(read_suite_file(entry.path()));
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

/// "in[64]" with values from 0 to 63, "sum[1]=0", "out[64]?" never written, "null", "64".
KernelArgument argument(Device& device, const std::string& text) {
  static const std::regex buffer(R"((\w+)\[([0-9]+)\](\?|=-?[0-9]+)?)");
  std::smatch m;
  if (text == "null") return KernelArgument::of(std::uint64_t{0});
  if (!std::regex_match(text, m, buffer)) return KernelArgument::of(std::stoi(text));
  const std::size_t count = number(m[2]);
  const DevicePointer pointer = device.allocate(m[1].str(), 4 * count);
  if (m[3] == "?") return KernelArgument::of(pointer);
  std::vector<std::int32_t> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = m[3].matched ? std::stoi(m[3].str().substr(1)) : static_cast<std::int32_t>((i * 37 + i / 64 + 11) % 64);
  device.write(pointer, std::as_bytes(std::span(values)));
  return KernelArgument::of(pointer);
}

/// What the tools say of one launch, and whether it came to its end.
struct Verdict {
  Accusations accusations;
  std::set<std::string> messages;  ///< "error of racecheck: …", without the kernel's name and numbers
  std::string failure = "none";
};

Accusations accusations_of(const std::vector<Finding>& findings, bool notes) {
  Accusations named;
  for (const Finding& finding : findings) {
    const bool note = finding.severity == Severity::note;
    if (note && !notes) continue;
    for (const FindingSite& at : finding.at) {
      const bool memory = at.access == "read" || at.access == "write" || at.access == "atomic";
      named.insert(
          fmt::format("{}{} {}{}", note ? "note of " : "", finding.tool, at.line, memory ? " " + at.access : ""));
    }
  }
  return named;
}

Verdict judge(const SuiteFile& file, const SuiteKernel& kernel, std::uint64_t schedule) {
  SimulatorOptions options;
  options.sanitize = all_tools;
  options.schedule = schedule;
  options.budget = 2'000'000;
  options.counters = false;
  const auto device = simulator_with({file.name, file.ptx, {}}, options);
  std::vector<KernelArgument> arguments;
  for (const std::string& text : kernel.arguments) arguments.push_back(argument(*device, text));
  Verdict verdict;
  verdict.failure = launch_error([&] { device->launch(device->kernel(kernel.name), kernel.launch, arguments); });
  const std::vector<Finding> findings = device->take_findings();
  verdict.accusations = accusations_of(findings, true);
  for (const Finding& finding : findings) {
    const std::string_view message = finding.message, name = kernel.name;
    const bool named = message.starts_with(name) && message.substr(name.size()).starts_with(": ");
    static const std::regex number("0x[0-9a-f]+|[0-9]+");
    verdict.messages.insert(
        fmt::format("{} of {}: {}", to_text(finding.severity), finding.tool,
                    std::regex_replace(std::string(message.substr(named ? name.size() + 2 : 0)), number, "#")));
  }
  return verdict;
}

/// `wrong` hears of each verdict that is not the expected one, once however many schedules agree on it.
template <typename F>
int check_kernels(bool guilty, const F& wrong) {
  int kernels = 0;
  for (const SuiteFile& file : suite())
    for (const SuiteKernel& kernel : file.kernels) {
      if (kernel.guilty != guilty) continue;
      ++kernels;
      const auto accused = [](const std::string& one) { return !one.starts_with("note"); };
      REQUIRE(std::any_of(kernel.expected.begin(), kernel.expected.end(), accused) == guilty);
      std::map<std::string, std::vector<std::uint64_t>> verdicts;
      for (std::uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
        const Verdict verdict = judge(file, kernel, schedule);
        if (verdict.accusations != kernel.expected || (!guilty && verdict.failure != "none"))
          verdicts[fmt::format("named: {}; launch: {}", fmt::join(verdict.accusations, ", "), verdict.failure)]
              .push_back(schedule);
      }
      for (const auto& [verdict, schedules] : verdicts)
        wrong(fmt::format("{}: {}\n  expected: {}\n  {}\n  schedules {}", file.name, kernel.name,
                          fmt::join(kernel.expected, ", "), verdict, fmt::join(schedules, " ")));
    }
  return kernels;
}

TEST_CASE("each guilty kernel is named with its tool and its lines") {
  CHECK(check_kernels(true, [](const std::string& verdict) { FAIL_CHECK(verdict); }) >= 40);
}

TEST_CASE("the advice against a race is the one remedy that fits, in any schedule") {
  int kernels = 0;
  for (const SuiteFile& file : suite())
    for (const SuiteKernel& kernel : file.kernels)
      for (std::uint64_t schedule = 0; schedule < 5 && !kernel.advice.empty(); ++schedule) {
        kernels += schedule == 0;
        std::set<std::string> given;
        for (const std::string& message : judge(file, kernel, schedule).messages) {
          INFO(kernel.name << ", schedule " << schedule << ": " << message);
          const auto ends = [&](const std::string& advice) {
            return message.ends_with("with nothing that orders them; " + advice);
          };
          const auto one = std::ranges::find_if(kernel.advice, ends);
          CHECK(one != kernel.advice.end());
          if (one != kernel.advice.end()) given.insert(*one);
        }
        INFO(kernel.name << ", schedule " << schedule);
        CHECK(given.size() == kernel.advice.size());
      }
  CHECK(kernels >= 20);
}

TEST_CASE("what the tools say of these kernels stands in messages.txt") {
  std::set<std::string> said;
  for (const SuiteFile& file : suite())
    for (const SuiteKernel& kernel : file.kernels)
      for (std::uint64_t schedule = 0; schedule < 5; ++schedule) said.merge(judge(file, kernel, schedule).messages);
  std::istringstream lines(contents(tests::tests_folder().string() + "/sanitizer/messages.txt"));
  for (std::string line; std::getline(lines, line);)
    if (said.erase(line) == 0) FAIL_CHECK("no kernel makes a tool say: " << line);
  for (const std::string& message : said) FAIL_CHECK("messages.txt lacks: " << message);
}

TEST_CASE("no innocent kernel is accused") {
  CHECK(check_kernels(false, [](const std::string& verdict) { FAIL_CHECK(verdict); }) >= 40);
}

}  // namespace
}  // namespace gpulab::tests
