/// NCCL and RCCL, which have the same functions: communicators of devices out of communicators of MPI.
///
///     connect(comm, device) ──allgather: versions, devices; bcast: id──▶ NcclCommunicator ──▶ libnccl.so.2
///                                                                            └ watchdog ─▶ ncclCommAbort
///
/// Rules: whatever can be refused is refused on all ranks alike, before the library is called. No call
/// blocks in the library, so versions before 2.14 are not taken. Written to the documentation and run on
/// fakes, but for what needs no device. Not here yet: registered buffers, windows, user-defined
/// operations, shrinking and growing.
package org.tutti.device.nccl;
