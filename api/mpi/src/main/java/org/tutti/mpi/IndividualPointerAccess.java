package org.tutti.mpi;

import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.tutti.mpi.file.OpenFile;

/// The part of [MpiFile] with accesses at this rank's file pointer. An access moves the pointer by the size of
/// the buffer, even if the file ends earlier. A nonblocking call moves the pointer before it returns. MPI 4.1,
/// section 14.4.3.
abstract sealed class IndividualPointerAccess extends ExplicitOffsetAccess permits SharedPointerAccess {
    IndividualPointerAccess(Mpi mpi, OpenFile file) {
        super(mpi, file);
    }

    /// Reads as [#readAt] does, at the pointer. Blocking. `MPI_File_read`, MPI 4.1, section 14.4.3.
    ///
    /// @throws MpiException as [MpiFile] documents
    public Status read(Buf buf) {
        return atPointer("read", false, buf, (at, operand) -> access("read", false, at, operand));
    }

    /// Reads as [#readAtAll] does, on each rank at the rank's pointer. Collective, blocking.
    /// `MPI_File_read_all`, MPI 4.1, section 14.4.3.
    ///
    /// @throws MpiException as [MpiFile] documents
    public Status readAll(Buf buf) {
        return atPointer("readAll", false, buf, (at, operand) -> accessAll("readAll", false, () -> at, operand));
    }

    /// Writes as [#writeAt] does, at the pointer. Blocking. `MPI_File_write`, MPI 4.1, section 14.4.3.
    ///
    /// @throws MpiException as [MpiFile] documents
    public Status write(Buf buf) {
        return atPointer("write", true, buf, (at, operand) -> access("write", true, at, operand));
    }

    /// Writes as [#writeAtAll] does, on each rank at the rank's pointer. Collective, blocking.
    /// `MPI_File_write_all`, MPI 4.1, section 14.4.3.
    ///
    /// @throws MpiException as [MpiFile] documents
    public Status writeAll(Buf buf) {
        return atPointer("writeAll", true, buf, (at, operand) -> accessAll("writeAll", true, () -> at, operand));
    }

    /// Starts [#read]. Local. `MPI_File_iread`, MPI 4.1, section 14.4.3.
    ///
    /// @throws MpiException as [MpiFile] documents
    public Request iread(Buf buf) {
        return atPointer("iread", false, buf, (at, operand) -> start("iread", false, at, operand));
    }

    /// Starts [#readAll]. Collective; returns immediately. `MPI_File_iread_all`, MPI 4.1, section 14.4.3.
    ///
    /// @throws MpiException as [MpiFile] documents
    public Request ireadAll(Buf buf) {
        return atPointer("ireadAll", false, buf, (at, operand) -> startAll("ireadAll", false, () -> at, operand));
    }

    /// Starts [#write]. Local. `MPI_File_iwrite`, MPI 4.1, section 14.4.3.
    ///
    /// @throws MpiException as [MpiFile] documents
    public Request iwrite(Buf buf) {
        return atPointer("iwrite", true, buf, (at, operand) -> start("iwrite", true, at, operand));
    }

    /// Starts [#writeAll]. Collective; returns immediately. `MPI_File_iwrite_all`, MPI 4.1, section 14.4.3.
    ///
    /// @throws MpiException as [MpiFile] documents
    public Request iwriteAll(Buf buf) {
        return atPointer("iwriteAll", true, buf, (at, operand) -> startAll("iwriteAll", true, () -> at, operand));
    }

    final <T> T atPointer(String operation, boolean writes, Buf buf, BiFunction<Long, Operand, T> access) {
        checkPositions(operation);
        Operand operand = operand(operation, writes, buf);
        long etypes = etypes(operand);
        long at = file.pointer();
        packed(operation, at, operand);
        at = file.advance(etypes);
        try {
            return access.apply(at, operand);
        } catch (RuntimeException | Error e) {
            file.retreat(at, etypes);
            throw e;
        }
    }

    /// Moves this rank's pointer to the position at a distance of `offset` etypes from `whence`. Local.
    /// `MPI_File_seek`, MPI 4.1, section 14.4.3.
    ///
    /// @throws MpiException as [MpiFile] documents; `ERR_ARG` if the position would be before the start of the
    ///     view
    public void seek(long offset, MpiFile.Seek whence) {
        checkPositions("seek");
        if (whence == MpiFile.Seek.END) checkHasEnd("seek");
        file.pointer(sought("seek", offset, whence, origin("seek", whence, file::pointer)));
    }

    /// Returns the position to which an offset is relative.
    final long origin(String operation, MpiFile.Seek whence, LongSupplier pointer) {
        Arguments.given(operation, "whence", whence);
        return switch (whence) {
            case SET -> 0;
            case CUR -> pointer.getAsLong();
            case END -> call(operation, file::endOfFile);
        };
    }

    /// Checks the range, and returns the position at a distance of `offset` from `from`.
    final long sought(String operation, long offset, MpiFile.Seek whence, long from) {
        if (offset >= 0 ? from > Long.MAX_VALUE - offset : from + offset < 0) {
            throw refused(
                    ErrorClass.ERR_ARG,
                    operation,
                    "offset=" + offset + " from " + whence + ", which is etype " + from + ", is not in 0 to 2^63 - 1");
        }
        return from + offset;
    }

    final void checkHasEnd(String operation) {
        if (file.view().tiling().isAscending()) return;
        throw refused(
                ErrorClass.ERR_UNSUPPORTED_OPERATION,
                operation,
                "the file type of the view contains bytes twice, so the position of the end of the file is ambiguous");
    }

    /// Returns the position of this rank's pointer, in etypes of the view. Local. `MPI_File_get_position`, MPI
    /// 4.1, section 14.4.3.
    ///
    /// @throws MpiException as [MpiFile] documents
    public long position() {
        checkPositions("position");
        return file.pointer();
    }

    /// Returns the byte of the file at which etype `offset` of the view begins. Local.
    /// `MPI_File_get_byte_offset`, MPI 4.1, section 14.4.3.
    ///
    /// @throws MpiException as [MpiFile] documents; `ERR_ARG` if `offset` is negative
    public long byteOffset(long offset) {
        begin("byteOffset");
        checkOffset("byteOffset", "offset", offset);
        return bytePosition("byteOffset", offset);
    }

    final long bytePosition(String operation, long etypes) {
        if (file.view().tiling().isEmpty()) return file.view().displacement();
        try {
            long packed = Math.multiplyExact(etypes, file.view().etypeBytes());
            return Math.addExact(
                    file.view().displacement(), file.view().tiling().offset(packed));
        } catch (ArithmeticException e) {
            throw refused(ErrorClass.ERR_ARG, operation, "etype " + etypes + " begins after byte 2^63 - 1 of the file");
        }
    }
}
