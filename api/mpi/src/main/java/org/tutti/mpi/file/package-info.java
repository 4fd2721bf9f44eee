/// Parallel files (MPI 4.1, chapter 14). The package is independent of the user API's types and of engines.
///
///     MpiFile (org.tutti.mpi) ──describes──▶ FileData, FileView ──▶ OpenFile
///                                                │ IndependentAccess: the byte runs of a rank, one by one
///                                                │ CollectiveAccess: all ranks, with a CollectiveBuffer
///                                                │ FileAgreement: all ranks succeed, or all throw
///                                                │ FileWindow: the shared pointer, and the lock of atomic mode
///                                                ▼
///                                            StoredFile: the system's file, by position; on NFS, FileLocks
///                                                around each access
///
/// Rules: the file is changed only at the bytes that the program writes. Holes therefore keep their content,
/// and no read-modify-write occurs. A collective access that fails on any rank fails on all ranks, with the
/// same text. Ranks communicate only in collective calls of [FileRanks], and through the windows of
/// [FileWindow] and [CollectiveBuffer].
///
/// User-defined data representations (14.5.3) and file formats of MPI libraries are not implemented.
@NullMarked
package org.tutti.mpi.file;

import org.jspecify.annotations.NullMarked;
