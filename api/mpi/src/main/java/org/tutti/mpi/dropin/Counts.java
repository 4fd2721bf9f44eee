package org.tutti.mpi.dropin;

import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Status;

/// How much has come, in words of APIs that answer with a number where Tutti throws.
public final class Counts {
    private Counts() {}

    /// How many elements of `size` bytes are in so many; [Comm#UNDEFINED] when it is no whole number.
    public static long of(long bytes, long size) {
        if (size == 0) return bytes == 0 ? 0 : Comm.UNDEFINED;
        return bytes % size == 0 ? bytes / size : Comm.UNDEFINED;
    }

    /// How many basic elements of `type` are in so many bytes; [Comm#UNDEFINED] when they end within one.
    public static long elements(long bytes, Datatype type) {
        try {
            return Status.of(bytes, Datatype.BYTE).elements(type);
        } catch (MpiException endsWithin) {
            return Comm.UNDEFINED;
        }
    }
}
