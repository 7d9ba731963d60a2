#include "runner/student_file/compile_options.h"

namespace gpulab {

std::vector<std::string> CompileOptions::words() const {
  std::vector<std::string> words{"-std=" + standard};
  if (relocatable) words.emplace_back("-rdc=true");
  // Line information comes with -G by itself.
  words.emplace_back(debug ? "-G" : "-lineinfo");
  for (const auto& [flag, path] : places) words.push_back(flag + '=' + path);
  words.insert(words.end(), further.begin(), further.end());
  return words;
}

}  // namespace gpulab
