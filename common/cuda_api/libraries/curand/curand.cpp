// cuRAND's host API.

#include <curand.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>
#include <optional>

#include "common/cuda_api/libraries/curand/distributions.h"
#include "common/cuda_api/libraries/curand/normals.h"
#include "common/cuda_api/libraries/curand/sobol.h"
#include "common/cuda_api/libraries/curand/streams.h"
#include "common/cuda_api/libraries/curand/vendor_tables.h"
#include "common/cuda_api/libraries/library.h"

namespace gpulab::curand {
namespace {

using namespace gpulab::libraries;

/// What a program asks for.
enum class Form {
  bits,
  long_bits,
  uniform,
  uniform_double,
  normal,
  normal_double,
  log_normal,
  log_normal_double,
  poisson
};

struct Request {
  const char* function;
  Form form;
  void* output;
  std::size_t count;
  double mean = 0, deviation = 1;  ///< or lambda
};

bool is_double(Form form) {
  return form == Form::uniform_double || form == Form::normal_double || form == Form::log_normal_double;
}
bool is_normal(Form form) { return form >= Form::normal && form <= Form::log_normal_double; }
bool is_log(Form form) { return form == Form::log_normal || form == Form::log_normal_double; }
std::size_t bytes_of(Form form) { return is_double(form) || form == Form::long_bits ? 8 : 4; }

}  // namespace

/// What a generator is, and how far it has come. Under the runtime's lock while it runs.
struct State {
  curandRngType type;
  bool on_host;
  curandOrdering order;
  u64 seed = 0, offset = 0;
  unsigned dimensions = 1;
  cudaStream_t stream = nullptr;
  std::unique_ptr<Streams> streams;
  int given = 0;  ///< by the subsequence whose turn it is
  u64 dropped =
      0;  ///< results that are not given before the next: an offset within Philox' group of four, as an H100 has it
  u64 vectors = 0;  ///< of a quasirandom sequence so far

  [[nodiscard]] bool is_quasi() const { return type >= CURAND_RNG_QUASI_DEFAULT; }
  [[nodiscard]] bool is_64() const {
    return type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
  }
  [[nodiscard]] bool is_scrambled() const {
    return type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
  }
  /// Normal numbers are asked of it by twos (an H100 takes any count of the others).
  [[nodiscard]] bool makes_pairs() const {
    return type == CURAND_RNG_PSEUDO_DEFAULT || type == CURAND_RNG_PSEUDO_XORWOW || type == CURAND_RNG_PSEUDO_MRG32K3A;
  }
  /// From its seed and offset on.
  void restart() {
    streams.reset();
    given = 0;
    vectors = 0;
  }
  Streams& made() {
    if (streams) return *streams;
    const bool legacy = order == CURAND_ORDERING_PSEUDO_LEGACY;
    switch (type) {
      case CURAND_RNG_PSEUDO_MRG32K3A:
        streams = mrg32k3a(seed, offset, legacy);
        break;
      case CURAND_RNG_PSEUDO_MTGP32:
        streams = mtgp32(seed, legacy);
        break;
      case CURAND_RNG_PSEUDO_MT19937:
        streams = mt19937(seed);
        break;
      case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        streams = philox(seed, offset);
        dropped = offset % 4;
        break;
      default:
        streams = xorwow(seed, offset, order == CURAND_ORDERING_PSEUDO_SEEDED);
    }
    return *streams;
  }
  /// So many results have been given to one subsequence; where that are all of its turn, it is the next one's.
  void gave(int results) {
    given += results;
    if (given >= streams->group()) {
      streams->turn();
      given = 0;
    }
  }
};

namespace {

Shape shape_of(const Request& r) { return {r.mean, r.deviation, is_log(r.form) ? 1U : 0U}; }

/// What `count` normal numbers are made of; where they are made by twos, of one more for an odd one.
Normals parts_of_normals(State& state, const Request& r) {
  Streams& s = state.made();
  const bool wide = is_double(r.form);
  if (s.draws_once()) {
    Normals parts(NormalMethod::quantiles, wide);
    for (std::size_t i = 0; i < r.count; ++i, state.gave(1)) parts.add(s.draw());
    return parts;
  }
  Normals parts(s.has_fractions() ? NormalMethod::pairs_of_fractions : NormalMethod::pairs, wide);
  for (std::size_t i = 0; i < r.count; i += 2, state.gave(2)) {
    if (!s.has_fractions())
      for (int k = 0; k < (wide ? 4 : 2); ++k) parts.add(s.draw());
    else
      for (int k = 0; k < 2; ++k) wide ? parts.add(s.fraction()) : parts.add(static_cast<float>(s.fraction()));
  }
  return parts;
}

template <typename T>
void put(std::vector<char>& to, std::size_t index, T value) {
  std::memcpy(to.data() + index * sizeof(T), &value, sizeof(T));
}

/// One result of a pseudorandom sequence that is no normal number.
void put_next(State& state, const Request& r, const PoissonTable* poisson, std::vector<char>& to, std::size_t i) {
  Streams& s = state.made();
  switch (r.form) {
    case Form::bits:
      put(to, i, s.draw());
      break;
    case Form::uniform:
      put(to, i, s.has_fractions() ? static_cast<float>(s.fraction()) : uniform_float(s.draw()));
      break;
    case Form::uniform_double: {
      if (s.has_fractions()) {
        put(to, i, s.fraction());
      } else if (s.draws_once()) {
        put(to, i, uniform_double(s.draw()));
      } else {
        const u32 x = s.draw(), y = s.draw();
        put(to, i, uniform_double(x, y));
      }
      break;
    }
    case Form::poisson: {
      const u32 x = s.draw();
      const double u = s.draws_once() ? uniform_double(x) : uniform_double(x, s.draw());
      put(to, i, poisson->at(u, poisson->is_large() ? normal_quantile(u) : 0));
      break;
    }
    default:
      break;
  }
  state.gave(1);
}

/// Of a dimension: its direction numbers, and what its sequence begins with.
struct Sequence {
  std::array<u64, 64> directions{};
  u64 start = 0;
};
Sequence sequence_of(const State& state, unsigned dimension) {
  Sequence made;
  if (!state.is_scrambled() && dimension < kMostDimensions) {
    made.directions = direction_numbers(dimension, state.is_64() ? 64 : 32);
    return made;
  }
  const VendorTables& t = *vendor_tables();  // there: the generator could be made
  for (std::size_t i = 0; i < (state.is_64() ? 64 : 32); ++i)
    made.directions[i] = state.is_64() ? (state.is_scrambled() ? t.scrambled64 : t.plain64)[dimension][i]
                                       : (state.is_scrambled() ? t.scrambled32 : t.plain32)[dimension][i];
  if (state.is_scrambled()) made.start = state.is_64() ? t.constants64[dimension] : t.constants32[dimension];
  return made;
}

/// One number of a quasirandom sequence that is no normal one.
void put_quasi(const Request& r, const PoissonTable* poisson, u64 x, bool wide, std::vector<char>& to, std::size_t i) {
  const u32 high = wide ? static_cast<u32>(x >> 32) : static_cast<u32>(x);
  const double p =
      wide ? static_cast<double>(x >> 11) * 0x1p-53 + 0x1p-54 : static_cast<double>(high) * 0x1p-32 + 0x1p-33;
  switch (r.form) {
    case Form::bits:
      put(to, i, high);
      break;
    case Form::long_bits:
      put(to, i, x);
      break;
    case Form::uniform:
      put(to, i, uniform_float(high));
      break;
    case Form::uniform_double:
      put(to, i, wide ? p : uniform_double(high));
      break;
    case Form::poisson:
      put(to, i, poisson->at(p, normal_quantile(p)));
      break;
    default:
      break;
  }
}

std::vector<char> numbers(State& state, const Request& r) {
  std::optional<PoissonTable> table;
  if (r.form == Form::poisson) table.emplace(r.mean);
  const PoissonTable* poisson = table ? &*table : nullptr;
  if (!state.is_quasi()) {
    (void)state.made();
    Request all = r;
    all.count += std::exchange(state.dropped, 0);
    std::vector<char> made;
    if (is_normal(r.form)) {
      const Normals parts = parts_of_normals(state, all);
      made = state.on_host ? parts.made_on_host(shape_of(r)) : parts.made(shape_of(r));
    }
    made.resize(all.count * bytes_of(r.form));
    for (std::size_t i = 0; !is_normal(r.form) && i < all.count; ++i) put_next(state, all, poisson, made, i);
    made.erase(made.begin(), made.begin() + static_cast<std::ptrdiff_t>((all.count - r.count) * bytes_of(r.form)));
    return made;
  }
  std::vector<char> made(r.count * bytes_of(r.form));
  const bool of_64_bits = state.is_64() && is_double(r.form);
  Normals normals(of_64_bits ? NormalMethod::quantiles_of_64_bits : NormalMethod::quantiles, is_double(r.form));
  const std::size_t vectors = r.count / state.dimensions;
  for (unsigned dimension = 0; dimension < state.dimensions; ++dimension) {
    const Sequence sequence = sequence_of(state, dimension);
    const u64 mask = state.is_64() ? ~u64{0} : 0xffffffff;  // of an index: it starts anew behind that
    for (std::size_t i = 0; i < vectors; ++i) {
      const u64 x = sequence.start ^ sobol(sequence.directions, (state.offset + state.vectors + i) & mask);
      if (!is_normal(r.form))
        put_quasi(r, poisson, x, state.is_64(), made, dimension * vectors + i);
      else
        of_64_bits ? normals.add(x) : normals.add(static_cast<u32>(state.is_64() ? x >> 32 : x));
    }
  }
  state.vectors += vectors;
  if (!is_normal(r.form)) return made;
  return state.on_host ? normals.made_on_host(shape_of(r)) : normals.made(shape_of(r));
}

std::mutex mutex;
std::map<curandGenerator_t, std::shared_ptr<State>>& generators() {
  static auto* const all = new std::map<curandGenerator_t, std::shared_ptr<State>>;
  return *all;
}
std::shared_ptr<State> state_of(curandGenerator_t generator) {
  const std::lock_guard lock(mutex);
  const auto found = generators().find(generator);
  return found == generators().end() ? nullptr : found->second;
}

const char* name_of(curandRngType type) {
  switch (type) {
    case CURAND_RNG_PSEUDO_MRG32K3A:
      return "MRG32k3a";
    case CURAND_RNG_PSEUDO_MTGP32:
      return "MTGP32";
    case CURAND_RNG_PSEUDO_MT19937:
      return "MT19937";
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
      return "Philox4_32_10";
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_QUASI_SOBOL32:
      return "Sobol32";
    case CURAND_RNG_QUASI_SOBOL64:
      return "Sobol64";
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
      return "scrambled Sobol32";
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
      return "scrambled Sobol64";
    default:
      return "XORWOW";
  }
}

curandStatus_t create(curandGenerator_t* generator, curandRngType type, bool on_host, void* caller) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  switch (type) {
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
      if (vendor_tables() == nullptr)
        refuse("curandCreateGenerator with a scrambled Sobol generator", caller, kNoVendorTables);
      break;
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
    case CURAND_RNG_PSEUDO_MTGP32:
    case CURAND_RNG_PSEUDO_MT19937:
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
      break;
    default:
      return CURAND_STATUS_TYPE_ERROR;
  }
  auto state = std::make_shared<State>();
  state->type = type;
  state->on_host = on_host;
  state->order = state->is_quasi() ? CURAND_ORDERING_QUASI_DEFAULT : CURAND_ORDERING_PSEUDO_DEFAULT;
  (void)runtime();
  static std::uintptr_t last = 0x1000;
  const std::lock_guard lock(mutex);
  last += 16;
  *generator = reinterpret_cast<curandGenerator_t>(last);  // NOLINT: a number that the program gives back
  generators()[*generator] = std::move(state);
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t check(const State& state, const Request& r) {
  if (r.form == Form::long_bits && !state.is_64()) return CURAND_STATUS_TYPE_ERROR;
  if (r.form == Form::bits && state.is_64()) return CURAND_STATUS_TYPE_ERROR;
  if (state.is_quasi() && r.count % state.dimensions != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  if (state.makes_pairs() && is_normal(r.form) && r.count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  if (r.form == Form::poisson && !(r.mean > 0 && r.mean < 4e9)) return CURAND_STATUS_OUT_OF_RANGE;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t generate(curandGenerator_t generator, const Request& r, void* caller) {
  const auto state = state_of(generator);
  if (!state) return CURAND_STATUS_NOT_INITIALIZED;
  if (r.count == 0) return CURAND_STATUS_SUCCESS;
  if (const auto wrong = check(*state, r); wrong != CURAND_STATUS_SUCCESS) return wrong;
  if (state->on_host) {
    if (r.output == nullptr) return CURAND_STATUS_LAUNCH_FAILURE;
    const auto made = numbers(*state, r);
    std::memcpy(r.output, made.data(), made.size());
    return CURAND_STATUS_SUCCESS;
  }
  LibraryOperation operation;
  operation.function = r.function;
  operation.shape = fmt::format("n = {}, {}", r.count, name_of(state->type));
  operation.operations = 10.0 * static_cast<double>(r.count);
  operation.unit = LibraryUnit::memory;
  operation.stream = state->stream;
  operation.caller = caller;
  const cudaError_t error = runtime().queue(operation, [state, r](LibraryAccess& memory) {
    LibraryBuffer output;
    output.name = "outputPtr";
    output.first = address_of(r.output);
    const u64 bytes = r.count > (u64{1} << 60) ? u64{1} << 63 : r.count * bytes_of(r.form);
    output.end = output.first + bytes < output.first ? ~u64{0} : output.first + bytes;
    output.rows = 1;
    output.row = [first = output.first, bytes](u64) { return std::pair(first, bytes); };
    output.writes = true;
    memory.use({output});
    const auto made = numbers(*state, r);
    memory.write(output.first, made.data(), made.size());
  });
  return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

/// Sets something of a generator, which begins anew.
template <typename Set>
curandStatus_t change(curandGenerator_t generator, const Set& set) {
  const auto state = state_of(generator);
  return state ? set(*state) : CURAND_STATUS_NOT_INITIALIZED;
}

}  // namespace
}  // namespace gpulab::curand

using namespace gpulab::curand;

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, false, __builtin_return_address(0));
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, true, __builtin_return_address(0));
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  const std::lock_guard lock(mutex);
  return generators().erase(generator) == 0 ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int* version) {
  if (version == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr || type > PATCH_LEVEL) return CURAND_STATUS_OUT_OF_RANGE;
  *value = type == MAJOR_VERSION ? CURAND_VER_MAJOR : type == MINOR_VERSION ? CURAND_VER_MINOR : CURAND_VER_PATCH;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  return change(generator, [&](State& s) {
    s.stream = stream;
    return CURAND_STATUS_SUCCESS;
  });
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  return change(generator, [&](State& s) {
    if (s.is_quasi()) return CURAND_STATUS_TYPE_ERROR;
    s.seed = seed;
    s.restart();
    return CURAND_STATUS_SUCCESS;
  });
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  return change(generator, [&](State& s) {
    if (s.type == CURAND_RNG_PSEUDO_MTGP32 || s.type == CURAND_RNG_PSEUDO_MT19937) return CURAND_STATUS_TYPE_ERROR;
    s.offset = offset;
    s.restart();
    return CURAND_STATUS_SUCCESS;
  });
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  void* const caller = __builtin_return_address(0);
  return change(generator, [&](State& s) {
    const bool fits = s.is_quasi() ? order == CURAND_ORDERING_QUASI_DEFAULT
                                   : order >= CURAND_ORDERING_PSEUDO_BEST && order <= CURAND_ORDERING_PSEUDO_DYNAMIC;
    if (!fits) return CURAND_STATUS_OUT_OF_RANGE;
    if (order == CURAND_ORDERING_PSEUDO_DYNAMIC)
      gpulab::libraries::refuse("CURAND_ORDERING_PSEUDO_DYNAMIC", caller,
                                "its order is another on each GPU; CURAND_ORDERING_PSEUDO_DEFAULT is here");
    if (order == CURAND_ORDERING_PSEUDO_SEEDED && s.type != CURAND_RNG_PSEUDO_XORWOW &&
        s.type != CURAND_RNG_PSEUDO_DEFAULT)
      return CURAND_STATUS_OUT_OF_RANGE;
    s.order = order;
    s.restart();
    return CURAND_STATUS_SUCCESS;
  });
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned dimensions) {
  void* const caller = __builtin_return_address(0);
  return change(generator, [&](State& s) {
    constexpr unsigned most = 20000;  // of cuRAND
    if (!s.is_quasi()) return CURAND_STATUS_TYPE_ERROR;
    if (dimensions < 1 || dimensions > most) return CURAND_STATUS_OUT_OF_RANGE;
    if (dimensions > kMostDimensions && vendor_tables() == nullptr)
      gpulab::libraries::refuse(fmt::format("curandSetQuasiRandomGeneratorDimensions of {}", dimensions), caller,
                                fmt::format("beyond {} dimensions {}", kMostDimensions, kNoVendorTables));
    s.dimensions = dimensions;
    s.restart();
    return CURAND_STATUS_SUCCESS;
  });
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return change(generator, [](State& s) {
    if (!s.is_quasi()) (void)s.made();
    return CURAND_STATUS_SUCCESS;
  });
}

#define GPULAB_GENERATE(name, Out, form)                                                   \
  curandStatus_t name(curandGenerator_t generator, Out* output, size_t count) {            \
    return generate(generator, {#name, form, output, count}, __builtin_return_address(0)); \
  }
#define GPULAB_GENERATE_SHAPED(name, Out, form)                                                             \
  curandStatus_t name(curandGenerator_t generator, Out* output, size_t count, Out mean, Out deviation) {    \
    return generate(generator, {#name, form, output, count, mean, deviation}, __builtin_return_address(0)); \
  }
GPULAB_GENERATE(curandGenerate, unsigned, Form::bits)
GPULAB_GENERATE(curandGenerateLongLong, unsigned long long, Form::long_bits)
GPULAB_GENERATE(curandGenerateUniform, float, Form::uniform)
GPULAB_GENERATE(curandGenerateUniformDouble, double, Form::uniform_double)
GPULAB_GENERATE_SHAPED(curandGenerateNormal, float, Form::normal)
GPULAB_GENERATE_SHAPED(curandGenerateNormalDouble, double, Form::normal_double)
GPULAB_GENERATE_SHAPED(curandGenerateLogNormal, float, Form::log_normal)
GPULAB_GENERATE_SHAPED(curandGenerateLogNormalDouble, double, Form::log_normal_double)

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned* output, size_t count, double lambda) {
  return generate(generator, {"curandGeneratePoisson", Form::poisson, output, count, lambda},
                  __builtin_return_address(0));
}

}  // extern "C"
