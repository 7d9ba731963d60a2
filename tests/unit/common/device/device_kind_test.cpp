#include "common/device/device_kind.h"

#include <set>

#include "tests/catch.h"

using namespace gpulab;

TEST_CASE("device kinds are found by their folders, the best first, the one that is always here last") {
  const auto kinds = device_kinds();
  REQUIRE(kinds.size() >= 2);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    CAPTURE(kinds[i]->name);
    CHECK(names.insert(kinds[i]->name).second);
    CHECK(find_device_kind(kinds[i]->name) == kinds[i]);
    if (i > 0) CHECK(kinds[i - 1]->rank >= kinds[i]->rank);
  }
  CHECK(names.contains("gpu"));
  CHECK(kinds.back()->name == "sim");
  CHECK(kinds.back()->problem().empty());
  CHECK(find_device_kind("cpu") == nullptr);
}

TEST_CASE("a kind says of itself all that choosing, listing and opening its devices takes") {
  for (const auto* kind : device_kinds()) {
    CAPTURE(kind->name);
    CHECK(!kind->noun.empty());
    CHECK(kind->listing().find("--device " + std::string(kind->name)) != std::string::npos);
    CHECK(!kind->checks().empty());
    for (const auto& check : kind->checks()) CHECK(!check.finding.empty());
    if (!kind->problem().empty()) {
      CHECK(kind->present().empty());
      continue;
    }
    const auto device = kind->open({});
    CHECK(device->info().kind == kind->name);
    CHECK(device->info().name == kind->describe({}).name);
    CHECK(device->capabilities().counts == kind->capabilities.counts);
    CHECK(device->capabilities().measures_time == kind->capabilities.measures_time);
  }
}

TEST_CASE("a simulator models the GPU that is asked for, and takes what a request says of the simulation") {
  DeviceRequest request;
  request.profile = "t4";
  request.simulation.counters = false;
  const auto device = find_device_kind("sim")->open(request);
  CHECK(device->info().profile == "t4");
  CHECK(!device->capabilities().counts);
}

TEST_CASE("a device is named by its kind, and by its number where there may be several") {
  const auto* gpu = find_device_kind("gpu");
  const auto* sim = find_device_kind("sim");
  CHECK(parse_device_name("sim")->kind == sim);
  CHECK(parse_device_name("gpu")->kind == gpu);
  CHECK(!parse_device_name("gpu")->index);
  CHECK(parse_device_name("gpu:12")->index == 12);
  for (const char* wrong : {"", "cpu", "gpu:", "gpu:x", "gpu:-1", "gpu:1024", "gpu:1:2", "sim:0", "auto"}) {
    CAPTURE(wrong);
    CHECK(!parse_device_name(wrong));
  }
  CHECK(device_name(*gpu, 3) == "gpu:3");
  CHECK(device_name(*sim, 0) == "sim");
}
