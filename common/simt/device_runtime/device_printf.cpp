#include "common/simt/device_runtime/device_printf.h"

#include <algorithm>
#include <array>
#include <cstdio>
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
    read_(at_, &value, sizeof(T));
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

/// What a conversion may pad to: more than the buffer that a GPU prints into (1 MiB) is no use.
constexpr int kMostCharacters = 1 << 20;

/// One conversion by the host's printf, whose formats CUDA's are (CUDA C++ Programming Guide, Format Specifiers).
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

enum class Length { half_half, half, word, wide };

/// "%-8.3lld" taken apart, with every * resolved.
struct Spec {
  std::string head = "%";  ///< flags, width and precision
  Length length = Length::word;
  char conversion = '\0';  ///< 0: the format ends before one
};

class SpecParser {
 public:
  SpecParser(std::string_view format, std::size_t& at, Arguments& arguments)
      : format_(format), at_(at), arguments_(arguments) {}

  Spec parse() {
    while (std::string_view("-+ #0").find(peek()) != std::string_view::npos) spec_.head += format_[at_++];
    if (int width = 0; number(width)) {
      if (width < 0) spec_.head += '-';  // as the flag (C17 7.21.6.1)
      spec_.head += std::to_string(width < 0 ? -std::max(width, -kMostCharacters) : width);
    }
    if (peek() == '.') {
      ++at_;
      int precision = 0;
      number(precision);
      if (precision >= 0) spec_.head += "." + std::to_string(precision);  // a negative one is as if it were left out
    }
    length();
    if (at_ < format_.size()) spec_.conversion = format_[at_++];
    return spec_;
  }

 private:
  [[nodiscard]] char peek() const { return at_ < format_.size() ? format_[at_] : '\1'; }

  bool number(int& value) {
    if (peek() == '*') {
      ++at_;
      value = std::min(arguments_.take<std::int32_t>(), kMostCharacters);
      return true;
    }
    const std::size_t first = at_;
    for (; peek() >= '0' && peek() <= '9'; ++at_) value = std::min(value * 10 + (peek() - '0'), kMostCharacters);
    return at_ > first;
  }

  void length() {
    for (;; ++at_) {
      const char c = peek();
      if (c == 'h')
        spec_.length = spec_.length == Length::half ? Length::half_half : Length::half;
      else if (c == 'l' || c == 'j' || c == 'z' || c == 't')
        spec_.length = Length::wide;
      else if (c != 'L')  // there is no long double on a GPU
        return;
    }
  }

  std::string_view format_;
  std::size_t& at_;
  Arguments& arguments_;
  Spec spec_;
};

template <typename Wide, typename Word, typename Half, typename Least>
void convert_integer(std::string& out, const Spec& spec, Arguments& arguments) {
  if (spec.length == Length::wide)
    return append(out, spec.head + "ll" + spec.conversion, static_cast<Wide>(arguments.take<std::int64_t>()));
  const auto value = arguments.take<std::uint32_t>();
  if (spec.length == Length::half) return append(out, spec.head + spec.conversion, Word{static_cast<Half>(value)});
  if (spec.length == Length::half_half)
    return append(out, spec.head + spec.conversion, Word{static_cast<Least>(value)});
  append(out, spec.head + spec.conversion, static_cast<Word>(value));
}

void convert(std::string& out, const Spec& spec, const DeviceText& read, const Refused& refused, Arguments& arguments) {
  switch (spec.conversion) {
    case 'd':
    case 'i':
      return convert_integer<long long, int, short, signed char>(out, spec, arguments);
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return convert_integer<unsigned long long, unsigned, unsigned short, unsigned char>(out, spec, arguments);
    case 'c':
      return append(out, spec.head + "c", arguments.take<std::int32_t>());
    case 'p':
      return append(out, spec.head + "p", reinterpret_cast<void*>(arguments.take<std::uint64_t>()));
    case 's': {
      const auto address = arguments.take<std::uint64_t>();
      return append(out, spec.head + "s", device_string(read, address, address == 0 ? Refused() : refused).c_str());
    }
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return append(out, spec.head + spec.conversion, arguments.take<double>());
    case '%':
      out += '%';
      return;
    default:
      out += spec.head + spec.conversion;  // unknown: printed as it stands
  }
}

}  // namespace

std::string device_string(const DeviceText& read, std::uint64_t address, const Refused& refused) {
  constexpr std::size_t limit = 64 << 10;
  std::string text;
  for (; text.size() < limit; ++address) {
    char next = '\0';
    if (!read(address, &next, 1)) {
      if (refused) refused(address);
      return text.empty() ? "(null)" : text;
    }
    if (next == '\0') return text;
    text += next;
  }
  return text;
}

std::int32_t device_printf(std::string& out, const DeviceText& read, std::uint64_t format, std::uint64_t values,
                           const Refused& refused) {
  char first = '\0';
  if (!read(format, &first, 1)) return -1;
  const std::string text = device_string(read, format);
  Arguments arguments(read, values);
  const std::size_t before = out.size();
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '%') {
      out += text[i++];
      continue;
    }
    ++i;
    const Spec spec = SpecParser(text, i, arguments).parse();
    if (spec.conversion) convert(out, spec, read, refused, arguments);
    if (out.size() - before > kMostCharacters) break;  // one call prints no more than the buffer holds
  }
  return arguments.count();
}

}  // namespace gpulab::simt
