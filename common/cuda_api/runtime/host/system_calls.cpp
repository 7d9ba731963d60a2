// Functions of the C library that have the kernel read or write the program's memory: on a page that is closed
// (managed_watch.h) a system call does not fault, it fails. So the program gets these instead, which open what will be
// touched, call the C library's, and tell what was touched too early, by the bytes that came or went. Memory of the
// device's stays open while a call has it, whatever other threads launch.
//
// They stand in front of the C library's because `gpulab exec` preloads this library; their names have no version (@@
// with nothing behind), as those of all versions. Other memory costs a look at its address.

#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <string_view>

#include "common/cuda_api/runtime/host/clock/timed_waits.h"
#include "common/cuda_api/runtime/session.h"

using namespace gpulab::cuda_api;

namespace {

/// Around one call: what it may touch, then what it did. Programs write files byte by byte: memory that is nobody's
/// costs two comparisons, without a thing to build or to destroy.
class Transfer {
 public:
  Transfer(const char* tried, void* caller) : tried_(tried), caller_(caller) {}
  [[gnu::always_inline]] ~Transfer() {
    if (touched_ != nullptr) give_back();
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  [[gnu::always_inline]] void open(const void* memory, std::size_t bytes) {
    if (ManagedWatch::may_be_closed(reinterpret_cast<std::uint64_t>(memory), bytes)) lend(memory, bytes);
    before_ += bytes;
  }
  /// Perhaps an address, of nobody knows how much.
  void open(long word) {
    const auto address = static_cast<std::uint64_t>(word);
    if (!ManagedWatch::may_be_closed(address, 1)) return;
    const std::lock_guard lock(Session::instance().mutex);
    const MemoryEntry* entry = Session::instance().memory.holding(address);
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    open(reinterpret_cast<const void*>(address), entry == nullptr ? 1 : entry->bytes - (address - entry->address));
  }
  /// Wrong ones are the call's to refuse.
  void open(const iovec* vectors, std::int64_t count) {
    if (vectors == nullptr || count > IOV_MAX) return;
    for (std::int64_t i = 0; i < count; ++i) open(vectors[i].iov_base, vectors[i].iov_len);
  }
  void open(const msghdr* message) {
    if (message != nullptr) open(message->msg_iov, static_cast<std::int64_t>(message->msg_iovlen));
  }

  /// `result`: so many bytes, from the first on; negative: the call failed.
  template <typename Result>
  [[gnu::always_inline]] Result done(Result result, std::size_t each = 1) {
    if (touched_ != nullptr && result > 0) tell(static_cast<std::size_t>(result) * each);
    return result;
  }

 private:
  struct Piece {
    ManagedWatch::Access opened;
    std::uint64_t address, bytes, offset;
  };
  /// Memory of the device's.
  struct Touched {
    std::vector<Piece> pieces;                                  ///< that were closed
    std::vector<std::pair<std::uint64_t, std::uint64_t>> lent;  ///< address and bytes
    std::vector<std::uint64_t> offsets;                         ///< of those in what the call moves
  };

  void lend(const void* memory, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uint64_t>(memory);
    const int error = errno;
    if (touched_ == nullptr) touched_ = new Touched;
    Session& session = Session::instance();
    const std::lock_guard lock(session.mutex);
    touched_->offsets.push_back(before_);
    while (auto opened = session.managed.reached(address, bytes))
      touched_->pieces.push_back({std::move(*opened), address, bytes, before_});
    session.managed.lend(address, bytes);
    session.streams.lend(address, bytes);
    touched_->lent.emplace_back(address, bytes);
    errno = error;
  }
  void give_back() {
    const int error = errno;
    {
      const std::lock_guard lock(Session::instance().mutex);
      for (const auto& [address, bytes] : touched_->lent) {
        Session::instance().managed.release(address, bytes);
        Session::instance().streams.give_back(address, bytes);
      }
    }
    delete touched_;
    errno = error;
  }
  void tell(std::size_t bytes) {
    const int error = errno;
    Session& session = Session::instance();
    const std::lock_guard lock(session.mutex);
    for (const auto& piece : touched_->pieces)
      if (bytes > piece.offset && piece.opened.is_changed(piece.address, std::min(bytes - piece.offset, piece.bytes)))
        session.find(in_words(piece.opened, tried_), gpulab::Severity::error, caller_, "racecheck");
    if (session.streams.is_on()) tell_pinned(session, bytes);
    errno = error;
  }

  void tell_pinned(Session& session, std::size_t bytes) {
    const auto place = Session::frames_of(caller_);
    for (std::size_t i = 0; i < touched_->lent.size(); ++i) {
      if (bytes <= touched_->offsets[i]) continue;
      const auto [address, most] = touched_->lent[i];
      session.streams.host_touched(session,
                                   {address, address + std::min<std::uint64_t>(bytes - touched_->offsets[i], most)},
                                   std::string_view(tried_) == "writes", place);
    }
  }

  const char* tried_;
  void* caller_;
  std::uint64_t before_ = 0;
  Touched* touched_ = nullptr;  ///< none for nearly all calls
};

/// As the C library multiplies them.
std::size_t product(std::size_t size, std::size_t count) {
  std::size_t bytes = 0;
  return __builtin_mul_overflow(size, count, &bytes) ? 0 : bytes;
}

constexpr const char *kIn = "writes", *kOut = "reads";

}  // namespace

/// `name` of the C library, in front of it: opens by `pieces` (the arguments of Transfer::open), and tells by the
/// result.
#define GPULAB_IN_FRONT(tried, result, name, parameters, arguments, pieces, each)             \
  extern "C" [[gnu::used]] result gpulab_##name parameters {                                  \
    static const auto next = reinterpret_cast<result(*) parameters>(dlsym(RTLD_NEXT, #name)); \
    Transfer transfer(tried, __builtin_return_address(0));                                    \
    transfer.open pieces;                                                                     \
    return transfer.done(next arguments, each);                                               \
  }                                                                                           \
  __asm__(".symver gpulab_" #name "," #name "@@")

// NOLINTBEGIN(bugprone-reserved-identifier, bugprone-macro-parentheses): the C library's names
GPULAB_IN_FRONT(kIn, ssize_t, read, (int file, void* to, size_t n), (file, to, n), (to, n), 1);
GPULAB_IN_FRONT(kIn, ssize_t, __read_chk, (int file, void* to, size_t n, size_t most), (file, to, n, most), (to, n), 1);
GPULAB_IN_FRONT(kIn, ssize_t, pread, (int file, void* to, size_t n, off_t at), (file, to, n, at), (to, n), 1);
GPULAB_IN_FRONT(kIn, ssize_t, pread64, (int file, void* to, size_t n, off64_t at), (file, to, n, at), (to, n), 1);
GPULAB_IN_FRONT(kIn, ssize_t, __pread_chk, (int file, void* to, size_t n, off_t at, size_t most),
                (file, to, n, at, most), (to, n), 1);
GPULAB_IN_FRONT(kIn, ssize_t, __pread64_chk, (int file, void* to, size_t n, off64_t at, size_t most),
                (file, to, n, at, most), (to, n), 1);
GPULAB_IN_FRONT(kIn, ssize_t, readv, (int file, const iovec* to, int count), (file, to, count), (to, count), 1);
GPULAB_IN_FRONT(kIn, ssize_t, preadv, (int file, const iovec* to, int count, off_t at), (file, to, count, at),
                (to, count), 1);
GPULAB_IN_FRONT(kIn, ssize_t, preadv64, (int file, const iovec* to, int count, off64_t at), (file, to, count, at),
                (to, count), 1);
GPULAB_IN_FRONT(kIn, ssize_t, preadv2, (int file, const iovec* to, int count, off_t at, int flags),
                (file, to, count, at, flags), (to, count), 1);
GPULAB_IN_FRONT(kIn, ssize_t, preadv64v2, (int file, const iovec* to, int count, off64_t at, int flags),
                (file, to, count, at, flags), (to, count), 1);
GPULAB_IN_FRONT(kIn, ssize_t, recv, (int file, void* to, size_t n, int flags), (file, to, n, flags), (to, n), 1);
GPULAB_IN_FRONT(kIn, ssize_t, __recv_chk, (int file, void* to, size_t n, size_t most, int flags),
                (file, to, n, most, flags), (to, n), 1);
GPULAB_IN_FRONT(kIn, ssize_t, recvfrom, (int file, void* to, size_t n, int flags, sockaddr* who, socklen_t* bytes),
                (file, to, n, flags, who, bytes), (to, n), 1);
GPULAB_IN_FRONT(kIn, ssize_t, __recvfrom_chk,
                (int file, void* to, size_t n, size_t most, int flags, sockaddr* who, socklen_t* bytes),
                (file, to, n, most, flags, who, bytes), (to, n), 1);
GPULAB_IN_FRONT(kIn, ssize_t, recvmsg, (int file, msghdr* message, int flags), (file, message, flags), (message), 1);
GPULAB_IN_FRONT(kIn, ssize_t, getrandom, (void* to, size_t n, unsigned flags), (to, n, flags), (to, n), 1);
GPULAB_IN_FRONT(kIn, size_t, fread, (void* to, size_t size, size_t n, FILE* file), (to, size, n, file),
                (to, product(size, n)), size);
GPULAB_IN_FRONT(kIn, size_t, fread_unlocked, (void* to, size_t size, size_t n, FILE* file), (to, size, n, file),
                (to, product(size, n)), size);
GPULAB_IN_FRONT(kIn, size_t, __fread_chk, (void* to, size_t most, size_t size, size_t n, FILE* file),
                (to, most, size, n, file), (to, product(size, n)), size);
GPULAB_IN_FRONT(kIn, size_t, __fread_unlocked_chk, (void* to, size_t most, size_t size, size_t n, FILE* file),
                (to, most, size, n, file), (to, product(size, n)), size);

GPULAB_IN_FRONT(kOut, ssize_t, write, (int file, const void* from, size_t n), (file, from, n), (from, n), 1);
GPULAB_IN_FRONT(kOut, ssize_t, pwrite, (int file, const void* from, size_t n, off_t at), (file, from, n, at), (from, n),
                1);
GPULAB_IN_FRONT(kOut, ssize_t, pwrite64, (int file, const void* from, size_t n, off64_t at), (file, from, n, at),
                (from, n), 1);
GPULAB_IN_FRONT(kOut, ssize_t, writev, (int file, const iovec* from, int count), (file, from, count), (from, count), 1);
GPULAB_IN_FRONT(kOut, ssize_t, pwritev, (int file, const iovec* from, int count, off_t at), (file, from, count, at),
                (from, count), 1);
GPULAB_IN_FRONT(kOut, ssize_t, pwritev64, (int file, const iovec* from, int count, off64_t at), (file, from, count, at),
                (from, count), 1);
GPULAB_IN_FRONT(kOut, ssize_t, pwritev2, (int file, const iovec* from, int count, off_t at, int flags),
                (file, from, count, at, flags), (from, count), 1);
GPULAB_IN_FRONT(kOut, ssize_t, pwritev64v2, (int file, const iovec* from, int count, off64_t at, int flags),
                (file, from, count, at, flags), (from, count), 1);
GPULAB_IN_FRONT(kOut, ssize_t, send, (int file, const void* from, size_t n, int flags), (file, from, n, flags),
                (from, n), 1);
GPULAB_IN_FRONT(kOut, ssize_t, sendto,
                (int file, const void* from, size_t n, int flags, const sockaddr* who, socklen_t bytes),
                (file, from, n, flags, who, bytes), (from, n), 1);
GPULAB_IN_FRONT(kOut, ssize_t, sendmsg, (int file, const msghdr* message, int flags), (file, message, flags), (message),
                1);
GPULAB_IN_FRONT(kOut, size_t, fwrite, (const void* from, size_t size, size_t n, FILE* file), (from, size, n, file),
                (from, product(size, n)), size);
GPULAB_IN_FRONT(kOut, size_t, fwrite_unlocked, (const void* from, size_t size, size_t n, FILE* file),
                (from, size, n, file), (from, product(size, n)), size);

// Its result is 0, not a number of bytes.
extern "C" [[gnu::used]] int gpulab_getentropy(void* to, size_t n) {
  static const auto next = reinterpret_cast<int (*)(void*, size_t)>(dlsym(RTLD_NEXT, "getentropy"));
  Transfer transfer(kIn, __builtin_return_address(0));
  transfer.open(to, n);
  const int failed = next(to, n);
  transfer.done(failed == 0 ? n : 0);
  return failed;
}
__asm__(".symver gpulab_getentropy,getentropy@@");

// Any call at all: words that are addresses of closed memory open it. What is done there nobody knows, and nothing is
// told.
extern "C" [[gnu::used]] long gpulab_syscall(long number, ...) {
  static const auto next = reinterpret_cast<long (*)(long, ...)>(dlsym(RTLD_NEXT, "syscall"));
  long words[6];
  va_list list;
  va_start(list, number);
  for (long& word : words) word = va_arg(list, long);
  va_end(list);
  Transfer transfer(kIn, nullptr);
  for (const long word : words) transfer.open(word);
  // The C++ library waits so for futures and atomics, until a point of time.
  if (number == SYS_futex && (words[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET && words[3] != 0) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    const host_clock::Deadline deadline(reinterpret_cast<const timespec*>(words[3]));
    const long result = next(number, words[0], words[1], words[2], deadline.machine(), words[4], words[5]);
    if (result == -1 && errno == ETIMEDOUT && deadline.is_to_come()) errno = EAGAIN;  // it looks, and waits again
    return result;
  }
  return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
__asm__(".symver gpulab_syscall,syscall@@");
// NOLINTEND(bugprone-reserved-identifier, bugprone-macro-parentheses)
