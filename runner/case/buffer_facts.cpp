#include "runner/case/buffer_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "common/error.h"
#include "common/fnv.h"
#include "runner/case/verify.h"

namespace gpulab {
namespace {

constexpr std::size_t shown = 8;

}  // namespace

BufferFacts facts_of(const Buffer& buffer, std::span<const std::byte> bytes, std::span<const Slice> shows) {
  BufferFacts facts{buffer.name, std::string(name_of(buffer.type)), buffer.count, {}, {}, {}};
  for (std::size_t i = 0; i < std::min(shown, buffer.count); ++i) {
    facts.first.push_back(element_value(buffer.type, bytes, i));
  }
  facts.fnv1a64 = fmt::format("{:016x}", fnv1a64(bytes));
  for (const auto& show : shows) {
    if (show.buffer != buffer.name) continue;
    auto& slice = facts.slices.emplace_back(BufferSlice{show.first, {}});
    for (auto i = show.first; i < std::min<std::uint64_t>(show.end, buffer.count); ++i)
      slice.values.push_back(element_value(buffer.type, bytes, i));
  }
  return facts;
}

void dump(const std::string& file, std::span<const std::byte> bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw usage_error(fmt::format("--dump: '{}' cannot be written", file));
}

}  // namespace gpulab
