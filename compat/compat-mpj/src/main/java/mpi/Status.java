package mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.dropin.Counts;

/// The status of a message: source, tag and length.
public class Status implements Freeable {
    public int source = MpjNumbers.ANY;
    public int tag = MpjNumbers.ANY;

    /// The index in the array of requests.
    public int index = MpjNumbers.UNDEFINED;

    /// The number of elements of the receive's type; after a probe, the number of bytes.
    public int count;

    /// The number of elements of the base type.
    public int numEls;

    public int countInBytes;

    /// The base type of the receive; null for a message that was not received.
    private @Nullable MpjElement element;

    private boolean cancelled;

    /// Creates an empty status.
    public Status() {}

    private Status(org.tutti.mpi.Status s, long bytes) {
        source = MpjNumbers.rank(s.source());
        tag = s.tag() == org.tutti.mpi.Comm.ANY_TAG ? MpjNumbers.ANY : s.tag();
        cancelled = s.isCancelled();
        countInBytes = Math.toIntExact(bytes);
    }

    /// Creates the status of a message that has not been received.
    static Status ofProbe(org.tutti.mpi.Status s) {
        Status seen = new Status(s, s.sizeBytes());
        seen.count = seen.numEls = seen.countInBytes;
        return seen;
    }

    /// Creates the status of a message that was received as `type`.
    static Status of(org.tutti.mpi.Status s, Datatype type) {
        long bytes = s.sizeBytes();
        return new Status(s, bytes).elements(bytes / type.element.bytes, type);
    }

    /// Creates the status of a message with `objects` objects in `bytes` bytes.
    static Status ofObjects(org.tutti.mpi.Status s, int objects, int bytes, Datatype type) {
        return new Status(s, bytes).elements(objects, type);
    }

    private Status elements(long elements, Datatype type) {
        element = type.element;
        numEls = Math.toIntExact(elements);
        count = elementsOf(type);
        return this;
    }

    private int elementsOf(Datatype type) {
        return MpjNumbers.rank((int) Counts.of(numEls, type.Size()));
    }

    /// Returns the number of elements of `type`: 0 if the message has a different base type, [MPI#UNDEFINED] if
    /// the number is not integral, or if the elements are objects that have not been received.
    public int Get_count(Datatype type) throws MPIException {
        if (element == type.element) return elementsOf(type);
        if (element != null) return 0;
        if (type.element == MpjElement.OBJECT) return source == MpjNumbers.ANY ? 0 : MpjNumbers.UNDEFINED;
        return MpjNumbers.rank((int) Counts.of(countInBytes, type.layout.sizeBytes()));
    }

    /// As [#Get_count], but counts elements of the base type of `type`.
    public int Get_elements(Datatype type) throws MPIException {
        if (element == type.element) return numEls;
        if (element != null) return 0;
        if (type.element == MpjElement.OBJECT) return Get_count(type);
        return MpjNumbers.rank((int) Counts.of(countInBytes, type.element.bytes));
    }

    /// Returns whether the request was cancelled.
    public boolean Test_cancelled() throws MPIException {
        return cancelled;
    }

    /// Has no effect.
    @Override
    public void free() {}
}
