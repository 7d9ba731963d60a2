// The driver's API beside the runtime's, in one process: memory, modules, streams, events, graphs, textures.
// build: -lcuda
// case: :: 0
// out: names: CUDA_ERROR_INVALID_VALUE, invalid argument
// out: procedures: all there
// out: occupancy: 8 blocks of 256 threads
// out: fills: right
// out: copies of rows: right
// out: the other API's memory: right
// out: pointers: device, host, managed, of nobody
// out: events: in order
// out: graph: 3 launches
// out: captured: 2 launches
// out: structure: 2 edges, before 1, behind 1, launches 2, then 1
// out: words: 77
// out: texture: 1.50
// out: globals: 7, 42
// out: linked: 11
// out: library: 5
// out: virtual memory: right
// out: contexts: pushed and popped
// case: --sanitize all :: 0
// out: contexts: pushed and popped
// case: -- too_much :: 1
// err: error: api: cuMemAlloc: 1152921504606846976 bytes were asked for; the GPU has
// err: \(called by everything.cu:@cuMemAlloc(&none, size_t{1} << 60);@; CUDA_ERROR_OUT_OF_MEMORY, which the program did not look at\)
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static const char* const kHeader = ".version 7.0\n.target sm_75\n.address_size 64\n";

// Adds `by` to each of n numbers; and what a variable has, to a variable.
static const char* const kAdd = R"(
.visible .global .align 4 .u32 counter = 7;
.visible .entry add(.param .u64 to, .param .u32 n, .param .f32 by)
{
  .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %d<4>; .reg .f32 %f<3>;
  ld.param.u64 %d1, [to]; ld.param.u32 %r1, [n]; ld.param.f32 %f1, [by];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r2, %r2, %r3, %r4;
  setp.ge.s32 %p, %r2, %r1;
  @%p bra done;
  cvta.to.global.u64 %d1, %d1;
  mul.wide.s32 %d2, %r2, 4;
  add.s64 %d3, %d1, %d2;
  ld.global.f32 %f2, [%d3];
  add.f32 %f2, %f2, %f1;
  st.global.f32 [%d3], %f2;
done:
  ret;
}
.visible .entry fetch(.param .u64 to, .param .u64 texture)
{
  .reg .b64 %d<3>; .reg .f32 %f<7>;
  ld.param.u64 %d1, [to]; ld.param.u64 %d2, [texture];
  mov.f32 %f1, 0f3F800000;
  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%f1, %f1}];
  cvta.to.global.u64 %d1, %d1;
  st.global.f32 [%d1], %f3;
  ret;
}
)";
static const char* const kCaller = R"(
.extern .func (.param .b32 out) helper(.param .b32 in);
.visible .entry call(.param .u64 to)
{
  .reg .b64 %d; .reg .b32 %r;
  ld.param.u64 %d, [to];
  { .param .b32 in; .param .b32 out; st.param.b32 [in], 10; call (out), helper, (in); ld.param.b32 %r, [out]; }
  cvta.to.global.u64 %d, %d;
  st.global.u32 [%d], %r;
  ret;
}
)";
static const char* const kHelper = R"(
.visible .func (.param .b32 out) helper(.param .b32 in)
{
  .reg .b32 %r;
  ld.param.b32 %r, [in]; add.s32 %r, %r, 1; st.param.b32 [out], %r;
  ret;
}
)";

static void check(CUresult result, const char* what, int line) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "?";
  cuGetErrorName(result, &name);
  std::printf("line %d: %s: %s\n", line, what, name);
  std::exit(9);
}
#define CHECK(call) check(call, #call, __LINE__)

static CUfunction add = nullptr;
static void add_to(CUdeviceptr to, int n, float by, CUstream stream = nullptr) {
  void* arguments[] = {&to, &n, &by};
  CHECK(cuLaunchKernel(add, (n + 255) / 256, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
}
static bool all_are(CUdeviceptr from, int n, float value) {
  std::vector<float> got(n);
  CHECK(cuMemcpyDtoH(got.data(), from, n * sizeof(float)));
  for (const float one : got)
    if (one != value) return false;
  return true;
}
static const char* word(bool good) { return good ? "right" : "wrong"; }

static void procedures() {
  bool good = true;
  for (const char* name : {"cuMemAlloc", "cuCtxCreate", "cuLaunchKernel", "cuGraphLaunch", "cuMemcpyHtoDAsync", "cuGetProcAddress"}) {
    void* function = nullptr;
    CUdriverProcAddressQueryResult status;
    good &= cuGetProcAddress(name, &function, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, &status) == CUDA_SUCCESS && function != nullptr;
  }
  void* none = nullptr;
  CUdriverProcAddressQueryResult missing;
  good &= cuGetProcAddress("cuNothing", &none, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, &missing) == CUDA_SUCCESS && none == nullptr;
  good &= missing == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  good &= cudaGetDriverEntryPointByVersion("cuMemFree", &entry, 12000, cudaEnableDefault, &found) == cudaSuccess && entry != nullptr;
  std::printf("procedures: %s\n", good ? "all there" : "some are not");
}

static void graphs(CUdeviceptr memory, int n) {
  CHECK(cuMemsetD32(memory, 0, n));
  CUgraph graph = nullptr;
  CHECK(cuGraphCreate(&graph, 0));
  float by = 1;
  void* arguments[] = {&memory, &n, &by};
  CUDA_KERNEL_NODE_PARAMS node{};
  node.func = add;
  node.gridDimX = (n + 255) / 256, node.gridDimY = node.gridDimZ = 1;
  node.blockDimX = 256, node.blockDimY = node.blockDimZ = 1;
  node.kernelParams = arguments;
  CUgraphNode first = nullptr, second = nullptr;
  CHECK(cuGraphAddKernelNode(&first, graph, nullptr, 0, &node));
  CHECK(cuGraphAddKernelNode(&second, graph, &first, 1, &node));
  CHECK(cuGraphAddKernelNode(&second, graph, &second, 1, &node));
  CUgraphExec instance = nullptr;
  CHECK(cuGraphInstantiate(&instance, graph, 0));
  CHECK(cuGraphLaunch(instance, nullptr));
  std::printf("graph: %s launches\n", all_are(memory, n, 3) ? "3" : "not 3");
  CHECK(cuGraphExecDestroy(instance));
  CHECK(cuGraphDestroy(graph));

  CUstream stream = nullptr;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  add_to(memory, n, 1, stream);
  add_to(memory, n, 1, stream);
  CHECK(cuStreamEndCapture(stream, &graph));
  CHECK(cuGraphInstantiate(&instance, graph, 0));
  CHECK(cuGraphLaunch(instance, stream));
  CHECK(cuStreamSynchronize(stream));
  std::printf("captured: %s launches\n", all_are(memory, n, 5) ? "2" : "not 2");
  CHECK(cuGraphExecDestroy(instance));
  CHECK(cuGraphDestroy(graph));
  CHECK(cuStreamDestroy(stream));
}

// What there is of a graph, a node of any type, and words that a stream writes.
static void structure(CUdeviceptr memory, int n) {
  CUgraph graph = nullptr, body = nullptr;
  CUgraphNode fill = nullptr, launch = nullptr, loop = nullptr, inner = nullptr, nodes[4];
  CHECK(cuGraphCreate(&graph, 0));
  CUgraphNodeParams asked = {};
  asked.type = CU_GRAPH_NODE_TYPE_MEMSET;
  asked.memset.dst = memory;
  asked.memset.elementSize = 4;
  asked.memset.width = static_cast<size_t>(n);
  asked.memset.height = 1;
  CHECK(cuGraphAddNode(&fill, graph, nullptr, nullptr, 0, &asked));
  float by = 5;
  void* arguments[] = {&memory, &n, &by};
  asked = {};
  asked.type = CU_GRAPH_NODE_TYPE_KERNEL;
  asked.kernel.func = add;
  asked.kernel.gridDimX = (n + 255) / 256, asked.kernel.gridDimY = asked.kernel.gridDimZ = 1;
  asked.kernel.blockDimX = 256, asked.kernel.blockDimY = asked.kernel.blockDimZ = 1;
  asked.kernel.kernelParams = arguments;
  CHECK(cuGraphAddNode(&launch, graph, &fill, nullptr, 1, &asked));
  const CUgraphNodeParams kernel = asked;
  CUgraphConditionalHandle condition = 0;
  CHECK(cuGraphConditionalHandleCreate(&condition, graph, nullptr, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  asked = {};
  asked.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  asked.conditional.handle = condition;
  asked.conditional.type = CU_GRAPH_COND_TYPE_IF;
  asked.conditional.size = 1;
  CHECK(cuGraphAddNode(&loop, graph, &launch, nullptr, 1, &asked));
  body = asked.conditional.phGraph_out[0];
  asked = kernel;
  CHECK(cuGraphAddNode(&inner, body, nullptr, nullptr, 0, &asked));
  size_t edges = 0, before = 1, behind = 0;
  CHECK(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  CHECK(cuGraphNodeGetDependencies(loop, nodes, nullptr, &before));
  CHECK(cuGraphNodeGetDependentNodes(fill, nullptr, nullptr, &behind));
  CUgraphExec exec = nullptr;
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  CHECK(cuGraphLaunch(exec, nullptr));
  const bool twice = all_are(memory, n, 10);
  CHECK(cuGraphNodeSetEnabled(exec, launch, 0));
  CHECK(cuGraphLaunch(exec, nullptr));
  const bool once = all_are(memory, n, 5);
  std::printf("structure: %zu edges, before %d, behind %zu, launches %s\n", edges, before == 1 && nodes[0] == launch, behind,
              twice && once ? "2, then 1" : "?");
  unsigned value = 0;
  CHECK(cuStreamWriteValue32(nullptr, memory, 77, 0));
  CHECK(cuStreamWaitValue32(nullptr, memory, 70, CU_STREAM_WAIT_VALUE_GEQ));
  CHECK(cuMemcpyDtoH(&value, memory, 4));
  std::printf("words: %d\n", value);
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
}

static void textures(CUmodule module, CUdeviceptr result) {
  CUDA_ARRAY_DESCRIPTOR description{2, 2, CU_AD_FORMAT_FLOAT, 1};
  CUarray array = nullptr;
  CHECK(cuArrayCreate(&array, &description));
  const float texels[] = {0, 1, 2, 3};
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = texels, copy.srcPitch = 8;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array;
  copy.WidthInBytes = 8, copy.Height = 2;
  CHECK(cuMemcpy2D(&copy));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY, resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC texture{};
  texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
  CUtexObject object = 0;
  CHECK(cuTexObjectCreate(&object, &resource, &texture, nullptr));
  CUfunction fetch = nullptr;
  CHECK(cuModuleGetFunction(&fetch, module, "fetch"));
  void* arguments[] = {&result, &object};
  CHECK(cuLaunchKernel(fetch, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  float value = 0;
  CHECK(cuMemcpyDtoH(&value, result, sizeof value));
  std::printf("texture: %.2f\n", value);
  CHECK(cuTexObjectDestroy(object));
  CHECK(cuArrayDestroy(array));
}

static void pointers(CUdeviceptr memory) {
  void* host = nullptr;
  CUdeviceptr managed = 0;
  CHECK(cuMemHostAlloc(&host, 64, 0));
  CHECK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
  unsigned of_device = 0, of_host = 0;
  bool is_managed = false;
  CHECK(cuPointerGetAttribute(&of_device, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
  CHECK(cuPointerGetAttribute(&of_host, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(host)));
  CHECK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
  int local = 0;
  const bool nobodys = cuPointerGetAttribute(&local, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(&local)) == CUDA_ERROR_INVALID_VALUE;
  std::printf("pointers: %s, %s, %s, %s\n", of_device == CU_MEMORYTYPE_DEVICE ? "device" : "?", of_host == CU_MEMORYTYPE_HOST ? "host" : "?",
              is_managed ? "managed" : "?", nobodys ? "of nobody" : "?");
  CHECK(cuMemFreeHost(host));
  CHECK(cuMemFree(managed));
}

static void modules(CUmodule module, CUdeviceptr result) {
  CUdeviceptr counter = 0;
  size_t bytes = 0;
  unsigned before = 0, after = 42;
  CHECK(cuModuleGetGlobal(&counter, &bytes, module, "counter"));
  CHECK(cuMemcpyDtoH(&before, counter, bytes));
  CHECK(cuMemcpyHtoD(counter, &after, bytes));
  CHECK(cuMemcpyDtoH(&after, counter, bytes));
  std::printf("globals: %u, %u\n", before, after);

  CUlinkState state = nullptr;
  CHECK(cuLinkCreate(0, nullptr, nullptr, &state));
  for (const char* text : {kCaller, kHelper}) {
    std::string whole = std::string(kHeader) + text;
    CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, whole.data(), whole.size() + 1, "text", 0, nullptr, nullptr));
  }
  void* image = nullptr;
  CHECK(cuLinkComplete(state, &image, &bytes));
  CUmodule linked = nullptr;
  CHECK(cuModuleLoadData(&linked, image));
  CHECK(cuLinkDestroy(state));
  CUfunction call = nullptr;
  CHECK(cuModuleGetFunction(&call, linked, "call"));
  void* arguments[] = {&result};
  CHECK(cuLaunchKernel(call, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(&after, result, 4));
  std::printf("linked: %u\n", after);
  CHECK(cuModuleUnload(linked));

  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  unsigned count = 0;
  const std::string text = std::string(kHeader) + kAdd;
  CHECK(cuLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK(cuLibraryGetKernelCount(&count, library));
  CHECK(cuLibraryGetKernel(&kernel, library, "add"));
  CHECK(cuMemsetD32(result, 0, 1));
  int n = 1;
  float by = 5;
  void* of_kernel[] = {&result, &n, &by};
  CHECK(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 32, 1, 1, 0, nullptr, of_kernel, nullptr));
  float value = 0;
  CHECK(cuMemcpyDtoH(&value, result, 4));
  std::printf("library: %.0f\n", count == 2 ? value : -1);
  CHECK(cuLibraryUnload(library));
}

static void virtual_memory() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  size_t chunk = 0;
  CHECK(cuMemGetAllocationGranularity(&chunk, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUdeviceptr range = 0;
  CHECK(cuMemAddressReserve(&range, 2 * chunk, 0, 0, 0));
  CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  for (int i = 0; i < 2; ++i) {  // a vector that grows in its place
    CUmemGenericAllocationHandle handle = 0;
    CHECK(cuMemCreate(&handle, chunk, &properties, 0));
    CHECK(cuMemMap(range + i * chunk, chunk, 0, handle, 0));
    CHECK(cuMemRelease(handle));
    CHECK(cuMemSetAccess(range + i * chunk, chunk, &access, 1));
  }
  const int n = static_cast<int>(2 * chunk / sizeof(float));
  CHECK(cuMemsetD32(range, 0, n));
  add_to(range, n, 2);
  std::printf("virtual memory: %s\n", word(all_are(range, n, 2)));
  CHECK(cuMemUnmap(range, 2 * chunk));
  CHECK(cuMemAddressFree(range, 2 * chunk));
}

int main(int argc, char** argv) {
  CHECK(cuInit(0));
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &name);
  cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text);
  std::printf("names: %s, %s\n", name, text);
  procedures();

  // The runtime makes the primary context, which is the driver's, too.
  float* of_runtime = nullptr;
  const int n = 1000;
  cudaMalloc(&of_runtime, n * sizeof(float));
  cudaMemset(of_runtime, 0, n * sizeof(float));
  CUcontext current = nullptr;
  CHECK(cuCtxGetCurrent(&current));
  if (argc > 1 && std::strcmp(argv[1], "too_much") == 0) {
    CUdeviceptr none = 0;
    cuMemAlloc(&none, size_t{1} << 60);
    cudaFree(of_runtime);
    return 0;
  }
  CUmodule module = nullptr;
  const std::string whole = std::string(kHeader) + kAdd;
  CHECK(cuModuleLoadData(&module, whole.c_str()));
  CHECK(cuModuleGetFunction(&add, module, "add"));
  int blocks = 0;
  CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
  std::printf("occupancy: %d blocks of 256 threads\n", blocks);

  CUdeviceptr memory = 0;
  size_t pitch = 0;
  CHECK(cuMemAlloc(&memory, n * sizeof(float)));
  CHECK(cuMemsetD32(memory, 0x3f800000, n));
  add_to(memory, n, 1);
  std::printf("fills: %s\n", word(all_are(memory, n, 2)));

  CUdeviceptr rows = 0;
  CHECK(cuMemAllocPitch(&rows, &pitch, 40, 10, 4));
  CHECK(cuMemsetD2D32(rows, pitch, 0x40000000, 10, 10));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = rows, copy.srcPitch = pitch, copy.dstDevice = memory, copy.dstPitch = 40;
  copy.WidthInBytes = 40, copy.Height = 10;
  CHECK(cuMemcpy2D(&copy));
  std::printf("copies of rows: %s\n", word(all_are(memory, 100, 2)));
  CHECK(cuMemFree(rows));

  add_to(reinterpret_cast<CUdeviceptr>(of_runtime), n, 4);
  std::vector<float> got(n);
  cudaMemcpy(got.data(), of_runtime, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("the other API's memory: %s\n", word(got[0] == 4 && got[n - 1] == 4));
  cudaFree(of_runtime);

  pointers(memory);
  CUevent start = nullptr, end = nullptr;
  float ms = 0;
  CHECK(cuEventCreate(&start, 0));
  CHECK(cuEventCreate(&end, 0));
  CHECK(cuEventRecord(start, nullptr));
  add_to(memory, n, 1);
  CHECK(cuEventRecord(end, nullptr));
  CHECK(cuEventSynchronize(end));
  CHECK(cuEventElapsedTime(&ms, start, end));
  std::printf("events: %s\n", ms > 0 ? "in order" : "?");
  CHECK(cuEventDestroy(start));
  CHECK(cuEventDestroy(end));

  graphs(memory, n);
  structure(memory, n);
  textures(module, memory);
  modules(module, memory);
  virtual_memory();

  CUcontext other = nullptr, popped = nullptr;
  CHECK(cuCtxCreate(&other, nullptr, 0, 0));
  CUdeviceptr of_other = 0;
  CHECK(cuMemAlloc(&of_other, 100));  // ends with its context
  CHECK(cuCtxPopCurrent(&popped));
  CHECK(cuCtxDestroy(other));
  CUcontext now = nullptr;
  CHECK(cuCtxGetCurrent(&now));
  std::printf("contexts: %s\n", popped == other && now == current ? "pushed and popped" : "?");
  CHECK(cuMemFree(memory));
  CHECK(cuModuleUnload(module));
}
