#include "common/simt/observers/trace/value_code.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace gpulab::simt {

namespace {

enum Form : unsigned char { kUnknown = 0, kUniform = 1, kSteps = 2, kOffsets = 3 };

void put_number(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

std::uint8_t byte_at(std::string_view packed, std::size_t& at) {
  if (at >= packed.size()) throw std::runtime_error("values of a trace end too early");
  return static_cast<std::uint8_t>(packed[at++]);
}

std::uint64_t number_at(std::string_view packed, std::size_t& at) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    const std::uint8_t byte = byte_at(packed, at);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

std::uint64_t zigzag(std::uint64_t value) { return value << 1 ^ (value >> 63 ? ~std::uint64_t{0} : 0); }
std::uint64_t from_zigzag(std::uint64_t value) { return value >> 1 ^ (value & 1 ? ~std::uint64_t{0} : 0); }

}  // namespace

void pack_values(std::string& out, const LaneValues* values, std::uint32_t mask) {
  if (values == nullptr || mask == 0) {
    out += static_cast<char>(kUnknown);
    return;
  }
  std::array<std::uint64_t, 32> packed{};
  std::size_t count = 0;
  for (std::uint32_t left = mask; left; left &= left - 1)
    packed[count++] = (*values)[static_cast<std::size_t>(std::countr_zero(left))];
  const std::uint64_t step = count > 1 ? packed[1] - packed[0] : 0;
  bool even = true;
  for (std::size_t i = 1; i < count; ++i) even = even && packed[i] - packed[i - 1] == step;
  if (even) {
    out += static_cast<char>(step == 0 ? kUniform : kSteps);
    put_number(out, packed[0]);
    if (step != 0) put_number(out, zigzag(step));
    return;
  }
  const auto [least, most] = std::minmax_element(packed.begin(), packed.begin() + count);
  const int bytes = (std::bit_width(*most - *least) + 7) / 8;
  out += static_cast<char>(kOffsets + bytes);
  const std::uint64_t base = *least;
  put_number(out, base);
  for (std::size_t i = 0; i < count; ++i)
    for (int k = 0; k < bytes; ++k) out += static_cast<char>((packed[i] - base) >> 8 * k);
}

std::optional<LaneValues> unpack_values(std::string_view packed, std::size_t& at, std::uint32_t mask) {
  const std::uint8_t form = byte_at(packed, at);
  if (form == kUnknown) return std::nullopt;
  constexpr std::uint8_t most_bytes = 8;
  if (form > kOffsets + most_bytes) throw std::runtime_error("values of a trace in no form that we write");
  LaneValues values{};
  std::uint64_t value = number_at(packed, at);
  const std::uint64_t step = form == kSteps ? from_zigzag(number_at(packed, at)) : 0;
  for (std::uint32_t left = mask; left; left &= left - 1) {
    std::uint64_t& lane = values[static_cast<std::size_t>(std::countr_zero(left))];
    lane = value;
    value += step;
    for (int k = 0; k < form - kOffsets; ++k) lane += static_cast<std::uint64_t>(byte_at(packed, at)) << 8 * k;
  }
  return values;
}

}  // namespace gpulab::simt
