#include "tests/instructions/instruction_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>

#include "tests/folder.h"

namespace gpulab::simt {
namespace {

/// "1 {2, 3} 4|_" -> "1", "{2, 3}", "4|_".
std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  std::string token;
  bool braces = false;
  const auto end_token = [&] {
    if (!token.empty()) tokens.push_back(std::move(token));
    token.clear();
  };
  for (const char c : text) {
    if (c == '{') braces = true;
    if (c == '}') braces = false;
    if ((c == ' ' || c == '\t' || c == ',') && !braces)
      end_token();
    else
      token += c;
  }
  end_token();
  return tokens;
}

std::vector<std::string> elements_of(const std::string& token) {
  if (token.front() != '{') return {token};
  return tokens_of(token.substr(1, token.size() - 2));
}

/// Half precision from a decimal that is one exactly: enough for cases.
std::uint64_t half_bits(double value) {
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const int exponent = static_cast<int>(bits >> 10);
    const double mantissa = (bits & 0x3ff) + (exponent > 0 ? 1024 : 0);
    if (std::ldexp(mantissa, (exponent > 0 ? exponent : 1) - 25) == std::fabs(value))
      return bits | (std::signbit(value) ? 0x8000u : 0u);
  }
  throw std::runtime_error(fmt::format("{} is not a half", value));
}

/// bfloat16 from a decimal that is one exactly.
std::uint64_t bfloat16_bits(const std::string& text, char** end) {
  const auto bits = std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), end));
  if (bits & 0xffff) throw std::runtime_error(text + " is not a bfloat16");
  return bits >> 16;
}

bool is_floating(Kind kind) {
  return kind == Kind::f16 || kind == Kind::bf16 || kind == Kind::f32 || kind == Kind::f64;
}

CaseValue floating_value(std::string text, Kind kind) {
  CaseValue value;
  if (text.front() == '~') {
    value.about = true;
    text.erase(0, 1);
  }
  const bool is_bits = text.rfind("0x", 0) == 0 && text.find('p') == std::string::npos;
  char* end = nullptr;
  if (is_bits) {
    value.bits = std::strtoull(text.c_str(), &end, 16);
  } else if (text == "nan") {
    end = text.data() + text.size();
    value.any_nan = kind == Kind::f64;
    value.bits = width_of(kind) == 16 ? 0x7fff : kind == Kind::f32 ? 0x7fffffff : 0x7ff8000000000000;
  } else if (kind == Kind::f64) {
    value.bits = std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), &end));
  } else if (kind == Kind::f32) {
    value.bits = std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), &end));
  } else if (kind == Kind::bf16) {
    value.bits = bfloat16_bits(text, &end);
  } else {
    const double number = std::strtod(text.c_str(), &end);
    value.bits = std::isinf(number) ? (number > 0 ? 0x7c00 : 0xfc00) : half_bits(number);
  }
  if (end == nullptr || *end != '\0') throw std::runtime_error("malformed value " + text);
  return value;
}

CaseValue value_of(const std::string& text, Kind kind) {
  if (is_floating(kind)) return floating_value(text, kind);
  char* end = nullptr;
  CaseValue value;
  value.bits = text.front() == '-' ? static_cast<std::uint64_t>(std::strtoll(text.c_str(), &end, 0))
                                   : std::strtoull(text.c_str(), &end, 0);
  if (*end != '\0') throw std::runtime_error("malformed value " + text);
  const std::uint64_t high = value.bits & ~width_mask(kind);
  if (high != 0 && text.front() != '-') throw std::runtime_error(text + " does not fit its operand");
  value.bits &= width_mask(kind);
  return value;
}

/// Takes tokens for the operands of one reading of the opcode; false if their shapes do not fit.
class OperandMatch {
 public:
  OperandMatch(std::vector<std::string> inputs, const std::vector<std::string>& outputs, InstructionCase& to)
      : inputs_(std::move(inputs)), to_(to) {
    for (const auto& token : outputs) {
      const auto bar = token.find('|');
      outputs_.push_back(token.substr(0, bar));
      if (bar != std::string::npos) second_ = token.substr(bar + 1);
    }
  }

  bool match(const Row& row) {
    int r = 0;
    for (const auto& operand : row.meaning.operands) {
      if (operand.role == Role::none) break;
      if (!take(operand, r)) return false;
      r += operand.role == Role::immediate ? 0 : operand.vector;
    }
    return next_input_ == inputs_.size() && next_output_ == outputs_.size() && (!second_ || second_taken_);
  }

 private:
  bool take(const OperandType& operand, int r) {
    switch (operand.role) {
      case Role::out:
        return next_output_ < outputs_.size() && fill(to_.outputs, outputs_[next_output_++], operand, r);
      case Role::optional_out:
        second_taken_ = second_.has_value();
        return !second_ || fill(to_.outputs, *second_, operand, r);
      case Role::in:
        return next_input_ < inputs_.size() && fill(to_.inputs, inputs_[next_input_++], operand, r);
      case Role::optional_in:
        return next_input_ == inputs_.size() || fill(to_.inputs, inputs_[next_input_++], operand, r);
      case Role::immediate:
        if (next_input_ == inputs_.size()) return false;
        to_.imm = static_cast<std::int32_t>(value_of(inputs_[next_input_++], Kind::u32).bits);
        return true;
      default:
        return false;
    }
  }
  static bool fill(std::vector<CaseSlot>& slots, const std::string& token, const OperandType& operand, int r) {
    const auto elements = elements_of(token);
    if (elements.size() != operand.vector || (token.front() == '{') != (operand.vector > 1)) return false;
    for (const auto& element : elements) {
      if (element != "_") slots.push_back({r, operand.kind, value_of(element, operand.kind), operand.vector > 1});
      ++r;
    }
    return true;
  }

  std::vector<std::string> inputs_, outputs_;
  std::optional<std::string> second_;
  bool second_taken_ = false;
  std::size_t next_input_ = 0, next_output_ = 0;
  InstructionCase& to_;
};

/// Representable values between two floating-point numbers of the same kind.
std::uint64_t ulps_between(std::uint64_t a, std::uint64_t b, Kind kind) {
  const std::uint64_t sign = std::uint64_t{1} << (width_of(kind) - 1);
  const auto ordered = [&](std::uint64_t x) {
    return x & sign ? -static_cast<std::int64_t>(x & ~sign) : static_cast<std::int64_t>(x);
  };
  const std::int64_t distance = ordered(a) - ordered(b);
  return static_cast<std::uint64_t>(distance < 0 ? -distance : distance);
}

double number_of(std::uint64_t bits, Kind kind) {
  if (kind == Kind::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (kind == Kind::f64) return std::bit_cast<double>(bits);
  if (kind == Kind::bf16) return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double mantissa = static_cast<double>(bits & 0x3ff) + (exponent > 0 ? 1024 : 0);
  const double magnitude = exponent == 31 ? (bits & 0x3ff ? std::nan("") : std::numeric_limits<double>::infinity())
                                          : std::ldexp(mantissa, (exponent > 0 ? exponent : 1) - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

}  // namespace

InstructionCase parse_case(std::string_view line, std::string where, const InstructionSet& set) {
  const auto equals = line.find(" = ");
  if (equals == std::string_view::npos) throw std::runtime_error("no ' = '");
  auto inputs = tokens_of(line.substr(0, equals));
  const auto outputs = tokens_of(line.substr(equals + 3));
  if (inputs.empty()) throw std::runtime_error("no opcode");
  InstructionCase parsed;
  parsed.where = std::move(where);
  parsed.text = line;
  parsed.opcode = inputs.front();
  inputs.erase(inputs.begin());
  const auto entries = set.find(parsed.opcode);
  if (entries.empty()) throw std::runtime_error("unknown instruction " + parsed.opcode);
  for (const auto& entry : entries) {
    parsed.inputs.clear();
    parsed.outputs.clear();
    if (!OperandMatch(inputs, outputs, parsed).match(*entry.row)) continue;
    parsed.row = entry.row;
    parsed.mods = entry.mods;
    const auto ends_in = [&](std::string_view end) {
      return parsed.opcode.size() >= end.size() && parsed.opcode.substr(parsed.opcode.size() - end.size()) == end;
    };
    if (ends_in(".bf16.u8") || ends_in(".bf16.s8")) parsed.inputs.front().own_width = true;
    return parsed;
  }
  throw std::runtime_error("operands do not fit " + parsed.opcode);
}

std::vector<InstructionCase> all_cases(const InstructionSet& set) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(tests::tests_folder() / "ptx"))
    if (entry.path().extension() == ".cases") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<InstructionCase> cases;
  for (const auto& file : files) {
    std::ifstream stream(file);
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
      line.erase(std::min(line.find('#'), line.size()));
      line.erase(line.find_last_not_of(" \t") + 1);
      if (line.empty()) continue;
      auto where = fmt::format("{}:{}", file.filename().string(), number);
      try {
        cases.push_back(parse_case(line, where, set));
      } catch (const std::runtime_error& error) {
        throw std::runtime_error(fmt::format("{}: {}: {}", where, error.what(), line));
      }
    }
  }
  return cases;
}

std::vector<Batch> batches(const InstructionSet& set) {
  std::map<std::string, Batch> by_shape;
  for (auto& one : all_cases(set)) {
    std::string shape = fmt::format("{} {} {}", one.opcode, static_cast<const void*>(one.row), one.imm);
    for (const auto& slots : {one.inputs, one.outputs})
      for (const auto& slot : slots) shape += fmt::format(" {}", slot.r);
    by_shape[shape].push_back(std::move(one));
  }
  std::vector<Batch> list;
  for (auto& [shape, batch] : by_shape) list.push_back(std::move(batch));
  return list;
}

bool agrees(const CaseValue& expected, std::uint64_t bits, Kind kind) {
  bits &= width_mask(kind);
  if (expected.any_nan) return std::isnan(number_of(bits, kind));
  if (expected.about) return ulps_between(expected.bits, bits, kind) <= 2;
  return expected.bits == bits;
}

std::string shown(std::uint64_t bits, Kind kind) {
  bits &= width_mask(kind);
  if (kind == Kind::pred) return bits ? "1" : "0";
  if (is_floating(kind)) return fmt::format("{:#x} ({})", bits, number_of(bits, kind));
  return fmt::format("{:#x}", bits);
}

}  // namespace gpulab::simt
