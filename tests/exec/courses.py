"""What programs of courses bring along: calls that CUDA has dropped, headers of a folder above, objects of older toolkits, programs that
are started bare; and what a program gets of the environment and may take of the machine. Called by run.py."""
import json
import os
import re
import shutil
import subprocess

OLD = """#include <cstdio>
#include <nvToolsExt.h>
#include <thrust/functional.h>
struct square : thrust::unary_function<int, int> { __host__ __device__ int operator()(int x) const { return x * x; } };
texture<float, 1, cudaReadModeElementType> line;
texture<uchar4, 2, cudaReadModeNormalizedFloat> image;
__constant__ float factor;
__global__ void lanes(int* out) {
  int i = threadIdx.x;
  out[i] = __shfl_down(i, 1) + __shfl(i, 3) + __shfl_up(i, 1, 16) + __shfl_xor(i, 1) + (__ballot(i < 4) == 15) + __any(i == 3) + __all(i < 32);
}
__global__ void textures(float* out) { out[threadIdx.x] = factor * tex1Dfetch(line, threadIdx.x) + tex2D(image, 0.5f, 0.5f).x; }
int main() {
  nvtxRangePush("all");
  cudaDeviceProp p = {0};
  cudaGetDeviceProperties(&p, 0);
  std::printf("%d %d %d %d %s\\n", p.clockRate, p.memoryClockRate, p.deviceOverlap, p.computeMode, p.name);
  int* m;
  cudaMallocManaged(&m, 128);
  cudaMemPrefetchAsync(m, 128, 0);
  cudaMemAdvise(m, 128, cudaMemAdviseSetReadMostly, cudaCpuDeviceId);
  lanes<<<1, 32>>>(m);
  cudaThreadSynchronize();
  float h[32], *d, *o, two = 2;
  unsigned char pixels[64];
  for (int i = 0; i < 32; ++i) h[i] = i;
  for (auto& x : pixels) x = 255;
  cudaMalloc(&d, 128), cudaMalloc(&o, 128);
  cudaMemcpy(d, h, 128, cudaMemcpyHostToDevice);
  cudaArray* a;
  cudaChannelFormatDesc f = cudaCreateChannelDesc<uchar4>();
  cudaMallocArray(&a, &f, 4, 4);
  cudaMemcpy2DToArray(a, 0, 0, pixels, 16, 16, 4, cudaMemcpyHostToDevice);
  image.addressMode[0] = cudaAddressModeWrap;
  cudaBindTexture(0, line, d, 128);
  cudaBindTextureToArray(image, a, f);
  cudaError_t by_name = cudaMemcpyToSymbol("factor", &two, 4);
  textures<<<1, 32>>>(o);
  cudaMemcpy(h, o, 128, cudaMemcpyDeviceToHost);
  cudaUnbindTexture(line);
  std::printf("%d %d %g %g %s\\n", m[0], m[31], h[0], h[31], cudaGetErrorName(by_name));
  std::printf("%d\\n", square()(7));
  cudaFree(m), cudaFree(d), cudaFree(o), cudaFreeArray(a);
  nvtxRangePop();
}
"""


def folder_of(tests, name):
    folder = tests.folder / f"courses_{name}"
    folder.mkdir()
    return folder


def old_cuda(tests, run, wrong_in):
    """Named at the line with what stands for it, and supplied where it is asked for."""
    if tests.word not in "old_cuda":
        return
    folder = folder_of(tests, "old")
    (folder / "old.cu").write_text(OLD)
    supplied = run([tests.binary, "exec", "--old-cuda", "--nvcc=-std=c++14 -lnvToolsExt", "old.cu"], folder)
    tests.note("old_cuda supplied", wrong_in(supplied, 0, [r"^\d{7} \d{7} 1 0 NVIDIA H200\n8 97 1 63 cudaSuccess\n49\n$"], [
        "gpulab: --old-cuda: old.cu:2: nvToolsExt.h, which is no longer there in CUDA 13, is nvtx3/nvToolsExt.h",
        "gpulab: --old-cuda: old.cu:5: texture, which left with CUDA 12, as all texture references did, is a texture object in a __managed__ variable",
        "gpulab: --old-cuda: old.cu:10: __shfl_down, which left with CUDA 9 for GPUs of compute capability 7.0 and later, is __shfl_down_sync with __activemask",
        "gpulab: --old-cuda: old.cu:17: clockRate, which left cudaDeviceProp with CUDA 13, is the attribute cudaDevAttrClockRate",
        "note: --old-cuda: a symbol is named by a string, \"factor\"; since CUDA 5 it is the variable itself"]))
    built = run([tests.binary, "nvcc", "--old-cuda", "-MD", "-MF", "old.d", "old.cu", "-o", "old"], folder)
    tests.note("old_cuda by nvcc", wrong_in(built, 0, [], ["gpulab: --old-cuda: old.cu:23: cudaThreadSynchronize, which left with CUDA 13, is cudaDeviceSynchronize"]))
    tests.note("old_cuda by nvcc: no file of ours is named", (folder / "old.d").read_text() if "gpulab_old" in (folder / "old.d").read_text() else "")
    by_name = run([tests.binary, "exec", "old"], folder)
    tests.note("old_cuda a symbol by its name", wrong_in(by_name, 0, ["cudaErrorInvalidSymbol"], [
        r"api: cudaMemcpyToSymbol: the symbol is a string, \"factor\": that left with CUDA 5 .*; give the variable itself, factor without quotes; --old-cuda takes the string|"
        r"the symbol is a string, \"factor\": that left with CUDA 5"]))
    lines = {"shuffles": ("__global__ void k(int* x) {\n  *x = __shfl(1, 2);\n}\nint main() { k<<<1, 1>>>(0); }\n",
                          r"hint: shuffles\.cu:2: __shfl left with CUDA 9 for GPUs of compute capability 7\.0 and later: __shfl_sync\(mask, value, lane\) hint: --old-cuda supplies __shfl"),
             "waits": ("__global__ void child() {}\n__global__ void k() {\n  child<<<1, 1>>>();\n  cudaDeviceSynchronize();\n}\nint main() { k<<<1, 1>>>(); }\n",
                       r"hint: waits\.cu:4: cudaDeviceSynchronize left kernels with CUDA 12: a kernel cannot wait for those that it launches: .* cudaStreamTailLaunch"),
             "fields": ("int main() {\n  cudaDeviceProp p;\n  return p.clockRate;\n}\n", r"hint: fields\.cu:3: clockRate left cudaDeviceProp with CUDA 13: cudaDeviceGetAttribute"),
             "prefetch": ("int main() {\n  cudaMemPrefetchAsync(0, 4, 0);\n}\n", r"hint: prefetch\.cu:2: cudaMemPrefetchAsync has had another form up to CUDA 12")}
    for name, (text, said) in lines.items():
        (folder / f"{name}.cu").write_text(text)
        ran = run([tests.binary, "exec", "--nvcc=-rdc=true", f"{name}.cu"], folder)
        tests.note(f"old_cuda named: {name}", wrong_in(ran, 1, [], [said]) or ("compiled for the host alone" in ran.stderr) * ran.stderr)


def parents(tests, run, wrong_in):
    """A header of a folder above is seen inside of the checkout, and nothing beyond it."""
    if tests.word not in "parents":
        return
    folder = folder_of(tests, "parents")
    (folder / "checkout/week1").mkdir(parents=True)
    (folder / "checkout/common").mkdir()
    (folder / "checkout/common/common.h").write_text('#include "more.h"\n')
    (folder / "checkout/common/more.h").write_text("#define CODE 7\n")
    (folder / "beyond.h").write_text("#define CODE 8\n")
    week = folder / "checkout/week1"
    (week / "main.cu").write_text('#include "../common/common.h"\nint main() { return CODE; }\n')
    (week / "beyond.cu").write_text('#include "../../beyond.h"\nint main() { return CODE; }\n')
    without = run([tests.binary, "exec", "main.cu"], week)
    tests.note("parents without a checkout", wrong_in(without, 1, [], [r"hint: a file sees its own folder and those that -I names, and others of the checkout \(\.git\) that it lies in"]))
    (folder / "elsewhere").mkdir()
    elsewhere = run([tests.binary, "exec", str(week / "main.cu")], folder / "elsewhere")
    tests.note("parents by a whole path", wrong_in(elsewhere, 1, [], [r"hint: a file sees its own folder"]))
    tests.note("parents from above", wrong_in(run([tests.binary, "exec", "week1/main.cu"], folder / "checkout"), 7, [], []))
    (folder / "checkout/.git").mkdir()
    tests.note("parents", wrong_in(run([tests.binary, "exec", "main.cu"], week), 7, [], []))
    tests.note("parents beyond", wrong_in(run([tests.binary, "exec", "beyond.cu"], week), 1, [], [r"beyond\.h: Permission denied"]))
    (folder / "checkout/common/link.h").symlink_to(folder / "beyond.h")
    (week / "link.cu").write_text('#include "../common/link.h"\nint main() { return CODE; }\n')
    tests.note("parents by a link", wrong_in(run([tests.binary, "exec", "link.cu"], week), 1, [], ["link.h"]))


def objects(tests, run, wrong_in):
    """Objects of CUDA 12 and 11 have other properties of the device; their testers run as they are."""
    if tests.word not in "objects":
        return
    folder = folder_of(tests, "objects")
    tester = """__global__ void nothing() {}
extern "C" int ask(void*, int) __asm__("%s");
extern "C" int tested(char*);
extern "C" int tested(char* name) {
  struct { char properties[%d], behind[64]; } p;
  for (char& c : p.behind) c = 42;
  nothing<<<1, 1>>>();
  if (ask(&p, 0) != 0) return 1;
  for (char c : p.behind) if (c != 42) return 2;
  for (int i = 0; i < 32; ++i) name[i] = p.properties[i];
  return *(int*)(p.properties + %d) == 132 ? 0 : 3;
}
"""
    main = """#include <cstdio>
extern "C" int tested(char*);
__global__ void mine() {}
int main() {
  char name[33] = {};
  cudaDeviceProp p;
  mine<<<1, 1>>>();
  const int code = tested(name);
  cudaGetDeviceProperties(&p, 0);
  std::printf("%d %s %d\\n", code, name, p.multiProcessorCount);
}
"""
    (folder / "main.cu").write_text(main)
    for version, function, size, place in ((12, "cudaGetDeviceProperties_v2", 1032, 388), (11, "cudaGetDeviceProperties", 728, 388)):
        (folder / "tester.cu").write_text(tester % (function, size, place))
        run([tests.binary, "nvcc", "-c", "tester.cu"], folder)
        if version == 11:  # which release wrote an object is known by its PTX
            held = (folder / "tester.o").read_bytes()
            (folder / "tester.o").write_bytes(re.sub(rb"\.version 9\.\d", b".version 7.8", held))
        built = run([tests.binary, "nvcc", "main.cu", "tester.o", "-o", "program"], folder)
        ran = run([tests.binary, "exec", "program"], folder) if built.returncode == 0 else built
        tests.note(f"objects of CUDA {version}", wrong_in(ran, 0, ["^0 NVIDIA H200 132\n$"], []))
        if version == 12:
            ran = run([tests.binary, "exec", "main.cu", "tester.o"], folder)
            tests.note("objects of CUDA 12, linked by exec", wrong_in(ran, 0, ["^0 NVIDIA H200 132\n$"], []))


def bare(tests, run, wrong_in):
    """A program that is started without us is simulated, and says so; its report is there for the asking."""
    if tests.word not in "bare":
        return
    folder = folder_of(tests, "bare")
    (folder / "bare.cu").write_text("""#include <cstdio>
__global__ void set(int* x) { *x = 5; }
int main(int n, char**) {
  int *x, h = 0;
  cudaMalloc(&x, 4);
  set<<<1, 1>>>(x);
  cudaMemcpy(&h, x, 4, cudaMemcpyDeviceToHost);
  cudaFree(x);
  std::printf("%d\\n", h);
  return n;
}
""")
    environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data"), "LD_LIBRARY_PATH": "/usr/local/cuda/lib64"}
    command = {"cwd": folder, "capture_output": True, "text": True, "check": False}
    subprocess.run([tests.binary, "nvcc", "bare.cu", "-o", "bare"], env=environment, **command)
    ran = subprocess.run(["./bare", "a", "b"], env=environment, **command)
    said = "gpulab: this program runs on a simulated h200, and is not confined; GPULAB_REPORT=FILE writes what 'gpulab exec' reports\n"
    tests.note("bare", wrong_in(ran, 3, ["^5\n$"], []) or ("" if ran.stderr == said else ran.stderr))
    ran = subprocess.run(["./bare", "a"], env={**environment, "GPULAB_REPORT": str(folder / "report.json")}, **command)
    document = json.loads((folder / "report.json").read_text()) if (folder / "report.json").exists() else {}
    good = document.get("arguments") == ["a"] and document["isolated"] is False and document["kernels"][0]["name"] == "set(int*)"
    tests.note("bare with a report", wrong_in(ran, 2, ["^5\n$"], []) or ("" if good else str(document)[:500]))
    for file in (folder / "data/gpulab").glob("*/gpulab.path"):
        file.write_text("/nowhere/gpulab\n")
    ran = subprocess.run(["./bare"], env={**environment, "GPULAB_REPORT": str(folder / "none.json")}, **command)
    tests.note("bare, and gpulab is gone", wrong_in(ran, 1, ["^5\n$"], ["gpulab: GPULAB_REPORT: no report is written, for gpulab is not where it was"]))
    for library in (folder / "data/gpulab").glob("*/libcudart*"):
        library.write_bytes(b"\x7fELF" + bytes(library.stat().st_size - 4))  # what exec keeps there, too
    ran = subprocess.run([tests.binary, "exec", "bare"], env=environment, **command)
    tests.note("exec, and what it kept was changed", wrong_in(ran, 1, ["^5\n$"], []))
    ran = subprocess.run([tests.binary, "exec", "bare"], env={**environment, "XDG_DATA_HOME": "/proc/nowhere"}, **command)
    tests.note("exec where nothing can be kept", wrong_in(ran, 1, ["^5\n$"], []))
    (folder / "data/gpulab").chmod(0o777)  # anybody may put a library there
    again = subprocess.run([tests.binary, "nvcc", "bare.cu", "-o", "other"], env=environment, **command)
    linked = subprocess.run(["readelf", "-d", "other"], **command).stdout
    tests.note("bare, and others may write to the folder", wrong_in(again, 0, [], []) or (linked if "gpulab/runtime" in linked else ""))


def several_files(tests, run, wrong_in):
    """What the linker misses is said in words of the program: a library's option, or a file that was not named."""
    if tests.word not in "several_files":
        return
    folder = folder_of(tests, "several")
    (folder / "main.cu").write_text("""#include <cstdio>
#include <cuda.h>
int twice(int x);
int main() {
  cuInit(0);
  CUdevice d;
  CUcontext c;
  cuDeviceGet(&d, 0);
  int wrong = cuCtxCreate(&c, 0, d);
  std::printf("%d %d\\n", wrong, twice(4));
}
""")
    (folder / "helpers.cpp").write_text("int twice(int x) { return 2 * x; }\n")
    (folder / "other.cu").write_text("int twice(int x);\nint main() { return twice(1); }\n")
    old = run([tests.binary, "exec", "main.cu"], folder)
    tests.note("several_files an old form", wrong_in(old, 1, [], [
        "hint: main.cu:9: cuCtxCreate has had another form up to CUDA 12: .*: cuCtxCreate\\(&context, nullptr, flags, device\\)",
        "hint: --old-cuda supplies cuCtxCreate"]))
    missing = run([tests.binary, "exec", "--old-cuda", "main.cu"], folder)
    tests.note("several_files what the linker misses", wrong_in(missing, 1, [], [
        "hint: cu\\w+ wants -lcuda; of 'gpulab exec': --nvcc='-lcuda'", "hint: twice is of another file: name all of the program's, also helpers.cpp gpulab"]))
    named = run([tests.binary, "exec", "--old-cuda", "--nvcc=-lcuda", "main.cu", "helpers.cpp"], folder)
    tests.note("several_files all", wrong_in(named, 0, ["^0 8\n$"], []))


def ends_at_once(tests, run, wrong_in):
    """A program ends while machine code of its kernel is made: LLVM's tables are there until it is."""
    if tests.word not in "ends_at_once":
        return
    folder = folder_of(tests, "ends_at_once")
    (folder / "ends.cu").write_text("""#include <cassert>
#include <cstdlib>
__global__ void product(const float* a, const float* b, float* c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * n + col];
  if (row == 0 && col == 0) assert(sum != 0);
  c[row * n + col] = sum;
}
int main() {
  const int n = 2048;
  float *a, *b, *c;
  cudaMalloc(&a, n * n * 4), cudaMalloc(&b, n * n * 4), cudaMalloc(&c, n * n * 4);
  cudaMemset(a, 0, n * n * 4), cudaMemset(b, 0, n * n * 4);
  product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
  cudaDeviceSynchronize();
}
""")
    run([tests.binary, "nvcc", "ends.cu", "-o", "ends"], folder)
    for one in range(8):  # it failed in every fourth
        tests.note(f"ends_at_once {one}", wrong_in(run([tests.binary, "exec", "--threads", "2", "ends"], folder), 4, [], ["assert"]))


def bare_libraries(tests, run, wrong_in):
    """Programs that call cuBLAS and its kin find ours, too, and each has NVIDIA's soname."""
    if tests.word not in "bare_libraries":
        return
    folder = folder_of(tests, "bare_libraries")
    (folder / "asum.cu").write_text("""#include <cstdio>
#include <cublas_v2.h>
#include <cusolverDn.h>
int main() {
  cublasHandle_t blas;
  cusolverDnHandle_t solver;
  float *x, h[] = {1, -2, 3}, sum = 0;
  cudaMalloc(&x, sizeof h);
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  std::printf("%d %d", cublasCreate(&blas), cusolverDnCreate(&solver));
  cublasSasum(blas, 3, x, 1, &sum);
  std::printf(" %g\\n", sum);
  cublasDestroy(blas), cusolverDnDestroy(solver), cudaFree(x);
}
""")
    environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data"), "LD_LIBRARY_PATH": "/usr/local/cuda/lib64"}
    command = {"cwd": folder, "env": environment, "capture_output": True, "text": True, "check": False}
    linked = ["asum.cu", "-lcusolver", "-lcublas", "-o"]
    built = subprocess.run([tests.binary, "nvcc", *linked, "asum"], **command)
    tests.note("bare with cuBLAS", wrong_in(built, 0, [], []) or wrong_in(subprocess.run(["./asum"], **command), 0, ["^0 0 6\n$"], []))
    beside = sorted(file.name for file in (folder / "data/gpulab").glob("runtime-*/lib*.so*"))
    tests.note("where all programs look lies the runtime alone", "" if len(beside) == 1 and beside[0].startswith("libcudart") else str(beside))
    if nvcc := os.environ.get("GPULAB_NVCC") or shutil.which("nvcc"):
        built = subprocess.run([nvcc, "-arch=compute_90", "-cudart=shared", *linked, "of_nvidia"], **command)
        (folder / "scrambled.cu").write_text("#include <curand.h>\nint main() { curandGenerator_t g; return curandCreateGenerator(&g, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64); }\n")
        subprocess.run([tests.binary, "nvcc", "scrambled.cu", "-lcurand", "-o", "scrambled"], **command)
        without = subprocess.run([tests.binary, "exec", "scrambled"], **{**command, "env": {**environment, "GPULAB_CURAND": "/none", "COLUMNS": "200"}})
        says = "NVIDIA's own, and its libcurand.so.10 was not found: set CUDA_HOME to the toolkit, or GPULAB_CURAND to that file"
        tests.note("scrambled Sobol without NVIDIA's tables", wrong_in(without, 3, [], ["unsupported: curandCreateGenerator with a scrambled Sobol generator", says]))
        tests.note("linked with NVIDIA's libraries", wrong_in(built, 0, [], []) or wrong_in(run([tests.binary, "exec", "of_nvidia"], folder), 0, ["^0 0 6\n$"], []))


def limits(tests, run, wrong_in):
    """What holds secrets is left out; who takes too much is ended, and told why."""
    if tests.word not in "limits":
        return
    folder = folder_of(tests, "limits")
    (folder / "takes.cu").write_text("""#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
int main(int n, char** argv) {
  int* x = nullptr;
  cudaMalloc(&x, 4), cudaFree(x);
  const std::string what = argv[1];
  if (what == "secrets") for (int i = 2; i < n; ++i) std::printf("%s ", std::getenv(argv[i]) ? std::getenv(argv[i]) : "-");
  if (what == "memory") for (int i = 0; i < 100; ++i) std::memset(std::malloc(16 << 20), i, 16 << 20), usleep(20000);
  size_t free_bytes = 0;
  if (what == "free") cudaMemGetInfo(&free_bytes, nullptr), cudaMalloc(&x, free_bytes), cudaMemset(x, 1, free_bytes), usleep(700000), cudaFree(x);
  if (what == "processes") for (int i = 0; i < 300; ++i) if (fork() == 0) return usleep(20000000);
  if (what == "family") {  // each starts others, 4000 in all where nobody stops them; a byte for each
    const int born = open("born", O_WRONLY | O_CREAT | O_APPEND, 0600);
    struct stat all {};
    for (int i = 0; i < 12 && (fstat(born, &all), all.st_size < 4000); ++i) if (fork() == 0) i = 0, write(born, "x", 1);
    for (;;) pause();
  }
  if (what == "threads") for (int i = 0; i < 5000; ++i) std::thread([] { usleep(20000000); }).detach();
  if (what == "memory" || what == "processes" || what == "threads") usleep(10000000);
}
""")
    built = run([tests.binary, "nvcc", "takes.cu", "-o", "takes"], folder)
    names = ["MY_API_TOKEN", "AWS_PROFILE", "SSH_AUTH_SOCK", "DB_PASSWORD", "SIGNING_KEY", "KEYBOARD", "MONKEY_COUNT", "PLAIN"]
    environment = {**os.environ, **{name: "set" for name in names}}
    command = {"cwd": folder, "capture_output": True, "text": True, "check": False, "env": environment, "timeout": 60}
    ran = subprocess.run([tests.binary, "exec", "takes", "--", "secrets", *names], **command)
    tests.note("limits secrets", wrong_in(built, 0, [], []) or wrong_in(ran, 0, ["^- - - - - set set set $"], []))
    ran = subprocess.run([tests.binary, "exec", "--env", "MY_API_TOKEN", "--env", "AWS_PROFILE", "takes", "--", "secrets", *names], **command)
    tests.note("limits secrets given back", wrong_in(ran, 0, ["^set set - - - set set set $"], []))
    tests.case("limits memory", [str(folder / "takes"), "--host-memory", "300M", "--", "memory"], 143,
               err=["error: the program was ended: it took more of this machine's memory than 286 MiB, which --host-memory allows"])
    tests.case("limits all that is free", [str(folder / "takes"), "--host-memory", "800M", "--", "free"], 0, err=["cudaMemGetInfo: 610 MiB are free, as this machine has no more"])
    tests.case("limits processes", [str(folder / "takes"), "--", "processes"], 143, err=["error: the program was ended: it had more than 256 processes at once"])
    tests.case("limits threads", [str(folder / "takes"), "--", "threads"], 143, err=["error: the program was ended: it had more than 4096 threads at once"])
    # Who asks for the 257th gets no answer but no; by looks five times a second there would be thousands.
    tests.case("limits family", [str(folder / "takes"), "--", "family"], 143, err=["error: the program was ended: it had more than 256 processes at once"])
    born = (tests.folder / "born").stat().st_size
    tests.note("limits family is small", "" if 200 < born < 700 else f"{born} were born")
    tests.case("limits no memory", [str(folder / "takes"), "--host-memory", "0", "--", "none"], 2, err=["error: --host-memory: a program needs some memory"])


QUICK = (bare, ends_at_once, limits)
LONG = (old_cuda, parents, objects, bare_libraries, several_files)  # each compiles four programs and more
