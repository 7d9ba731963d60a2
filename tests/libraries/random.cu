// cuRAND's host API: bits and uniform numbers of each generator in each order, with seeds, offsets and calls one after the other, as
// hashes of 10^6 numbers; normal numbers in a file of values; Poisson's by their moments; and what is refused.
// random [host] [WHICH] FILE: `host`, by generators of the host, which need no GPU; WHICH, a generator or "refused" alone.
#include <curand.h>

#include "cases.h"

using u64 = unsigned long long;
static bool on_host;
static char* memory;
static std::vector<char> bytes_now;
static FILE* values_file;
constexpr size_t kMillion = 1000000;

struct Type { const char* name; curandRngType type; bool quasi, wide; };
constexpr Type kTypes[] = {{"XORWOW", CURAND_RNG_PSEUDO_XORWOW, false, false}, {"MRG32k3a", CURAND_RNG_PSEUDO_MRG32K3A, false, false},
                           {"MTGP32", CURAND_RNG_PSEUDO_MTGP32, false, false}, {"MT19937", CURAND_RNG_PSEUDO_MT19937, false, false},
                           {"Philox", CURAND_RNG_PSEUDO_PHILOX4_32_10, false, false}, {"Sobol32", CURAND_RNG_QUASI_SOBOL32, true, false},
                           {"scrambled32", CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, true, false}, {"Sobol64", CURAND_RNG_QUASI_SOBOL64, true, true},
                           {"scrambled64", CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, true, true}};
struct Order { const char* name; curandOrdering order; };
constexpr Order kOrders[] = {{"default", CURAND_ORDERING_PSEUDO_DEFAULT}, {"best", CURAND_ORDERING_PSEUDO_BEST}, {"legacy", CURAND_ORDERING_PSEUDO_LEGACY}, {"seeded", CURAND_ORDERING_PSEUDO_SEEDED}};
struct Form { const char* name; size_t bytes; };
constexpr Form kForms[] = {{"bits", 4}, {"bits64", 8}, {"uniform", 4}, {"uniform_double", 8}, {"normal", 4}, {"normal_double", 8}, {"lognormal", 4}, {"lognormal_double", 8}, {"poisson", 4}};

static curandStatus_t generate(curandGenerator_t g, int form, size_t count, void* to, double a = 0, double b = 1) {
  switch (form) {
    case 0: return curandGenerate(g, static_cast<unsigned*>(to), count);
    case 1: return curandGenerateLongLong(g, static_cast<u64*>(to), count);
    case 2: return curandGenerateUniform(g, static_cast<float*>(to), count);
    case 3: return curandGenerateUniformDouble(g, static_cast<double*>(to), count);
    case 4: return curandGenerateNormal(g, static_cast<float*>(to), count, float(a), float(b));
    case 5: return curandGenerateNormalDouble(g, static_cast<double*>(to), count, a, b);
    case 6: return curandGenerateLogNormal(g, static_cast<float*>(to), count, float(a), float(b));
    case 7: return curandGenerateLogNormalDouble(g, static_cast<double*>(to), count, a, b);
    default: return curandGeneratePoisson(g, static_cast<unsigned*>(to), count, a);
  }
}
static const char* fetch(size_t bytes) {
  if (on_host) return memory;
  bytes_now.resize(bytes);
  cudaMemcpy(bytes_now.data(), memory, bytes, cudaMemcpyDeviceToHost);
  return bytes_now.data();
}
static u64 hash_of(const char* from, size_t bytes) {
  u64 hash = 0xcbf29ce484222325ull, word;
  for (size_t i = 0; i + 4 <= bytes; i += 4) {
    unsigned part;
    std::memcpy(&part, from + i, 4), word = part;
    hash = (hash ^ word) * 0x100000001b3ull, hash ^= hash >> 29;
  }
  return hash;
}
static curandGenerator_t created(const Type& type, int& status) {
  curandGenerator_t g = nullptr;
  status = on_host ? curandCreateGeneratorHost(&g, type.type) : curandCreateGenerator(&g, type.type);
  return g;
}
/// A generator with an order, a seed, an offset, dimensions.
struct With {
  int order = 0;
  u64 seed = 0, offset = 0;
  unsigned dimensions = 1;
};
static curandGenerator_t made(const Type& type, const With& with, int& status) {
  curandGenerator_t g = created(type, status);
  if (status == 0 && with.order > 0 && !type.quasi) status = curandSetGeneratorOrdering(g, kOrders[with.order].order);
  if (status == 0 && with.seed != 0 && !type.quasi) status = curandSetPseudoRandomGeneratorSeed(g, with.seed);
  if (status == 0 && with.offset != 0) status = curandSetGeneratorOffset(g, with.offset);
  if (status == 0 && type.quasi && with.dimensions != 1) status = curandSetQuasiRandomGeneratorDimensions(g, with.dimensions);
  return g;
}
static std::string named(const Type& type, const With& w, int form) {
  return text("%s %s %s seed %llx offset %llu dimensions %u", type.name, kOrders[w.order].name, kForms[form].name, w.seed, w.offset, w.dimensions);
}

static void hashes(const Type& type, const With& with, int form, const vector<size_t>& counts, double a = 0, double b = 1) {
  int status;
  const auto g = made(type, with, status);
  for (const size_t count : counts) {
    if (status == 0) status = generate(g, form, count, memory, a, b);
    const size_t bytes = count * kForms[form].bytes;
    const char* now = status == 0 ? fetch(bytes) : nullptr;
    u64 first[2] = {};
    if (now != nullptr) std::memcpy(first, now, std::min<size_t>(bytes, 16));
    line(named(type, with, form) + text(" count %zu", count), status, 0, 0, now == nullptr ? "" : text("%016llx %llx %llx", hash_of(now, bytes), first[0], first[1]));
  }
  if (g != nullptr) curandDestroyGenerator(g);
}

/// Values themselves, to the file: a line names them, the file has them one after the other.
static void values(const Type& type, const With& with, int form, size_t count, double a, double b) {
  int status;
  const auto g = made(type, with, status);
  if (status == 0) status = generate(g, form, count, memory, a, b);
  const size_t bytes = count * kForms[form].bytes;
  line("values " + named(type, with, form) + text(" %g %g", a, b), status, 0, 0, status != 0 ? "" : text("%zu of %zu", count, kForms[form].bytes));
  if (status == 0 && values_file != nullptr) std::fwrite(fetch(bytes), 1, bytes, values_file);
  if (g != nullptr) curandDestroyGenerator(g);
}

static void moments(const Type& type, double lambda) {
  int status;
  const auto g = made(type, {}, status);
  constexpr size_t count = 100000;
  if (status == 0) status = generate(g, 8, count, memory, lambda);
  double sum = 0, squares = 0;
  if (status == 0) {
    const unsigned* const x = reinterpret_cast<const unsigned*>(fetch(count * 4));
    for (size_t i = 0; i < count; ++i) sum += x[i], squares += double(x[i]) * x[i];
  }
  const double mean = sum / count, variance = squares / count - mean * mean;
  // In units of their standard deviations.
  line(text("poisson %s %g", type.name, lambda), status, status != 0 ? 0 : std::fabs(mean - lambda) / std::sqrt(lambda / count),
       status != 0 ? 0 : std::fabs(variance - lambda) / std::sqrt((lambda + 2 * lambda * lambda) / count), status != 0 ? "" : "moments");
  if (g != nullptr) curandDestroyGenerator(g);
}

static void refused() {
  const auto tell = [](const std::string& what, int status, const std::string& more = "") { line(what, status, 0, 0, more); };
  curandGenerator_t g = nullptr;
  tell("type 1", curandCreateGenerator(&g, curandRngType(1)));
  tell("null", curandCreateGenerator(nullptr, CURAND_RNG_PSEUDO_XORWOW));
  for (const auto& type : kTypes) {
    int status;
    const auto is = [&](const char* what, auto call) {
      g = created(type, status);
      if (status == 0) status = call(g);
      tell(text("%s %s", type.name, what), status);
      if (g != nullptr) curandDestroyGenerator(g);
    };
    const auto gen = [&](int form, size_t count, double a = 0, double b = 1) { return [=](curandGenerator_t by) { return int(generate(by, form, count, memory, a, b)); }; };
    for (int form = 0; form < 9; ++form)
      for (const size_t count : {size_t(0), size_t(1), size_t(7)}) is(text("%s of %zu", kForms[form].name, count).c_str(), gen(form, count, form == 8 ? 4 : 0));
    is("seed", [](curandGenerator_t by) { return int(curandSetPseudoRandomGeneratorSeed(by, 1)); });
    is("offset", [](curandGenerator_t by) { return int(curandSetGeneratorOffset(by, 5)); });
    is("dimensions 0", [](curandGenerator_t by) { return int(curandSetQuasiRandomGeneratorDimensions(by, 0)); });
    is("dimensions 20000", [](curandGenerator_t by) { return int(curandSetQuasiRandomGeneratorDimensions(by, 20000)); });
    is("dimensions 20001", [](curandGenerator_t by) { return int(curandSetQuasiRandomGeneratorDimensions(by, 20001)); });
    is("dimensions 3, 7 numbers", [&](curandGenerator_t by) { curandSetQuasiRandomGeneratorDimensions(by, 3); return int(generate(by, 0, 7, memory)); });
    is("order quasi", [](curandGenerator_t by) { return int(curandSetGeneratorOrdering(by, CURAND_ORDERING_QUASI_DEFAULT)); });
    is("order pseudo", [](curandGenerator_t by) { return int(curandSetGeneratorOrdering(by, CURAND_ORDERING_PSEUDO_DEFAULT)); });
    is("order seeded", [](curandGenerator_t by) { return int(curandSetGeneratorOrdering(by, CURAND_ORDERING_PSEUDO_SEEDED)); });
    is("order 7", [](curandGenerator_t by) { return int(curandSetGeneratorOrdering(by, curandOrdering(7))); });
    is("lambda 0", gen(8, 8, 0));
    is("lambda -1", gen(8, 8, -1));
    is("deviation 0", gen(4, 8, 1, 0));
    is("deviation -1", gen(4, 8, 1, -1));
    is("seeds", [](curandGenerator_t by) { return int(curandGenerateSeeds(by)); });
  }
}

int main(int count, char** words) {
  begin();
  const char* which = nullptr;
  for (int i = 1; i < count; ++i)
    if (std::strcmp(words[i], "host") == 0) on_host = true;
    else if (i + 1 < count) which = words[i];
    else values_file = std::fopen(words[i], "wb");
  const size_t room = 9 * kMillion;
  if (on_host) memory = static_cast<char*>(std::malloc(room));
  else memory = static_cast<char*>(take(room));
  for (const auto& type : kTypes) {
    if (which != nullptr && std::strcmp(which, type.name) != 0) continue;
    const auto forms = type.wide ? std::vector<int>{1, 2, 3} : std::vector<int>{0, 2, 3};
    const bool few = type.type == CURAND_RNG_PSEUDO_MT19937;  // its states take a moment to make
    for (int order = 0; order < (type.quasi ? 1 : 4); ++order)
      for (const u64 seed : {0ull, 12345ull, 0x9e3779b97f4a7c15ull})
        for (const u64 offset : {0ull, 12345ull, 0x300000007ull}) {
          if ((type.quasi && seed != 0) || (few && (offset > 0 || order == 1)) || (type.type == CURAND_RNG_PSEUDO_MTGP32 && offset > 0)) continue;
          for (const int form : forms) hashes(type, {order, seed, offset}, form, {kMillion});
        }
    if (type.quasi)
      for (const unsigned d : {2u, 3u, 7u, 100u, 1111u, 20000u})
        for (const int form : forms) hashes(type, {0, 0, d == 7 ? 1000ull : 0, d}, form, {kMillion / d * d});
    for (const int form : forms) hashes(type, {0, 12345}, form, {1, 2, 3, 5, 127, 4096, 65537, 262145, 2, kMillion / 3});
    for (const int form : {4, 5, 6, 7})
      for (const int order : {0, 3}) {
        if (order > 0 && type.quasi) continue;
        for (const auto& ab : {std::pair(0.0, 1.0), std::pair(-2.5, 0.75)}) values(type, {order, 12345, few ? 0 : 12345ull}, form, 4000, ab.first, ab.second);
      }
    values(type, {0, 0, 0, 4}, 4, 4000, 0, 1), values(type, {0, 0, 0, 4}, 5, 4000, 0, 1);
    for (const double lambda : {0.5, 4.0, 63.0, 100.0, 3000.0, 5000.0}) moments(type, lambda);
  }
  if (which == nullptr || std::strcmp(which, "refused") == 0) refused();
  if (values_file != nullptr) std::fclose(values_file);
  std::printf("%d lines\n", lines);
}
