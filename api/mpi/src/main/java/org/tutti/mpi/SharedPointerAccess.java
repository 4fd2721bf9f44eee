package org.tutti.mpi;

import java.util.function.LongSupplier;
import org.tutti.mpi.file.OpenFile;

/// The part of [MpiFile] with accesses at the file pointer that all ranks share. The views of all ranks must be
/// equal. MPI 4.1, section 14.4.4.
abstract sealed class SharedPointerAccess extends IndividualPointerAccess permits SplitCollectiveAccess {
    SharedPointerAccess(Mpi mpi, OpenFile file) {
        super(mpi, file);
    }

    /// Reads at the shared pointer. Ranks that call this method at the same time get different parts, in an
    /// undefined order. Blocking. `MPI_File_read_shared`, MPI 4.1, section 14.4.4.
    ///
    /// @throws MpiException as [MpiFile] documents
    public Status readShared(Buf buf) {
        Operand operand = operand("readShared", false, buf);
        return access("readShared", false, taken("readShared", operand), operand);
    }

    /// Writes at the shared pointer. Data that several ranks write at the same time is stored consecutively, in
    /// an undefined order. Blocking. `MPI_File_write_shared`, MPI 4.1, section 14.4.4.
    ///
    /// @throws MpiException as [MpiFile] documents
    public Status writeShared(Buf buf) {
        Operand operand = operand("writeShared", true, buf);
        return access("writeShared", true, taken("writeShared", operand), operand);
    }

    /// Starts [#readShared]. Local. `MPI_File_iread_shared`, MPI 4.1, section 14.4.4.
    ///
    /// @throws MpiException as [MpiFile] documents
    public Request ireadShared(Buf buf) {
        Operand operand = operand("ireadShared", false, buf);
        return start("ireadShared", false, taken("ireadShared", operand), operand);
    }

    /// Starts [#writeShared]. Local. `MPI_File_iwrite_shared`, MPI 4.1, section 14.4.4.
    ///
    /// @throws MpiException as [MpiFile] documents
    public Request iwriteShared(Buf buf) {
        Operand operand = operand("iwriteShared", true, buf);
        return start("iwriteShared", true, taken("iwriteShared", operand), operand);
    }

    /// Reads at the shared pointer in rank order: each rank reads the data that follows the data of the
    /// previous rank. Collective, blocking. `MPI_File_read_ordered`, MPI 4.1, section 14.4.4.
    ///
    /// @throws MpiException as [MpiFile] documents
    public Status readOrdered(Buf buf) {
        Operand operand = operand("readOrdered", false, buf);
        return accessAll("readOrdered", false, ordered("readOrdered", operand), operand);
    }

    /// Writes at the shared pointer in rank order. Collective, blocking. `MPI_File_write_ordered`, MPI 4.1,
    /// section 14.4.4.
    ///
    /// @throws MpiException as [MpiFile] documents
    public Status writeOrdered(Buf buf) {
        Operand operand = operand("writeOrdered", true, buf);
        return accessAll("writeOrdered", true, ordered("writeOrdered", operand), operand);
    }

    private long taken(String operation, Operand operand) {
        long etypes = etypes(operand);
        return call(operation, () -> file.advanceShared(operation, etypes));
    }

    /// Returns a supplier of this rank's position, which is computed when the access begins.
    final LongSupplier ordered(String operation, Operand operand) {
        long etypes = etypes(operand);
        return () -> file.advanceOrdered(operation, etypes);
    }

    /// Moves the shared pointer to the position at a distance of `offset` etypes from `whence`. All ranks must
    /// pass the same values. Collective, blocking. `MPI_File_seek_shared`, MPI 4.1, section 14.4.4.
    ///
    /// @throws MpiException as [MpiFile] documents; `ERR_ARG` if the position would be before the start of the
    ///     view; on all ranks `ERR_NOT_SAME` if the values differ
    public void seekShared(long offset, MpiFile.Seek whence) {
        Arguments.given("seekShared", "whence", whence);
        checkSharedPosition("seekShared");
        if (whence == MpiFile.Seek.END) checkHasEnd("seekShared");
        long from = call(
                "seekShared",
                () -> file.sharedOrigin(
                        offset,
                        whence.ordinal(),
                        () -> origin("seekShared", whence, () -> file.sharedPointer("seekShared"))));
        long position = sought("seekShared", offset, whence, from);
        run("seekShared", () -> file.seekShared(position));
    }

    /// Returns the position of the shared pointer, in etypes of the view. Local.
    /// `MPI_File_get_position_shared`, MPI 4.1, section 14.4.4.
    ///
    /// @throws MpiException as [MpiFile] documents
    public long positionShared() {
        checkSharedPosition("positionShared");
        return call("positionShared", () -> file.sharedPointer("positionShared"));
    }
}
