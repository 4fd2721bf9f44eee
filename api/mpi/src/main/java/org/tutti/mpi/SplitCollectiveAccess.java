package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.file.OpenFile;

/// The part of [MpiFile] with collective accesses in two calls, *begin* and *end*. A file has at most one such
/// access at a time. Nonblocking collective accesses are equivalent, and several can be active at the same
/// time. MPI 4.1, section 14.4.5.
abstract sealed class SplitCollectiveAccess extends SharedPointerAccess permits MpiFile {
    /// The current access. The next field is the name of the call that ends this access. Both are guarded by
    /// the monitor of this object.
    private @Nullable Request active;

    private String endOperation = "";

    SplitCollectiveAccess(Mpi mpi, OpenFile file) {
        super(mpi, file);
    }

    /// Starts [#readAtAll]. Collective; returns immediately. `MPI_File_read_at_all_begin`, MPI 4.1, section
    /// 14.4.5.
    ///
    /// @throws MpiException as [#readAtAll]; `ERR_PENDING` if a split collective access is active
    public void readAtAllBegin(long offset, Buf buf) {
        checkNoneActive("readAtAllBegin");
        Operand operand = checked("readAtAllBegin", false, offset, buf);
        began(startAll("readAtAllBegin", false, () -> offset, operand), "readAtAllEnd");
    }

    /// Ends the access that [#readAtAllBegin] has started. Collective, blocking. `MPI_File_read_at_all_end`,
    /// MPI 4.1, section 14.4.5.
    ///
    /// @throws MpiException the failure of the access; `ERR_REQUEST` if no such access is active
    public Status readAtAllEnd() {
        return end("readAtAllEnd");
    }

    /// Starts [#writeAtAll]. Collective; returns immediately. `MPI_File_write_at_all_begin`, MPI 4.1, section
    /// 14.4.5.
    ///
    /// @throws MpiException as [#writeAtAll]; `ERR_PENDING` if a split collective access is active
    public void writeAtAllBegin(long offset, Buf buf) {
        checkNoneActive("writeAtAllBegin");
        Operand operand = checked("writeAtAllBegin", true, offset, buf);
        began(startAll("writeAtAllBegin", true, () -> offset, operand), "writeAtAllEnd");
    }

    /// Ends the access that [#writeAtAllBegin] has started. Collective, blocking. `MPI_File_write_at_all_end`,
    /// MPI 4.1, section 14.4.5.
    ///
    /// @throws MpiException the failure of the access; `ERR_REQUEST` if no such access is active
    public Status writeAtAllEnd() {
        return end("writeAtAllEnd");
    }

    /// Starts [#readAll]. Collective; returns immediately. `MPI_File_read_all_begin`, MPI 4.1, section 14.4.5.
    ///
    /// @throws MpiException as [#readAll]; `ERR_PENDING` if a split collective access is active
    public void readAllBegin(Buf buf) {
        checkNoneActive("readAllBegin");
        atPointer(
                "readAllBegin",
                false,
                buf,
                (at, operand) -> began(startAll("readAllBegin", false, () -> at, operand), "readAllEnd"));
    }

    /// Ends the access that [#readAllBegin] has started. Collective, blocking. `MPI_File_read_all_end`, MPI
    /// 4.1, section 14.4.5.
    ///
    /// @throws MpiException the failure of the access; `ERR_REQUEST` if no such access is active
    public Status readAllEnd() {
        return end("readAllEnd");
    }

    /// Starts [#writeAll]. Collective; returns immediately. `MPI_File_write_all_begin`, MPI 4.1, section
    /// 14.4.5.
    ///
    /// @throws MpiException as [#writeAll]; `ERR_PENDING` if a split collective access is active
    public void writeAllBegin(Buf buf) {
        checkNoneActive("writeAllBegin");
        atPointer(
                "writeAllBegin",
                true,
                buf,
                (at, operand) -> began(startAll("writeAllBegin", true, () -> at, operand), "writeAllEnd"));
    }

    /// Ends the access that [#writeAllBegin] has started. Collective, blocking. `MPI_File_write_all_end`, MPI
    /// 4.1, section 14.4.5.
    ///
    /// @throws MpiException the failure of the access; `ERR_REQUEST` if no such access is active
    public Status writeAllEnd() {
        return end("writeAllEnd");
    }

    /// Starts [#readOrdered]. Collective; returns immediately. `MPI_File_read_ordered_begin`, MPI 4.1, section
    /// 14.4.5.
    ///
    /// @throws MpiException as [#readOrdered]; `ERR_PENDING` if a split collective access is active
    public void readOrderedBegin(Buf buf) {
        checkNoneActive("readOrderedBegin");
        Operand operand = operand("readOrderedBegin", false, buf);
        began(startAll("readOrderedBegin", false, ordered("readOrderedBegin", operand), operand), "readOrderedEnd");
    }

    /// Ends the access that [#readOrderedBegin] has started. Collective, blocking. `MPI_File_read_ordered_end`,
    /// MPI 4.1, section 14.4.5.
    ///
    /// @throws MpiException the failure of the access; `ERR_REQUEST` if no such access is active
    public Status readOrderedEnd() {
        return end("readOrderedEnd");
    }

    /// Starts [#writeOrdered]. Collective; returns immediately. `MPI_File_write_ordered_begin`, MPI 4.1,
    /// section 14.4.5.
    ///
    /// @throws MpiException as [#writeOrdered]; `ERR_PENDING` if a split collective access is active
    public void writeOrderedBegin(Buf buf) {
        checkNoneActive("writeOrderedBegin");
        Operand operand = operand("writeOrderedBegin", true, buf);
        began(startAll("writeOrderedBegin", true, ordered("writeOrderedBegin", operand), operand), "writeOrderedEnd");
    }

    /// Ends the access that [#writeOrderedBegin] has started. Collective, blocking.
    /// `MPI_File_write_ordered_end`, MPI 4.1, section 14.4.5.
    ///
    /// @throws MpiException the failure of the access; `ERR_REQUEST` if no such access is active
    public Status writeOrderedEnd() {
        return end("writeOrderedEnd");
    }

    private synchronized void checkNoneActive(String operation) {
        begin(operation);
        if (active == null) return;
        throw refused(
                ErrorClass.ERR_PENDING,
                operation,
                active + " is in progress; call " + endOperation + " first: a file has one split access at a time");
    }

    private synchronized Request began(Request request, String end) {
        active = request;
        endOperation = end;
        return request;
    }

    private Status end(String operation) {
        begin(operation);
        Request ending;
        synchronized (this) {
            ending = active;
            if (ending == null || !endOperation.equals(operation)) {
                throw refused(
                        ErrorClass.ERR_REQUEST,
                        operation,
                        ending == null ? "no access is in progress" : ending + " is in progress; call " + endOperation);
            }
            active = null;
        }
        return ending.await();
    }
}
