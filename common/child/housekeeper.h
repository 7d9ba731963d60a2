#pragma once
// Whoever starts processes and makes temporary folders may be killed before it can end and remove them. The housekeeper
// is a small process beside it that is told of both, and does it then: also after SIGKILL. It ends with its owner.

#include <string>
#include <string_view>

namespace gpulab {

class Housekeeper {
 public:
  /// The one of this process, started now if it is not there yet. Without one (no process can be made) all is as
  /// before, but for what a SIGKILL leaves.
  static Housekeeper& instance();
  [[nodiscard]] static bool is_there();  ///< has instance() been asked for?

  Housekeeper(const Housekeeper&) = delete;
  Housekeeper& operator=(const Housekeeper&) = delete;

  void remember_path(const std::string& path) const { say('F', path); }  ///< a file, or a folder with all in it
  void forget_path(const std::string& path) const { say('f', path); }
  void forget_group(int group) const;
  /// For a child to announce its own process group before it becomes another program; -1: there is no housekeeper. The
  /// words are "G" and the number.
  [[nodiscard]] int socket() const { return socket_; }

 private:
  Housekeeper();
  void say(char what, std::string_view of) const;

  int socket_ = -1;
};

}  // namespace gpulab
