/// Parallel files, without the user's types and without an engine's: MPI 4.1, chapter 14.
///
///     MpiFile (org.tutti.mpi) ──describes──▶ FileData, FileView ──▶ OpenFile
///                                                │ IndependentAccess: one rank's runs of bytes, one after the other
///                                                │ CollectiveAccess: all ranks', in two phases by a CollectiveBuffer
///                                                │ FileAgreement: all ranks are well and pass the same, or all throw
///                                                │ FileWindow: the shared pointer, and the lock of atomic mode
///                                                ▼
///                                            StoredFile: the system's file, by position; on NFS, FileLocks
///                                                around each access
///
/// Rules: nothing that was not written by the program is written, so holes keep their bytes and nothing is read to
/// be written back. What fails on one rank of a collective access fails on all, with the same text. Ranks speak to
/// each other by [FileRanks] alone, in calls that all of them make.
///
/// Not here: data representations of the program's own (14.5.3), the libraries' own files.
@NullMarked
package org.tutti.mpi.file;

import org.jspecify.annotations.NullMarked;
