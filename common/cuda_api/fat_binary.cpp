#include "common/cuda_api/fat_binary.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "common/error.h"

namespace gpulab::cuda_api {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::size_t kMostPtx = std::size_t{256} << 20;  // bytes of one text: what nobody writes

struct Header {
  std::uint32_t magic;
  std::uint16_t version, header_size;
  std::uint64_t size;  ///< of all images, behind this header
};

struct ImageHeader {
  std::uint16_t kind, version;
  std::uint32_t header_size;
  std::uint64_t size;             ///< of what follows the header, padding included
  std::uint32_t compressed_size;  ///< 0: not compressed
  std::uint32_t options_offset;
  std::uint16_t minor, major;
  std::uint32_t architecture, name_offset, name_size;
  std::uint64_t flags, unused, plain_size;
};
static_assert(sizeof(ImageHeader) == 64);

constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000;

template <typename T>
T read(std::span<const std::byte> from) {
  T value{};
  std::memcpy(&value, from.data(), sizeof value);
  return value;
}

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// LZ4's block format. Nothing where the bytes are not such a block.
std::optional<std::string> from_lz4(std::span<const std::byte> in, std::size_t plain) {
  std::string out;
  std::size_t at = 0;
  const auto next = [&] { return at < in.size() ? static_cast<std::size_t>(in[at++]) : std::size_t{0}; };
  const auto length = [&](std::size_t base) {
    if (base != 15) return base;
    for (std::size_t more = 255; more == 255 && at < in.size() && base <= plain;) base += more = next();
    return base;
  };
  while (at < in.size()) {
    const std::size_t token = next();
    const std::size_t literals = length(token >> 4);
    if (literals > in.size() - at || literals > plain - out.size()) return std::nullopt;
    out += text(in.subspan(at, literals));
    at += literals;
    if (at >= in.size()) break;
    const std::size_t low = next(), distance = low | next() << 8;
    const std::size_t copied = length(token & 15) + 4;
    if (distance == 0 || distance > out.size() || copied > plain - out.size()) return std::nullopt;
    for (std::size_t i = 0; i < copied; ++i) out += out[out.size() - distance];  // may overlap what it writes
  }
  return out.size() == plain ? std::optional(std::move(out)) : std::nullopt;
}

/// By the system's library, which every Debian has and only this needs.
std::optional<std::string> from_zstd(std::span<const std::byte> in, std::size_t plain) {
  static void* const library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  using Decompress = std::size_t (*)(void*, std::size_t, const void*, std::size_t);
  static const auto decompress =
      library == nullptr ? nullptr : reinterpret_cast<Decompress>(dlsym(library, "ZSTD_decompress"));
  if (decompress == nullptr) return std::nullopt;
  std::string out(plain, '\0');
  return decompress(out.data(), plain, in.data(), in.size()) == plain ? std::optional(std::move(out)) : std::nullopt;
}

void fill_content(DeviceImage& image, const ImageHeader& header, std::span<const std::byte> body) {
  const bool compressed = (header.flags & (kLz4 | kZstd)) != 0;
  if (compressed && (header.plain_size > kMostPtx || header.compressed_size > body.size())) {
    image.problem = "its sizes are wrong";
    return;
  }
  if (!compressed) {
    image.content = text(body);
  } else {
    const auto packed = body.first(header.compressed_size);
    auto plain =
        (header.flags & kZstd) != 0 ? from_zstd(packed, header.plain_size) : from_lz4(packed, header.plain_size);
    if (!plain) {
      image.problem = "it is compressed, and cannot be read (is libzstd.so.1 here?)";
      return;
    }
    image.content = std::move(*plain);
  }
  image.content.resize(std::min(image.content.find('\0'), image.content.size()));  // the padding
  if (image.content.empty()) image.problem = "it is empty";
}

Error damaged() {
  return Error(ExitCode::missing, "the program's device code is damaged: a fat binary's sizes do not fit", {},
               "build it anew");
}

}  // namespace

std::optional<std::size_t> length_of(std::span<const std::byte> fat_binary) {
  if (fat_binary.size() < sizeof(Header)) return std::nullopt;
  const auto header = read<Header>(fat_binary);
  if (header.magic != kMagic || header.header_size < sizeof(Header) || header.header_size > fat_binary.size())
    return std::nullopt;
  if (header.size > fat_binary.size() - header.header_size) return std::nullopt;
  return header.header_size + static_cast<std::size_t>(header.size);
}

std::vector<DeviceImage> images_of(std::span<const std::byte> fat_binary) {
  const auto length = length_of(fat_binary);
  if (!length) throw damaged();
  auto rest = fat_binary.first(*length).subspan(read<Header>(fat_binary).header_size);
  std::vector<DeviceImage> images;
  while (!rest.empty()) {
    if (rest.size() < sizeof(ImageHeader)) throw damaged();
    const auto header = read<ImageHeader>(rest);
    if (header.header_size < sizeof(ImageHeader) || header.header_size > rest.size() ||
        header.size > rest.size() - header.header_size)
      throw damaged();
    DeviceImage& image = images.emplace_back();
    image.kind = static_cast<DeviceImage::Kind>(header.kind);
    image.architecture = static_cast<int>(std::min<std::uint32_t>(header.architecture, 9999));
    if (header.name_offset < header.header_size && header.name_size <= header.header_size - header.name_offset)
      image.name = text(rest.subspan(header.name_offset, header.name_size));
    image.name.resize(std::min(image.name.find('\0'), image.name.size()));
    if (image.kind == DeviceImage::Kind::elf && (header.flags & (kLz4 | kZstd)) == 0)
      image.content = text(rest.subspan(header.header_size, header.size));
    if (image.kind == DeviceImage::Kind::ptx)
      fill_content(image, header, rest.subspan(header.header_size, header.size));
    rest = rest.subspan(header.header_size + static_cast<std::size_t>(header.size));
  }
  return images;
}

const DeviceImage& ptx_for(int architecture, std::span<const DeviceImage> images) {
  const DeviceImage *best = nullptr, *oldest = nullptr;
  for (const auto& image : images) {
    if (image.kind != DeviceImage::Kind::ptx) continue;
    if (oldest == nullptr || image.architecture < oldest->architecture) oldest = &image;
    if (image.architecture <= architecture && (best == nullptr || image.architecture > best->architecture))
      best = &image;
  }
  const std::string build = fmt::format(
      "build it with 'gpulab nvcc', or nvcc -cudart shared -arch=compute_{0} -code=compute_{0}", architecture);
  if (best == nullptr) best = oldest;
  if (best == nullptr) throw Error(ExitCode::missing, "the program holds no PTX for its kernels", {}, build);
  if (!best->problem.empty())
    throw Error(ExitCode::missing, "the program's PTX cannot be read: " + best->problem, {}, build + " --no-compress");
  return *best;
}

}  // namespace gpulab::cuda_api
