#include "common/cuda_api/runtime/host/python_lines.h"

#include <dlfcn.h>

#include <string_view>

namespace gpulab::cuda_api {
namespace {

/// What is asked of the interpreter, by the names of its stable interface.
struct Python {
  int (*is_initialized)();
  int (*is_finalizing)();  ///< null in old ones
  void* (*thread)();       ///< null: the calling thread is none of Python's
  int (*lock)();
  void (*unlock)(int);
  void* (*frame)();
  void* (*code_of)(void* frame);
  void* (*caller_of)(void* frame);
  int (*line_of)(void* frame);
  void* (*attribute)(void* object, const char* name);
  const char* (*text_of)(void* object);
  void (*clear_error)();
  void (*release)(void* object);
};

template <typename Function>
bool take(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

/// Null: the process is none of Python's.
const Python* python() {
  static Python api{};
  static const bool is_there = [] {
    if (!take(api.is_finalizing, "Py_IsFinalizing")) (void)take(api.is_finalizing, "_Py_IsFinalizing");
    return take(api.is_initialized, "Py_IsInitialized") && take(api.lock, "PyGILState_Ensure") &&
           take(api.thread, "PyGILState_GetThisThreadState") && take(api.unlock, "PyGILState_Release") &&
           take(api.frame, "PyEval_GetFrame") && take(api.code_of, "PyFrame_GetCode") &&
           take(api.caller_of, "PyFrame_GetBack") && take(api.line_of, "PyFrame_GetLineNumber") &&
           take(api.attribute, "PyObject_GetAttrString") && take(api.text_of, "PyUnicode_AsUTF8") &&
           take(api.clear_error, "PyErr_Clear") && take(api.release, "Py_DecRef");
  }();
  return is_there ? &api : nullptr;
}

std::string& line() {
  thread_local auto* const mine = new std::string;  // programs call us while they end
  return *mine;
}

int& depth() {
  thread_local int calls = 0;
  return calls;
}

/// A package's file, or none.
bool is_of_package(std::string_view file) {
  for (const std::string_view part : {"site-packages/", "dist-packages/", "/lib/python3", "<frozen", "<string>"})
    if (file.find(part) != std::string_view::npos) return true;
  return file.empty();
}

std::string file_of(const Python& api, void* frame) {
  void* const code = api.code_of(frame);
  void* const name = code == nullptr ? nullptr : api.attribute(code, "co_filename");
  const char* const text = name == nullptr ? nullptr : api.text_of(name);
  std::string file = text == nullptr ? "" : text;
  if (text == nullptr) api.clear_error();
  if (name != nullptr) api.release(name);
  if (code != nullptr) api.release(code);
  return file;
}

/// The innermost line that no package has; the outermost of all where each has one.
std::string line_from(const Python& api) {
  constexpr int most_frames = 200;
  std::string found;
  void* frame = api.frame();  // borrowed
  for (int i = 0; i < most_frames && frame != nullptr; ++i) {
    const std::string file = file_of(api, frame);
    if (!file.empty()) found = file + ":" + std::to_string(api.line_of(frame));
    const bool is_it = !is_of_package(file);
    void* const caller = is_it ? nullptr : api.caller_of(frame);
    if (i > 0) api.release(frame);
    frame = caller;
  }
  return found;
}

}  // namespace

LookAtPython::LookAtPython() {
  if (depth()++ > 0) return;
  const Python* const api = python();
  if (api == nullptr || api->is_initialized() == 0 || api->thread() == nullptr) return;
  if (api->is_finalizing != nullptr && api->is_finalizing() != 0) return;
  const int state = api->lock();
  line() = line_from(*api);
  api->unlock(state);
}

LookAtPython::~LookAtPython() { --depth(); }

const std::string& python_line() { return line(); }

}  // namespace gpulab::cuda_api
