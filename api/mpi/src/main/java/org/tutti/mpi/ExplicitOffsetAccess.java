package org.tutti.mpi;

import org.tutti.mpi.file.OpenFile;

/// The part of [MpiFile] with accesses at an explicit offset: `offset` is the number of etypes from the start
/// of the view. No file pointer is used or moved. MPI 4.1, section 14.4.2.
abstract sealed class ExplicitOffsetAccess extends FileAccessors permits IndividualPointerAccess {
    ExplicitOffsetAccess(Mpi mpi, OpenFile file) {
        super(mpi, file);
    }

    /// Reads into a buffer. The status contains the amount of data read, which is less than the size of the
    /// buffer if the file ends earlier. Blocking. `MPI_File_read_at`, MPI 4.1, section 14.4.2.
    ///
    /// @throws MpiException as [MpiFile] documents; `ERR_ARG` if `offset` is negative
    public Status readAt(long offset, Buf buf) {
        return access("readAt", false, offset, operandAt("readAt", false, offset, buf));
    }

    /// Reads as [#readAt] does, on all ranks. Each rank reads at the offset that it passes; the ranks may
    /// cooperate. Collective, blocking. `MPI_File_read_at_all`, MPI 4.1, section 14.4.2.
    ///
    /// @throws MpiException as [#readAt]
    public Status readAtAll(long offset, Buf buf) {
        return accessAll("readAtAll", false, () -> offset, checked("readAtAll", false, offset, buf));
    }

    /// Writes a buffer. The data is visible to other ranks according to section 14.6.1: at the latest after
    /// [MpiFile#sync] on the writing and the reading rank. Blocking. `MPI_File_write_at`, MPI 4.1, section
    /// 14.4.2.
    ///
    /// @throws MpiException as [#readAt]
    public Status writeAt(long offset, Buf buf) {
        return access("writeAt", true, offset, operandAt("writeAt", true, offset, buf));
    }

    /// Writes as [#writeAt] does, on all ranks. Each rank writes at the offset that it passes; the ranks may
    /// cooperate. Collective, blocking. `MPI_File_write_at_all`, MPI 4.1, section 14.4.2.
    ///
    /// @throws MpiException as [#readAt]
    public Status writeAtAll(long offset, Buf buf) {
        return accessAll("writeAtAll", true, () -> offset, checked("writeAtAll", true, offset, buf));
    }

    /// Starts [#readAt]. The buffer must not be used until the request is complete. Local. `MPI_File_iread_at`,
    /// MPI 4.1, section 14.4.2.
    ///
    /// @throws MpiException as [#readAt]
    public Request ireadAt(long offset, Buf buf) {
        return start("ireadAt", false, offset, operandAt("ireadAt", false, offset, buf));
    }

    /// Begins [#readAtAll]. Collective; returns immediately. `MPI_File_iread_at_all`, MPI 4.1, section 14.4.2.
    ///
    /// @throws MpiException as [#readAt]
    public Request ireadAtAll(long offset, Buf buf) {
        return startAll("ireadAtAll", false, () -> offset, checked("ireadAtAll", false, offset, buf));
    }

    /// Starts [#writeAt]. The buffer must not be changed until the request is complete. Local.
    /// `MPI_File_iwrite_at`, MPI 4.1, section 14.4.2.
    ///
    /// @throws MpiException as [#readAt]
    public Request iwriteAt(long offset, Buf buf) {
        return start("iwriteAt", true, offset, operandAt("iwriteAt", true, offset, buf));
    }

    /// Begins [#writeAtAll]. Collective; returns immediately. `MPI_File_iwrite_at_all`, MPI 4.1, section 14.4.2.
    ///
    /// @throws MpiException as [#readAt]
    public Request iwriteAtAll(long offset, Buf buf) {
        return startAll("iwriteAtAll", true, () -> offset, checked("iwriteAtAll", true, offset, buf));
    }

    private Operand operandAt(String operation, boolean writes, long offset, Buf buf) {
        checkPositions(operation);
        checkOffset(operation, "offset", offset);
        return operand(operation, writes, buf);
    }

    /// Returns the operand of an access after checking it. Also checks the offset, so that a collective access
    /// fails before other ranks wait for this rank.
    final Operand checked(String operation, boolean writes, long offset, Buf buf) {
        Operand operand = operandAt(operation, writes, offset, buf);
        packed(operation, offset, operand);
        return operand;
    }
}
