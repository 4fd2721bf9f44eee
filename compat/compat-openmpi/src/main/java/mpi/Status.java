package mpi;

import org.tutti.mpi.dropin.Counts;

/// The status of a message. If consecutive messages have equal statuses, as in a loop, the program gets the
/// same object again, unless the program has changed it.
public final class Status {
    private static final ThreadLocal<Status[]> LAST = ThreadLocal.withInitial(() -> new Status[1]);

    private final org.tutti.mpi.Status status;
    private final int index;

    /// The number of bytes, and whether the operation was cancelled; the program can set both.
    private long bytes;

    private boolean cancelled;

    private Status(org.tutti.mpi.Status status, int index) {
        this.status = status;
        this.index = index;
        bytes = status.sizeBytes();
        cancelled = status.isCancelled();
    }

    static Status of(org.tutti.mpi.Status status) {
        Status[] last = LAST.get();
        Status known = last[0];
        if (known != null && known.status == status) return known;
        known = new Status(status, 0);
        last[0] = known;
        return known;
    }

    /// Returns the status of the request at this index.
    static Status of(org.tutti.mpi.Status status, int index) {
        return new Status(status, index);
    }

    static Status empty() {
        return of(org.tutti.mpi.Status.empty());
    }

    public int getCount(Datatype type) throws MPIException {
        type.checkThere();
        return (int) Counts.of(bytes, type.sizeBytes());
    }

    public int getElements(Datatype type) throws MPIException {
        type.checkThere();
        return (int) Counts.elements(bytes, type.real);
    }

    public Count getElementsX(Datatype type) throws MPIException {
        type.checkThere();
        return new Count(Counts.elements(bytes, type.real));
    }

    public void setElements(Datatype type, int count) throws MPIException {
        type.checkThere();
        change();
        // `count` is a number of basic elements; an incomplete last element consists of the first basic
        // elements of the type
        bytes = bytesOf(type, count);
    }

    public void setElementsX(Datatype type, Count count) throws MPIException {
        type.checkThere();
        change();
        bytes = bytesOf(type, count.getCount());
    }

    private static long bytesOf(Datatype type, long elements) {
        long size = type.sizeBytes();
        long each = size == 0 ? 0 : Counts.elements(size, type.real);
        if (each <= 0) return 0;
        long whole = elements / each * size;
        long rest = elements % each;
        for (long more = 0; rest > 0 && more <= size; more++) {
            if (Counts.elements(more, type.real) == rest) return whole + more;
        }
        return whole;
    }

    private void change() {
        Status[] last = LAST.get();
        if (last[0] == this) last[0] = null;
    }

    public int getSource() {
        return status.source();
    }

    public int getTag() {
        return status.tag();
    }

    public int getError() {
        return MPI.SUCCESS;
    }

    public int getIndex() {
        return index;
    }

    public boolean isCancelled() throws MPIException {
        return cancelled;
    }

    public void setCancelled(boolean flag) throws MPIException {
        change();
        cancelled = flag;
    }
}
