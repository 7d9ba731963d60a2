#include "tests/instructions/kernel_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

#include "tests/folder.h"

namespace gpulab::simt {
namespace {

std::size_t size_of_type(const std::string& type) {
  const auto digits = type.find_first_of("123468");
  if (digits == std::string::npos) throw std::runtime_error("unknown type " + type);
  return std::stoul(type.substr(digits)) / 8;
}

template <typename T>
void append_bytes(std::vector<std::byte>& to, T value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof(T));
}

void append(std::vector<std::byte>& to, const std::string& type, const std::string& text) {
  char* end = nullptr;
  const bool is_bits = text.rfind("0x", 0) == 0 && text.find('p') == std::string::npos;
  if (type == "f32" && !is_bits) {
    append_bytes(to, std::strtof(text.c_str(), &end));
  } else if (type == "f64" && !is_bits) {
    append_bytes(to, std::strtod(text.c_str(), &end));
  } else {
    const std::uint64_t value = text.front() == '-' ? static_cast<std::uint64_t>(std::strtoll(text.c_str(), &end, 0))
                                                    : std::strtoull(text.c_str(), &end, 0);
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    to.insert(to.end(), bytes, bytes + size_of_type(type));
  }
  if (text.empty() || *end != '\0') throw std::runtime_error("malformed value '" + text + "'");
}

Dim3 dim_of(std::string text) {
  std::replace(text.begin(), text.end(), 'x', ' ');
  std::istringstream stream(text);
  Dim3 dim;
  stream >> dim.x >> dim.y >> dim.z;
  return dim;
}

/// "in u32[64] = 0..63"
KernelData data_of(std::string_view text) {
  KernelData data;
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) throw std::runtime_error("no '='");
  std::istringstream head{std::string(text.substr(0, equals))};
  head >> data.name >> data.type;
  std::size_t count = 1;
  if (const auto bracket = data.type.find('['); bracket != std::string::npos) {
    data.is_buffer = true;
    count = std::stoul(data.type.substr(bracket + 1));
    data.type.erase(bracket);
  }
  auto list = expanded(text.substr(equals + 1));
  if (list.size() == 1) list.resize(count, list.front());
  if (list.size() != count) throw std::runtime_error(fmt::format("{} values for {} elements", list.size(), count));
  for (const auto& value : list) append(data.bytes, data.type, value);
  return data;
}

void read_launch(KernelCase& one, const std::string& text) {
  std::istringstream stream(text);
  std::string word, value;
  while (stream >> word >> value) {
    if (word == "grid") {
      one.grid = dim_of(value);
    } else if (word == "block") {
      one.block = dim_of(value);
    } else if (word == "shared") {
      one.shared_bytes = static_cast<std::uint32_t>(std::stoul(value));
    } else {
      throw std::runtime_error("unknown launch parameter " + word);
    }
  }
}

/// "in 8x4 channels 4 layers 2": of the buffer that was named before.
void read_texture(KernelCase& one, const std::string& text, bool surface) {
  std::istringstream stream(text);
  std::string name, extent, word;
  stream >> name >> extent;
  const auto data =
      std::find_if(one.arguments.begin(), one.arguments.end(), [&](const auto& d) { return d.name == name; });
  if (data == one.arguments.end()) throw std::runtime_error("no buffer " + name);
  const Dim3 size = dim_of(extent);
  Texture texture;
  texture.is_surface = surface;
  texture.extent = {size.x, size.y, size.z};
  unsigned channels = 1;
  while (stream >> word)
    if (word == "cube")
      texture.is_cube = true;
    else if (unsigned number = 0; stream >> number)
      (word == "layers" ? texture.layers : channels) = number;
  texture.modes.fill(AddressMode::clamp);
  texture.format = {data->type.front() == 'f'   ? TexelKind::floating
                    : data->type.front() == 's' ? TexelKind::signed_integer
                                                : TexelKind::unsigned_integer,
                    static_cast<std::uint8_t>(channels), static_cast<std::uint8_t>(8 * size_of_type(data->type))};
  texture.row_bytes = std::uint64_t{size.x} * texture.format.bytes();
  texture.slice_bytes = texture.row_bytes * size.y;
  if (texture.bytes() != data->bytes.size()) throw std::runtime_error("the texels are not the buffer's");
  one.textures[name] = texture;
}

void read_directive(KernelCase& one, const std::string& key, const std::string& text) {
  if (key == "launch") {
    read_launch(one, text);
  } else if (key == "arg") {
    one.arguments.push_back(data_of(text));
  } else if (key == "texture" || key == "surface") {
    read_texture(one, text, key == "surface");
  } else if (key == "expect") {
    one.expected.push_back(data_of(text));
  } else if (key == "expect in lane order") {
    one.expected_in_lane_order.push_back(data_of(text));
  } else if (key == "fault") {
    one.fault = text;
  } else if (key == "not on a GPU") {
    one.not_on_a_gpu = text;
  } else if (key == "prints") {
    one.output += text + "\n";
  }
}

std::string element_text(const std::string& type, const std::byte* at) {
  if (type == "f32") {
    float value = 0;
    std::memcpy(&value, at, 4);
    return fmt::format("{}", value);
  }
  if (type == "f64") {
    double value = 0;
    std::memcpy(&value, at, 8);
    return fmt::format("{}", value);
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, size_of_type(type));
  if (type.front() != 's') return fmt::format("{}", bits);
  const int unused = 64 - 8 * static_cast<int>(size_of_type(type));
  return fmt::format("{}", static_cast<std::int64_t>(bits << unused) >> unused);
}

/// The first elements that differ.
std::string difference(const KernelData& expected, const std::vector<std::byte>& got) {
  const std::size_t size = size_of_type(expected.type);
  std::string text;
  int shown = 0;
  for (std::size_t at = 0; at + size <= expected.bytes.size(); at += size) {
    if (std::memcmp(&expected.bytes[at], &got[at], size) == 0) continue;
    if (++shown > 8) return text + "…";
    text += fmt::format("{}[{}]: expected {}, got {}\n", expected.name, at / size,
                        element_text(expected.type, &expected.bytes[at]), element_text(expected.type, &got[at]));
  }
  return text;
}

KernelArgument argument_of(const KernelData& data) {
  KernelArgument argument;
  argument.bytes.assign(data.bytes.begin(), data.bytes.end());
  return argument;
}

}  // namespace

std::vector<std::string> expanded(std::string_view list) {
  std::vector<std::string> values;
  while (true) {
    list.remove_prefix(std::min(list.find_first_not_of(" ,"), list.size()));
    if (list.empty()) return values;
    std::vector<std::string> item;
    if (list.front() == '(') {
      const auto close = list.find(')');
      if (close == std::string_view::npos) throw std::runtime_error("unclosed group in a list");
      item = expanded(list.substr(1, close - 1));
      list.remove_prefix(close + 1);
    } else {
      const std::string text(list.substr(0, list.find_first_of(" ,*")));
      list.remove_prefix(text.size());
      if (const auto dots = text.find(".."); dots != std::string::npos) {
        const long first = std::stol(text), last = std::stol(text.substr(dots + 2));
        for (long value = first; value != last; value += first < last ? 1 : -1) item.push_back(std::to_string(value));
        item.push_back(std::to_string(last));
      } else {
        item.push_back(text);
      }
    }
    std::size_t times = 1;
    if (!list.empty() && list.front() == '*') {
      const std::string count(list.substr(1, list.find_first_of(" ,", 1) - 1));
      times = std::stoul(count);
      list.remove_prefix(1 + count.size());
    }
    for (; times > 0; --times) values.insert(values.end(), item.begin(), item.end());
  }
}

std::vector<KernelCase> kernel_cases(const std::string& path) {
  std::vector<KernelCase> cases;
  std::istringstream stream(file_text(path));
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    const auto colon = line.find(": ");
    if (line.rfind("// ", 0) != 0 || colon == std::string::npos) continue;
    const std::string key = line.substr(3, colon - 3), text = line.substr(colon + 2);
    const auto where = fmt::format("{}:{}", std::filesystem::path(path).filename().string(), number);
    try {
      if (key == "kernel") {
        cases.emplace_back();
        cases.back().where = where;
        cases.back().file = path;
        cases.back().kernel = text;
      } else if (!cases.empty()) {
        read_directive(cases.back(), key, text);
      }
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("{}: {}", where, error.what()));
    }
  }
  if (cases.empty()) throw std::runtime_error(path + ": no '// kernel: ' line");
  return cases;
}

std::vector<std::string> kernel_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(tests::tests_folder() / "ptx"))
    if (entry.path().extension() == ".ptx") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string file_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string run_kernel(Device& device, const KernelCase& one, AtomicOrder order) {
  std::map<std::string, DevicePointer> buffers;
  std::vector<KernelArgument> arguments;
  for (const auto& data : one.arguments) {
    if (!data.is_buffer) {
      arguments.push_back(argument_of(data));
      continue;
    }
    const DevicePointer at = device.allocate(data.name, data.bytes.size());
    device.write(at, data.bytes);
    buffers[data.name] = at;
    const auto texture = one.textures.find(data.name);
    if (texture == one.textures.end()) {
      arguments.push_back(KernelArgument::of(at));
      continue;
    }
    Texture placed = texture->second;
    placed.address = at;
    arguments.push_back(KernelArgument::of(device.make_texture(placed)));
  }
  LaunchConfig config;
  config.grid = one.grid;
  config.block = one.block;
  config.dynamic_shared_bytes = one.shared_bytes;
  device.launch(device.kernel(one.kernel), config, arguments);
  device.synchronize();
  std::string wrong;
  const auto compare = [&](const std::vector<KernelData>& list) {
    for (const auto& expected : list) {
      std::vector<std::byte> got(expected.bytes.size());
      device.read(got, buffers.at(expected.name));
      wrong += difference(expected, got);
    }
  };
  compare(one.expected);
  if (order == AtomicOrder::by_lane) compare(one.expected_in_lane_order);
  const std::string output = device.take_output();
  if (output != one.output) wrong += fmt::format("expected the output '{}', got '{}'", one.output, output);
  return wrong;
}

}  // namespace gpulab::simt
