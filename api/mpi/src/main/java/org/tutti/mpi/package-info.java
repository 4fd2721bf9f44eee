/// Tutti's user API: message passing in the words of the MPI standard.
///
///     Mpi.init ──▶ Mpi ──▶ Comm (world, self, split, dup, create) ──▶ Request, Status
///                            │ Intercomm: two groups; Communicator: what both have
///                            │ Group: who a Comm is for
///                            │ Buf: what is sent and where it goes; Datatype, Op
///                            │ Window: memory that others put to and get from
///                            │ MpiFile: a file that ranks read and write together
///                            │ Matrix, ArrayView, Records: parts of arrays, and structs, as buffers; Packer
///                            ▼
///                  org.tutti.spi ◀── engines: shm (one machine, nothing installed),
///                                               libmpi (the machine's own MPI)
///
/// One import, `org.tutti.mpi.*`, is all that a program needs. Typed buffers have the plain names
/// (`send`, `bcast`), objects have `…Object`. Rules of this package: arguments are checked here, once,
/// before anything is sent; ranks are ranks of the communicator the method is called on; counts are
/// elements, never bytes.
///
/// [Comm] lists its methods by chapter; [Communicator] documents the errors that all operations share. The chapters
/// are superclasses that are not public: `Comm` and [Intercomm] have the chapters of a [Communicator] in common.
///
/// [Tutti] starts ranks from within a program, as threads or as processes; [Comm#spawn] processes that are
/// connected with those that start them, which [Launch] describes. [Port] lets worlds and jobs meet. A [Session] is
/// for a part of a program that uses MPI by itself. Not here: connections over sockets (MPI 4.1, section 11.10.5).
@NullMarked
package org.tutti.mpi;

import org.jspecify.annotations.NullMarked;
