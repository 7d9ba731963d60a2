#pragma once
// The notation of instruction forms, after the PTX manual:
//   add{.sat}.s32 d, a, b          {.sat} may be there
//   fma(.rn,.rz,.rm,.rp){.ftz}.f32 one of (…) must be there, at most one of {.a,.b} may
// Operands after the opcode document; their types come from the row's Meaning.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab::simt {

struct Spelling {
  std::string opcode;      ///< "fma.rm.ftz.f32"
  std::uint16_t mods = 0;  ///< Mod bits of its modifiers
};

/// Every opcode that a form accepts, at most `at_most` of them (a load's modifiers multiply to thousands).
/// Throws std::logic_error on a malformed form (a bug in a table).
[[nodiscard]] std::vector<Spelling> spellings(std::string_view form, std::size_t at_most = 4096);

/// Whether a form accepts `opcode`, and with which Mod bits.
[[nodiscard]] std::optional<std::uint16_t> match(std::string_view form, std::string_view opcode);

/// Mod bits of one modifier (".ftz"), 0 if it has none at run time.
[[nodiscard]] std::uint16_t mod_of(std::string_view modifier);

}  // namespace gpulab::simt
