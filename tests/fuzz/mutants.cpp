#include "tests/fuzz/mutants.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/folder.h"
#include "tests/fuzz/mutation.h"

namespace gpulab::tests {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// tests/ptx: a comment "// kernel: NAME" opens each kernel and what belongs to it.
void add_kernels(const std::string& name, const std::string& text, std::vector<MutantSeed>& seeds) {
  const std::string mark = "// kernel:";
  const auto head = text.substr(0, text.find(mark));
  for (auto at = head.size(); at < text.size();) {
    const auto next = std::min(text.size(), text.find(mark, at + 1));
    seeds.push_back({name + " " + text.substr(at + mark.size() + 1, text.find('\n', at) - at - mark.size() - 1),
                     head + text.substr(at, next - at)});
    at = next;
  }
}

}  // namespace

std::vector<MutantSeed> mutant_seeds() {
  std::vector<MutantSeed> seeds;
  for (const char* folder : {"fuzz/simulator_seeds", "ptx"}) {
    for (const auto& entry : std::filesystem::directory_iterator(tests_folder() / folder)) {
      if (entry.path().extension() != ".ptx") continue;
      const auto text = text_of(entry.path());
      if (text.find("// kernel:") == std::string::npos)
        seeds.push_back({entry.path().filename(), text});
      else
        add_kernels(entry.path().filename(), text, seeds);
    }
  }
  std::sort(seeds.begin(), seeds.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return seeds;
}

std::string mutant(const std::vector<MutantSeed>& seeds, std::uint64_t number) {
  static const std::vector<std::string> donors = [&] {
    std::vector<std::string> texts;
    for (const auto& seed : seeds) texts.push_back(seed.text);
    return texts;
  }();
  auto text = seeds[number % seeds.size()].text;
  for (std::uint64_t round = 0; round <= number / seeds.size() % 3; ++round)
    text = mutated(text, 3 * number + round, donors);
  return text;
}

}  // namespace gpulab::tests
