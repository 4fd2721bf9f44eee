package org.tutti.shm.segment;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Key-value pairs shared between processes: a linked list in the job's memory. Thread-safe.
///
///     a note    0 before, int64: offset of the previous note; 0 if none
///               8 state, int32: 1 while valid                12 owner, int32: the creating process
///               16 length of the key, int32                  20 length of the value, int32
///               24 key and value, UTF-8
///
/// Only the state of a note changes. A note is valid at most until the owner leaves the job or terminates. If
/// two notes have the same key, the older one is valid.
public final class SharedNotes {
    private static final long BEFORE = 0, STATE = 8, OWNER = 12, KEY_BYTES = 16, VALUE_BYTES = 20, TEXT = 24;
    private static final int HOLDS = 1, WITHDRAWN = 2;

    private final Segment segment;
    private final Shared memory;
    private final int me;

    /// @param me the number of this process
    public SharedNotes(Segment segment, int me) {
        this.segment = segment;
        this.memory = segment.memory();
        this.me = me;
    }

    /// Adds a note. Returns false if there already is a valid note with this key.
    public boolean add(String key, String value, String operation) {
        if (find(key) != null) return false;
        byte[] keyBytes = key.getBytes(StandardCharsets.UTF_8), valueBytes = value.getBytes(StandardCharsets.UTF_8);
        long at = segment.extent(TEXT + keyBytes.length + valueBytes.length, operation);
        memory.setInt(at + STATE, HOLDS);
        memory.setInt(at + OWNER, me);
        memory.setInt(at + KEY_BYTES, keyBytes.length);
        memory.setInt(at + VALUE_BYTES, valueBytes.length);
        put(keyBytes, at + TEXT);
        put(valueBytes, at + TEXT + keyBytes.length);
        long before;
        do {
            before = segment.newestNote();
            memory.setLong(at + BEFORE, before);
        } while (!segment.publishNote(before, at));
        if (holding(key, before) == 0) return true;
        memory.setIntRelease(at + STATE, WITHDRAWN); // a different process was faster
        return false;
    }

    /// Returns the value of the valid note with this key, or null.
    public @Nullable String find(String key) {
        long at = holding(key, segment.newestNote());
        if (at == 0) return null;
        return text(at + TEXT + memory.getInt(at + KEY_BYTES), memory.getInt(at + VALUE_BYTES));
    }

    /// Withdraws the note with this key. Returns whether there was such a note.
    public boolean withdraw(String key) {
        long at = holding(key, segment.newestNote());
        if (at != 0) memory.setIntRelease(at + STATE, WITHDRAWN);
        return at != 0;
    }

    /// Returns the offset of the oldest valid note with this key; 0 if no note is found. The search covers the
    /// note at `from` and all older notes.
    private long holding(String key, long from) {
        long found = 0;
        for (long at = from; at != 0; at = memory.getLong(at + BEFORE)) {
            if (memory.getIntAcquire(at + STATE) != HOLDS) continue;
            if (!key.equals(text(at + TEXT, memory.getInt(at + KEY_BYTES)))) continue;
            if (!segment.hasLeftOrDied(memory.getInt(at + OWNER))) found = at;
        }
        return found;
    }

    private void put(byte[] bytes, long at) {
        MemorySegment.copy(bytes, 0, memory.segment(), ValueLayout.JAVA_BYTE, at, bytes.length);
    }

    private String text(long at, int length) {
        byte[] bytes = new byte[length];
        MemorySegment.copy(memory.segment(), ValueLayout.JAVA_BYTE, at, bytes, 0, length);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
