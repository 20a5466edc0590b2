// SPDX-License-Identifier: Apache-2.0
// What programs of strangers may not do: the kernel refuses it, by seccomp, to the whole process.
#pragma once

namespace mlc::repl {

struct Sandbox {
  bool read_only = false;  // no file is written, made, renamed or removed, and none changes its owner or mode
  bool no_network = false;  // no socket is opened
  bool no_run = false;      // no program is started, no other process is signalled or looked into

  bool wanted() const { return read_only || no_network || no_run; }
};

// From here on, for this process and all that come from it; there is no way back. What the process has open
// stays open: standard output is written. Nothing else is kept from a program: it reads what its user can
// read, and takes what processor time and memory it can get. CallError where the kernel has no seccomp.
void enter_sandbox(const Sandbox& sandbox);

}  // namespace mlc::repl
