/// What the engine over shared memory and the launcher need of Linux: memfd, futex, parent-death signal, affinity.
///
///     OsDoor ◀──service── LinuxDoor ──system calls──▶ Syscall ──syscall(2)──▶ kernel
///                            └──────long copies───▶ Memcpy
///
/// Rules: the only package below the engines that calls native code. All system calls go through one downcall handle,
/// because linking one costs 25 ms with an AOT cache and 65 ms without; a futex waits, so it is not `critical`. Nothing
/// is linked before it is needed.
///
/// Not here yet: copies between processes (`process_vm_readv`).
@NullMarked
package org.tutti.os.linux;

import org.jspecify.annotations.NullMarked;
