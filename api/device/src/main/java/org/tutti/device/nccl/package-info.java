/// NCCL and RCCL, which have the same functions: communicators of devices, created from MPI communicators.
///
///     connect(comm, device) ──allgather: versions, devices; bcast: id──▶ NcclCommunicator ──▶ libnccl.so.2
///                                                                            └ watchdog ─▶ ncclCommAbort
///
/// Rules: a refusal is decided on all ranks alike, before the library is called. No call blocks in the library,
/// so versions before 2.14 are rejected. Written according to the documentation; all parts that need a device
/// are tested with fakes. Not implemented yet: registered buffers, windows, user-defined operations, shrinking
/// and growing.
package org.tutti.device.nccl;
