// A stand-in for libnvidia-ml.so.1: its one GPU's clock is held back as fake_nvml_reasons() is told.

#include <cstring>

namespace {
unsigned long long mask = 0;
}

extern "C" {

/// For the tests: what the next questions are answered with (NVML's bits).
unsigned long long* fake_nvml_reasons() { return &mask; }

int nvmlInit_v2() { return 0; }
const char* nvmlErrorString(int) { return "Not Found"; }
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  *device = &mask;
  return std::strcmp(id, "0000:1B:00.0") == 0 ? 0 : 6;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = mask;
  return 0;
}

}  // extern "C"
