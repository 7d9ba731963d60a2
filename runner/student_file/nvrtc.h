#pragma once
// NVRTC, NVIDIA's compiler as a library, loaded at run time: for machines without nvcc. It compiles device code alone.

#include <string>
#include <vector>

namespace gpulab {

class Nvrtc {
 public:
  /// Loads the library. Throws Error (missing).
  explicit Nvrtc(const std::string& library);
  ~Nvrtc();
  Nvrtc(const Nvrtc&) = delete;
  Nvrtc& operator=(const Nvrtc&) = delete;

  [[nodiscard]] std::string version() const;  ///< "13.0"
  /// The newest architecture up to `wanted` (90 for 9.0) that it compiles for; its oldest where all are newer.
  [[nodiscard]] int architecture(int wanted) const;

  struct Outcome {
    bool succeeded = false;
    std::string ptx, log;
  };
  /// `name` stands for the file in messages and line information. `instance`: an instance of a template to compile,
  /// "scale<float>"; empty: none.
  [[nodiscard]] Outcome compile(const std::string& source, const std::string& name, const std::string& instance,
                                const std::vector<std::string>& options) const;
  /// Where the library was found, as the loader has it.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  struct Api;
  void* library_ = nullptr;
  std::string path_;
  Api* api_ = nullptr;
};

}  // namespace gpulab
