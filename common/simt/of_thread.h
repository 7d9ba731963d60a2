#pragma once
// What each thread has one of, on the heap. What is thread_local itself lies in the stack of every thread, also of
// those that a simulated program makes with a stack of 16 KiB and that never launch a kernel.

namespace gpulab::simt {

/// Of a type, a thread's own, made when it first asks. Also one that is asked for while the thread ends, when what is
/// thread_local has gone: it is made anew then.
template <typename T>
class OfThread {
 public:
  [[gnu::always_inline]] static T& one() { return mine_ != nullptr ? *mine_ : make(); }

 private:
  struct Owner {
    ~Owner() {
      delete mine_;
      mine_ = nullptr;
    }
  };
  [[gnu::noinline]] static T& make() {
    static thread_local const Owner owner;  // its end is the thread's
    (void)&owner;
    mine_ = new T;
    return *mine_;
  }
  inline static constinit thread_local T* mine_ = nullptr;
};

}  // namespace gpulab::simt
