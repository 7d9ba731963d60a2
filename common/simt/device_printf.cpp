#include "common/simt/device_printf.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace gpulab::simt {

namespace {

/// The packed arguments of one call.
class Arguments {
 public:
  Arguments(const DeviceText& read, std::uint64_t at) : read_(read), at_(at) {}
  template <typename T>
  T take() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    if (const std::byte* from = read_(at_, sizeof(T))) std::memcpy(&value, from, sizeof(T));
    at_ += sizeof(T);
    ++count_;
    return value;
  }
  [[nodiscard]] std::int32_t count() const { return count_; }

 private:
  const DeviceText& read_;
  std::uint64_t at_;
  std::int32_t count_ = 0;
};

template <typename T>
void append(std::string& out, const std::string& spec, T value) {
  std::array<char, 512> buffer;
  const int length = std::snprintf(buffer.data(), buffer.size(), spec.c_str(), value);
  if (length < 0) return;
  if (static_cast<std::size_t>(length) < buffer.size()) {
    out.append(buffer.data(), static_cast<std::size_t>(length));
    return;
  }
  std::string large(static_cast<std::size_t>(length) + 1, '\0');
  std::snprintf(large.data(), large.size(), spec.c_str(), value);
  out.append(large.data(), static_cast<std::size_t>(length));
}

/// "%-8.3lld" taken apart: flags, width and precision (with * resolved), whether an l or ll length makes it 64-bit.
struct Spec {
  std::string head = "%";
  int longs = 0;
  char conversion = '\0';
};

Spec parse_spec(std::string_view format, std::size_t& i, Arguments& arguments) {
  Spec spec;
  for (; i < format.size(); ++i) {
    const char c = format[i];
    if (c == '*')
      spec.head += std::to_string(arguments.take<std::int32_t>());
    else if (std::string_view("-+ #0123456789.").find(c) != std::string_view::npos)
      spec.head += c;
    else if (c == 'l' || c == 'j' || c == 'z' || c == 't')
      ++spec.longs;
    else if (c != 'h')
      break;
  }
  if (i < format.size()) spec.conversion = format[i++];
  return spec;
}

void convert(std::string& out, const Spec& spec, const DeviceText& read, Arguments& arguments) {
  switch (spec.conversion) {
    case 'd':
    case 'i':
      if (spec.longs)
        append(out, spec.head + "lld", static_cast<long long>(arguments.take<std::int64_t>()));
      else
        append(out, spec.head + "d", arguments.take<std::int32_t>());
      return;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      if (spec.longs)
        append(out, spec.head + "ll" + spec.conversion,
               static_cast<unsigned long long>(arguments.take<std::uint64_t>()));
      else
        append(out, spec.head + spec.conversion, arguments.take<std::uint32_t>());
      return;
    case 'c':
      append(out, spec.head + "c", arguments.take<std::int32_t>());
      return;
    case 'p':
      append(out, "0x%llx", static_cast<unsigned long long>(arguments.take<std::uint64_t>()));
      return;
    case 's':
      append(out, spec.head + "s", device_string(read, arguments.take<std::uint64_t>()).c_str());
      return;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      append(out, spec.head + spec.conversion, arguments.take<double>());
      return;
    default:
      out += spec.head + spec.conversion;  // unknown: printed as it stands
  }
}

}  // namespace

std::string device_string(const DeviceText& read, std::uint64_t address) {
  constexpr std::size_t limit = 64 << 10;
  std::string text;
  for (; text.size() < limit; ++address) {
    const std::byte* at = read(address, 1);
    if (!at) return text.empty() ? "(null)" : text;
    if (*at == std::byte{0}) return text;
    text += static_cast<char>(*at);
  }
  return text;
}

std::int32_t device_printf(std::string& out, const DeviceText& read, std::uint64_t format, std::uint64_t values) {
  if (!read(format, 1)) return -1;
  const std::string text = device_string(read, format);
  Arguments arguments(read, values);
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '%') {
      out += text[i++];
      continue;
    }
    ++i;
    if (i < text.size() && text[i] == '%') {
      out += '%';
      ++i;
      continue;
    }
    const Spec spec = parse_spec(text, i, arguments);
    if (spec.conversion) convert(out, spec, read, arguments);
  }
  return arguments.count();
}

}  // namespace gpulab::simt
