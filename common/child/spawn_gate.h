#pragma once
// Before a process or thread of a confined child starts another it asks us (seccomp_unotify(2)): who starts others
// without end then waits for our answers, and cannot take the machine before anybody has looked.

#include <functional>

namespace gpulab {

/// Can this kernel let a call wait for an answer, and go on after it (Linux 5.7)?
[[nodiscard]] bool has_spawn_gate();

class SpawnGate {
 public:
  /// Takes the descriptor that start_child gave; -1: nobody asks.
  explicit SpawnGate(int descriptor) : descriptor_(descriptor) {}
  ~SpawnGate();
  SpawnGate(const SpawnGate&) = delete;
  SpawnGate& operator=(const SpawnGate&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }  ///< to be polled: somebody asks
  /// Answers those who wait, a few at once; `may` is called for each. Who may not gets no answer, and waits until it is
  /// ended: with one it could end by itself before, and say something else.
  void answer(const std::function<bool()>& may) const;

 private:
  int descriptor_;
};

}  // namespace gpulab
