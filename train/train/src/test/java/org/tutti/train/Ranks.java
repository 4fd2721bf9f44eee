package org.tutti.train;

import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import org.tutti.mpi.Tutti;

/// Runs a body on several ranks that are threads.
public final class Ranks {
    private Ranks() {}

    public interface Body<T> {
        T run(ProcessGroup group) throws Exception;
    }

    /// Returns the results of the bodies, by rank.
    public static <T> List<T> run(int size, Body<T> body) {
        ConcurrentSkipListMap<Integer, T> results = new ConcurrentSkipListMap<>();
        Tutti.local(size, mpi -> {
            try (ProcessGroup group = ProcessGroup.of(mpi, mpi.world())) {
                results.put(group.rank(), body.run(group));
            }
        });
        return List.copyOf(results.values());
    }
}
