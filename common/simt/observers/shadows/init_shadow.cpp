#include "common/simt/observers/shadows/init_shadow.h"

#include <algorithm>
#include <cstring>

namespace gpulab::simt {

constinit const InitShadow::Page InitShadow::kNothing{};
constinit const InitShadow::Page InitShadow::kAll = [] {
  Page page{};
  for (std::uint64_t& word : page.words) word = ~std::uint64_t{0};
  return page;
}();

/// A window may reach a word beyond the last byte's.
InitShadow::InitShadow(std::uint64_t bytes) : pages_((bytes + 127) / kPageBytes + 1) {
  for (auto& page : pages_) page.reset(&kNothing);
}

std::uint64_t InitShadow::unknown_bits(std::uint64_t at, std::uint32_t bytes) const {
  std::uint64_t bits = 0;
  for (std::uint32_t left = unknown(at, bytes); left; left &= left - 1) {
    const int k = std::countr_zero(left);
    const auto part = parts_.find(at + static_cast<std::uint64_t>(k));
    bits |= std::uint64_t{part == parts_.end() ? std::uint8_t{0xff} : part->second} << 8 * k;
  }
  return bits;
}

void InitShadow::set_bits(std::uint64_t at, std::uint32_t bytes, std::uint64_t unknown) {
  for (; bytes; ++at, --bytes, unknown >>= 8) {
    const auto part = static_cast<std::uint8_t>(unknown);
    set_some(at >> 6, std::uint64_t{1} << (at & 63), part == 0);
    if (part == 0 || part == 0xff)
      parts_.erase(at);
    else
      parts_[at] = part;
  }
}

void InitShadow::set_range(std::uint64_t at, std::uint64_t bytes, bool value) {
  if (!value) std::erase_if(parts_, [&](const auto& part) { return part.first - at < bytes; });
  const std::uint64_t end = at + bytes;
  while (at < end) {
    const std::uint64_t page = at / kPageBytes, here = std::min(end, (page + 1) * kPageBytes);
    if (!is_own(page) && here - at == kPageBytes) {
      pages_[page].reset(value ? &kAll : &kNothing);
      at = here;
      continue;
    }
    while (at < here) {
      const std::uint64_t some = std::min(here - at, 64 - (at & 63));
      set_some(at >> 6, (some == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << some) - 1) << (at & 63), value);
      at += some;
    }
  }
}

void InitShadow::add_unknown(const Stretch& asked, std::vector<Stretch>& into, std::size_t most) const {
  for (std::uint64_t at = next(asked.offset, asked.end(), false); at < asked.end() && into.size() < most;) {
    const std::uint64_t end = next(at, asked.end(), true);
    into.push_back({at, end - at});
    at = next(end, asked.end(), false);
  }
}

std::uint64_t InitShadow::memory() const {
  std::uint64_t bytes = pages_.capacity() * sizeof pages_[0];
  for (std::uint64_t page = 0; page < pages_.size(); ++page) bytes += is_own(page) ? sizeof(Page) : 0;
  return bytes;
}

std::uint64_t InitShadow::next(std::uint64_t at, std::uint64_t bytes, bool value) const {
  while (at < bytes) {
    const auto& page = pages_[at / kPageBytes];
    if (page.get() == (value ? &kNothing : &kAll)) {
      at = (at / kPageBytes + 1) * kPageBytes;
      continue;
    }
    const std::uint64_t bits = (value ? word(at >> 6) : ~word(at >> 6)) >> (at & 63);
    if (bits != 0) return std::min(bytes, at + static_cast<std::uint64_t>(std::countr_zero(bits)));
    at = (at / 64 + 1) * 64;
  }
  return bytes;
}

void InitShadow::make_own(std::uint64_t page) {
  auto* const own = static_cast<Page*>(allocate_shadow(sizeof(Page)));
  std::memcpy(own, pages_[page].get(), sizeof(Page));
  pages_[page].reset(own);
}

/// Bits of a word. A page where that changes nothing stays as it is.
void InitShadow::set_some(std::uint64_t index, std::uint64_t mask, bool value) {
  if ((word(index) & mask) == (value ? mask : 0)) return;
  std::uint64_t& bits = change(index);
  bits = value ? bits | mask : bits & ~mask;
}

}  // namespace gpulab::simt
