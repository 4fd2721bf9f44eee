package org.tutti.futures;

import java.util.LinkedHashMap;
import java.util.Map;

/// The jobs of which a worker has the definition. The dispatcher keeps one for each worker and sees the
/// same messages in the same order, so it knows which definitions it need not send again. Where they
/// differ, after a message that could not be read, the worker says that it does not know the job.
final class RememberedJobs<V> extends LinkedHashMap<Long, V> {
    private static final long serialVersionUID = 1;

    RememberedJobs() {
        super(2 * Wire.REMEMBERED, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, V> eldest) {
        return size() > Wire.REMEMBERED;
    }
}
