package org.tutti.shm.segment;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/// The free extents of a rank. An allocation uses the extent that fits best, and the lowest address among equal
/// extents. Adjacent extents are merged.
final class FreeExtents {
    /// A free extent. Extents are ordered by size, then by offset. The order is not a composed comparator,
    /// because the JVM would generate classes for it at each start of a rank.
    private record Extent(long at, long bytes) implements Comparable<Extent> {
        @Override
        public int compareTo(Extent other) {
            int smaller = Long.compare(bytes, other.bytes);
            return smaller != 0 ? smaller : Long.compare(at, other.at);
        }
    }

    private final TreeMap<Long, Extent> byPlace = new TreeMap<>();
    private final TreeSet<Extent> bySize = new TreeSet<>();

    /// Allocates `bytes` bytes aligned to `align`. Returns the offset, or -1 if there is no such extent.
    long take(long bytes, long align) {
        for (Extent e : bySize.tailSet(new Extent(0, bytes))) {
            long at = Segment.aligned(e.at, align);
            if (at + bytes > e.at + e.bytes) continue;
            remove(e);
            if (at > e.at) add(new Extent(e.at, at - e.at));
            if (e.at + e.bytes > at + bytes) add(new Extent(at + bytes, e.at + e.bytes - at - bytes));
            return at;
        }
        return -1;
    }

    void give(long at, long bytes) {
        long begin = at, end = at + bytes;
        Map.Entry<Long, Extent> before = byPlace.lowerEntry(at);
        if (before != null && before.getKey() + before.getValue().bytes == begin) {
            begin = before.getKey();
            remove(before.getValue());
        }
        Extent after = byPlace.get(end);
        if (after != null) {
            end += after.bytes;
            remove(after);
        }
        add(new Extent(begin, end - begin));
    }

    private void add(Extent e) {
        byPlace.put(e.at, e);
        bySize.add(e);
    }

    private void remove(Extent e) {
        byPlace.remove(e.at);
        bySize.remove(e);
    }
}
