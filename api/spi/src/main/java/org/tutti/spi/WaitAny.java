package org.tutti.spi;

import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A wait for one of several activities. The caller reuses the object.
public final class WaitAny implements ObservedCall {
    /// The activities; the first [#count] entries are valid.
    public @Nullable Activity[] activities = {};

    public int count;

    /// After the wait, the index of the completed activity.
    public int which;

    /// Returns the activity at index `i`, which must be less than [#count].
    @SuppressWarnings("NullAway")
    public Activity activity(int i) {
        return activities[i];
    }

    /// Returns the activities of the wait.
    public List<Activity> all() {
        return IntStream.range(0, count).mapToObj(this::activity).toList();
    }
}
