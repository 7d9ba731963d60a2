#include "common/simt/device_runtime/device_printf.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace gpulab::simt {
namespace {

/// Device memory of one call: the format at 0, packed arguments at 4096, a string at 8192.
class Call {
 public:
  explicit Call(const std::string& format) : memory_(12288) {
    std::memcpy(memory_.data(), format.data(), format.size());
  }
  template <typename T>
  Call& with(T value) {
    end_ = (end_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    std::memcpy(memory_.data() + end_, &value, sizeof(T));
    end_ += sizeof(T);
    return *this;
  }
  Call& with_text(const std::string& text) {
    std::memcpy(memory_.data() + kText, text.data(), text.size());
    return with(std::uint64_t{kText});
  }
  std::string print(std::int32_t* printed = nullptr, const Refused& refused = {}) const {
    std::string out;
    const auto read = [&](std::uint64_t address, void* to, std::size_t bytes) {
      if (address + bytes > memory_.size()) return false;
      std::memcpy(to, memory_.data() + address, bytes);
      return true;
    };
    const std::int32_t result = device_printf(out, read, 0, kValues, refused);
    if (printed) *printed = result;
    return out;
  }

 private:
  static constexpr std::size_t kValues = 4096, kText = 8192;
  std::vector<std::byte> memory_;
  std::size_t end_ = kValues;
};

template <typename... T>
std::string host_prints(const std::string& format, T... values) {
  char text[1024];
  std::snprintf(text, sizeof text, format.c_str(), values...);
  return text;
}

const std::vector<std::string> flags = {"", "-", "+", " ", "#", "0", "-+", "+0", "# ", "-#"};
const std::vector<std::string> sizes = {"", "1", "12", ".0", ".3", "12.5", "3.12"};

TEST_CASE("every integer conversion prints as the host's, with every flag, width, precision and length") {
  for (const auto& flag : flags)
    for (const auto& size : sizes)
      for (const char conversion : std::string("diuxXo"))
        for (const std::int64_t value : {0L, 1L, -1L, 42L, 70000L, -128L, 0x7fffffffL, 1L << 40, INT64_MIN}) {
          const std::string head = "<%" + flag + size;
          for (const std::string length : {"", "h", "hh"}) {
            const std::string format = head + length + conversion + ">";
            CHECK(Call(format).with(static_cast<std::int32_t>(value)).print() ==
                  host_prints(format, static_cast<int>(value)));
          }
          for (const std::string length : {"l", "ll", "z", "j", "t"}) {
            const std::string format = head + length + conversion + ">";
            CHECK(Call(format).with(value).print() == host_prints(format, value));
          }
        }
}

TEST_CASE("every floating-point conversion prints as the host's") {
  for (const auto& flag : flags)
    for (const auto& size : sizes)
      for (const char conversion : std::string("eEfFgGaA"))
        for (const double value : {0.0, -0.0, 1.5, -2.25e-10, 6.02e23, 1e300, HUGE_VAL, -HUGE_VAL, std::nan("")})
          for (const std::string length : {"", "l", "L"}) {
            const std::string format = "<%" + flag + size + length + conversion + ">";
            const std::string of_host = "<%" + flag + size + conversion + ">";  // L would mean a long double there
            CHECK(Call(format).with(value).print() == host_prints(of_host, value));
          }
}

TEST_CASE("characters, strings and pointers print as the host's") {
  for (const std::string size : {"", "8", "-8", ".2", "8.2", "-8.0"}) {
    CHECK(Call("<%" + size + "s>").with_text("text").print() == host_prints("<%" + size + "s>", "text"));
    if (size.find('.') != std::string::npos) continue;
    CHECK(Call("<%" + size + "c>").with(int{'x'}).print() == host_prints("<%" + size + "c>", 'x'));
    for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{0x7000'0000'0100}})
      CHECK(Call("<%" + size + "p>").with(address).print() ==
            host_prints("<%" + size + "p>", reinterpret_cast<void*>(address)));
  }
  CHECK(Call("%s|%s").with(std::uint64_t{1} << 40).with_text("").print() == "(null)|");
  CHECK(Call("a%cb").with(0).print() == std::string("a\0b", 3));
}

TEST_CASE("widths and precisions come from arguments, also negative ones") {
  for (const int width : {0, 1, 9, -9})
    for (const int precision : {0, 2, 12, -3}) {
      CHECK(Call("<%*.*f>").with(width).with(precision).with(2.71828).print() ==
            host_prints("<%*.*f>", width, precision, 2.71828));
      CHECK(Call("<%-*d>").with(width).with(77).print() == host_prints("<%-*d>", width, 77));
      CHECK(Call("<%.*s>").with(precision).with_text("letters").print() == host_prints("<%.*s>", precision, "letters"));
    }
}

TEST_CASE("arguments are packed by their sizes, and counted") {
  std::int32_t printed = 0;
  CHECK(Call("%d %lld %c %f %*d %%").with(1).with(2LL).with(int{'3'}).with(4.0).with(3).with(5).print(&printed) ==
        "1 2 3 4.000000   5 %");
  CHECK(printed == 6);
  CHECK(Call("nothing 100%%\n").print(&printed) == "nothing 100%\n");
  CHECK(printed == 0);
}

TEST_CASE("what is no conversion prints as it stands, and a format may end anywhere") {
  CHECK(Call("%k %5y|%").print() == "%k %5y|");
  CHECK(Call("50%").print() == "50");
  CHECK(Call("%-12.3").print() == "");
}

TEST_CASE("a width without bounds pads to no more than what a GPU's buffer holds") {
  CHECK(Call("%999999999999d").with(1).print().size() == 1 << 20);
  CHECK(Call("%*d").with(-2000000000).with(1).print().size() == 1 << 20);
}

TEST_CASE("a string that cannot be read is refused") {
  std::vector<std::uint64_t> bad;
  const Refused refused = [&](std::uint64_t address) { bad.push_back(address); };
  (void)Call("[%s]").with(std::uint64_t{0x7f0000001234}).print(nullptr, refused);
  CHECK(bad == std::vector<std::uint64_t>{0x7f0000001234});
}

TEST_CASE("a format that cannot be read prints nothing") {
  std::string out;
  CHECK(device_printf(
            out, [](auto, auto, auto) { return false; }, 0, 0) == -1);
  CHECK(out.empty());
}

}  // namespace
}  // namespace gpulab::simt
