#pragma once
// What the runtime is for libraries that stand in for NVIDIA's (cuBLAS, cuRAND …): simulated memory and streams. A
// library is a shared object of its own and finds this by dlsym, so that neither is linked with the other. Both are of
// one build: there are no versions.

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulab::cuda_api {

/// Memory of the device, or that the device reaches, which an operation reads or writes: rows of bytes in one
/// allocation.
struct LibraryBuffer {
  std::string name;                  ///< as the manual calls it: "A"
  std::uint64_t first = 0, end = 0;  ///< of all rows together; nothing where they are equal
  std::uint64_t rows = 0;
  std::uint64_t alignment = 1;  ///< bytes that `first` is a multiple of, else the operation fails as a kernel would
  std::function<std::pair<std::uint64_t, std::uint64_t>(std::uint64_t)> row{};  ///< address and bytes of the i-th
  bool reads = false, writes = false;
};

/// What an operation has while it runs.
class LibraryAccess {
 public:
  virtual ~LibraryAccess() = default;
  /// Says what it is about to touch; before read() and write(). Does not return where some of it lies in no
  /// allocation: then the operation has failed, as a kernel would.
  virtual void use(const std::vector<LibraryBuffer>& buffers) = 0;
  virtual void read(void* to, std::uint64_t from, std::uint64_t bytes) = 0;
  virtual void write(std::uint64_t to, const void* from, std::uint64_t bytes) = 0;
  /// As many as its LibraryOperation says.
  [[nodiscard]] virtual double operations() const = 0;
};

/// Which units of the GPU an operation keeps busy.
enum class LibraryUnit : std::uint8_t { memory, fp32, fp64, fp64_tensor, tf32_tensor, half_tensor, byte_tensor };

struct LibraryOperation {
  std::string function;   ///< "cublasSgemm"
  std::string shape;      ///< "64 x 64 x 64"
  double operations = 0;  ///< additions and multiplications
  LibraryUnit unit = LibraryUnit::fp32;
  double kernels = 1;     ///< that the vendor's library starts for it, about: each takes its time to start
  double link_bytes = 0;  ///< that the busiest link between two GPUs carries one way
  double hops = 0;        ///< from GPU to GPU, one behind the other
  cudaStream_t stream = nullptr;
  void* caller = nullptr;  ///< return address
  bool waits = false;      ///< the host waits for its result
};

using LibraryWork = std::function<void(LibraryAccess&)>;

/// What one GPU does of an operation that several do together.
struct LibraryPart {
  LibraryOperation operation;
  int gpu = 0;
  std::vector<LibraryBuffer> buffers;  ///< that it reads and writes
  std::vector<std::size_t> after;      ///< parts whose streams have to come so far before this one is done
};

/// A kernel of a library's own: entry(in, out, count, argument), a thread for each of `count` elements. Views live as
/// long as the process.
struct LibraryKernel {
  std::string_view module, ptx, entry;
};

class LibraryRuntime {
 public:
  virtual ~LibraryRuntime() = default;
  /// Runs it on a simulator beside the program's: what a GPU computes, as exactly, though no launch of the program. It
  /// is in no report, and no tool sees it.
  virtual void compute(const LibraryKernel& kernel, std::uint32_t count, std::span<const std::byte> in,
                       std::span<std::byte> out, std::span<const std::byte> argument) = 0;
  /// An operation of its stream, to be done once or, where that is captured, by each launch of its graph.
  virtual cudaError_t queue(const LibraryOperation& operation, const LibraryWork& work) = 0;
  /// One operation of several GPUs: a part in each one's stream. `work` does all of it, once all buffers are checked.
  /// Where the first part says that the host waits, it waits for all.
  virtual cudaError_t queue_together(const std::vector<LibraryPart>& parts, const LibraryWork& work) = 0;
  /// Ends the program: exit code 4. `function` waits for what does not come, and `what` says so.
  [[noreturn]] virtual void hang(const std::string& function, const std::string& what, const std::string& hint,
                                 void* caller) = 0;
  /// Ends the program: exit code 3. `what`: "cublasX".
  [[noreturn]] virtual void refuse(const std::string& what, void* caller, const std::string& hint) = 0;
  /// Memory that the host, too, may read and write at this address.
  [[nodiscard]] virtual bool host_may_touch(std::uint64_t address) = 0;
  /// Rows of memory, as cudaMemcpy2DAsync copies them; `waits`: as cudaMemcpy2D.
  virtual cudaError_t copy(const char* function, void* to, std::size_t pitch_to, const void* from,
                           std::size_t pitch_from, std::size_t bytes, std::size_t rows, cudaMemcpyKind kind,
                           cudaStream_t stream, bool waits, void* caller) = 0;
  /// The host waits for what the default stream of that GPU holds.
  virtual cudaError_t wait(int gpu, const char* function, void* caller) = 0;
  /// Memory of the device's that a library asks for itself: a name for findings.
  virtual cudaError_t allocate(void** pointer, std::size_t bytes, const char* function, void* caller) = 0;
  virtual cudaError_t release(void* pointer, void* caller) = 0;
  /// Something wrong that the program did, once for each text: a finding of the tool `api`.
  virtual void find(const std::string& text, void* caller) = 0;
  /// Threads of the host that an operation may take.
  [[nodiscard]] virtual int threads() const = 0;
  /// Of the GPU that is simulated: 90.
  [[nodiscard]] virtual int compute_capability() const = 0;
  /// How many the program has; which of them is the calling thread's current one.
  [[nodiscard]] virtual int gpus() const = 0;
  [[nodiscard]] virtual int current_gpu() const = 0;
  /// The program wants a GPU of that number, which it has not: a note.
  virtual void asks_for_gpu(int gpu) = 0;
  /// Kernels of each of the two reach the other's memory from now on, as by cudaDeviceEnablePeerAccess.
  virtual void reach_each_other(int gpu, int other) = 0;
  /// Does `work`, during which that GPU is the calling thread's current one.
  virtual void on_gpu(int gpu, const std::function<void()>& work) = 0;
  /// Whose stream that is, where `gpu` is current; -1: there is no such stream.
  [[nodiscard]] virtual int gpu_of(cudaStream_t stream, int gpu) const = 0;
};

/// The name by which libraries find it in the process: a function without parameters.
inline constexpr const char* kLibraryRuntime = "__cudaLibraryRuntime";

}  // namespace gpulab::cuda_api
