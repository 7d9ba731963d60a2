#pragma once
// Files that the processes of one program see, and nobody else.

#include <cstdint>
#include <string>

namespace gpulab::cuda_api {

/// The folder that `record`, the run's own file, lies in; of a program that was started bare /dev/shm.
[[nodiscard]] std::string shared_folder(const std::string& record);

/// What a handle of 64 bytes says: who made it, and the how-manieth it was there.
struct SharedName {
  std::uint32_t process = 0, number = 0;
  [[nodiscard]] std::string file_in(const std::string& folder) const;
};
/// `kind` is told apart: memory, events.
void write_handle(void* handle, char kind, const SharedName& name);
/// False: it is none of ours, or of another kind.
[[nodiscard]] bool read_handle(const void* handle, char kind, SharedName& name);

/// This process is a copy of another that had called CUDA, and has started no program since. `copied`: it is one now.
bool is_copy_of_process(bool copied = false);

/// A new file, for this user alone; -1: there can be none (errno).
[[nodiscard]] int make_shared_file(const std::string& path);
/// One of this user's that is there, and its size; -1: there is none.
[[nodiscard]] int open_shared_file(const std::string& path, std::uint64_t& bytes);

}  // namespace gpulab::cuda_api
