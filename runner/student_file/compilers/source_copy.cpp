#include "runner/student_file/compilers/source_copy.h"

#include <fmt/format.h>

#include <cctype>
#include <fstream>

#include "common/text.h"
#include "runner/student_file/compilers/messages.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// Characters that mean nothing to a shell, to C++ or to ptxas between quotes; bytes of UTF-8 among them.
std::string harmless(const std::string& name) {
  std::string made = name;
  for (char& c : made) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte) == 0 &&
        std::string_view("/._-+=@%, ()[]{}~#:").find(c) == std::string_view::npos)
      c = '_';
  }
  return made;
}

std::string folder_of(const std::string& file) {
  const fs::path typed(file);
  if (!typed.has_parent_path()) return {};
  const auto folder = typed.parent_path().string();
  return folder == "/" ? folder : folder + '/';
}

}  // namespace

SourceCopy::SourceCopy(const CompileRequest& request, const fs::path& folder)
    : folder_(fs::canonical(folder)),
      instance_(!request.instance.empty()),
      typed_(request.file),
      harmless_(harmless(request.file)),
      typed_folder_(folder_of(request.file)) {
  const auto main = fs::absolute(request.file).lexically_normal();
  const auto amended = request.amended.find(main.string());
  std::string_view source = amended == request.amended.end() ? request.source : amended->second;
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (source.starts_with(byte_order_mark)) source.remove_prefix(byte_order_mark.size());
  std::ofstream(folder_ / "source.cu", std::ios::binary) << fmt::format("#line 1 \"{}\"\n", harmless_) << source;
  if (instance_) {
    std::ofstream file(folder_ / "instance.cu", std::ios::binary);
    file << fmt::format("#include \"source.cu\"\n#line 1 \"{}\"\ntemplate <auto kernel> struct GpulabInstance {{}};",
                        instance_name);
    for (const auto& one : split(request.instance, '\n'))
      file << fmt::format(" template struct GpulabInstance<{}>;", one);
    file << '\n';
  }
  if (request.isolation.alone) return;
  own_folder_ = main.parent_path();
  neighbours_ = {link_name};
  fs::create_directory_symlink(own_folder_, folder_ / link_name);
  write_amended_headers(request);
}

/// Each lies from the copy as the header lies from the file, where an #include of its name finds it first.
void SourceCopy::write_amended_headers(const CompileRequest& request) {
  for (const auto& [path, text] : request.amended) {
    const auto relative = fs::path(path).lexically_relative(own_folder_);
    if (path == fs::absolute(typed_).lexically_normal()) continue;
    if (relative.empty() || *relative.begin() == "..") continue;  // it would be written outside of the folder
    fs::create_directories((folder_ / relative).parent_path());
    std::ofstream(folder_ / relative, std::ios::binary)
        << fmt::format("#line 1 \"{}/{}\"\n", link_name, relative.string()) << text;
    if (relative.has_parent_path()) neighbours_.push_back((fs::path(link_name) / relative.parent_path()).string());
  }
}

void SourceCopy::give_names_back(std::string& text) const {
  replace_all(text, folder_.string() + '/', "");
  if (!neighbours_.empty()) replace_all(text, std::string(link_name) + '/', typed_folder_);
  // A directive of PTX has no way to write a quote.
  if (harmless_ != typed_ && typed_.find_first_of("\"\\\n") == std::string::npos) replace_all(text, harmless_, typed_);
}

std::string SourceCopy::messages(std::string log) const {
  replace_all(log, "compilation of \"source.cu\"", fmt::format("compilation of \"{}\"", typed_));
  give_names_back(log);
  return without_controls(log);
}

std::string SourceCopy::ptx(const std::string& text) const {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.size(), text.find('\n', at) + 1);
    auto line = text.substr(at, (end == 0 ? text.size() : end) - at);
    at += line.size();
    if (line.find(".file") != std::string::npos) give_names_back(line);
    out += line;
  }
  return out;
}

}  // namespace gpulab
