/// The Linux door: memfd, futex, parent-death signal, affinity.
///
///     OsDoor ◀──service── LinuxDoor ──system calls──▶ Syscall ──syscall(2)──▶ kernel
///
/// Rules: the only package of the shared-memory engine that calls native code, through one downcall handle,
/// because linking one costs 25 ms with an AOT cache and 65 ms without. Nothing is linked before it is
/// needed, and no call is `critical`, because a futex waits.
///
/// Not here yet: copies between processes (`process_vm_readv`).
@NullMarked
package org.tutti.shm.linux;

import org.jspecify.annotations.NullMarked;
