#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "common/ptx/module.h"

namespace gpulab::ptx {

/// Who sees to it that a module's text lives as long as the module, which points into it.
enum class TextOwner { module, caller };

/// Parses PTX text; `owner` module: it keeps a copy. `name` is for messages. Function bodies for which
/// `wanted(mangled name)` is false are skipped (has_body stays true, instructions stay empty): a module of hundreds of
/// entries loads in milliseconds. It is asked for .func bodies too: refuse entries only, unless you know which
/// functions are called. Throws Error (usage, exit 2): what, "name:line:column", hint.
[[nodiscard]] Module parse(std::string_view text, std::string name,
                           const std::function<bool(std::string_view)>& wanted = {},
                           TextOwner owner = TextOwner::module);

/// Entry names, in order, found by a quick scan that does not parse bodies; views into `text`.
[[nodiscard]] std::vector<std::string_view> entry_names(std::string_view text);

}  // namespace gpulab::ptx
