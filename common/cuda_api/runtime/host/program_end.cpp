// How the program ends: by itself, or by a signal, of which the record says what is known.

#include <fmt/format.h>
#include <signal.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "common/cuda_api/runtime/host/address_owner.h"
#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/under_way/launch_thread.h"
#include "common/simt/machine/memory/windows.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

/// Algorithms of thrust that are not inlined call each other so deep.
constexpr std::size_t kFramesOfCrash = 32;

/// Before a block of its own, free() looks for what malloc wrote there (glibc: the two words in front). In front of the
/// runtime's there is nothing. Empty: no such block begins behind this address.
std::string taken_for_malloc(Session& session, std::uint64_t address) {
  for (const std::uint64_t before : {8, 16}) {
    const auto owner = owner_of(session, address + before);
    if (!owner.entry || owner.entry->address != address + before || owner.entry->kind == MemoryEntry::Kind::registered)
      continue;
    const bool pinned = owner.entry->kind == MemoryEntry::Kind::pinned;
    return fmt::format("free() or delete was given '{}', which malloc did not give: give it back by {}", owner.name,
                       pinned ? "cudaFreeHost" : "cudaFree");
  }
  return {};
}

/// Why the host's access to this address may have failed.
std::string explained(Session& session, std::uint64_t address) {
  using Kind = AddressOwner::Kind;
  const auto owner = owner_of(session, address);
  switch (owner.kind) {
    case Kind::live:
      return fmt::format("the host read or wrote '{}', which is memory of the device: copy it with cudaMemcpy first",
                         owner.name);
    case Kind::freed:
      return fmt::format("the host read or wrote '{}', which has been freed", owner.name);
    case Kind::null:
      return fmt::format("the host read or wrote the null address {:#x}", address);
    case Kind::nobody:
      if (auto text = taken_for_malloc(session, address); !text.empty()) return text;
      return fmt::format("the host read or wrote {:#x}, where it has no memory", address);
    default:
      return fmt::format("the host may not do this at {:#x} ({})", address, in_words(owner));
  }
}

/// Of an access that the host was refused: what it was, and the address behind it, as return addresses are.
#if defined(__x86_64__)
const char* what_was_tried(const ucontext_t& context) {
  constexpr greg_t written = 2;  // of the page fault's code
  return (context.uc_mcontext.gregs[REG_ERR] & written) != 0 ? "writes" : "reads";
}
// NOLINTNEXTLINE(performance-no-int-to-ptr)
void* behind_access(const ucontext_t& c) { return reinterpret_cast<void*>(c.uc_mcontext.gregs[REG_RIP] + 1); }
constexpr greg_t kTrapFlag = 0x100;
/// One instruction, then SIGTRAP.
bool step(ucontext_t& c, bool on) {
  auto& flags = c.uc_mcontext.gregs[REG_EFL];
  flags = on ? flags | kTrapFlag : flags & ~kTrapFlag;
  return true;
}

/// The instruction has a lock prefix, or is xchg, which locks by itself (Intel's manual, volume 2).
bool was_atomic(const ucontext_t& c) {
  constexpr std::size_t most_bytes = 15;
  constexpr std::string_view prefixes("\x66\x67\xf2\xf3\x2e\x36\x3e\x26\x64\x65");
  const std::string_view code(reinterpret_cast<const char*>(c.uc_mcontext.gregs[REG_RIP]), most_bytes);  // NOLINT
  std::size_t at = 0;
  while (at + 2 < most_bytes && prefixes.find(code[at]) != prefixes.npos) ++at;
  if (code[at] == '\xf0') return true;
  if ((code[at] & 0xf0) == 0x40) ++at;  // REX
  return code[at] == '\x86' || code[at] == '\x87';
}
#else
const char* what_was_tried(const ucontext_t&) { return "reads or writes"; }
// NOLINTNEXTLINE(performance-no-int-to-ptr)
void* behind_access(const ucontext_t& c) { return reinterpret_cast<void*>(c.uc_mcontext.pc + 1); }
/// Programs cannot step themselves: the page stays open until the next call of the runtime.
bool step(ucontext_t&, bool) { return false; }

/// Exclusive loads and stores, compare-and-swap, and what Armv8.1 added (Arm's manual, C4.1).
bool was_atomic(const ucontext_t& c) {
  const auto code = *reinterpret_cast<const std::uint32_t*>(c.uc_mcontext.pc);  // NOLINT: where the program runs
  return (code & 0x3f000000u) == 0x08000000u || (code & 0x3b200c00u) == 0x38200000u;
}
#endif

/// Managed memory that a kernel may still be changing, for all that the host knows: told, and let through.
bool let_through(std::uint64_t address, const ucontext_t& context) {
  Session& session = Session::instance();
  if (!ManagedWatch::on()) return false;
  const std::lock_guard lock(session.mutex);
  const auto access = session.managed.reached(address, 1);
  if (!access) return false;
  // Atomics of the host may meet those of a kernel (of system scope, which a kernel that shares memory so has).
  constexpr std::uint64_t reach = 8;  // the widest access of a CPU that begins there
  if (!access->is_changed(address, reach) || was_atomic(context)) return true;
  session.find(in_words(*access, what_was_tried(context)), Severity::error, behind_access(context), "racecheck");
  return true;
}

/// Steps of the program over accesses that are not too early, on pages where others would be.
constexpr int kMostSteps = 10'000;
thread_local bool steps = false;

/// Pinned memory that a copy or a kernel may still have: told, and let through.
bool let_through_pinned(std::uint64_t address, ucontext_t& context) {
  Session& session = Session::instance();
  if (!session.streams.is_on()) return false;
  const std::lock_guard lock(session.mutex);
  const bool writes = std::string_view(what_was_tried(context)) == "writes";
  const auto* const instruction = static_cast<std::byte*>(behind_access(context)) - 1;
  static int taken = 0;
  if (!session.streams.host_touches(session, address, writes, !was_atomic(context),
                                    Session::frames_of_access(instruction)))
    return false;
  if (!steps && taken < kMostSteps && step(context, true)) {
    ++taken;
    steps = true;
  }
  return true;
}

void on_step(int number, siginfo_t*, void* context) {
  if (!steps) {  // the program's own
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  steps = false;
  step(*static_cast<ucontext_t*>(context), false);
  Session& session = Session::instance();
  const std::lock_guard lock(session.mutex);
  session.streams.close_again();
}

void on_crash(int number, siginfo_t* info, void* context) {
  if (number == SIGSEGV &&
      (let_through(reinterpret_cast<std::uint64_t>(info->si_addr), *static_cast<const ucontext_t*>(context)) ||
       let_through_pinned(reinterpret_cast<std::uint64_t>(info->si_addr), *static_cast<ucontext_t*>(context))))
    return;
  signal(number, SIG_DFL);  // whatever goes wrong from here on ends it
  // The process is lost: what is told now is all that will be.
  Session& session = Session::instance();
  if (session.mutex.try_lock()) {
    session.print();
    if (number == SIGSEGV || number == SIGBUS)
      session.record.crash = explained(session, reinterpret_cast<std::uint64_t>(info->si_addr));
    else if (number == SIGFPE)
      session.record.crash = "the host divided an integer by 0, or the least one by -1";
    if (!session.record.crash.empty())
      session.record.crash += fmt::format(
          " (at {})",
          Session::place_in_program(behind_access(*static_cast<const ucontext_t*>(context)), kFramesOfCrash));
    session.write_record(false);
  }
  signal(number, SIG_DFL);
  raise(number);
}

/// Somebody ends the program: what it has printed and done so far is told. Where a lock is in the way, `gpulab exec`
/// does not wait for long.
void on_end(int number) {
  Session& session = Session::instance();
  if (session.mutex.try_lock()) {
    session.print();
    if (ftrylockfile(stdout) == 0) {
      std::fflush(stdout);
      funlockfile(stdout);
    }
    session.write_record(false);
  }
  signal(number, SIG_DFL);
  raise(number);
}

/// Only where `gpulab exec` listens, and the program has no handler of its own.
__attribute__((constructor)) void watch_for_the_end() {
  if (std::getenv(kOptionsVariable) == nullptr) return;
  // By lines, wherever it goes: what a program has printed before it is killed is not lost.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  static char stack[65536];
  stack_t other{};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction action {};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(number, &action, nullptr);
  }
  if (std::strstr(std::getenv(kOptionsVariable), "streamcheck") != nullptr) {
    struct sigaction action {};
    action.sa_sigaction = on_step;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGTRAP, &action, nullptr);
  }
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    action.sa_handler = on_end;
    sigaction(number, &action, nullptr);
  }
}

/// Behind the program's own handlers and destructors.
__attribute__((destructor)) void tell() {
  if (std::getenv(kOptionsVariable) == nullptr) return;
  Session& session = Session::instance();
  if (session.under_way.any() && is_fork_without_launch_threads()) return;
  const std::lock_guard lock(session.mutex);
  session.write_record(true);
}

}  // namespace
