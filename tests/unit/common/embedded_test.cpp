#include "common/embedded.h"

#include <algorithm>
#include <string>

#include "common/gpu_profile.h"
#include "common/ptx/parser.h"
#include "tests/catch.h"

using namespace gpulab;

TEST_CASE("every kernel file is embedded with its source, its PTX ended by a NUL for the driver") {
  REQUIRE(embedded_kernels().size() >= 2);
  for (const auto& kernels : embedded_kernels()) {
    INFO(kernels.lab << "/" << kernels.file);
    CHECK(kernels.ptx.find(".version") != std::string_view::npos);
    CHECK(kernels.ptx.data()[kernels.ptx.size()] == '\0');
    CHECK(kernels.source.find("__global__") != std::string_view::npos);
    CHECK(kernels.compute_capability >= 50);
  }
}

TEST_CASE("embedded PTX names its files relative to the tree and to the toolkit, on every machine alike") {
  for (const auto& kernels : embedded_kernels()) {
    std::size_t own = 0;
    for (std::size_t at = 0; (at = kernels.ptx.find("\t.file\t", at)) != std::string_view::npos; ++at) {
      const auto line = std::string(kernels.ptx.substr(at, kernels.ptx.find('\n', at) - at));
      INFO(line);
      CHECK(line.find("\"/") == std::string::npos);
      own +=
          line.find("\"labs/" + std::string(kernels.lab) + "/" + std::string(kernels.source_file) + "\"") != line.npos;
    }
    CHECK(own == 1);
  }
}

TEST_CASE("ptxas' resources are known for every entry on every profile's architecture that the toolkit compiles for") {
  for (const auto& kernels : embedded_kernels()) {
    const auto entries = ptx::entry_names(kernels.ptx);
    REQUIRE_FALSE(entries.empty());
    std::vector<int> architectures;
    for (const auto& row : kernels.resources) architectures.push_back(row.sm);
    std::ranges::sort(architectures);
    architectures.erase(std::unique(architectures.begin(), architectures.end()), architectures.end());
    CHECK(std::ranges::count(architectures, 90) == 1);  // H100 and H200: every supported toolkit knows them
    CHECK(kernels.resources.size() == entries.size() * architectures.size());
    for (const auto entry : entries) {
      for (const int sm : architectures) {
        const auto row =
            std::ranges::find_if(kernels.resources, [&](const PtxasRow& r) { return r.entry == entry && r.sm == sm; });
        INFO(entry << " on sm_" << sm);
        REQUIRE(row != kernels.resources.end());
        CHECK(row->registers > 0);
        CHECK(row->registers <= 255);
      }
    }
  }
}

TEST_CASE("every GPU profile is embedded under its path in configs/") {
  for (const auto& profile : gpu_profiles()) {
    const auto path = "gpus/" + profile.id + ".json";
    CHECK(std::ranges::count(embedded_configs(), path, &EmbeddedFile::path) == 1);
  }
}

TEST_CASE("the toolkit that compiled the kernels has a version and a place") {
  CHECK(std::stod(std::string(toolkit_version())) >= 12.0);
  CHECK(toolkit_compiler().starts_with("/"));
}
