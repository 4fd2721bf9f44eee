package org.tutti.conformance.trial;

import org.tutti.mpi.OwnedComm;

/// A communicator of all ranks that was closed twice.
///
/// @param rejection the error text of a call on the communicator, after the name of the call
public record ClosedComm(OwnedComm comm, String rejection) {
    public static ClosedComm of(Trial t) {
        OwnedComm dup = t.world().dup();
        dup.barrier();
        String next = Check.nextLine();
        dup.close();
        dup.close(); // a second close has no effect
        String name = dup.name();
        String where = " (rank " + t.rank() + " of " + t.size() + ", " + name + ")";
        return new ClosedComm(dup, ": the communicator " + name + " was closed at " + next + where);
    }
}
