#pragma once
// Markdown as the tree's pages use it: headings, paragraphs, lists, tables, code, emphasis, links. No HTML within, no
// images, no references: what looks like them is text.

#include <functional>
#include <string>
#include <string_view>

namespace gpulab {

/// Where a link of the text leads on the page; empty: its words stand without a link.
using LinkTarget = std::function<std::string(std::string_view address)>;

/// Headings have the slugs of their words as ids.
[[nodiscard]] std::string markdown_html(std::string_view text, const LinkTarget& target);

/// A line's own: code, emphasis, links.
[[nodiscard]] std::string markdown_inline(std::string_view text, const LinkTarget& target);

/// The text of the page's first heading, and what stands below it.
struct MarkdownPage {
  std::string title;
  std::string_view rest;
};
[[nodiscard]] MarkdownPage markdown_page(std::string_view text);

}  // namespace gpulab
