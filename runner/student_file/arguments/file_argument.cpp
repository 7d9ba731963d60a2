#include "runner/student_file/arguments/file_argument.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <type_traits>

#include "common/error.h"
#include "common/scalar.h"
#include "common/text.h"
#include "runner/options/sizes.h"
#include "runner/student_file/arguments/texture_argument.h"

namespace gpulab {
namespace {

constexpr const char* forms = "a buffer is x:f32[1024]=iota, a scalar n:i32=1024";
constexpr const char* struct_forms =
    "a struct is p:bytes[12]={1,2.5,3}, p:bytes[12]={f32 1,f32 2.5,i32 3}, or p:bytes[12]=@FILE";
constexpr const char* types = "types: u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64";
constexpr std::size_t most_struct = 32764;  ///< bytes: all parameters of a kernel together have no more
const std::vector<std::string> fills{"zeros", "ones", "iota", "random", "none"};

/// Of a text of an option.
struct Refusal {
  std::string_view option;
  [[noreturn]] void operator()(std::string_view text, std::string_view why, std::string hint = forms) const {
    throw usage_error(fmt::format("{}: '{}' {}", option, text, why), std::move(hint));
  }
};

std::string culprit(const FileArgument& spec) { return fmt::format("{} {}", spec.option, spec.name); }

/// A 16-bit floating-point number as it is stored: bits of the fraction, the exponent of the smallest normal number.
template <int fraction_bits, int least_exponent>
struct Short {
  std::uint16_t bits = 0;

  /// Rounds to nearest, ties to even: the value is written as an integer number of the steps that its exponent has.
  static Short nearest(double value) {
    constexpr std::uint32_t infinity = (0x7fffU >> fraction_bits) << fraction_bits;
    if (std::isnan(value)) return {0x7fff};
    const std::uint32_t sign = std::signbit(value) ? 0x8000 : 0;
    const double magnitude = std::abs(value);
    if (std::isinf(magnitude)) return {static_cast<std::uint16_t>(sign | infinity)};
    const int exponent = magnitude == 0 ? least_exponent : std::max(std::ilogb(magnitude), least_exponent);
    if (exponent > 1 - least_exponent) return {static_cast<std::uint16_t>(sign | infinity)};
    // Subnormals have the steps of the smallest exponent; a carry out of the fraction raises the exponent by itself, up
    // to infinity.
    const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, fraction_bits - exponent)));
    return {static_cast<std::uint16_t>(
        sign | ((static_cast<std::uint32_t>(exponent - least_exponent) << fraction_bits) + steps))};
  }
};
using Half = Short<10, -14>;  ///< IEEE binary16
using Bfloat16 = Short<7, -126>;
template <typename T>
constexpr bool is_short = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>;

/// Calls `visit` with a value of the C++ type that holds `type`.
template <typename Visit>
auto with_type(Scalar type, const Visit& visit) {
  switch (type) {
    case Scalar::u8:
      return visit(std::uint8_t{});
    case Scalar::i8:
      return visit(std::int8_t{});
    case Scalar::u16:
      return visit(std::uint16_t{});
    case Scalar::i16:
      return visit(std::int16_t{});
    case Scalar::u32:
      return visit(std::uint32_t{});
    case Scalar::i32:
      return visit(std::int32_t{});
    case Scalar::u64:
      return visit(std::uint64_t{});
    case Scalar::i64:
      return visit(std::int64_t{});
    case Scalar::f16:
      return visit(Half{});
    case Scalar::bf16:
      return visit(Bfloat16{});
    case Scalar::f32:
      return visit(float{});
    case Scalar::f64:
      return visit(double{});
  }
  throw std::logic_error("unknown scalar type");
}

/// A whole text as a number of T: decimal, 0x… for integers; nothing where it is none or does not fit.
template <typename T>
std::optional<T> number(std::string_view text) {
  if constexpr (is_short<T>) {
    const auto value = number<double>(text);
    return value ? std::optional(T::nearest(*value)) : std::nullopt;
  } else {
    T value{};
    int base = 10;
    const bool negative = text.starts_with('-');
    if (std::is_integral_v<T> && text.starts_with("0x")) {
      base = 16;
      text.remove_prefix(2);
    }
    std::from_chars_result end{};
    if constexpr (std::is_integral_v<T>) {
      end = std::from_chars(text.data(), text.data() + text.size(), value, base);
    } else {
      end = std::from_chars(text.data(), text.data() + text.size(), value);
    }
    const bool whole = !text.empty() && end.ptr == text.data() + text.size() && end.ec == std::errc{};
    return whole && !(negative && std::is_unsigned_v<T>) ? std::optional(value) : std::nullopt;
  }
}

/// A number, or for integers a size ("2^20", "1Mi").
template <typename T>
T value_of(const FileArgument& spec) {
  if (const auto value = number<T>(spec.value)) return *value;
  if constexpr (std::is_integral_v<T>) {
    if (spec.value.find_first_of("^kKMGT") != std::string::npos) {
      const auto size = parse_size(spec.value, culprit(spec));
      if (std::cmp_less_equal(size, std::numeric_limits<T>::max())) return static_cast<T>(size);
    }
  }
  const auto otherwise =
      spec.count ? fmt::format("a number, or {}, {{1,2,3}}, or @FILE", join(fills)) : std::string("a number");
  throw usage_error(fmt::format("{}: '{}' is no value of {}", culprit(spec), spec.value, name_of(spec.type)),
                    spec.count ? did_you_mean(spec.value, fills, otherwise) : otherwise);
}

template <typename T>
T converted(std::size_t index) {
  if constexpr (is_short<T>) {
    return T::nearest(static_cast<double>(index));
  } else {
    return static_cast<T>(index);  // integers wrap
  }
}

/// That the file is there and has the buffer's size.
void check_file(const FileArgument& spec) {
  namespace fs = std::filesystem;
  const auto path = spec.value.substr(1);
  const auto wanted = *spec.count * size_of(spec.type);
  std::error_code failed;
  if (!fs::exists(path, failed)) throw usage_error(fmt::format("{}: there is no file '{}'", culprit(spec), path));
  if (!fs::is_regular_file(path, failed)) throw usage_error(fmt::format("{}: '{}' is not a file", culprit(spec), path));
  const auto size = fs::file_size(path, failed);
  if (size != wanted) {
    const auto hint = size % size_of(spec.type) == 0 ? fmt::format("for the whole file: {}:{}[{}]=@{}", spec.name,
                                                                   name_of(spec.type), size / size_of(spec.type), path)
                                                     : fmt::format("its size is no multiple of {}, the bytes of {}",
                                                                   size_of(spec.type), name_of(spec.type));
    throw usage_error(fmt::format("{}: '{}' has {} bytes, {}[{}] has {}", culprit(spec), path, size, name_of(spec.type),
                                  *spec.count, wanted),
                      hint);
  }
}

std::vector<std::byte> file_bytes(const FileArgument& spec) {
  check_file(spec);
  std::vector<std::byte> bytes(*spec.count * size_of(spec.type));
  std::ifstream file(spec.value.substr(1), std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw usage_error(fmt::format("{}: '{}' cannot be read", culprit(spec), spec.value.substr(1)));
  return bytes;
}

/// "1", "2.5", "f32 3" of "{1, {2.5, f32 3}}": braces within are those of nested structs and arrays, which lie one
/// behind the other.
std::vector<std::string> list_items(const FileArgument& spec) {
  if (spec.value.size() < 2 || !spec.value.ends_with('}'))
    throw usage_error(fmt::format("{}: '{}' has no '}}' at its end", culprit(spec), spec.value));
  std::string flat;
  for (const char c : spec.value)
    if (c != '{' && c != '}') flat += c;
  std::vector<std::string> items;
  for (const auto& item : split(flat, ',')) {
    const auto first = item.find_first_not_of(" \t\n"), last = item.find_last_not_of(" \t\n");
    if (first != std::string::npos) items.push_back(item.substr(first, last - first + 1));
  }
  return items;
}

/// One value of a list, as it is stored.
std::vector<std::byte> element_bytes(const FileArgument& list, Scalar type, const std::string& value) {
  auto spec = list;
  spec.type = type;
  spec.count.reset();
  spec.value = value;
  return with_type(type, [&]<typename T>(T) {
    const T made = value_of<T>(spec);
    std::vector<std::byte> bytes(sizeof(T));
    std::memcpy(bytes.data(), &made, sizeof(T));
    return bytes;
  });
}

/// {1,2,3}: as in C++, elements that are not named are zero.
std::vector<std::byte> list_bytes(const FileArgument& spec) {
  const auto items = list_items(spec);
  if (items.size() > *spec.count)
    throw usage_error(
        fmt::format("{}: {} for {}", culprit(spec), plural(items.size(), "value"), plural(*spec.count, "element")));
  std::vector<std::byte> bytes(*spec.count * size_of(spec.type));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto element = element_bytes(spec, spec.type, items[i]);
    std::copy(element.begin(), element.end(), bytes.begin() + static_cast<std::ptrdiff_t>(i * element.size()));
  }
  return bytes;
}

/// "0x0000803f": bytes in the order of their addresses.
std::vector<std::byte> hex_bytes(const FileArgument& spec) {
  std::vector<std::byte> bytes;
  const auto digits = std::string_view(spec.value).substr(2);
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    unsigned value = 0;
    const auto end = std::from_chars(digits.data() + at, digits.data() + at + 2, value, 16);
    if (end.ptr != digits.data() + at + 2) break;
    bytes.push_back(static_cast<std::byte>(value));
  }
  if (digits.size() != 2 * *spec.count || bytes.size() != *spec.count)
    throw usage_error(fmt::format("{}: '{}' is not {} of two hexadecimal digits each", culprit(spec), spec.value,
                                  plural(*spec.count, "byte")));
  return bytes;
}

/// "f32 1" -> f32, "1". Nothing where no type stands before the value.
std::optional<std::pair<Scalar, std::string>> typed(const std::string& item) {
  const auto blank = item.find_last_of(" \t");
  if (blank == std::string::npos) return std::nullopt;
  const auto type = scalar_named(item.substr(0, item.find_last_not_of(" \t", blank) + 1));
  return type ? std::optional(std::pair(*type, item.substr(blank + 1))) : std::nullopt;
}

std::vector<std::byte> struct_list_bytes(const FileArgument& spec, const StructLayout* known) {
  const auto items = list_items(spec);
  std::vector<std::string> values;
  StructLayout named;
  for (const auto& item : items) {
    const auto value = typed(item);
    if (value) named.add(value->first);
    values.push_back(value ? value->second : item);
  }
  named.finish();
  const bool all_named = named.members.size() == items.size();
  if (!all_named && !named.members.empty())
    throw usage_error(fmt::format("{}: a list names the type of each value, or of none", culprit(spec)), struct_forms);
  const auto* layout = all_named ? &named : known;
  if (layout == nullptr || (!all_named && layout->bytes != *spec.count))
    throw usage_error(fmt::format("{}: where the members lie is not known", culprit(spec)),
                      fmt::format("name their types: {}:bytes[{}]={{f32 1,i32 2}}", spec.name, *spec.count));
  if (items.size() > layout->members.size() || named.bytes > *spec.count)
    throw usage_error(fmt::format("{}: {} for {} ({})", culprit(spec), plural(items.size(), "value"),
                                  plural(known != nullptr ? known->members.size() : 0, "member"),
                                  plural(*spec.count, "byte")));
  std::vector<std::byte> bytes(*spec.count);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& member = layout->members[i];
    const auto element = element_bytes(spec, member.type, values[i]);
    std::copy(element.begin(), element.end(), bytes.begin() + static_cast<std::ptrdiff_t>(member.offset));
  }
  return bytes;
}

}  // namespace

std::vector<std::byte> struct_bytes(const FileArgument& spec, const StructLayout* layout) {
  if (spec.value == "zeros") return std::vector<std::byte>(*spec.count);
  if (spec.value.starts_with('@')) return file_bytes(spec);
  if (spec.value.starts_with("0x")) return hex_bytes(spec);
  if (spec.value.starts_with('{')) return struct_list_bytes(spec, layout);
  throw usage_error(fmt::format("{}: '{}' is no value of a struct", culprit(spec), spec.value), struct_forms);
}

std::string with_bytes(const FileArgument& spec, std::span<const std::byte> bytes) {
  std::string text = fmt::format("{}:bytes[{}]=0x", spec.name, bytes.size());
  for (const auto byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

namespace {

/// The colon between name and type: not one of "ns::factors".
std::size_t type_colon(std::string_view text) {
  auto colon = text.find(':');
  while (colon != std::string_view::npos && text.substr(colon).starts_with("::")) colon = text.find(':', colon + 2);
  return colon;
}

}  // namespace

FileArgument parse_argument(std::string_view text, std::string_view option) {
  const Refusal refuse{option};
  const auto colon = type_colon(text), equals = text.find('=');
  if (colon == std::string_view::npos || colon == 0 || (equals != std::string_view::npos && equals < colon))
    refuse(text, "has no name and type");
  if (equals == std::string_view::npos) refuse(text, "has no value");
  FileArgument spec;
  spec.option = option;
  spec.name = text.substr(0, colon);
  spec.value = text.substr(equals + 1);
  auto type = text.substr(colon + 1, equals - colon - 1);
  std::string element;
  if (names_texture(type)) {
    if (option != "--arg") refuse(text, "is a texture: kernels get these as arguments");
    const auto texels = parse_texture(type, culprit(spec));
    spec.texture = texels.argument;
    spec.count = std::size_t{texels.argument.channels};
    for (const auto extent : texels.argument.extent) *spec.count *= extent;
    type = element = texels.element;
  } else if (const auto open = type.find('['); open != std::string_view::npos) {
    if (!type.ends_with(']')) refuse(text, "has no ']' behind its count");
    const auto count = type.substr(open + 1, type.size() - open - 2);
    spec.count = static_cast<std::size_t>(parse_size(count, culprit(spec)));
    type = type.substr(0, open);
  }
  spec.by_value = type == "bytes";
  if (spec.by_value && !spec.count) refuse(text, "has no size", struct_forms);
  const auto known = spec.by_value ? Scalar::u8 : scalar_named(type);
  if (!known) refuse(text, fmt::format("is of no known type: '{}'", type), types);
  spec.type = *known;
  if (spec.value.empty()) refuse(text, "has no value");
  constexpr std::size_t most = std::size_t{1} << 46;  // beyond the memory of every GPU and host
  if (spec.count.value_or(0) > most / size_of(spec.type)) refuse(text, "is larger than any memory");
  if (spec.by_value && *spec.count > most_struct)
    refuse(text, "is larger than all parameters of a kernel", struct_forms);
  return spec;
}

const FileArgument& find_buffer(std::string_view name, const std::vector<FileArgument>& arguments,
                                std::string_view option) {
  std::vector<std::string> names;
  for (const auto& spec : arguments) {
    if (!spec.count || spec.by_value) continue;
    if (spec.name == name) return spec;
    names.push_back(spec.name);
  }
  throw usage_error(fmt::format("{}: no buffer is named '{}'", option, name),
                    did_you_mean(name, names, names.empty() ? "" : "buffers: " + join(names)));
}

void check_value(const FileArgument& spec) {
  if (spec.by_value) {
    // A list is read when the struct is known.
    if (!spec.value.starts_with('{')) (void)struct_bytes(spec, nullptr);
  } else if (!spec.count) {
    (void)scalar_argument(spec);
  } else if (spec.value.starts_with('{')) {
    (void)list_bytes(spec);
  } else if (spec.value.starts_with('@')) {
    check_file(spec);
  } else {
    auto one = spec;
    one.count = 1;
    (void)initial_bytes(one, 0, 0);
  }
}

std::vector<std::byte> initial_bytes(const FileArgument& spec, std::uint64_t seed, std::uint64_t stream) {
  if (spec.value == "none") return {};
  if (spec.value.starts_with('@')) return file_bytes(spec);
  if (spec.value.starts_with('{')) return list_bytes(spec);
  if (spec.value == "random") {
    const double high = is_floating(spec.type) ? 1 : 100;
    return random_values(spec.type, *spec.count, seed, -high, high, stream);
  }
  return with_type(spec.type, [&]<typename T>(T) {
    std::vector<std::byte> bytes(*spec.count * sizeof(T));
    const auto put = [&](const auto& element) {
      for (std::size_t i = 0; i < *spec.count; ++i) {
        const T value = element(i);
        std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
      }
    };
    if (spec.value == "zeros") return bytes;
    if (spec.value == "iota") {
      put([](std::size_t i) { return converted<T>(i); });
    } else {
      const T value = spec.value == "ones" ? converted<T>(1) : value_of<T>(spec);
      put([&](std::size_t) { return value; });
    }
    return bytes;
  });
}

Argument scalar_argument(const FileArgument& spec) {
  if (spec.by_value) return BytesArgument{struct_bytes(spec, nullptr)};
  return with_type(spec.type, [&]<typename T>(T) -> Argument {
    const T value = value_of<T>(spec);
    // A kernel receives bytes, so that a short type may travel as the unsigned integer of its size.
    if constexpr (is_short<T>) {
      return value.bits;
    } else if constexpr (sizeof(T) < 4) {
      return static_cast<std::make_unsigned_t<T>>(value);
    } else {
      return value;
    }
  });
}

}  // namespace gpulab
