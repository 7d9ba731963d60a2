#include "common/host_cpu.h"

#include <fstream>

namespace gpulab {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  // arm64's names no model there; small boards have it here, with a zero behind it.
  std::ifstream board("/proc/device-tree/model");
  std::string model;
  if (std::getline(board, model, '\0') && !model.empty()) return model;
  return "unknown CPU";
}

}  // namespace gpulab
