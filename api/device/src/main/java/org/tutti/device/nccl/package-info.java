/// NCCL and RCCL, which have the same functions: communicators of devices, created from MPI communicators.
///
///     connect(comm, device) ──allgather: versions, devices; bcast: id──▶ NcclCommunicator ──▶ libnccl.so.2
///                                                                            └ watchdog ─▶ ncclCommAbort
///
/// Rules: all ranks reach the same decision on a refusal, before the library is called. No call blocks in the
/// library, so versions before 2.14 are rejected. The code was written according to the documentation, and all
/// parts that need a device are tested with fakes. Registered buffers, windows, user-defined operations,
/// shrinking and growing are not implemented yet.
package org.tutti.device.nccl;
