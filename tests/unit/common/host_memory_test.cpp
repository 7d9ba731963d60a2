#include "common/host_memory.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/catch.h"

using namespace gpulab;
namespace fs = std::filesystem;

namespace {

/// A folder with the files that Linux shows of memory and control groups, removed at the end.
class System {
 public:
  System() : root_(fs::temp_directory_path() / ("gpulab_memory_" + std::to_string(getpid()))) {
    fs::remove_all(root_);
    write("proc/meminfo",
          "MemTotal:       16000 kB\nMemFree:         1000 kB\nMemAvailable:    8000 kB\nBuffers: 5 kB\n");
  }
  ~System() { fs::remove_all(root_); }
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  void version_2(const std::string& group, const std::string& top = "/") const {
    write("proc/self/cgroup", "0::" + group + "\n");
    write("proc/self/mountinfo", "29 1 0:26 / /sys rw,nosuid - sysfs sysfs rw\n30 29 0:27 " + top +
                                     " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  void version_1(const std::string& group, const std::string& top = "/") const {
    write("proc/self/cgroup", "5:cpu,cpuacct:/other\n4:hugetlb,memory:" + group + "\n");
    write("proc/self/mountinfo",
          "31 29 0:28 / /sys/fs/cgroup/cpu rw shared:5 - cgroup cgroup rw,cpu,cpuacct\n32 29 0:29 " + top +
              " /sys/fs/cgroup/memory rw shared:6 - cgroup cgroup rw,memory,hugetlb\n");
  }
  /// Bytes, or "max".
  void limit(const std::string& group, const std::string& most, std::uint64_t used, std::uint64_t cache = 0) const {
    write(group + "/memory.max", most + "\n");
    write(group + "/memory.current", std::to_string(used) + "\n");
    write(group + "/memory.stat", "anon 12\ninactive_file " + std::to_string(cache) + "\nactive_file 77\n");
  }
  [[nodiscard]] std::uint64_t available() const { return available_host_memory(root_).value(); }
  [[nodiscard]] const fs::path& root() const { return root_; }

 private:
  fs::path root_;
};

constexpr std::uint64_t machine = 8000 * 1024;

}  // namespace

TEST_CASE("a machine without control groups has the memory that the kernel calls available") {
  const System system;
  CHECK(system.available() == machine);
}

TEST_CASE("a system that says nothing of its memory gives no number") {
  const System system;
  fs::remove_all(system.root() / "proc");
  CHECK(!available_host_memory(system.root()));
}

TEST_CASE("a control group's limit binds, and cached files do not count as used") {
  const System system;
  system.version_2("/job");
  system.limit("sys/fs/cgroup/job", "1000000", 600000, 100000);
  CHECK(system.available() == 500000);
  system.limit("sys/fs/cgroup/job", "max", 600000);
  CHECK(system.available() == machine);
  system.limit("sys/fs/cgroup/job", "100000000000", 600000);
  CHECK(system.available() == machine);
  system.limit("sys/fs/cgroup/job", "1000000", 1200000);  // a limit that was lowered below what is used
  CHECK(system.available() == 0);
}

TEST_CASE("the tightest of nested control groups binds") {
  const System system;
  system.version_2("/user.slice/course/job");
  system.limit("sys/fs/cgroup/user.slice", "5000000", 1000000);
  system.limit("sys/fs/cgroup/user.slice/course", "3000000", 900000);
  system.limit("sys/fs/cgroup/user.slice/course/job", "max", 200000);
  CHECK(system.available() == 2100000);
  system.limit("sys/fs/cgroup/user.slice", "1500000", 1000000);
  CHECK(system.available() == 500000);
  system.limit("sys/fs/cgroup/user.slice/course/job", "300000", 200000);
  CHECK(system.available() == 100000);
}

TEST_CASE("in a container the group's own folder is where the hierarchy is mounted") {
  const System system;
  SECTION("a namespace of its own: its group is called /") {
    system.version_2("/");
    system.limit("sys/fs/cgroup", "2000000", 500000);
  }
  SECTION("none: the group has the name that the host gives it, and is what is mounted") {
    system.version_2("/docker/4f5e", "/docker/4f5e");
    system.limit("sys/fs/cgroup", "2000000", 500000);
  }
  SECTION("a group below the mounted one") {
    system.version_2("/docker/4f5e/job", "/docker/4f5e");
    system.limit("sys/fs/cgroup/job", "2000000", 500000);
  }
  SECTION("a group that is not seen from here") {
    system.version_2("/../other");
    system.limit("sys/fs/cgroup", "2000000", 500000);
  }
  CHECK(system.available() == 1500000);
}

TEST_CASE("control groups of version 1 bind too") {
  const System system;
  system.version_1("/course/job");
  const auto limit = [&](const std::string& group, std::uint64_t most, std::uint64_t used) {
    system.write(group + "/memory.limit_in_bytes", std::to_string(most) + "\n");
    system.write(group + "/memory.usage_in_bytes", std::to_string(used) + "\n");
    system.write(group + "/memory.stat", "inactive_file 1\ntotal_inactive_file 1000\n");
  };
  const std::uint64_t none = 0x7ffffffffffff000;
  limit("sys/fs/cgroup/memory", none, 900000);
  limit("sys/fs/cgroup/memory/course", 2000000, 501000);
  limit("sys/fs/cgroup/memory/course/job", none, 400000);
  CHECK(system.available() == 1500000);
  limit("sys/fs/cgroup/memory/course/job", 600000, 401000);
  CHECK(system.available() == 200000);
}

TEST_CASE("this machine has memory") { CHECK(available_host_memory().value_or(0) > 0); }

TEST_CASE("what is less than a megabyte is not asked for, and what no machine has is short") {
  CHECK_FALSE(gpulab::memory_short_of(1000));
  CHECK_FALSE(gpulab::memory_short_of(1 << 21));
  REQUIRE(gpulab::memory_short_of(1e18));
  CHECK(*gpulab::memory_short_of(1e18) < 1'000'000'000'000'000);
}
