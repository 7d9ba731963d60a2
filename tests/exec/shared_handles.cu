// Memory of the device that processes hand to each other by file descriptors: of cuMemCreate, and of memory pools.
// long
// case: -- memory :: 0
// out: ^other: 1 2 3 4\nparent: 10 20 30 40\n$
// case: -- pools :: 0
// out: ^other: 1 2 3 4\nparent: 10 20 30 40\n$
// case: --sanitize all -- pools :: 0
// out: ^other: 1 2 3 4\nparent: 10 20 30 40\n$
// case: -- beyond :: 4
// out: ^own: 1 2 3 4\n
// err: out-of-bounds load of 4 bytes at 0x\w+, byte 16 of 'cudaMemPoolImportPointer #1', which has 16 bytes in times_ten
// case: -- asked :: 0
// out: ^attributes: descriptors 1, pools 1\nplain memory: invalid argument\nother type: invalid argument\nno descriptor of memory: unknown error\n
// out: memory closed by exec: 1\nown memory again: no error\nodd alignment: invalid argument\n
// out: plain pool: invalid argument\npointer of a plain pool: invalid argument\npointer of no pool: invalid argument\nbefore the pool: invalid argument\n
// out: no descriptor of a pool: unknown error\npool closed by exec: 0\ninner pointer: invalid argument\npointer by a pool of one's own: invalid argument\n
// out: own pool again: no error\nfrom an imported pool: invalid argument\nimported pool as the current one: invalid argument\ndata of nothing: invalid argument\n
// out: own pointer: no error\ntwice: no error\nthe same: 1 0\nexported on: invalid argument\nfree: no error\nfree again: invalid argument\n
// out: old handle of a pool's: invalid argument\nold handle of virtual memory: invalid argument\n
// err: cuMemExportToShareableHandle: the memory was made without a type of handle that it is shared by
// err: set requestedHandleTypes of what cuMemCreate is given
// err: cuMemExportToShareableHandle: memory can be shared by CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, and by no other type of handle
// err: cuMemImportFromShareableHandle: the descriptor is none that cuMemExportToShareableHandle gave
// err: cuMemAddressReserve: the alignment 6291456 is no power of two
// err: cudaMemPoolExportToShareableHandle: the pool was made without a type of handle that it is shared by
// err: cudaMemPoolExportPointer: it takes memory of a pool's, from its begin on
// err: cudaMemPoolExportPointer: its pool has not been shared yet .*cudaMemPoolExportToShareableHandle comes first
// err: cudaMemPoolImportFromShareableHandle: the descriptor is none that cudaMemPoolExportToShareableHandle gave
// err: cudaMemPoolImportPointer: no memory pool that cudaMemPoolImportFromShareableHandle gave
// err: cudaMallocAsync: the pool is another process's .*memory that it has taken is imported by cudaMemPoolImportPointer
// err: cudaMemPoolImportPointer: these are no data that cudaMemPoolExportPointer gave of memory of this pool
// err: cudaIpcGetMemHandle: the memory is a pool's, which is shared by cudaMemPoolExportPointer
// err: cudaIpcGetMemHandle: the memory is cuMemCreate's, which is shared by cuMemExportToShareableHandle
// case: -- sockets :: 0
// out: ^none$
// err: note: socket: a confined program has pairs of connected sockets \(socketpair\), and no others; --no-isolation gives it the machine's
// case: --no-isolation -- sockets :: 0
// out: ^some$
// build: -lcuda
#include <cuda.h>
#include <cuda_runtime.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void times_ten(int* x) { x[threadIdx.x] *= 10; }

static const int kValues[] = {1, 2, 3, 4};

static void must(bool good, int line) {
  if (good) return;
  std::printf("line %d\n", line);
  std::exit(9);
}
#define MUST(x) must((x), __LINE__)
#define CALL(x) must(static_cast<int>(x) == 0, __LINE__)

static void show(const char* who, const int* x) {
  int all[4];
  CALL(cudaMemcpy(all, x, sizeof all, cudaMemcpyDeviceToHost));
  std::printf("%s: %d %d %d %d\n", who, all[0], all[1], all[2], all[3]);
  std::fflush(stdout);
}

union Control {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};
static void send(int socket, int descriptor, cudaMemPoolPtrExportData& data) {
  iovec part{&data, sizeof data};
  Control control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  MUST(sendmsg(socket, &message, 0) == sizeof data);
}
static int receive(int socket, cudaMemPoolPtrExportData& data) {
  iovec part{&data, sizeof data};
  Control control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  MUST(recvmsg(socket, &message, 0) == sizeof data);
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
  return descriptor;
}

/// Starts this program again, which is sent the descriptor.
static void in_another(const char* self, const char* what, int descriptor, cudaMemPoolPtrExportData data) {
  int ends[2];
  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[0], 0);
    execl(self, self, what, nullptr);
    _exit(9);
  }
  send(ends[1], descriptor, data);
  close(descriptor);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) std::exit(WEXITSTATUS(status));
}

static CUmemAllocationProp properties(CUmemAllocationHandleType type) {
  CUmemAllocationProp asked{};
  asked.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  asked.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  asked.requestedHandleTypes = type;
  return asked;
}
static CUmemGenericAllocationHandle made(CUmemAllocationHandleType type, size_t& bytes) {
  const auto asked = properties(type);
  CUmemGenericAllocationHandle memory;
  CALL(cuMemGetAllocationGranularity(&bytes, &asked, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CALL(cuMemCreate(&memory, bytes, &asked, 0));
  return memory;
}
static int* map(CUmemGenericAllocationHandle memory, size_t bytes) {
  CUdeviceptr there;
  const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CALL(cuMemAddressReserve(&there, bytes, 4 * bytes, 0, 0));  // aligned as NVIDIA's sample asks for it
  MUST(there % (4 * bytes) == 0);
  CALL(cuMemMap(there, bytes, 0, memory, 0));
  CALL(cuMemSetAccess(there, bytes, &access, 1));
  return reinterpret_cast<int*>(there);
}

static void share_memory(const char* self) {
  // Made and handed on without a context, as NVIDIA's sample does.
  CALL(cuInit(0));
  size_t bytes;
  int descriptor = -1;
  const auto memory = made(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, bytes);
  CALL(cuMemExportToShareableHandle(&descriptor, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  CALL(cudaSetDevice(0));
  int* x = map(memory, bytes);
  CALL(cuMemRelease(memory));
  CALL(cudaMemcpy(x, kValues, sizeof kValues, cudaMemcpyHostToDevice));
  in_another(self, "open_memory", descriptor, {});
  show("parent", x);
}
static void open_memory() {
  cudaMemPoolPtrExportData none;
  const int descriptor = receive(0, none);
  CUdevice device;
  CUcontext context;
  CALL(cuInit(0));
  CALL(cuDeviceGet(&device, 0));
  CALL(cuDevicePrimaryCtxRetain(&context, device));
  CALL(cuCtxSetCurrent(context));
  CUmemGenericAllocationHandle memory;
  CALL(cuMemImportFromShareableHandle(&memory, reinterpret_cast<void*>(static_cast<uintptr_t>(descriptor)),
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  close(descriptor);
  CUmemAllocationProp told{};
  CALL(cuMemGetAllocationPropertiesFromHandle(&told, memory));
  MUST(told.type == CU_MEM_ALLOCATION_TYPE_PINNED && told.location.id == 0);
  size_t bytes;
  const auto asked = properties(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  CALL(cuMemGetAllocationGranularity(&bytes, &asked, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  int* x = map(memory, bytes);
  CALL(cuMemRelease(memory));
  show("other", x);
  times_ten<<<1, 4>>>(x);
  CALL(cudaDeviceSynchronize());
  CALL(cuMemUnmap(reinterpret_cast<CUdeviceptr>(x), bytes));
  CALL(cuMemAddressFree(reinterpret_cast<CUdeviceptr>(x), bytes));
}

static cudaMemPool_t new_pool(cudaMemAllocationHandleType type) {
  cudaMemPoolProps asked{};
  asked.allocType = cudaMemAllocationTypePinned;
  asked.handleTypes = type;
  asked.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool;
  CALL(cudaMemPoolCreate(&pool, &asked));
  return pool;
}
static void share_pool(const char* self) {
  cudaStream_t stream;
  CALL(cudaStreamCreate(&stream));
  const cudaMemPool_t pool = new_pool(cudaMemHandleTypePosixFileDescriptor);
  int* x;
  CALL(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&x), sizeof kValues, pool, stream));
  CALL(cudaMemcpyAsync(x, kValues, sizeof kValues, cudaMemcpyHostToDevice, stream));
  CALL(cudaStreamSynchronize(stream));
  int descriptor = -1;
  CALL(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor, 0));
  cudaMemPoolPtrExportData data;
  CALL(cudaMemPoolExportPointer(&data, x));
  in_another(self, "open_pool", descriptor, data);
  show("parent", x);
  CALL(cudaFreeAsync(x, stream));
  CALL(cudaStreamSynchronize(stream));
  CALL(cudaMemPoolDestroy(pool));
}
static void open_pool() {
  cudaMemPoolPtrExportData data;
  const int descriptor = receive(0, data);
  cudaMemPool_t pool;
  CALL(cudaSetDevice(0));
  CALL(cudaMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void*>(static_cast<uintptr_t>(descriptor)),
                                            cudaMemHandleTypePosixFileDescriptor, 0));
  close(descriptor);
  cudaMemLocation here{cudaMemLocationTypeDevice, 0};
  cudaMemAccessFlags flags;
  CALL(cudaMemPoolGetAccess(&flags, pool, &here));
  MUST(flags == cudaMemAccessFlagsProtReadWrite);
  int* x;
  CALL(cudaMemPoolImportPointer(reinterpret_cast<void**>(&x), pool, &data));
  show("other", x);
  times_ten<<<1, 4>>>(x);
  CALL(cudaDeviceSynchronize());
  CALL(cudaFreeAsync(x, nullptr));
  CALL(cudaDeviceSynchronize());
  CALL(cudaMemPoolDestroy(pool));
}

/// Imported where it comes from: 16 bytes, though a page of 4096 is shared.
static void beyond() {
  const cudaMemPool_t pool = new_pool(cudaMemHandleTypePosixFileDescriptor);
  cudaMemPool_t again;
  int *x, *y, descriptor = -1;
  cudaMemPoolPtrExportData data;
  CALL(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&x), sizeof kValues, pool, nullptr));
  CALL(cudaMemcpy(x, kValues, sizeof kValues, cudaMemcpyHostToDevice));
  CALL(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor, 0));
  CALL(cudaMemPoolExportPointer(&data, x));
  CALL(cudaMemPoolImportFromShareableHandle(&again, reinterpret_cast<void*>(static_cast<uintptr_t>(descriptor)),
                                            cudaMemHandleTypePosixFileDescriptor, 0));
  CALL(cudaMemPoolImportPointer(reinterpret_cast<void**>(&y), again, &data));
  show("own", y);
  times_ten<<<1, 5>>>(y);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

static const char* words(CUresult result) {
  const char* text = "?";
  cuGetErrorString(result, &text);
  return text;
}
static void tell(const char* what, CUresult result) { std::printf("%s: %s\n", what, words(result)); }
static void tell(const char* what, cudaError_t error) {
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  cudaGetLastError();
}
static void kind_of(const char* what, const void* x) {
  bool old = false;
  unsigned long long types = 0;
  CUmemoryPool pool = nullptr;
  const auto address = reinterpret_cast<CUdeviceptr>(x);
  const int of_old = cuPointerGetAttribute(&old, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, address);
  const int of_types = cuPointerGetAttribute(&types, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, address);
  const int of_pool = cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address);
  std::printf("%s: old %d %d, types %d %llu, pool %d %d\n", what, of_old, old, of_types, types, of_pool, pool != nullptr);
}
static void asked() {
  CALL(cudaSetDevice(0));
  CALL(cudaFree(nullptr));
  CALL(cuInit(0));
  int by_driver = -1, by_runtime = -1;
  CALL(cuDeviceGetAttribute(&by_driver, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0));
  CALL(cudaDeviceGetAttribute(&by_runtime, cudaDevAttrMemoryPoolSupportedHandleTypes, 0));
  std::printf("attributes: descriptors %d, pools %d\n", by_driver, by_runtime & 1);
  constexpr auto kType = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  constexpr auto kPoolType = cudaMemHandleTypePosixFileDescriptor;

  size_t bytes;
  int descriptor = -1;
  const auto plain = made(CU_MEM_HANDLE_TYPE_NONE, bytes), given = made(kType, bytes);
  tell("plain memory", cuMemExportToShareableHandle(&descriptor, plain, kType, 0));
  tell("other type", cuMemExportToShareableHandle(&descriptor, given, CU_MEM_HANDLE_TYPE_WIN32, 0));
  CUmemGenericAllocationHandle memory;
  const int file = open("/dev/null", O_RDWR);
  const auto no_memory = reinterpret_cast<void*>(static_cast<uintptr_t>(file));
  tell("no descriptor of memory", cuMemImportFromShareableHandle(&memory, no_memory, kType));
  CALL(cuMemExportToShareableHandle(&descriptor, given, kType, 0));
  std::printf("memory closed by exec: %d\n", fcntl(descriptor, F_GETFD));
  tell("own memory again", cuMemImportFromShareableHandle(
                               &memory, reinterpret_cast<void*>(static_cast<uintptr_t>(descriptor)), kType));
  int* const there = map(given, bytes);
  CUdeviceptr odd;
  tell("odd alignment", cuMemAddressReserve(&odd, bytes, 3 * bytes, 0, 0));

  const cudaMemPool_t plain_pool = new_pool(cudaMemHandleTypeNone), pool = new_pool(kPoolType);
  int *x, *of_plain, *old;
  CALL(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&x), 16, pool, nullptr));
  CALL(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&of_plain), 16, plain_pool, nullptr));
  CALL(cudaMalloc(&old, 16));
  CALL(cudaDeviceSynchronize());
  cudaMemPoolPtrExportData data{}, again{};
  int pool_descriptor = -1;
  tell("plain pool", cudaMemPoolExportToShareableHandle(&pool_descriptor, plain_pool, kPoolType, 0));
  tell("pointer of a plain pool", cudaMemPoolExportPointer(&data, of_plain));
  tell("pointer of no pool", cudaMemPoolExportPointer(&data, old));
  tell("before the pool", cudaMemPoolExportPointer(&data, x));
  cudaMemPool_t imported;
  tell("no descriptor of a pool", cudaMemPoolImportFromShareableHandle(&imported, no_memory, kPoolType, 0));
  CALL(cudaMemPoolExportToShareableHandle(&pool_descriptor, pool, kPoolType, 0));
  std::printf("pool closed by exec: %d\n", fcntl(pool_descriptor, F_GETFD));
  tell("inner pointer", cudaMemPoolExportPointer(&again, x + 1));
  CALL(cudaMemPoolExportPointer(&data, x));
  void* pointer = nullptr;
  tell("pointer by a pool of one's own", cudaMemPoolImportPointer(&pointer, pool, &data));
  const auto own = cudaMemPoolImportFromShareableHandle(
      &imported, reinterpret_cast<void*>(static_cast<uintptr_t>(pool_descriptor)), kPoolType, 0);
  tell("own pool again", own);
  if (own == cudaSuccess) {
    tell("from an imported pool", cudaMallocFromPoolAsync(&pointer, 16, imported, nullptr));
    tell("imported pool as the current one", cudaDeviceSetMemPool(0, imported));
    cudaMemPoolPtrExportData nothing{};
    tell("data of nothing", cudaMemPoolImportPointer(&pointer, imported, &nothing));
    void *first = nullptr, *second = nullptr;
    tell("own pointer", cudaMemPoolImportPointer(&first, imported, &data));
    tell("twice", cudaMemPoolImportPointer(&second, imported, &data));
    std::printf("the same: %d %d\n", first == second, first == x);
    tell("exported on", cudaMemPoolExportPointer(&again, first));
    tell("free", cudaFreeAsync(first, nullptr));
    tell("free again", cudaFreeAsync(second, nullptr));
    CALL(cudaDeviceSynchronize());
  }
  cudaIpcMemHandle_t handle;
  tell("old handle of a pool's", cudaIpcGetMemHandle(&handle, x));
  tell("old handle of virtual memory", cudaIpcGetMemHandle(&handle, there));
  kind_of("plain", old);
  kind_of("of a pool", x);
  kind_of("of a plain pool", of_plain);
  kind_of("virtual", there);
}

int main(int argc, char** argv) {
  const auto is = [&](const char* what) { return argc > 1 && std::strcmp(argv[1], what) == 0; };
  if (is("memory")) share_memory(argv[0]);
  if (is("open_memory")) open_memory();
  if (is("pools")) share_pool(argv[0]);
  if (is("beyond")) beyond();
  if (is("open_pool")) open_pool();
  if (is("asked")) asked();
  if (is("sockets")) std::printf("%s\n", socket(AF_UNIX, SOCK_DGRAM, 0) < 0 ? "none" : "some");
}
