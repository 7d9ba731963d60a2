// Processes of one program that share memory of the device.
// case: -- share :: 0
// out: ^own process: \w.*\nno handle: invalid argument\nother: 1 2 3 4\nparent: 10 20 30 40\nagain: yes, event: no error\n$
// case: -- share_by_driver :: 0
// out: ^other: 1 2 3 4\nparent: 10 20 30 40\n$
// case: -- named :: 0
// out: ^named: 7\ngone: yes\n$
// case: -- semaphore :: 0
// out: ^none: No such file or directory\nagain: File exists\nsame: yes\nvalue: 2\ngone: No such file or directory\n$
// case: -- launcher :: 0
// out: ^child: 7\n$
// err: exit code 0
// err: times_ten +1
// case: -- faults :: 4
// err: error: out-of-bounds load of 4 bytes at 0x\w+, byte 4 of 'cudaMalloc #1', which has 4 bytes in times_ten, block \(0,0,0\), thread \(1,0,0\) \(in process 2 of the program\)
// err: called by processes.cu:@x_of_child, 2@
// err: set +1
// build: -lcuda
#include <cuda.h>
#include <fcntl.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void times_ten(int* x) { x[threadIdx.x] *= 10; }

struct Handles {
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t event;
};

/// Starts this program again; what it is to open comes by a pipe.
static void in_another(const char* self, const char* what, const Handles& handles) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(9);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[0], 0);
    execl(self, self, what, nullptr);
    _exit(9);
  }
  if (write(ends[1], &handles, sizeof handles) != sizeof handles) std::exit(9);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) std::printf("child: %d\n", status);
}
static Handles given() {
  Handles handles;
  if (read(0, &handles, sizeof handles) != sizeof handles) std::exit(9);
  return handles;
}
static void show(const char* who, const int* x) {
  int all[4];
  cudaMemcpy(all, x, sizeof all, cudaMemcpyDeviceToHost);
  std::printf("%s: %d %d %d %d\n", who, all[0], all[1], all[2], all[3]);
}

static void share(const char* self, const char* child) {
  const int values[] = {1, 2, 3, 4};
  int* x;
  void* mine;
  Handles handles{};
  cudaEvent_t event;
  const bool runtime = std::strcmp(child, "open") == 0;
  cudaMalloc(&x, sizeof values);
  cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice);
  if (runtime) std::printf("own process: ");
  cudaIpcGetMemHandle(&handles.memory, x);
  const auto own = cudaIpcOpenMemHandle(&mine, handles.memory, cudaIpcMemLazyEnablePeerAccess);
  if (runtime) std::printf("%s\n", cudaGetErrorString(own));
  if (runtime) std::printf("no handle: %s\n", cudaGetErrorString(cudaIpcOpenMemHandle(&mine, {}, 1)));
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess);
  cudaIpcGetEventHandle(&handles.event, event);
  in_another(self, child, handles);
  show("parent", x);
  cudaIpcMemHandle_t again;
  cudaIpcGetMemHandle(&again, x);
  if (runtime)
    std::printf("again: %s, event: %s\n", std::memcmp(&again, &handles.memory, sizeof again) == 0 ? "yes" : "no",
                cudaGetErrorString(cudaEventSynchronize(event)));
  cudaGetLastError();
  cudaEventDestroy(event);
  cudaFree(x);
}

static void open_it() {
  const Handles handles = given();
  void *x = nullptr, *second = nullptr;
  cudaEvent_t event;
  cudaIpcOpenMemHandle(&x, handles.memory, cudaIpcMemLazyEnablePeerAccess);
  cudaIpcOpenMemHandle(&second, handles.memory, cudaIpcMemLazyEnablePeerAccess);
  cudaIpcOpenEventHandle(&event, handles.event);
  if (x != second || x == nullptr) std::exit(9);
  cudaStreamWaitEvent(nullptr, event, 0);
  show("other", static_cast<int*>(x));
  times_ten<<<1, 4>>>(static_cast<int*>(x));
  if (cudaDeviceSynchronize() != cudaSuccess) std::exit(9);
  cudaIpcCloseMemHandle(x);
  if (cudaIpcCloseMemHandle(second) != cudaSuccess) std::exit(9);
}

static void open_by_driver() {
  const Handles handles = given();
  CUipcMemHandle handle;
  std::memcpy(&handle, &handles.memory, sizeof handle);
  CUdevice device;
  CUcontext context;
  CUdeviceptr x = 0;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  if (cuIpcOpenMemHandle(&x, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) != CUDA_SUCCESS) std::exit(9);
  int* p = reinterpret_cast<int*>(x);
  show("other", p);
  times_ten<<<1, 4>>>(p);
  cudaDeviceSynchronize();
  if (cuIpcCloseMemHandle(x) != CUDA_SUCCESS) std::exit(9);
}

static void named(const char* self) {
  const int file = shm_open("/slab", O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, 4096) != 0) std::exit(9);
  auto* x = static_cast<int*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  in_another(self, "write_named", {});
  std::printf("named: %d\n", *x);
  shm_unlink("/slab");
  std::printf("gone: %s\n", shm_open("/slab", O_RDWR, 0600) < 0 ? "yes" : "no");
}
static void write_named() {
  const int file = shm_open("/slab", O_RDWR, 0600);
  if (file < 0) std::exit(9);
  *static_cast<int*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)) = 7;
}

__global__ void set(int* x) { *x = 7; }

/// Of what a process does that the program starts, whether the program itself uses CUDA or not.
static void start(const char* self, const char* what) {
  if (std::strcmp(what, "beyond") == 0) {
    int* x;
    cudaMalloc(&x, sizeof *x);
    set<<<1, 1>>>(x);
    cudaFree(x);
  }
  in_another(self, what, {});
}
static void use(bool beyond) {
  int *x_of_child, seven = 7;
  cudaMalloc(&x_of_child, sizeof *x_of_child);
  cudaMemcpy(x_of_child, &seven, sizeof seven, cudaMemcpyHostToDevice);
  if (beyond)
    times_ten<<<1, 2>>>(x_of_child);  // x_of_child, 2
  else
    times_ten<<<1, 1>>>(x_of_child);
  cudaDeviceSynchronize();
  cudaFree(x_of_child);
  if (!beyond) std::printf("child: 7\n");
}

/// A semaphore by its name: the other process counts it up twice and waits once.
static void semaphore(const char* self) {
  if (sem_open("/turn", 0) == SEM_FAILED) std::printf("none: %s\n", std::strerror(errno));
  sem_t* mine = sem_open("/turn", O_CREAT, 0600, 1);
  if (mine == SEM_FAILED) std::exit(9);
  if (sem_open("/turn", O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED) std::printf("again: %s\n", std::strerror(errno));
  std::printf("same: %s\n", sem_open("/turn", O_CREAT, 0600, 7) == mine ? "yes" : "no");
  in_another(self, "count_up", {});
  int value = 0;
  sem_getvalue(mine, &value);
  std::printf("value: %d\n", value);
  if (sem_close(mine) != 0 || sem_close(mine) != 0 || sem_unlink("/turn") != 0) std::exit(9);
  if (sem_open("/turn", 0) == SEM_FAILED) std::printf("gone: %s\n", std::strerror(errno));
}
static void count_up() {
  sem_t* mine = sem_open("/turn", 0);
  if (mine == SEM_FAILED || sem_post(mine) != 0 || sem_post(mine) != 0 || sem_wait(mine) != 0) std::exit(9);
}

int main(int, char** argv) {
  const auto is = [&](const char* what) { return std::strcmp(argv[1], what) == 0; };
  if (is("share")) share(argv[0], "open");
  if (is("share_by_driver")) share(argv[0], "open_by_driver");
  if (is("open")) open_it();
  if (is("open_by_driver")) open_by_driver();
  if (is("named")) named(argv[0]);
  if (is("write_named")) write_named();
  if (is("launcher")) start(argv[0], "within");
  if (is("faults")) start(argv[0], "beyond");
  if (is("within")) use(false);
  if (is("beyond")) use(true);
  if (is("semaphore")) semaphore(argv[0]);
  if (is("count_up")) count_up();
}
