package mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.dropin.Counts;

/// What a message was: who sent it, with which tag, how long it is.
public class Status implements Freeable {
    public int source = MpjNumbers.ANY;
    public int tag = MpjNumbers.ANY;

    /// The place in the array of requests that was asked about.
    public int index = MpjNumbers.UNDEFINED;

    /// Elements of the type that it was received as; after a probe, bytes.
    public int count;

    /// The same in elements of the type's base type.
    public int numEls;

    public int countInBytes;

    /// What it was received as; null of one that was not.
    private @Nullable MpjElement element;

    private boolean cancelled;

    /// Makes an empty one.
    public Status() {}

    private Status(org.tutti.mpi.Status s, long bytes) {
        source = MpjNumbers.rank(s.source());
        tag = s.tag() == org.tutti.mpi.Comm.ANY_TAG ? MpjNumbers.ANY : s.tag();
        cancelled = s.isCancelled();
        countInBytes = Math.toIntExact(bytes);
    }

    /// Of a message that is not received yet.
    static Status ofProbe(org.tutti.mpi.Status s) {
        Status seen = new Status(s, s.sizeBytes());
        seen.count = seen.numEls = seen.countInBytes;
        return seen;
    }

    /// Of one that was received as `type`.
    static Status of(org.tutti.mpi.Status s, Datatype type) {
        long bytes = s.sizeBytes();
        return new Status(s, bytes).elements(bytes / type.element.bytes, type);
    }

    /// Of objects, so many of them in so many bytes.
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

    /// Returns how many elements of `type` it has: 0 of another base type than it was received as,
    /// [MPI#UNDEFINED] when it is no whole number, and of objects that were not received yet.
    public int Get_count(Datatype type) throws MPIException {
        if (element == type.element) return elementsOf(type);
        if (element != null) return 0;
        if (type.element == MpjElement.OBJECT) return source == MpjNumbers.ANY ? 0 : MpjNumbers.UNDEFINED;
        return MpjNumbers.rank((int) Counts.of(countInBytes, type.layout.sizeBytes()));
    }

    /// Returns how many elements of the base type of `type` it has; as [#Get_count] otherwise.
    public int Get_elements(Datatype type) throws MPIException {
        if (element == type.element) return numEls;
        if (element != null) return 0;
        if (type.element == MpjElement.OBJECT) return Get_count(type);
        return MpjNumbers.rank((int) Counts.of(countInBytes, type.element.bytes));
    }

    /// Returns whether it is that of a request that was cancelled.
    public boolean Test_cancelled() throws MPIException {
        return cancelled;
    }

    /// Does nothing.
    @Override
    public void free() {}
}
