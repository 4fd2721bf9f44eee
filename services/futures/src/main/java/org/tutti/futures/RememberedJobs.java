package org.tutti.futures;

import java.util.LinkedHashMap;
import java.util.Map;

/// The jobs whose definition a worker has. The dispatcher has a copy of this object for each worker and
/// processes the same messages in the same order, so it can omit the definitions that the worker has. If the
/// two differ after an unreadable message, the worker answers that the job is unknown.
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
