#pragma once
// The notation of instruction forms, after the PTX manual:
//   add{.sat}.s32 d, a, b          {.sat} may be there
//   fma(.rn,.rz,.rm,.rp){.ftz}.f32 one of (…) must be there, at most one of {.a,.b} may
// Operands after the opcode document; their types come from the row's Meaning.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab::simt {

/// The Mod bits of an opcode's modifiers if the form accepts it. Forms of memory instructions have far too many
/// spellings (cache hints, scopes) to list them.
[[nodiscard]] std::optional<std::uint16_t> match(std::string_view form, std::string_view opcode);

/// The opcode as the form spells it, if it is made of a spelling's modifiers in another order: ptxas takes any
/// ("vote.ballot.sync.b32", "atom.add.release.gpu.u32", "fma.ftz.rn.f32").
[[nodiscard]] std::optional<std::string> in_order_of(std::string_view form, std::string_view opcode);

/// What opcodes of the form end in, after their last dot; none if that may be an optional part.
[[nodiscard]] std::vector<std::string_view> form_endings(std::string_view form);

/// Opcodes that a form accepts, of its optional modifiers those that `optional` keeps. Throws std::logic_error on a
/// malformed form (a bug in a table).
[[nodiscard]] std::vector<std::string> spellings(std::string_view form,
                                                 const std::function<bool(std::string_view)>& optional);

/// Every combination of Mod bits that spellings of the form have.
[[nodiscard]] std::vector<std::uint16_t> mod_sets(std::string_view form);

/// Mod bits of one modifier (".ftz"), 0 if it has none at run time.
[[nodiscard]] std::uint16_t mod_of(std::string_view modifier);

}  // namespace gpulab::simt
