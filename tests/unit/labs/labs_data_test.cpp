// What every lab promises, checked without running anything: its kernels are compiled, its arguments fit, its page
// speaks of every variant. Finds new labs by itself.

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "common/demangle.h"
#include "common/embedded.h"
#include "common/ptx/parser.h"
#include "labs/registry.h"
#include "runner/case/plan.h"
#include "tests/catch.h"
#include "tests/folder.h"

using namespace gpulab;

namespace {

const EmbeddedKernels* embedded(const Lab& lab, const std::string& file) {
  for (const auto& kernels : embedded_kernels()) {
    if (kernels.lab == lab.name && kernels.file == file) return &kernels;
  }
  return nullptr;
}

/// Calls `visit` with every combination of the lab's words (types, operations …), sizes at their defaults, and with
/// every block where a variant allows but a few (whose kernels may be templates of the block).
void for_each_choice(const Lab& lab, const Variant& variant, const std::function<void(const Case&)>& visit) {
  Case c;
  c.block = default_block(lab, variant);
  for (const auto& param : lab.params) c.params.values[param.name] = param.fallback;
  std::function<void(std::size_t)> choose = [&](std::size_t i) {
    if (i == lab.params.size()) {
      if (variant.block) c.block = variant.block(c);
      if (variant.block || variant.blocks.only.empty()) return visit(c);
      for (const auto& block : variant.blocks.only) {
        c.block = block;
        visit(c);
      }
      return;
    }
    if (lab.params[i].choices.empty()) return choose(i + 1);
    const auto only = variant.only.find(lab.params[i].name);
    for (const auto& word : only == variant.only.end() ? lab.params[i].choices : only->second) {
      c.params.values[lab.params[i].name] = word;
      choose(i + 1);
    }
  };
  choose(0);
  // Odd sizes may take other kernels.
  for (const auto& param : lab.params) {
    const bool is_size = std::holds_alternative<std::int64_t>(param.fallback) && param.tested.empty();
    if (is_size) c.params.values[param.name] = std::clamp<std::int64_t>(33, param.min, param.max);
  }
  choose(0);
}

/// Every launch of every variant, with the file that holds its kernel.
void for_each_step(const std::function<void(const Lab&, const Variant&, const EmbeddedKernels&, const Step&)>& visit) {
  for (const auto& lab : all_labs()) {
    for (const auto& variant : lab.variants) {
      if (!launches_kernels(variant)) continue;
      const auto* file = embedded(lab, variant.file);
      INFO(lab.name << "/" << variant.file);
      REQUIRE(file != nullptr);
      for_each_choice(lab, variant, [&](const Case& c) {
        for (const auto& step : plan(lab, variant, c, std::nullopt).steps)
          if (!step.copy) visit(lab, variant, *file, step);
      });
    }
  }
}

/// Entries of a file by their C++ names, with the sizes of their parameters. Parsed once per file.
using Entries = std::map<std::string, std::vector<std::uint64_t>>;
const Entries& entries_of(const EmbeddedKernels& file) {
  static std::map<const EmbeddedKernels*, Entries> parsed;
  const auto [it, fresh] = parsed.try_emplace(&file);
  if (fresh) {
    const auto module = ptx::parse(file.ptx, std::string(file.file), [](std::string_view) { return false; });
    for (const auto& function : module.functions) {
      if (!function.is_entry) continue;
      auto& sizes = it->second[kernel_name(function.name)];
      for (const auto& parameter : function.parameters) {
        sizes.push_back(parameter.is_array ? parameter.size : parameter.type.size);
      }
    }
  }
  return it->second;
}

std::uint64_t size_of_argument(const Argument& argument) {
  return std::visit(
      [](const auto& value) -> std::uint64_t {
        using T = std::decay_t<decltype(value)>;
        return std::is_same_v<T, BufferArgument> ? 8 : std::is_same_v<T, TensorMapArgument> ? 128 : sizeof(value);
      },
      argument);
}

std::string page_of(const Lab& lab) {
  std::ifstream file(tests::tests_folder().string() + "/../labs/" + lab.name + "/README.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool is_snake_case(const std::string& name) {
  return !name.empty() && std::islower(static_cast<unsigned char>(name[0])) != 0 &&
         std::ranges::all_of(name, [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '_'; });
}

}  // namespace

TEST_CASE("the two labs of the lectures on reductions and memory are there") {
  std::set<std::string> names;
  for (const auto& lab : all_labs()) names.insert(lab.name);
  CHECK(names.count("reduce") == 1);
  CHECK(names.count("transpose") == 1);
}

TEST_CASE("every kernel that a variant names is compiled, for every type and operation") {
  for_each_step([](const Lab& lab, const Variant& variant, const EmbeddedKernels& file, const Step& step) {
    INFO(lab.name << " " << variant.name << ": " << step.kernel);
    REQUIRE(entries_of(file).count(step.kernel) == 1);
  });
}

TEST_CASE("every launch passes as many arguments, of the same sizes, as its kernel takes") {
  for_each_step([](const Lab& lab, const Variant& variant, const EmbeddedKernels& file, const Step& step) {
    INFO(lab.name << " " << variant.name << ": " << step.kernel);
    std::vector<std::uint64_t> sizes;
    for (const auto& argument : step.arguments) sizes.push_back(size_of_argument(argument));
    REQUIRE(sizes == entries_of(file).at(step.kernel));
  });
}

TEST_CASE("every compiled kernel belongs to a variant") {
  std::map<const EmbeddedKernels*, std::set<std::string>> used;
  for_each_step([&](const Lab&, const Variant&, const EmbeddedKernels& file, const Step& step) {
    used[&file].insert(step.kernel);
  });
  for (const auto& file : embedded_kernels()) {
    for (const auto& [name, sizes] : entries_of(file)) {
      INFO(file.lab << "/" << file.file << ": " << name);
      CHECK(used[&file].count(name) == 1);
    }
  }
}

TEST_CASE("every buffer that a launch names exists") {
  for (const auto& lab : all_labs()) {
    for (const auto& variant : lab.variants) {
      if (!launches_kernels(variant)) continue;
      Case small;
      small.block = default_block(lab, variant);
      for (const auto& param : lab.params) {
        small.params.values[param.name] = param.fallback;
        if (std::holds_alternative<std::int64_t>(param.fallback))
          small.params.values[param.name] = std::max<std::int64_t>(param.min, 100);
      }
      for (const auto& [name, words] : variant.only) small.params.values[name] = words.front();
      const auto made = plan(lab, variant, small, std::nullopt);
      std::set<std::string> names;
      for (const auto& buffer : lab.problem(made.point).buffers) names.insert(buffer.name);
      if (variant.scratch) {
        for (const auto& buffer : variant.scratch(made.point)) names.insert(buffer.name);
      }
      for (const auto& step : made.steps) {
        for (const auto& argument : step.arguments) {
          const auto* buffer = std::get_if<BufferArgument>(&argument);
          INFO(lab.name << " " << variant.name);
          if (buffer != nullptr) CHECK(names.count(buffer->buffer) == 1);
        }
        if (step.copy) CHECK((names.count(step.copy->to) == 1 && names.count(step.copy->from) == 1));
      }
    }
  }
}

TEST_CASE("a variant runs in exactly one way: kernels, a library, the host, or arithmetic alone") {
  for (const auto& lab : all_labs()) {
    for (const auto& variant : lab.variants) {
      INFO(lab.name << " " << variant.name);
      const int ways = launches_kernels(variant) + (variant.vendor.run != nullptr) + (variant.host != nullptr) +
                       (variant.calculate != nullptr);
      CHECK(ways == 1);
    }
  }
}

TEST_CASE("names are words of the command line, summaries are one line of a table") {
  for (const auto& lab : all_labs()) {
    std::set<std::string> names;
    CHECK(lab.lecture >= 0);
    CHECK_FALSE(lab.topic.empty());
    CHECK_FALSE(lab.question.empty());
    for (const auto& variant : lab.variants) {
      INFO(lab.name << " " << variant.name);
      CHECK(is_snake_case(variant.name));
      CHECK(names.insert(variant.name).second);
      CHECK((variant.summary.size() >= 20 && variant.summary.size() <= 110));
      CHECK(variant.summary.back() != '.');
    }
  }
}

TEST_CASE("words that a variant is limited to are the lab's") {
  for (const auto& lab : all_labs())
    for (const auto& variant : lab.variants)
      for (const auto& [name, words] : variant.only) {
        INFO(lab.name << " " << variant.name << " " << name);
        const auto param = std::ranges::find(lab.params, name, &Param::name);
        REQUIRE(param != lab.params.end());
        CHECK_FALSE(words.empty());
        for (const auto& word : words) CHECK(std::ranges::count(param->choices, word) == 1);
      }
}

TEST_CASE("a lab's headline is one of its variants, its prerequisites are labs") {
  std::set<std::string> labs;
  for (const auto& lab : all_labs()) labs.insert(lab.name);
  for (const auto& lab : all_labs()) {
    INFO(lab.name);
    CHECK(std::ranges::count(lab.variants, lab.headline, &Variant::name) == 1);
    for (const auto& name : lab.prerequisites) CHECK((labs.count(name) == 1 && name != lab.name));
  }
}

TEST_CASE("a lab has a contract for students' kernels, and a default for every parameter") {
  for (const auto& lab : all_labs()) {
    INFO(lab.name);
    CHECK_FALSE(lab.contracts.empty());
    for (const auto& param : lab.params) {
      INFO(param.name);
      CHECK_FALSE(param.help.empty());
      if (const auto* word = std::get_if<std::string>(&param.fallback)) {
        CHECK(std::ranges::count(param.choices, *word) == 1);
      } else {
        CHECK(param.choices.empty());
      }
      if (const auto* size = std::get_if<std::int64_t>(&param.fallback)) {
        CHECK(*size >= param.min);
        CHECK(*size <= param.max);
      }
    }
  }
}

TEST_CASE("the headline takes the lab's default block, and every variant takes some block") {
  for (const auto& lab : all_labs()) {
    for (const auto& variant : lab.variants) {
      INFO(lab.name << " " << variant.name);
      CHECK_FALSE(refusal(variant.blocks, default_block(lab, variant)));
      if (variant.name == lab.headline) CHECK(default_block(lab, variant) == lab.default_block);
    }
  }
}

TEST_CASE("every lab has a lecture page that speaks of each variant") {
  for (const auto& lab : all_labs()) {
    const auto page = page_of(lab);
    INFO("labs/" << lab.name << "/README.md");
    REQUIRE(page.starts_with("# "));
    for (const auto& variant : lab.variants) {
      INFO(variant.name);
      CHECK(page.find("`" + variant.name + "`") != std::string::npos);
    }
    for (const auto* part : {"## Counters to look at", "## Exercises", "## Famous bugs"}) {
      CHECK(page.find(part) != std::string::npos);
    }
  }
}
