#include "common/simt/compiled/ahead/recorder.h"

#include <bit>
#include <map>
#include <string>
#include <type_traits>

namespace gpulab::simt::compiled {

namespace {

/// What this thread records. What LLVM would make is known by its number.
struct Recording {
  Digest digest{};
  std::uint64_t made = 0;
  std::map<std::string, Value, std::less<>> functions;
  Block here = nullptr;

  void note(std::uint64_t x) {
    digest[0] = (digest[0] ^ x) * 0x9e3779b97f4a7c15;
    digest[0] ^= digest[0] >> 32;
    digest[1] = (std::rotl(digest[1], 23) ^ x) * 0xc2b2ae3d27d4eb4f;
    digest[1] ^= digest[1] >> 29;
  }
  void note(std::string_view text) {
    note(text.size());
    for (const char c : text) note(static_cast<unsigned char>(c));
  }
};
thread_local Recording recording;

template <typename T>
T next_made() {
  return reinterpret_cast<T>(++recording.made << 4);
}

/// How many are in the lists of a call: its one number without a sign.
template <typename... A>
unsigned count_of(A... arguments) {
  unsigned count = 0;
  const auto look = [&]<typename T>(T x) {
    if constexpr (std::is_same_v<T, unsigned>) count = x;
  };
  (look(arguments), ...);
  return count;
}

template <typename T>
void note_argument(T x, unsigned count) {
  if constexpr (std::is_integral_v<T>)
    recording.note(static_cast<std::uint64_t>(x));
  else if constexpr (std::is_same_v<T, const char*>)
    recording.note(std::string_view(x));
  else if constexpr (std::is_pointer_v<std::remove_pointer_t<T>>)
    for (unsigned i = 0; i < count; ++i) recording.note(reinterpret_cast<std::uintptr_t>(x[i]));
  else if constexpr (std::is_class_v<std::remove_pointer_t<T>>)
    recording.note(reinterpret_cast<std::uintptr_t>(x));  // what LLVM has made; no address of ours
}

template <std::size_t number, typename R, typename... A>
R recorded_call(A... arguments) {
  recording.note(number);
  (note_argument(arguments, count_of(arguments...)), ...);
  if constexpr (std::is_same_v<R, const char*> || std::is_same_v<R, char*>)
    return nullptr;
  else if constexpr (std::is_pointer_v<R>)
    return next_made<R>();
  else if constexpr (!std::is_void_v<R>)
    return R{};
}

template <std::size_t number, typename R, typename... A>
void record(R (*&function)(A...)) {
  function = recorded_call<number, R, A...>;
}

Module begin_module(const char*, Context) {
  recording = {};
  return next_made<Module>();
}

Value add_function(Module, const char* name, Type type) {
  recording.note(std::string_view(name));
  recording.note(reinterpret_cast<std::uintptr_t>(type));
  return recording.functions[name] = next_made<Value>();
}

Value named_function(Module, const char* name) {
  const auto found = recording.functions.find(std::string_view(name));
  return found == recording.functions.end() ? nullptr : found->second;
}

void position_at_end(Builder, Block block) {
  recording.note(reinterpret_cast<std::uintptr_t>(block));
  recording.here = block;
}

Block insert_block(Builder) { return recording.here; }

Library all_recorded() {
  Library library;
  constexpr std::size_t before = __COUNTER__;
#define GPULAB_LLVM_RECORD(result, name, arguments) record<__COUNTER__ - before>(library.name);
  GPULAB_LLVM_FUNCTIONS(GPULAB_LLVM_RECORD)
#undef GPULAB_LLVM_RECORD
  library.ModuleCreateWithNameInContext = begin_module;
  library.AddFunction = add_function;
  library.GetNamedFunction = named_function;
  library.PositionBuilderAtEnd = position_at_end;
  library.GetInsertBlock = insert_block;
  return library;
}

}  // namespace

const Library& recorder() {
  static const Library library = all_recorded();
  return library;
}

Digest recorded() { return recording.digest; }

}  // namespace gpulab::simt::compiled
