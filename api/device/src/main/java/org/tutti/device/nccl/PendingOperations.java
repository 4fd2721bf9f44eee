package org.tutti.device.nccl;

import java.util.Arrays;

/// The pending operations of a communicator, in the order of the calls, stored in a ring.
final class PendingOperations {
    private long[] events = new long[64], deadlines = new long[64];
    private String[] names = new String[64];
    private long first, next;

    /// @param name the name of the operation for error messages
    /// @param event an event that is complete when the operation is complete
    synchronized void add(String name, long event, long deadlineNanos) {
        if (next - first == events.length) grow();
        int at = (int) next++ & events.length - 1;
        events[at] = event;
        deadlines[at] = deadlineNanos;
        names[at] = name;
        notifyAll();
    }

    private void grow() {
        int length = events.length, from = (int) first & length - 1;
        long[] moved = new long[2 * length], times = new long[2 * length];
        String[] texts = Arrays.copyOf(names, 2 * length);
        for (int i = 0; i < length; i++) {
            int old = from + i & length - 1;
            moved[i] = events[old];
            times[i] = deadlines[old];
            texts[i] = names[old];
        }
        events = moved;
        deadlines = times;
        names = texts;
        next -= first;
        first = 0;
    }

    synchronized boolean isEmpty() {
        return first == next;
    }

    synchronized long firstEvent() {
        return events[(int) first & events.length - 1];
    }

    synchronized long firstDeadline() {
        return deadlines[(int) first & events.length - 1];
    }

    /// Returns the name of the first operation.
    synchronized String firstName() {
        return names[(int) first & events.length - 1];
    }

    synchronized void removeFirst() {
        first++;
    }

    synchronized void wake() {
        notifyAll();
    }

    /// Waits until an operation is pending, for at most `millis` milliseconds.
    synchronized void awaitOne(long millis) throws InterruptedException {
        if (isEmpty()) wait(millis);
    }
}
