package org.tutti.conformance.soak;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.soak.MessageSequence.SoakMessage;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;

/// The messages of this rank to one destination.
///
/// A window limits the messages in transit to a few dozen: with a window of n messages, a message is sent only
/// when the n-th message before it is complete. Because some messages are long and some are synchronous, the
/// window also limits the unreceived data at the destination.
final class Outgoing {
    private static final int SMALL_WINDOW = 3, WINDOW_SIZES = 5;

    /// Maximum length of messages that are buffered or sent from separate memory, in bytes.
    private static final int PLACE_BYTES = 40 << 10;

    private final Soak soak;
    private final int dest;
    private final MessageSequence messages;
    private final SplittableRandom random;
    private final Area[] places;
    private final @Nullable Request[] window;

    /// The messages of the window that are sent from separate memory, by slot.
    private final @Nullable SoakMessage[] placed;

    private final int[] kinds;
    private final int[] starts;
    private int next;
    private final Tally sent = new Tally();

    Outgoing(Soak soak, int dest) {
        this.soak = soak;
        this.dest = dest;
        messages = soak.sequence(soak.me(), dest);
        random = soak.random(dest);
        int length = random.nextInt(1, (SMALL_WINDOW << random.nextInt(WINDOW_SIZES)) + 1);
        places = Area.ofEachKind(soak.mpi(), length * PLACE_BYTES);
        window = new @Nullable Request[length];
        placed = new @Nullable SoakMessage[length];
        kinds = new int[length];
        starts = new int[length];
    }

    Tally sent() {
        return sent;
    }

    // ---- nonblocking

    /// Makes progress without blocking; returns whether progress was possible.
    boolean move() {
        Request before = window[next];
        if (before != null) {
            if (!before.test()) return false;
            complete(next);
            if (messages.left() > 0) start(false);
            else next = (next + 1) % window.length;
            return true;
        }
        if (messages.left() > 0) {
            start(false);
            return true;
        }
        next = (next + 1) % window.length;
        return false;
    }

    boolean isDone() {
        if (messages.left() > 0) return false;
        for (Request r : window) if (r != null) return false;
        return true;
    }

    /// Adds the request that [#move] waits for.
    void addTo(Requests waiting) {
        Request r = window[next];
        if (r != null) waiting.add(r);
    }

    // ---- in a separate thread

    /// Sends all messages.
    void run() {
        while (messages.left() > 0) {
            free();
            start(true);
        }
        for (int i = 0; i < window.length; i++) {
            free();
            next = (next + 1) % window.length;
        }
    }

    /// Waits until the slot for the next message is free.
    private void free() {
        Request before = window[next];
        if (before == null) return;
        switch (random.nextInt(3)) {
            case 0 -> {
                while (!before.test()) Thread.yield();
            }
            case 1 -> {
                Requests all = soak.mpi().requests();
                for (Request r : window) if (r != null) all.add(r);
                all.awaitAll();
            }
            default -> before.await();
        }
        complete(next);
    }

    // ---- nonblocking or in a thread

    private void start(boolean mayBlock) {
        SoakMessage message = messages.take();
        int slot = next;
        next = (next + 1) % window.length;
        sent.add(message.bytes(), message.mixed(soak.me(), dest));
        Buf buf = content(message, slot);
        Comm world = soak.mpi().world();
        int tag = message.tag();
        switch (random.nextInt(mayBlock ? 10 : 7)) {
            case 0, 1 -> window[slot] = world.issend(buf, dest, tag);
            case 2, 3, 4 -> window[slot] = world.isend(buf, dest, tag);
            case 5 -> {
                if (message.bytes() <= PLACE_BYTES) world.bsend(buf, dest, tag);
                else window[slot] = world.isend(buf, dest, tag);
            }
            case 6 -> {
                window[slot] =
                        message.bytes() <= PLACE_BYTES ? world.ibsend(buf, dest, tag) : world.issend(buf, dest, tag);
            }
            case 7 -> world.ssend(buf, dest, tag);
            default -> world.send(buf, dest, tag);
        }
        if (window[slot] == null) complete(slot);
    }

    /// Returns a buffer with the content: a part of the template, or a copy that is overwritten when the send
    /// is complete.
    private Buf content(SoakMessage message, int slot) {
        int kind = random.nextInt(Area.KINDS);
        int start = slot * PLACE_BYTES + random.nextInt(Long.BYTES);
        boolean fits = start + message.bytes() <= (slot + 1) * PLACE_BYTES;
        if (!fits || random.nextInt(4) == 0) return soak.template().buf(message, kind);
        placed[slot] = message;
        kinds[slot] = kind;
        starts[slot] = start;
        soak.template().copy(message, places[kind], start);
        return places[kind].buf(start, message.bytes());
    }

    private void complete(int slot) {
        window[slot] = null;
        SoakMessage message = placed[slot];
        if (message == null) return;
        placed[slot] = null;
        Area area = places[kinds[slot]];
        long wrong = soak.template().mismatch(message, area, starts[slot]);
        if (wrong >= 0) throw soak.failure(soak.me(), message, "was changed by the send, starting at byte " + wrong);
        area.poison(starts[slot], message.bytes());
    }
}
