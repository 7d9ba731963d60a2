#include "runner/report/trace/packed_table.h"

#include <nettle/base64.h>
#include <zlib.h>

#include <stdexcept>

namespace gpulab {

std::string packed_bytes(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string deflated(size, '\0');
  constexpr int level = 6;
  if (compress2(reinterpret_cast<Bytef*>(deflated.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                bytes.size(), level) != Z_OK)
    throw std::runtime_error("the steps cannot be packed: no memory");
  std::string base64(BASE64_ENCODE_RAW_LENGTH(size), '\0');
  base64_encode_raw(base64.data(), size, reinterpret_cast<const std::uint8_t*>(deflated.data()));
  return base64;
}

nlohmann::ordered_json packed_table(const std::vector<Column>& columns) {
  std::string bytes;
  auto names = nlohmann::ordered_json::array();
  for (const auto& [name, numbers] : columns) {
    names.push_back(name);
    for (int plane = 0; plane < 4; ++plane) {
      std::uint32_t before = 0;
      for (const std::uint32_t number : numbers) {
        bytes += static_cast<char>((number - before) >> 8 * plane);
        before = number;
      }
    }
  }
  return {
      {"rows", columns.empty() ? 0 : columns.front().second.size()}, {"columns", names}, {"data", packed_bytes(bytes)}};
}

}  // namespace gpulab
