#pragma once
// Any text as a part of an HTML document, whoever wrote it.

#include <string>
#include <string_view>

namespace gpulab::html {

/// For content and for values of attributes in quotes. What is no UTF-8, controls and what changes the direction of
/// writing are shown by their numbers, as visible() shows them on terminals.
[[nodiscard]] std::string escaped(std::string_view text);

/// The same, with what stands in `backquotes` as code.
[[nodiscard]] std::string with_code(std::string_view text);

/// `json` as data of the page: document.getElementById(id).textContent. Nothing in it ends the element.
[[nodiscard]] std::string data_block(std::string_view id, std::string_view json);

/// "rung-shared-strided": of a name, what an id or a file may be called. Never empty.
[[nodiscard]] std::string slug(std::string_view name);

}  // namespace gpulab::html
