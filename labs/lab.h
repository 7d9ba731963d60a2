#pragma once
// All that a lab needs of us. A lab is data: parameters, a problem (inputs and the CPU's answer), and a ladder of
// variants, each naming its kernel and how it is launched. The runner does the rest: command line, memory, launches,
// verification, measuring, reports.
//
// To write a lab: a folder labs/NAME with
//   kernels.cu   ordinary CUDA C++; the instances that variants name are instantiated at its end
//   lab.cpp      defines `gpulab::Lab gpulab::labs::NAME::lab()`, which the build finds by itself
//   README.md    the lecture page
// labs/transpose is the shortest example (one launch per variant, moved data, exact answers), labs/reduce the longest
// (several launches, accumulators, rounding errors, a library, a host variant).

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/commentary.h"
#include "common/dim3.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/scalar.h"
#include "common/simt/machine/memory/texture.h"
#include "labs/kernel_file.h"

namespace gpulab {

/// A parameter of a lab, an option of its command line: an integer (a size, unless `tested` makes it a knob), a real
/// number, or a word (one of choices). "type" is the element type and "n" the size, where a lab has these. A word of
/// {"false", "true"} is a switch.
struct Param {
  std::string name;  ///< option name without dashes: "n", "rows", "type", "op"
  std::string help;
  ParamValue fallback;                                ///< default
  std::vector<std::string> choices{};                 ///< words only
  std::int64_t min = 0, max = std::int64_t{1} << 40;  ///< integers only
  /// Not empty: the parameter is a knob (a stride, a number of bins) and not a size of the data. Tests try these values
  /// instead of awkward sizes.
  std::vector<ParamValue> tested{};
};

/// Values of a case's parameters.
class Params {
 public:
  std::map<std::string, ParamValue, std::less<>> values;
  [[nodiscard]] std::int64_t integer(std::string_view name) const { return std::get<std::int64_t>(find(name)); }
  [[nodiscard]] double real(std::string_view name) const { return std::get<double>(find(name)); }
  [[nodiscard]] const std::string& word(std::string_view name) const { return std::get<std::string>(find(name)); }
  [[nodiscard]] bool is_on(std::string_view name) const { return word(name) == "true"; }  ///< a switch

 private:
  [[nodiscard]] const ParamValue& find(std::string_view name) const {
    auto it = values.find(name);
    if (it == values.end()) throw std::logic_error("lab asks for an undeclared parameter: " + std::string(name));
    return it->second;
  }
};

/// One point of a sweep, fully resolved: what a lab's functions see.
struct Case {
  Params params;
  Dim3 block{256, 1, 1};
  Dim3 grid{1, 1, 1};  ///< automatic or the user's; not yet known to `problem`, `extent`, `covers`, `automatic_grid`
  std::uint64_t seed = 42;
  int sm_count = 1;  ///< of the device, or of the GPU that the simulator models
  int max_threads_per_sm = 2048;
  /// The profile of the GPU that the simulator models, or that is present; null where configs/gpus has none of it.
  const GpuProfile* gpu = nullptr;
  [[nodiscard]] std::int64_t n() const { return params.integer("n"); }              ///< of labs that have "n"
  [[nodiscard]] Scalar type() const { return *scalar_named(params.word("type")); }  ///< of labs that have "type"
};

/// What a buffer starts with before every run.
enum class BufferRole {
  input,    ///< `initial`, kept from run to run: a variant that writes it must say `writes_input`; an array that is
            ///< updated in place is an input, too, restored without being asked where an Expected names it
  output,   ///< poisoned (NaN, or 0xA5 in each byte of an integer), or `initial` where given (an accumulator's neutral
            ///< element)
  scratch,  ///< poisoned, or `initial` where given
};

struct Buffer {
  std::string name;  ///< the kernel parameter's name: findings say "in[4]". Memory starts on a 256-byte boundary
  Scalar type;
  std::size_t count = 0;
  BufferRole role = BufferRole::input;
  std::vector<std::byte> initial{};  ///< count elements, or empty
  bool on_host = false;              ///< in the host's memory: for the copies of a plan, no kernel's argument
  /// The mangled name of a __device__ or __constant__ variable: memory that the module brings along, with the values
  /// that it gives where `initial` is empty. Empty: memory of the buffer's own.
  std::string symbol{};
  int gpu = 0;  ///< of several: in whose memory it lies
};

/// The right answer for one buffer. Integers and moved data compare by bytes (`exact`); floating-point results
/// by |got - real[i]| <= tolerance, a bound derived in the lab. Either may be shorter than the buffer.
struct Expected {
  std::string buffer;  ///< an output, or an input that variants update in place
  std::vector<std::byte> exact{};
  std::vector<double> real{};
  double tolerance = 0;  ///< absolute
  std::string note{};    ///< e.g. "integer sums wrap modulo 2^32"
};

/// Inputs and answer of one case; made once per case, on the host.
struct Problem {
  std::vector<Buffer> buffers;
  std::vector<Expected> expected;
};

/// A kernel argument: a buffer by name, or a scalar passed by value, of the very type of the kernel's parameter (an int
/// for int, a float for a T that is float): a launch with another size is refused.
struct BufferArgument {
  std::string buffer;
  std::size_t offset_elements = 0;  ///< vector loads need a multiple of their width
};
/// A matrix in a buffer as the Tensor Memory Accelerator is told of it (a `const __grid_constant__ CUtensorMap`): it
/// copies boxes of box_rows x box_cols elements, whose rows of at most 128 bytes lie swizzled in shared memory, and
/// fills with zeros what is outside. Rows of the matrix must start on multiples of 16 bytes. Compute capability 9.0,
/// GPU only.
struct TensorMapArgument {
  std::string buffer;
  std::int64_t rows = 0, cols = 0;
  std::uint32_t box_rows = 0, box_cols = 0;
};
/// A buffer's elements as the texels of a texture or a surface, row by row: the kernel gets its handle. On the
/// simulator.
struct TextureArgument {
  std::string buffer;
  bool is_surface = false;
  std::array<std::uint32_t, 3> extent{1, 1, 1};  ///< texels
  std::uint8_t channels = 1;                     ///< elements a texel: 1, 2, 4
  simt::AddressMode mode = simt::AddressMode::clamp;
  bool filters = false, is_normalized = false, as_fractions = false;  ///< as those of simt::Texture
};
/// A struct by value.
struct BytesArgument {
  std::vector<std::byte> bytes;
};
using Argument = std::variant<BufferArgument, TensorMapArgument, TextureArgument, BytesArgument, std::int32_t,
                              std::uint32_t, std::int64_t, std::uint64_t, float, double, std::uint8_t, std::uint16_t>;

/// A copy between a buffer of the host's and one of the device's, or between two of the device's, of one GPU or of two:
/// where they lie gives its direction.
struct Copy {
  std::string to, from;
  std::size_t first = 0, count = 0;  ///< elements, the same ones in both
};

/// One step of a variant's plan: a launch, or where `copy` is given that and nothing else.
struct Step {
  std::string kernel;  ///< as Variant::kernel
  Dim3 grid{}, block{};
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<Argument> arguments{};
  bool cooperative = false;  ///< all blocks are resident at once, and may wait for each other (grid sync)
  /// Steps of one stream happen in their order, those of different ones overlap where the device can (the simulator
  /// takes all in the order of the plan). Stream 0 waits for all before, and all after wait for it.
  std::uint32_t stream = 0;
  std::optional<Copy> copy{};
  /// Of several GPUs, the one that does it; each has streams of its own. All begin together, and the plan has ended
  /// when all have.
  int gpu = 0;
  /// Steps before this one, by their places in the plan, that it waits for though they are of another stream or GPU.
  std::vector<std::size_t> after{};
};

/// What one run moves and computes: bandwidth and GFLOP/s divide by these.
struct Work {
  double bytes = 0;  ///< useful bytes, read + written
  double flops = 0;
  double elements = 0;
  bool over_link = false;  ///< the bytes cross the link to the host: the GPU's memory is not their ceiling
  bool instructions_per_element = false;  ///< the simulator's report shows them: thread instructions / elements
};

/// Blocks a variant allows. `why` completes "… because".
struct BlockRule {
  bool power_of_two = false;  ///< of the block's threads
  bool whole_warps = false;
  int dimensions = 1;  ///< 1: y = z = 1; 2: z = 1
  std::uint32_t min_threads = 1, max_threads = 1024;
  std::vector<Dim3> only{};  ///< not empty: exactly these
  std::string why{};
};

/// Raw pointers for code that brings its own launches (CUB, cuBLAS); GPU only.
struct VendorCall {
  const Params* params = nullptr;
  std::map<std::string, void*, std::less<>> buffers;  ///< device pointers
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};
struct Vendor {
  std::function<std::size_t(const VendorCall&)> workspace_bytes{};
  std::function<void(const VendorCall&)> run{};  ///< default stream; throws Error
  std::function<std::string()> lack{};           ///< what this machine lacks for it, or nothing
};

/// The host's own memory for a `cpu` variant: buffers by name, results written in place.
struct HostCall {
  const Params* params = nullptr;
  std::map<std::string, std::span<std::byte>, std::less<>> buffers;
};

/// What a rung's comment promises: a counter (a name of `gpulab list --metrics`, or a metric of the commentary) that
/// falls or rises against the rung that it is built on, or against the one named `than`. The report says by how much; a
/// test pins the direction.
struct Claim {
  enum class Moves { down, up } moves;
  std::string counter;
  std::string than{};
};
[[nodiscard]] inline Claim falls(std::string counter, std::string than = {}) {
  return {Claim::Moves::down, std::move(counter), std::move(than)};
}
[[nodiscard]] inline Claim rises(std::string counter, std::string than = {}) {
  return {Claim::Moves::up, std::move(counter), std::move(than)};
}

/// The bytes of a buffer (the problem's or the variant's scratch) after the verified run.
using ReadBuffer = std::function<std::vector<std::byte>(std::string_view buffer)>;

/// One rung of the ladder. Exactly one of {kernel or steps, vendor, host, calculate} says how it runs.
struct Variant {
  std::string name;
  std::string summary;  ///< one line: what changed from the rung before, and why it should help
  /// C++ name, "reduce_warp<{type}, {Op}>": {type} is the element type's C++ name, {block} the threads per block,
  /// {any_parameter} its value, {Any_parameter} the same with a capital.
  std::string kernel{};
  std::string file = "kernels.cu";  ///< the file in the lab's folder that holds it
  BlockRule blocks{};
  /// The block, where parameters decide it. --block may then only repeat it.
  std::function<Dim3(const Case&)> block{};
  /// Parameters of which the variant takes only some words: {{"type", {"int"}}}: no other type.
  std::map<std::string, std::vector<std::string>> only{};
  /// Its one launch is cooperative: see Step.
  bool cooperative = false;
  /// Elements of the lab's extent that one block handles (x, y, z): the automatic grid is their quotient,
  /// rounded up, at least 1 in each dimension. Default: one element per thread.
  std::function<Dim3(const Case&)> covers{};
  /// True where any grid is right, even one block: the kernel loops over the grid, or one block does all the work.
  /// Surplus blocks must be harmless in every kernel, because --grid may ask for more than the automatic grid.
  bool strides = false;
  std::function<Dim3(const Case&)> automatic_grid{};  ///< replaces the rule above
  std::function<std::uint32_t(const Case&)> dynamic_shared_bytes{};
  std::function<std::vector<Buffer>(const Case&)> scratch{};      ///< more buffers, beside the problem's
  std::function<std::vector<Argument>(const Case&)> arguments{};  ///< default: the lab's
  /// The whole plan, where it is not the one launch that the fields above describe.
  std::function<std::vector<Step>(const Case&)> steps{};
  /// Changes what this variant expects: an answer of its own, the tolerance of its summation order, what an accumulator
  /// starts with. Inputs are shared by all variants: read them, leave them.
  std::function<void(const Case&, Problem&)> adjust{};
  bool writes_input = false;  ///< inputs are restored before every run; see BufferRole::input
  bool racy = false;          ///< races on purpose: runs under --sanitize racecheck or --allow-racy alone
  bool about_time = false;    ///< only a GPU's clock shows its point: the report says so where there is none
  bool pinned = false;        ///< buffers of the host are page-locked
  bool graph = false;         ///< its plan is recorded once, and then submitted as one CUDA graph (stream 0 alone)
  /// On a GPU the report also shows times of the host's clock: until the work is queued, and until it is done.
  bool host_clock = false;
  std::function<Work(const Case&)> work{};  ///< default: the lab's
  /// The first rung of another ladder in this lab, with a problem of its own: not compared with the variant before it.
  bool starts = false;
  /// The rung that it changes something of, by name, where that is not the one before it: what it gains and loses is
  /// said against that one.
  std::string builds_on{};
  std::vector<Claim> claims{};
  /// What it has to say of its outputs; default: the lab's.
  std::function<Commentary(const Case&, const ReadBuffer&)> commentary{};
  int min_compute_capability = 50;  ///< 80 for 8.0
  bool gpu_only = false;            ///< needs what the simulator does not have (vendor variants are GPU only anyway)
  Vendor vendor{};                  ///< GPU only
  std::function<void(const HostCall&)> host{};
  std::function<Commentary(const Case&)> calculate{};  ///< arithmetic alone: nothing is launched, nothing verified
};

/// What the numbers are like that a contract's inputs hold.
enum class Values {
  ordinary,  ///< of both signs; sums of floats are exact in any order
  extreme,   ///< the ends of the type's range: integers wrap
  special,   ///< NaN, infinities, negative zero, denormal numbers: for moved data
  fine,      ///< all digits used: a shorter type than asked for shows
};

/// Inputs that a kernel may be wrong for while it is right for others.
struct InputClass {
  std::string name;   ///< "odd"
  std::string about;  ///< what is special: completes "the class of …"
  std::string hint;   ///< what to look at in a kernel that fails there
  std::vector<std::map<std::string, ParamValue, std::less<>>> points{};  ///< parameters of the lab
  Values values = Values::ordinary;
};

/// A block that a contract launches, and the elements of the index space (x, y, z) that one block is given: the grid is
/// their quotient, rounded up, at least 1. All zeros: one element per thread.
struct ContractLaunch {
  Dim3 block;
  Dim3 covers{0, 0, 0};
};

/// A kernel that students write: its signature, how it is launched, what is right. `gpulab list LAB` shows it, `gpulab
/// check` judges by it. One launch is one answer. Pointers start on multiples of 256 bytes, as cudaMalloc gives them.
struct Contract {
  std::string name, signature, summary;
  /// Of T in the signature: a template is instantiated for all of `types` and must be right for each; a kernel that is
  /// no template has one of these or of `more_types`.
  std::vector<Scalar> types{}, more_types{};
  /// Alternatives, the usual one first. A source may say for which its kernel is made; else it is judged by the first
  /// with which it is right (kernels with tiles of a fixed size suit one), or as the next three fields say.
  std::vector<ContractLaunch> launches{{{256}}};
  bool every_launch = false;  ///< it must be right with all of them
  /// A thread takes an element or a run of them in x, or a pixel; or all threads of a block share a row, however many
  /// they are: it must be right with the usual block, and with the next smaller.
  bool takes_any_block = false;
  bool about_barriers = false;           ///< a block of one warp, which needs none, is not judged
  std::string grid{};                    ///< which threads there are, in words
  std::string shared{};                  ///< dynamic shared memory, in words; empty: none
  std::string before{};                  ///< what outputs hold before the launch; empty: nothing that was ever written
  std::vector<std::string> may_write{};  ///< inputs that the kernel may overwrite
  std::string precision{};               ///< overflow and rounding, in words
  std::map<std::string, ParamValue, std::less<>> params{};     ///< of the lab, the same for all classes
  std::map<std::string, ParamValue, std::less<>> reference{};  ///< the size at which it is counted, beside the rungs
  std::vector<std::string> rungs{};                            ///< of the lab, that it is shown beside
  std::vector<InputClass> classes{};
  std::function<Dim3(const Case&)> extent{};  ///< default: the lab's
  std::function<std::uint32_t(const Case&)> dynamic_shared_bytes{};
  /// Inputs and answer; sees the grid.
  std::function<Problem(const Case&, Values)> problem{};
  std::function<std::vector<Argument>(const Case&)> arguments{};  ///< default: the lab's
  /// Where the text leaves several answers right: makes `expected` what was got, as far as that is one of them.
  std::function<void(const Case&, const Problem&, std::span<const std::byte> got, Expected& expected)> settle{};
  /// Which place of the index space (from 0 in each dimension) makes element `index` of the output, where that is one
  /// thread's affair.
  std::function<Dim3(const Case&, std::uint64_t index)> place{};
};

/// Which size to sweep, and of which variants, to see from where on they beat the one that runs on the host.
struct BreakEvenQuestion {
  std::string param{};
  std::vector<std::string> variants{};
};

/// Of a file's kernel that is judged: launches on buffers as they are given. Answers are not part of it: who asks
/// compares.
struct Trial {
  std::uint64_t number = 0;  ///< no two of one judging have the same
  std::vector<Buffer> buffers{};
  std::vector<Step> steps{};
};

struct Lab {
  // Without a comment of its own, a field that is left out is simply absent; `problem`, `arguments`, `work`, `headline`
  // and `variants` are not to be left out, nor is `extent` where a variant's grid is automatic.
  std::string name{};                        ///< set by the registry: the folder's name
  int lecture = 0;                           ///< position in the course
  std::string topic{};                       ///< "reductions"
  std::string question{};                    ///< the question it answers, one line
  std::string headline{};                    ///< default variant
  std::vector<std::string> prerequisites{};  ///< labs
  std::vector<Param> params{};
  std::vector<Dim3> block_presets{};  ///< worth trying; --block takes any other, too
  Dim3 default_block{256, 1, 1};
  std::function<Dim3(const Case&)> extent{};  ///< the index space that grids cover
  std::function<Problem(const Case&)> problem{};
  std::function<std::vector<Argument>(const Case&)> arguments{};  ///< of a variant's one launch
  std::function<Work(const Case&)> work{};
  /// Facts, text or a picture of a case and its outputs; not called for calculators.
  std::function<Commentary(const Case&, const ReadBuffer&)> commentary{};
  std::vector<MetricMeaning> metrics{};  ///< of all metrics of its commentaries and calculators
  /// The counters and columns (common/counters.h) that the lab is about: they stay in a table however narrow it is.
  std::vector<std::string> subject{};
  std::vector<Contract> contracts{};
  std::function<int(const Case&)> gpus{};  ///< that a case takes; without: one
  BreakEvenQuestion break_even{};
  std::vector<Variant> variants{};  ///< worst to best
  /// Of the lab that `gpulab run` makes of a file: its kernels. All others have theirs in the binary.
  std::shared_ptr<const LoadedKernelFile> file{};
  std::shared_ptr<const Trial> trial{};  ///< of that file's kernel, in place of a problem; null: none
};

/// Seeded inputs. Counter-based: element i depends on (seed, stream, i) alone. Arrays of one problem take different
/// streams: the same twice gives equal arrays.
/// Integers: uniform over [low, high]; floating point: uniform over [low, high).
std::vector<std::byte> random_values(Scalar type, std::size_t count, std::uint64_t seed, double low, double high,
                                     std::uint64_t stream = 0);

/// 1, 2, 3 …: inputs that can be followed by hand. Floats beyond 2^24 are rounded, narrow integers wrap. 16-bit
/// floating point has none.
std::vector<std::byte> counting_values(Scalar type, std::size_t count);

/// Calls `visit` with a value-initialised element of the type's own C++ type: with_element_type(t, [&](auto zero) { …
/// }). 16-bit floating point has none.
template <typename Visit>
auto with_element_type(Scalar type, Visit visit) {
  switch (type) {
    case Scalar::u8:
      return visit(std::uint8_t{});
    case Scalar::i32:
      return visit(std::int32_t{});
    case Scalar::u32:
      return visit(std::uint32_t{});
    case Scalar::i64:
      return visit(std::int64_t{});
    case Scalar::f32:
      return visit(float{});
    case Scalar::f64:
      return visit(double{});
    default:
      throw std::logic_error("with_element_type: no C++ type for " + std::string(name_of(type)));
  }
}

/// Blocks for `elements` at `per_block` each: the quotient rounded up, at least 1.
[[nodiscard]] std::uint32_t blocks_for(std::int64_t elements, std::int64_t per_block);

/// For Variant::automatic_grid of kernels that stride over "n": as many blocks as give each thread `per_thread`
/// elements or more, at most half of the threads that the GPU holds: enough loads in flight, and registers to spare.
[[nodiscard]] std::function<Dim3(const Case&)> resident_grid(std::uint32_t per_thread);

/// Views of a buffer's bytes as elements.
template <typename T>
std::span<const T> view_as(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}
template <typename T>
std::span<T> view_as(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}
template <typename T>
std::span<const T> view_as(const std::vector<std::byte>& bytes) {
  return view_as<T>(std::span<const std::byte>(bytes));
}
template <typename T>
std::span<T> view_as(std::vector<std::byte>& bytes) {
  return view_as<T>(std::span<std::byte>(bytes));
}
/// Bytes of values, for Buffer::initial and Expected::exact.
template <typename T>
std::vector<std::byte> bytes_of(std::span<const T> values) {
  std::vector<std::byte> bytes(values.size_bytes());
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace gpulab
