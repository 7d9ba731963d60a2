#pragma once
// Template kernels of a source text, which a compiler leaves out until somebody names their arguments.

#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

struct TemplateKernel {
  std::string name;  ///< with its namespaces: "mine::total"
  /// Of each parameter without a default: "typename", or its type: "int".
  std::vector<std::string> parameters;
  std::size_t arguments = 0;  ///< of the function
};

/// "total<float, 256>": arguments that a kernel of that kind most often has.
[[nodiscard]] std::string instance_of(const TemplateKernel& kernel);

/// `code`: code_only() of a file. What is not understood is left out.
[[nodiscard]] std::vector<TemplateKernel> template_kernels(std::string_view code);

}  // namespace gpulab
