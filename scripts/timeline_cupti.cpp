// What a program's GPU does, and when: kernels, copies, fills and the host's calls, one line each, written as the
// program ends. A library that CUDA loads into a program (CUDA_INJECTION64_PATH), by CUPTI's activity records;
// scripts/compare_timeline.py builds it:
//   g++ -O1 -shared -fPIC scripts/timeline_cupti.cpp -I$CUDA/include -L$CUDA/lib64 -lcupti -o timeline_cupti.so
// The file that GPULAB_TIMELINE names gets: kind, name, start and end in ns, stream, bytes, by tabs; kinds are kernel,
// copy, fill, call.
#include <cupti.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct Row {
  const char* kind;
  std::string name;
  unsigned long long start, end, stream, bytes;
};
std::vector<Row> rows;
std::mutex mutex;

const char* copy_name(int kind) {
  constexpr const char* names[] = {"?", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
  return kind >= 0 && kind <= 10 ? names[kind] : "?";
}

void keep(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto* k = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
      rows.push_back({"kernel", k->name == nullptr ? "?" : k->name, k->start, k->end, k->streamId, 0});
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto* c = reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
      rows.push_back({"copy", copy_name(c->copyKind), c->start, c->end, c->streamId, c->bytes});
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto* s = reinterpret_cast<const CUpti_ActivityMemset4*>(record);
      rows.push_back({"fill", "memset", s->start, s->end, s->streamId, s->bytes});
      break;
    }
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_RUNTIME: {
      const auto* a = reinterpret_cast<const CUpti_ActivityAPI*>(record);
      rows.push_back({"call", std::to_string(a->cbid), a->start, a->end, 0, 0});
      break;
    }
    default:
      break;
  }
}

void CUPTIAPI ask(uint8_t** buffer, size_t* size, size_t* most) {
  *size = size_t{1} << 22;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, *size));
  *most = 0;
}

void CUPTIAPI take(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  const std::lock_guard lock(mutex);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) keep(record);
  std::free(buffer);
}

void write_all() {
  cuptiActivityFlushAll(1);
  const char* path = std::getenv("GPULAB_TIMELINE");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "w");
  if (file == nullptr) return;
  const std::lock_guard lock(mutex);
  for (const Row& row : rows)
    std::fprintf(file, "%s\t%s\t%llu\t%llu\t%llu\t%llu\n", row.kind, row.name.c_str(), row.start, row.end, row.stream,
                 row.bytes);
  std::fclose(file);
}

}  // namespace

/// The driver calls it as it starts.
extern "C" int InitializeInjection() {
  cuptiActivityRegisterCallbacks(ask, take);
  for (const auto kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
                          CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER})
    if (cuptiActivityEnable(kind) != CUPTI_SUCCESS)
      std::fprintf(stderr, "timeline_cupti: no records of kind %d\n", kind);
  std::atexit(write_all);
  return 1;
}
