#include "common/child/seccomp.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <initializer_list>

namespace gpulab {
namespace {

#if defined(__x86_64__)
constexpr unsigned this_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned this_architecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned this_architecture = 0;  // no filter
#endif

/// From here on calls are newer than this list, or have other numbers on x86-64 (x32's begin at 2^30).
constexpr unsigned first_unknown_call = 450;

/// A child that was given a socket may use it: none can be made.
constexpr long network[] = {SYS_socket, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4};
constexpr long other_processes[] = {SYS_ptrace,
                                    SYS_process_vm_readv,
                                    SYS_process_vm_writev,
                                    SYS_kcmp,
                                    434,  // pidfd_open
                                    438,  // pidfd_getfd
                                    440,  // process_madvise
                                    SYS_setpriority,
                                    SYS_sched_setaffinity,
                                    SYS_sched_setscheduler,
                                    SYS_sched_setparam,
                                    SYS_migrate_pages,
                                    SYS_move_pages,
                                    SYS_setsid,
                                    SYS_setpgid};  // it would leave the group that ends with us
constexpr long the_system[] = {SYS_bpf,
                               SYS_perf_event_open,
                               SYS_userfaultfd,
                               SYS_add_key,
                               SYS_request_key,
                               SYS_keyctl,
                               SYS_mount,
                               SYS_umount2,
                               SYS_pivot_root,
                               SYS_chroot,
                               SYS_unshare,
                               SYS_setns,
                               SYS_swapon,
                               SYS_swapoff,
                               SYS_reboot,
                               SYS_sethostname,
                               SYS_setdomainname,
                               SYS_init_module,
                               SYS_finit_module,
                               SYS_delete_module,
                               SYS_kexec_load,
                               SYS_acct,
                               SYS_quotactl,
                               SYS_settimeofday,
                               SYS_clock_settime,
                               SYS_adjtimex,
                               SYS_name_to_handle_at,
                               SYS_open_by_handle_at,
                               SYS_fanotify_init,
                               SYS_syslog,
                               SYS_vhangup,
                               425,
                               426,
                               427,  // io_uring
                               428,
                               429,
                               430,
                               431,
                               432,
                               433,
                               442};  // the new calls of mount
/// Landlock lets the attributes of a file be changed that may only be read.
constexpr long attributes[] = {
    SYS_fchmod,    SYS_fchmodat,  SYS_fchown,      SYS_fchownat,     SYS_utimensat,    SYS_setxattr,
    SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
#if defined(__x86_64__)
    SYS_chmod,     SYS_chown,     SYS_lchown,      SYS_utime,        SYS_utimes,       SYS_futimesat,
#endif
};
constexpr long signals[] = {SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, 424};

class Filter {
 public:
  std::vector<sock_filter> code;

  void statement(unsigned what, unsigned k) { code.push_back({static_cast<__u16>(what), 0, 0, k}); }
  void jump(unsigned what, unsigned k, unsigned yes, unsigned no) {
    code.push_back({static_cast<__u16>(what), static_cast<__u8>(yes), static_cast<__u8>(no), k});
  }
  void load_call() { statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)); }
  /// The lower half of an argument.
  void load_argument(unsigned index) {
    statement(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offsetof(seccomp_data, args) + 8 * index));
  }
  void refuse(int error) { statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)); }
  void allow() { statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }
  /// The number is in the accumulator, before and after.
  void refuse_call(long number, int error) {
    jump(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1);
    refuse(error);
  }
};

/// The call `number` is refused where `mask` of its argument is not 0.
void refuse_bits(Filter& filter, long number, unsigned argument, unsigned mask) {
  filter.jump(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 4);
  filter.load_argument(argument);
  filter.jump(BPF_JMP | BPF_JSET | BPF_K, mask, 0, 1);
  filter.refuse(EPERM);
  filter.load_call();
}

/// An open that truncates without the right to write.
void refuse_truncating_open(Filter& filter, long number, unsigned flags) {
  filter.jump(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 5);
  filter.load_argument(flags);
  filter.jump(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR, 2, 0);
  filter.jump(BPF_JMP | BPF_JSET | BPF_K, O_TRUNC, 0, 1);
  filter.refuse(EACCES);
  filter.load_call();
}

/// A process that starts others without end takes the machine before anybody has looked. `alone`: threads alone may
/// be started. `asks`: what may be started waits for an answer.
void gate_processes(Filter& filter, bool alone, bool asks) {
  const unsigned process = alone  ? SECCOMP_RET_ERRNO | static_cast<unsigned>(EPERM)
                           : asks ? SECCOMP_RET_USER_NOTIF
                                  : SECCOMP_RET_ALLOW;
  const unsigned thread = asks ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW;
#if defined(__x86_64__)
  for (const unsigned number : {static_cast<unsigned>(SYS_fork), static_cast<unsigned>(SYS_vfork)}) {
    filter.jump(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    filter.statement(BPF_RET | BPF_K, process);
  }
#endif
  filter.jump(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
  filter.load_argument(0);
  filter.jump(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
  filter.statement(BPF_RET | BPF_K, thread);
  filter.statement(BPF_RET | BPF_K, process);
}

/// Sockets that reach each other and nobody else: with one of datagrams sendmsg could name any socket of the machine.
void allow_connected_pairs_alone(Filter& filter) {
  constexpr unsigned type = 0xf;  // the rest are flags
  filter.jump(BPF_JMP | BPF_JEQ | BPF_K, SYS_socketpair, 0, 8);
  filter.load_argument(0);
  filter.jump(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 4);
  filter.load_argument(1);
  filter.statement(BPF_ALU | BPF_AND | BPF_K, type);
  filter.jump(BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 2, 0);
  filter.jump(BPF_JMP | BPF_JEQ | BPF_K, SOCK_SEQPACKET, 1, 0);
  filter.refuse(EACCES);
  filter.load_call();
}

/// prlimit of another process.
void refuse_foreign_limits(Filter& filter) {
  filter.jump(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 4);
  filter.load_argument(0);
  filter.jump(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
  filter.refuse(EPERM);
  filter.load_call();
}

}  // namespace

std::vector<sock_filter> refused_calls(int landlock, const CallRules& rules) {
  if (this_architecture == 0) return {};
  Filter filter;
  filter.statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  filter.jump(BPF_JMP | BPF_JEQ | BPF_K, this_architecture, 1, 0);
  filter.statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  filter.load_call();
  filter.jump(BPF_JMP | BPF_JGE | BPF_K, first_unknown_call, 0, 1);
  filter.refuse(ENOSYS);
  for (const long number : network) filter.refuse_call(number, EACCES);
  if (rules.pairs)
    allow_connected_pairs_alone(filter);
  else
    filter.refuse_call(SYS_socketpair, EACCES);
  for (const long number : other_processes) filter.refuse_call(number, EPERM);
  for (const long number : the_system) filter.refuse_call(number, EPERM);
  for (const long number : attributes) filter.refuse_call(number, EPERM);
  if (landlock < 6)
    for (const long number : signals) filter.refuse_call(number, EPERM);
  filter.refuse_call(435, ENOSYS);  // clone3, whose flags cannot be seen: the C library falls back to clone
  filter.refuse_call(437, ENOSYS);  // openat2: likewise openat
  refuse_bits(
      filter, SYS_clone, 0,
      CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET);
  refuse_foreign_limits(filter);
  if (landlock < 3) {
    filter.refuse_call(SYS_truncate, EACCES);
    refuse_truncating_open(filter, SYS_openat, 2);
#if defined(__x86_64__)
    refuse_truncating_open(filter, SYS_open, 1);
#endif
  }
  if (rules.alone || rules.asks) gate_processes(filter, rules.alone, rules.asks);
  filter.allow();
  return filter.code;
}

bool has_seccomp() { return this_architecture != 0 && prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0; }

int seccomp_enter(const std::vector<sock_filter>& filter, int* listener) {
  const sock_fprog program{static_cast<unsigned short>(filter.size()), const_cast<sock_filter*>(filter.data())};
  if (listener != nullptr) {
    *listener =
        static_cast<int>(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
    return *listener >= 0 ? 0 : errno;
  }
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0 ? 0 : errno;
}

}  // namespace gpulab
