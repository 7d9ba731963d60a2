#pragma once
// Catch2 as the system has it: v2 (Debian 12) or v3 (Ubuntu 24.04). Tests include this header alone.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::Matches;
using Catch::Matchers::StartsWith;
#else
#include <catch2/catch.hpp>
using Catch::Approx;
using Catch::Matchers::EndsWith;
using Catch::Matchers::Matches;
using Catch::Matchers::StartsWith;
/// v3's name of v2's Contains for strings.
inline auto ContainsSubstring(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif

#include "common/enum_text.h"

/// An enum that has words is shown by them, not by its number.
template <gpulab::SpelledOut E>
struct Catch::StringMaker<E> {
  static std::string convert(E value) { return std::string(gpulab::to_text(value)); }
};
