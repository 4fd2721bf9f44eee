/// Tutti's user API: message passing with the names of the MPI standard.
///
///     Mpi.init ──▶ Mpi ──▶ Comm (world, self, split, dup, create) ──▶ Request, Status
///                            │ Intercomm: two groups; Communicator: the common operations
///                            │ Group: the ranks of a Comm
///                            │ Buf: the data of an operation; Datatype, Op
///                            │ Window: memory for puts and gets of other ranks
///                            │ MpiFile: a file that ranks read and write together
///                            │ Matrix, ArrayView, Records: parts of arrays, and structs, as buffers; Packer
///                            ▼
///                  org.tutti.spi ◀── engines: shm (one machine, no installation),
///                                               libmpi (the machine's MPI library)
///
/// A program needs only one import, `org.tutti.mpi.*`. Methods for typed buffers have the plain names (`send`,
/// `bcast`), methods for objects end with `Object`. Rules of this package: arguments are checked here, once,
/// before data is sent; ranks are ranks of the communicator on which the method is called; counts are elements,
/// never bytes.
///
/// [Comm] lists the methods by chapter; [Communicator] documents the errors of all operations. The methods of
/// each chapter are in a superclass that is not public; `Comm` and [Intercomm] share the superclasses with the
/// methods of [Communicator].
///
/// [Tutti] starts ranks from within a program, as threads or as processes; [Comm#spawn] starts processes that
/// are connected with the starting ranks; [Launch] describes the programs to start. [Port] connects worlds and
/// jobs. A [Session] is for a part of a program that uses MPI independently. Not included: connections over
/// sockets (MPI 4.1, section 11.10.5).
@NullMarked
package org.tutti.mpi;

import org.jspecify.annotations.NullMarked;
