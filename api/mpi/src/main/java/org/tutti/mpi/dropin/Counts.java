package org.tutti.mpi.dropin;

import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Status;

/// Counts of received data, for APIs that return a number in cases in which Tutti throws an exception.
public final class Counts {
    private Counts() {}

    /// Returns the number of elements of `size` bytes; [Comm#UNDEFINED] if `bytes` is not a multiple of `size`.
    public static long of(long bytes, long size) {
        if (size == 0) return bytes == 0 ? 0 : Comm.UNDEFINED;
        return bytes % size == 0 ? bytes / size : Comm.UNDEFINED;
    }

    /// Returns the number of basic elements of `type`; [Comm#UNDEFINED] if the data ends within an element.
    public static long elements(long bytes, Datatype type) {
        try {
            return Status.of(bytes, Datatype.BYTE).elements(type);
        } catch (MpiException incomplete) {
            return Comm.UNDEFINED;
        }
    }
}
