#include "common/simt/machine/memory/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

#include "common/ptx/extent.h"

namespace gpulab::simt {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 46;  // of an allocation: what an address of a CPU reaches
constexpr std::uint64_t kGap = 1 << 20;                       // unmapped bytes between allocations, at least

/// Zero-size allocations own an address and a page too, but no byte of it.
std::uint64_t mapped_bytes(std::uint64_t bytes) {
  return std::max<std::uint64_t>((bytes + 4095) & ~std::uint64_t{4095}, 4096);
}

/// Of the words that hold a bit for each sector of an allocation.
std::size_t footprint_words(const Allocation& a) { return a.host ? (a.bytes / 32 + 64) / 64 + 1 : 0; }

std::uint64_t count(std::span<const std::uint64_t> bits) {
  std::uint64_t set = 0;
  for (const std::uint64_t word : bits) set += static_cast<std::uint64_t>(std::popcount(word));
  return set;
}

void give_back(const Allocation& a) {
  if (!a.host || a.foreign) return;
  if (a.mapped)
    munmap(a.host, a.mapped);
  else
    std::free(a.host);
}

}  // namespace

GlobalMemory::~GlobalMemory() {
  show_all();
  for (const auto& a : allocations_) give_back(*a);
}

std::unique_ptr<Allocation> GlobalMemory::made(std::string_view name, std::uint64_t address, std::uint64_t bytes,
                                               std::byte* host) {
  auto a = std::make_unique<Allocation>();
  a->address = address;
  a->bytes = bytes;
  a->host = host;
  a->index = static_cast<std::uint32_t>(allocations_.size());
  if (!free_indices_.empty()) {
    a->index = free_indices_.back();
    free_indices_.pop_back();
  }
  a->name = name;
  return a;
}

/// Most lie behind all others.
void GlobalMemory::insert(std::unique_ptr<Allocation> allocation) {
  const auto at =
      std::ranges::upper_bound(allocations_, allocation->address, {}, [](const auto& a) { return a->address; });
  allocations_.insert(at, std::move(allocation));
}

std::uint64_t GlobalMemory::add(std::string_view name, std::uint64_t bytes, std::byte* host, std::uint64_t mapped) {
  auto a = made(name, next_, bytes, host);
  a->mapped = mapped;
  next_ += (bytes + 2 * kGap - 1) / kGap * kGap;
  const std::uint64_t address = a->address;
  insert(std::move(a));
  return address;
}

std::uint64_t GlobalMemory::allocate_shared(std::string_view name, std::uint64_t bytes) {
  if (bytes > kMostBytes) throw std::bad_alloc();
  const std::uint64_t reserve = mapped_bytes(bytes);
  constexpr int anywhere_else = 1024;  // places that may be another's, of all of 2^43
  for (int attempt = 0; attempt < anywhere_else; ++attempt) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the host's address is to be the device's
    void* wanted = reinterpret_cast<void*>(next_);
    void* host = mmap(wanted, reserve, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (host == wanted) return add(name, bytes, static_cast<std::byte*>(host), reserve);
    if (host != MAP_FAILED) munmap(host, reserve);
    if (host == MAP_FAILED && errno != EEXIST) throw std::bad_alloc();
    next_ += (reserve + 2 * kGap - 1) / kGap * kGap;
  }
  throw std::bad_alloc();
}

void GlobalMemory::adopt(std::string_view name, std::byte* host, std::uint64_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(host);
  const auto above = std::ranges::upper_bound(allocations_, address, {}, [](const auto& a) { return a->address; });
  const bool reaches_up = above != allocations_.end() && (*above)->host && (*above)->address - address < bytes;
  const bool lies_in = above != allocations_.begin() && (*std::prev(above))->host &&
                       address - (*std::prev(above))->address < (*std::prev(above))->bytes;
  if (reaches_up || lies_in) throw std::invalid_argument("memory of another allocation");
  std::erase_if(allocations_, [&](const auto& a) {  // what was registered here before and released since
    if (a->host || a->address != address) return false;
    --freed_;
    free_indices_.push_back(a->index);
    return true;
  });
  auto a = made(name, address, bytes, host);
  a->foreign = true;
  insert(std::move(a));
}

std::uint64_t GlobalMemory::allocate(std::string_view name, std::uint64_t bytes) {
  if (bytes > kMostBytes) throw std::bad_alloc();
  const std::uint64_t reserve = mapped_bytes(bytes);
  void* host = mmap(nullptr, reserve, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (host == MAP_FAILED) throw std::bad_alloc();
  if (bytes >= (1u << 21)) madvise(host, reserve, MADV_HUGEPAGE);
  return add(name, bytes, static_cast<std::byte*>(host), reserve);
}

std::uint64_t GlobalMemory::allocate_small(std::string_view name, std::uint64_t bytes, bool of_heap) {
  if (bytes > kMostBytes) throw std::bad_alloc();
  void* host = std::malloc(std::max<std::uint64_t>(bytes, 1));
  if (!host) throw std::bad_alloc();
  std::memset(host, 0xa5, bytes);
  const std::uint64_t address = add(name, bytes, static_cast<std::byte*>(host), 0);
  (*std::ranges::lower_bound(allocations_, address, {}, [](const auto& a) { return a->address; }))->of_heap = of_heap;
  return address;
}

void GlobalMemory::give_to(std::uint64_t address, int gpu) {
  const auto at = std::ranges::lower_bound(allocations_, address, {}, [](const auto& a) { return a->address; });
  if (at != allocations_.end() && (*at)->address == address) (*at)->gpu = gpu;
}

// As a freed one it has no bytes: who has looked it up before finds every access out of bounds.
void GlobalMemory::hide_from(int gpu, const std::function<bool(int)>& reaches) {
  show_all();
  working_ = gpu;
  for (const auto& a : allocations_) {
    if (!a->host || a->gpu < 0 || a->gpu == gpu || is_of_host(*a) || reaches(a->gpu)) continue;
    hidden_.emplace_back(a.get(), std::exchange(a->host, nullptr));
    a->hidden = std::exchange(a->bytes, 0);
  }
}

void GlobalMemory::show_all() {
  for (const auto& [a, host] : hidden_) {
    a->host = host;
    a->bytes = std::exchange(a->hidden, 0);
  }
  hidden_.clear();
}

bool GlobalMemory::share(std::uint64_t address, int file) {
  const Allocation* a = find(address);
  if (a == nullptr || a->address != address || a->host == nullptr || a->mapped == 0 || a->foreign) return false;
  if (posix_fallocate(file, 0, static_cast<off_t>(a->mapped)) != 0) return false;
  for (std::uint64_t done = 0; done < a->bytes;) {
    const ssize_t wrote = pwrite(file, a->host + done, a->bytes - done, static_cast<off_t>(done));
    if (wrote <= 0) return false;
    done += static_cast<std::uint64_t>(wrote);
  }
  return mmap(a->host, a->mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
}

void GlobalMemory::release(std::uint64_t address) {
  const auto at = std::ranges::lower_bound(allocations_, address, {}, [](const auto& a) { return a->address; });
  if (at == allocations_.end() || (*at)->address != address || !(*at)->host)
    throw std::invalid_argument("release of an address that is not the start of a live allocation");
  Allocation& a = **at;
  give_back(a);
  a.host = nullptr;
  a.bytes = 0;  // a cached pointer to this allocation now finds every access out of bounds
  ++freed_;
}

std::vector<std::uint32_t> GlobalMemory::forget_freed(std::size_t remembered) {
  std::vector<std::uint32_t> forgotten;
  if (freed_ < 2 * remembered) return forgotten;  // not at each release
  std::erase_if(allocations_, [&](const auto& a) {
    if (a->host || a->hidden != 0 || freed_ == remembered) return false;
    --freed_;
    forgotten.push_back(a->index);
    return true;
  });
  free_indices_.insert(free_indices_.end(), forgotten.begin(), forgotten.end());
  return forgotten;
}

const Allocation* GlobalMemory::nearest(std::uint64_t address) const {
  auto it = std::ranges::upper_bound(allocations_, address, {}, [](const auto& a) { return a->address; });
  return it == allocations_.begin() ? nullptr : std::prev(it)->get();
}

const Allocation* GlobalMemory::overrun(std::uint64_t address) const {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;  // an index of 32 bits into elements of 256 bytes
  const Allocation* a = nearest(address);
  return a && address - a->address < a->bytes + (a->foreign ? kGap : most) ? a : nullptr;
}

const Allocation* GlobalMemory::in_front_of(std::uint64_t address) const {
  const auto above = std::ranges::upper_bound(allocations_, address, {}, [](const auto& a) { return a->address; });
  if (above == allocations_.end() || (*above)->address - address > kGap) return nullptr;
  if (above != allocations_.begin()) {
    const Allocation& below = **std::prev(above);
    const std::uint64_t end = below.address + below.bytes + below.hidden;
    if (address < end || address - end <= (*above)->address - address) return nullptr;
  }
  return above->get();
}

const Allocation* GlobalMemory::find(std::uint64_t address) const {
  const Allocation* a = nearest(address);
  return a && address <= a->address + a->bytes ? a : nullptr;
}

std::byte* GlobalMemory::host(std::uint64_t address, std::uint64_t bytes) const {
  const Allocation* a = nearest(address);
  if (!a || !a->host) return nullptr;
  const std::uint64_t offset = address - a->address;
  return within(offset, bytes, a->bytes) ? a->host + offset : nullptr;
}

void FootprintMap::prepare(const GlobalMemory& memory) {
  static_assert(offsetof(FootprintMap, table_) == kPlaces);
  before_[0] = before_[1] = 0;
  places_.clear();
  added_.clear();
  std::size_t words = 0, indices = 0;
  for (const auto& a : memory.allocations()) {
    words += 2 * footprint_words(*a);
    indices = std::max<std::size_t>(indices, a->index + std::size_t{1});
  }
  bits_.assign(words, 0);
  places_.resize(indices);
  std::uint64_t* bits = bits_.data();
  for (const auto& a : memory.allocations()) {
    place(a->index, bits, footprint_words(*a));
    bits += 2 * footprint_words(*a);
  }
  table_ = places_.data();
}

void FootprintMap::place(std::uint32_t allocation, std::uint64_t* bits, std::size_t words) {
  places_[allocation] = words == 0 ? Places{} : Places{bits, bits + words, words};
}

void FootprintMap::add(const Allocation& a) {
  const std::size_t words = footprint_words(a);
  if (places_.size() <= a.index) places_.resize(a.index + std::size_t{1});
  if (added_.size() <= a.index) added_.resize(a.index + std::size_t{1});
  added_[a.index].assign(2 * words, 0);
  place(a.index, added_[a.index].data(), words);
  table_ = places_.data();
}

void FootprintMap::index_freed(std::uint32_t allocation) {
  if (allocation >= places_.size()) return;
  const Places& was = places_[allocation];
  before_[false] += count({was.loaded, was.words});
  before_[true] += count({was.stored, was.words});
  places_[allocation] = {};
  if (allocation < added_.size()) added_[allocation] = {};
}

void FootprintMap::merge(const FootprintMap& other) {
  for (std::size_t i = 0; i < std::min(places_.size(), other.places_.size()); ++i)
    for (std::size_t k = 0; k < std::min(places_[i].words, other.places_[i].words); ++k) {
      places_[i].loaded[k] |= other.places_[i].loaded[k];
      places_[i].stored[k] |= other.places_[i].stored[k];
    }
}

std::uint64_t FootprintMap::bytes(bool stored) const {
  std::uint64_t sectors = before_[stored];
  for (const Places& one : places_) sectors += count({stored ? one.stored : one.loaded, one.words});
  return sectors * 32;
}

}  // namespace gpulab::simt
