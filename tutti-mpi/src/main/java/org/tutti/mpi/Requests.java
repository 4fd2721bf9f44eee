package org.tutti.mpi;

import java.util.ArrayList;
import java.util.List;

/// Requests that are waited for together, in a scope that cannot be left with one of them pending:
///
///     try (Requests r = mpi.requests()) {
///         r.add(world.irecv(buf(halo), left));
///         r.add(world.isend(buf(edge), right));
///         r.awaitAll();
///     }
///
/// For one thread. MPI 4.1, section 3.7.5.
public final class Requests implements AutoCloseable {
    private final List<Request> requests = new ArrayList<>();
    private final Mpi mpi;

    Requests(Mpi mpi) {
        this.mpi = mpi;
    }

    /// Adds it; returns it.
    public Request add(Request request) {
        requests.add(request);
        return request;
    }

    public int size() {
        return requests.size();
    }

    /// Waits for all. When some fail, the first failure is thrown after all are complete, with the others
    /// suppressed.
    public List<Status> awaitAll() {
        List<Status> statuses = new ArrayList<>(requests.size());
        MpiException first = null;
        for (Request r : requests) {
            try {
                statuses.add(r.await());
            } catch (MpiException e) {
                if (e.scope() == MpiException.Scope.JOB) throw e;
                if (first == null) first = e;
                else first.addSuppressed(e);
            }
        }
        if (first != null) throw first;
        return statuses;
    }

    /// True when all are complete; never waits.
    public boolean testAll() {
        boolean all = true;
        for (Request r : requests) all &= r.test();
        return all;
    }

    /// Throws when one is pending, and never blocks: after an exception a wait could last for ever.
    @Override
    public void close() {
        long open = requests.stream().filter(r -> !r.isFinished() && !r.test()).count();
        if (open == 0) return;
        String what = requests.stream()
                .filter(r -> !r.isFinished())
                .findFirst()
                .map(Request::toString)
                .orElse("");
        throw MpiException.argument(
                ErrorClass.ERR_PENDING,
                "Requests.close",
                open + " of " + requests.size() + " requests are pending, the first: " + what
                        + "; call awaitAll() before the end of the try block",
                mpi.where());
    }
}
