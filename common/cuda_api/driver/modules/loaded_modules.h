#pragma once
// What a program has loaded itself: CUmodule and CUlibrary, which are the same here, and the functions that it has
// asked them for. A CUfunction, a CUkernel and a cudaKernel_t are the address of a FunctionEntry. Under the session's
// lock.

#include <cuda.h>

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/cuda_api/driver/modules/jit_options.h"
#include "common/cuda_api/runtime/session.h"
#include "common/error.h"

namespace gpulab::cuda_api {

struct LoadedModule {
  std::size_t number = 0;            ///< in Session::modules
  std::uint64_t context = 0;         ///< it ends with that
  std::vector<std::string> kernels;  ///< mangled, in the order of the text
  std::set<std::string> managed;     ///< its variables that the host may touch
};

/// Null where there is none, or it has been unloaded.
[[nodiscard]] LoadedModule* loaded_module(const void* handle);
/// The one that a function is of; null where it is a program's own.
[[nodiscard]] const void* module_handle_of(const FunctionEntry& function);

/// PTX, or a fat binary that holds it, at an address that the program gives. `handle` becomes a CUmodule or CUlibrary.
cudaError_t load_image(Session& session, const void* image, const JitOptions& jit, void** handle, void* caller);
/// The same of a file.
cudaError_t load_file(Session& session, const char* path, const JitOptions& jit, void** handle, void* caller);
/// PTX that is all there, of a name that messages use.
cudaError_t load_text(Session& session, std::string name, std::string ptx, const JitOptions& jit, void** handle);
cudaError_t unload(Session& session, const void* handle);
void unload_modules_of(Session& session, std::uint64_t context);

/// A kernel of a module by its mangled name.
cudaError_t find_function(Session& session, const void* module, const char* name, FunctionEntry** function);
/// A variable.
cudaError_t find_global(Session& session, const void* module, const char* name, CUdeviceptr* address,
                        std::size_t* bytes);

/// PTX that a program gives to load or to link: what lies there, whatever it is packed in. Nothing, and the error,
/// where there is none. `bytes`: 0 where only what lies there says its length.
struct GivenPtx {
  std::string name, text;
};
cudaError_t take_ptx(Session& session, const void* image, std::size_t bytes, GivenPtx& ptx, void* caller);
/// Why it cannot be compiled: to whoever asked for the compiler's words, and to the session. Returns the error.
cudaError_t tell_wrong_ptx(Session& session, const Error& error, std::initializer_list<const JitOptions*> logs);
/// The file's bytes; cudaErrorFileNotFound.
cudaError_t read_given_file(Session& session, const char* path, std::string& bytes);

}  // namespace gpulab::cuda_api
