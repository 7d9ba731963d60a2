// Names the kernels of a PTX file that the simulator does not decode, one a line with the reason (spellings.py). Each
// kernel is one line; what comes before the first is each one's head.

#include <fmt/format.h>

#include <fstream>
#include <string>

#include "common/error.h"
#include "tests/unit/on_simulator.h"

int main(int, char** arguments) {
  std::ifstream in(arguments[1]);
  std::string head;
  for (std::string line; std::getline(in, line);) {
    const std::size_t at = line.find(".entry ");
    if (at == std::string::npos) {
      head += line + "\n";
      continue;
    }
    const std::string name = line.substr(at + 7, line.find('(', at) - at - 7), module = head + line;
    try {
      const auto device = gpulab::tests::simulator_with({"spellings.ptx", module, {}});
      static_cast<void>(device->kernel(name));
    } catch (const gpulab::Error& error) {
      fmt::print("{} {}\n", name, error.what());
    }
  }
}
