/// Linux functions for the shared-memory engine and the launcher: memfd, futex, parent-death signal, affinity.
///
///     OsPlatform ◀──service── LinuxPlatform ──system calls──▶ Syscall ──syscall(2)──▶ kernel
///                                  └──────long copies───▶ Memcpy
///
/// Rules: the only package below the engines that calls native code. All system calls use one downcall handle,
/// because linking a handle costs 25 ms with an AOT cache and 65 ms without it. A futex waits, so the handle is
/// not `critical`. Functions are linked on first use.
///
/// Copies between processes (`process_vm_readv`) are not implemented.
@NullMarked
package org.tutti.os.linux;

import org.jspecify.annotations.NullMarked;
