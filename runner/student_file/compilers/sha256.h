#pragma once
// SHA-256, by nettle: what is kept under such a key can be nobody else's. (OpenSSL's would be ten times as large a
// library, and slower to load than a small run takes.)

#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

/// 64 hexadecimal digits. Of several texts: no two lists of texts have the same but by chance.
[[nodiscard]] std::string sha256(const std::vector<std::string_view>& texts);

}  // namespace gpulab
