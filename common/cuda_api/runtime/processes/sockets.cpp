// Sockets, which a confined program has none of but connected pairs: one that asks for another is told how it gets it.
// NVIDIA's samples hand descriptors of memory to processes by sockets with names.

#include <dlfcn.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>

#include "common/cuda_api/runtime/session.h"

using namespace gpulab::cuda_api;

extern "C" {

[[gnu::used]] int gpulab_socket(int domain, int type, int protocol) {
  static const auto next = reinterpret_cast<decltype(&socket)>(dlsym(RTLD_NEXT, "socket"));
  const int made = next(domain, type, protocol);
  const int error = errno;
  if (made < 0 && error == EACCES && domain == AF_UNIX && std::getenv(kOptionsVariable) != nullptr) {
    Session& session = Session::instance();
    const std::lock_guard lock(session.mutex);
    session.note(
        "socket: a confined program has pairs of connected sockets (socketpair), and no others; "
        "--no-isolation gives it the machine's");
    errno = error;
  }
  return made;
}

}  // extern "C"
__asm__(".symver gpulab_socket, socket@@");
