// SPDX-License-Identifier: Apache-2.0
// A seccomp filter sees the number of a system call and its arguments that are numbers, not the memory they
// point to: so files are refused by how they are opened, not by their names.
#include "repl/shell/sandbox.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ir/core/error.h"
#include "repl/shell/source.h"

namespace mlc::repl {

namespace {

#if defined(__x86_64__)
constexpr uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kMachine = 0;  // nobody has looked at its system calls
#endif
// Calls that are newer than this one are refused, as nobody has looked at what they do: since Linux 5.11 a
// call has the same number everywhere. Who asks for a newer one falls back, as on an older kernel.
constexpr uint32_t kNewest = 450;

class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);  // calls of a 32-bit program have other numbers
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    constexpr uint32_t kX32 = 0x40000000;  // the same calls under other numbers
    add(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1);
    refuse(EPERM);
#endif
    add(BPF_JMP | BPF_JGT | BPF_K, kNewest, 0, 1);
    refuse(ENOSYS);
  }

  void refuse_call(long number, int error) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 1);
    refuse(error);
  }
  // Where one of `bits` is in the argument.
  void refuse_bits(long number, unsigned argument, uint32_t bits, int error) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 4);
    load(argument_at(argument));
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    refuse(error);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  void refuse_value(long number, unsigned argument, uint32_t value, int error) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 4);
    load(argument_at(argument));
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    refuse(error);
    load(offsetof(seccomp_data, nr));  // the call may have other values to refuse
  }
  // Where the argument is another value.
  void refuse_others(long number, unsigned argument, uint32_t value, int error) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 4);
    load(argument_at(argument));
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
    refuse(error);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }

  // 0, or the number of the error.
  int install() {
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    // All threads that run already are held to it as well.
    long failed = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    return failed < 0 ? errno : failed > 0 ? EBUSY : 0;
  }

 private:
  // The low half, on machines that put it first: both that are known here.
  static uint32_t argument_at(unsigned argument) {
    return static_cast<uint32_t>(offsetof(seccomp_data, args) + argument * sizeof(uint64_t));
  }
  void add(int code, uint32_t k, uint8_t if_true = 0, uint8_t if_false = 0) {
    code_.push_back({static_cast<uint16_t>(code), if_true, if_false, k});
  }
  void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)); }
  void refuse(int error) { add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(error)); }

  std::vector<sock_filter> code_;
};

void keep_files(Filter& filter) {
  constexpr uint32_t kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
  filter.refuse_bits(SYS_openat, 2, kWriting, EROFS);
  filter.refuse_call(SYS_openat2, ENOSYS);  // its flags are in memory; who is told so asks openat
  for (long number :
       {SYS_unlinkat,          SYS_renameat2, SYS_mkdirat,     SYS_linkat,       SYS_symlinkat,
        SYS_mknodat,           SYS_truncate,  SYS_fchmodat,    SYS_fchownat,     SYS_utimensat,
        SYS_setxattr,          SYS_lsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_mount,
        SYS_umount2,           SYS_fchmod,    SYS_fchown,      SYS_fsetxattr,    SYS_fremovexattr,
        SYS_open_by_handle_at, SYS_swapon,    SYS_swapoff,     SYS_mq_open,      SYS_mq_unlink,
        SYS_acct,              SYS_fsopen,    SYS_fsmount,     SYS_move_mount,   SYS_open_tree,
        SYS_pivot_root,        SYS_bind})  // a socket may have a name among the files
    filter.refuse_call(number, EROFS);
  for (uint32_t attributes : {FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_SETVERSION})
    filter.refuse_value(SYS_ioctl, 1, attributes, EROFS);
#ifdef SYS_renameat
  filter.refuse_call(SYS_renameat, EROFS);
#endif
#ifdef SYS_fchmodat2
  filter.refuse_call(SYS_fchmodat2, EROFS);
#endif
#if defined(__x86_64__)
  filter.refuse_bits(SYS_open, 1, kWriting, EROFS);
  for (long number : {SYS_creat, SYS_unlink, SYS_rename, SYS_mkdir, SYS_rmdir, SYS_link, SYS_symlink,
                      SYS_mknod, SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat})
    filter.refuse_call(number, EROFS);
#endif
}

void keep_processes(Filter& filter) {
  for (long number : {SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
                      SYS_pidfd_send_signal, SYS_pidfd_getfd, SYS_tkill, SYS_process_madvise, SYS_perf_event_open,
                      SYS_kcmp})
    filter.refuse_call(number, EPERM);
  // The kernel signals whom a descriptor has as its owner.
  for (uint32_t owner : {F_SETOWN, F_SETOWN_EX, F_SETSIG}) filter.refuse_value(SYS_fcntl, 1, owner, EPERM);
  for (uint32_t owner : {FIOSETOWN, SIOCSPGRP}) filter.refuse_value(SYS_ioctl, 1, owner, EPERM);
  auto self = static_cast<uint32_t>(getpid());
  for (long number : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo})
    filter.refuse_others(number, 0, self, EPERM);
  filter.refuse_others(SYS_prlimit64, 0, 0, EPERM);
}

}  // namespace

void enter_sandbox(const Sandbox& sandbox) {
  if (!sandbox.wanted()) return;
  int failed = ENOSYS;
  if (kMachine != 0) {
    Filter filter;
    filter.refuse_call(SYS_io_uring_setup,
                       EPERM);  // which opens files and sockets by calls that no filter sees
    filter.refuse_value(SYS_ioctl, 1, TIOCSTI, EPERM);  // types into the terminal: the shell would run it
    if (sandbox.read_only) keep_files(filter);
    if (sandbox.no_network)
      for (long number : {SYS_socket, SYS_socketpair, SYS_bind, SYS_connect, SYS_listen, SYS_accept, SYS_accept4})
        filter.refuse_call(number, EPERM);
    if (sandbox.no_run) keep_processes(filter);
    failed = filter.install();
  }
  if (failed == 0) return;
  throw CallError{
      fmt::format("the program is not run: the kernel cannot be told what to refuse it (seccomp: {})",
                  std::strerror(failed)),
      "without --read-only, --no-network and --no-run it may do whatever you may do"};
}

}  // namespace mlc::repl
