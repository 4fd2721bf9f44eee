package org.tutti.conformance.soak;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.soak.MessageSequence.SoakMessage;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Message;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Status;

/// The messages of all ranks to this rank, received in rounds: several messages at a time, all in the same form.
final class Incoming {
    private static final int MOST_IN_ROUND = 12;

    /// Size of the memory for a round, in bytes for each kind of memory. The longest message always fits.
    private static final int ROUND_BYTES = MessageSequence.LONGEST + (1 << 20);

    /// Number of bytes before and after a buffer that must not change.
    private static final int GUARD = 64;

    private static final int RECEIVER = -1;

    /// The form in which the messages of a round are received.
    private enum Way {
        BY_SOURCE,
        BY_SOURCE_AND_TAG,
        ANY_SOURCE,
        PROBE,
        MATCHED_PROBE,
        BLOCKING
    }

    /// The memory for a message.
    private record Place(Area area, int at, int capacity) {}

    /// @param message the expected message, or null while the source is unknown
    private record Posted(
            Request request,
            Place place,
            int source,
            @Nullable SoakMessage message) {}

    private final Soak soak;
    private final SplittableRandom random;
    private final MessageSequence[] sequences;
    private final Area[] areas;
    private final int[] used = new int[Area.KINDS];
    private final List<Posted> posted = new ArrayList<>();
    private Way way = Way.BY_SOURCE;

    /// The number of messages that a round with probes has not found yet.
    private int toFind;

    private final Tally received = new Tally();

    Incoming(Soak soak) {
        this.soak = soak;
        random = soak.random(RECEIVER);
        sequences = new MessageSequence[soak.size()];
        for (int source = 0; source < sequences.length; source++) sequences[source] = soak.sequence(source, soak.me());
        areas = Area.ofEachKind(soak.mpi(), ROUND_BYTES);
    }

    Tally received() {
        return received;
    }

    private int left() {
        int left = 0;
        for (MessageSequence l : sequences) left += l.left();
        return left;
    }

    // ---- nonblocking

    /// Makes progress without blocking; returns whether progress was possible.
    boolean move() {
        if (toFind > 0) return find(false);
        if (posted.isEmpty()) {
            if (left() == 0) return false;
            begin(false);
            return true;
        }
        if (!areComplete()) return false;
        check();
        return true;
    }

    boolean isDone() {
        return posted.isEmpty() && left() == 0;
    }

    /// Adds the requests for which [#move] waits; returns false if it does not wait for requests.
    boolean addTo(Requests waiting) {
        if (toFind > 0) return false;
        for (Posted p : posted) waiting.add(p.request);
        return true;
    }

    private boolean areComplete() {
        for (Posted p : posted) if (!p.request.test()) return false;
        return true;
    }

    // ---- in a separate thread

    /// Receives all messages.
    void run() {
        while (left() > 0) {
            begin(true);
            while (toFind > 0) if (!find(true)) Thread.yield();
            await();
            check();
        }
    }

    private void await() {
        Requests all = soak.mpi().requests();
        for (Posted p : posted) all.add(p.request);
        switch (random.nextInt(5)) {
            case 0 -> all.awaitAll();
            case 1 -> {
                for (int i = 0; i < posted.size(); i++) all.awaitAny();
            }
            case 2 -> {
                for (int i = 0; i < posted.size(); ) i += all.awaitSome().length;
            }
            case 3 -> {
                while (!all.testAll()) Thread.yield();
            }
            default -> {
                for (int i = posted.size() - 1; i >= 0; i--)
                    posted.get(i).request.await();
            }
        }
    }

    // ---- a round

    private void begin(boolean mayBlock) {
        for (int i = 0; i < used.length; i++) used[i] = random.nextInt(Long.BYTES);
        int count = Math.min(random.nextInt(1, MOST_IN_ROUND + 1), left());
        way = Way.values()[random.nextInt(Way.values().length - (mayBlock ? 0 : 1))];
        switch (way) {
            case BY_SOURCE -> bySource(count);
            case BY_SOURCE_AND_TAG -> bySourceAndTag(count);
            case ANY_SOURCE -> anySource(count);
            case PROBE, MATCHED_PROBE -> toFind = count;
            case BLOCKING -> blocking(count);
        }
    }

    /// Returns a random source with remaining messages.
    private int source() {
        int source = random.nextInt(sequences.length);
        while (sequences[source].left() == 0) source = (source + 1) % sequences.length;
        return source;
    }

    private void bySource(int count) {
        for (int i = 0; i < count; i++) {
            int source = source();
            Place place = place(sequences[source].peek().bytes());
            if (place == null) return;
            post(place, source, Comm.ANY_TAG, sequences[source].take());
        }
    }

    /// Receives the next messages of one source. This rank chooses the order, but messages with the same tag
    /// stay in order.
    private void bySourceAndTag(int count) {
        int source = source();
        List<SoakMessage> taken = new ArrayList<>();
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < count && sequences[source].left() > 0; i++) {
            Place place = place(sequences[source].peek().bytes());
            if (place == null) break;
            taken.add(sequences[source].take());
            places.add(place);
        }
        List<Integer> tags =
                new ArrayList<>(taken.stream().map(SoakMessage::tag).toList());
        Collections.shuffle(tags, Random.from(random));
        for (int tag : tags) {
            int first = 0;
            while (taken.get(first).tag() != tag) first++;
            post(places.remove(first), source, tag, taken.remove(first));
        }
    }

    private void anySource(int count) {
        int longest = 0;
        for (MessageSequence l : sequences) longest = Math.max(longest, l.longest(count));
        for (int i = 0; i < count; i++) {
            Place place = place(longest);
            if (place == null) return;
            post(place, Comm.ANY_SOURCE, Comm.ANY_TAG, null);
        }
    }

    private void post(Place place, int source, int tag, @Nullable SoakMessage message) {
        Request r = world().irecv(place.area.buf(place.at, place.capacity), source, tag);
        posted.add(new Posted(r, place, source, message));
    }

    private void blocking(int count) {
        for (int i = 0; i < count; i++) {
            int source = source();
            SoakMessage message = sequences[source].peek();
            Place place = place(message.bytes());
            if (place == null) return;
            int tag = random.nextBoolean() ? message.tag() : Comm.ANY_TAG;
            Status s = world().recv(place.area.buf(place.at, place.capacity), source, tag);
            check(place, source, sequences[source].take(), s);
        }
    }

    /// Probes for one message and receives it or starts the receive.
    private boolean find(boolean mayBlock) {
        boolean wildcard = random.nextBoolean();
        int source = wildcard ? Comm.ANY_SOURCE : source();
        int tag = wildcard || random.nextBoolean()
                ? Comm.ANY_TAG
                : sequences[source].peek().tag();
        boolean wait = mayBlock && random.nextBoolean();
        if (way == Way.PROBE) {
            Status s = wait ? world().probe(source, tag) : world().iprobe(source, tag);
            if (s == null) return false;
            SoakMessage message = found(s);
            Place place = placeOrNext(message);
            // the probed message has arrived, so this receive does not wait for messages of a different pair
            Status t = world().recv(place.area.buf(place.at, place.capacity), s.source(), s.tag());
            check(place, s.source(), message, t);
        } else {
            Message m = wait ? world().mprobe(source, tag) : world().improbe(source, tag);
            if (m == null) return false;
            SoakMessage message = found(m.status());
            int from = m.status().source();
            Place place = placeOrNext(message);
            if (random.nextBoolean()) {
                check(place, from, message, m.recv(place.area.buf(place.at, place.capacity)));
            } else {
                posted.add(new Posted(m.irecv(place.area.buf(place.at, place.capacity)), place, from, message));
            }
        }
        toFind--;
        return true;
    }

    private SoakMessage found(Status s) {
        if (sequences[s.source()].left() == 0) {
            throw new AssertionError("a message that rank " + s.source() + " did not send: " + s);
        }
        SoakMessage message = sequences[s.source()].take();
        envelope(message, s.source(), s);
        return message;
    }

    // ---- memory for messages

    /// Returns memory of any kind for a message of `bytes`, or null if the memory of the round is used up.
    private @Nullable Place place(int bytes) {
        int capacity = bytes + (random.nextInt(4) == 0 ? random.nextInt(2 * GUARD) : 0);
        int first = random.nextInt(Area.KINDS);
        for (int i = 0; i < Area.KINDS; i++) {
            int kind = (first + i) % Area.KINDS;
            int at = used[kind] + GUARD;
            int end = at + capacity + GUARD;
            if (end > areas[kind].bytes()) continue;
            used[kind] = end + random.nextInt(Long.BYTES);
            areas[kind].poison(at - GUARD, GUARD);
            areas[kind].poison(at + capacity, GUARD);
            return new Place(areas[kind], at, capacity);
        }
        return null;
    }

    /// Like [#place] for a matched message. If no memory is left, completes the pending receives first.
    private Place placeOrNext(SoakMessage message) {
        Place place = place(message.bytes());
        if (place != null) return place;
        for (Posted p : posted) p.request.await();
        check();
        for (int i = 0; i < used.length; i++) used[i] = 0;
        return Objects.requireNonNull(place(message.bytes()));
    }

    // ---- checks

    /// Checks all messages of the round in the order of the receives, which checks the order of each source's
    /// messages.
    private void check() {
        for (Posted p : posted) {
            Status s = p.request.await();
            SoakMessage message = p.message;
            check(p.place, message == null ? s.source() : p.source, message == null ? found(s) : message, s);
        }
        posted.clear();
    }

    private void check(Place place, int source, SoakMessage message, Status s) {
        envelope(message, source, s);
        long wrong = soak.template().mismatch(message, place.area, place.at);
        if (wrong >= 0) {
            byte is = place.area.memory().get(ValueLayout.JAVA_BYTE, place.at + wrong);
            throw failure(
                    source,
                    message,
                    "is wrong from byte " + wrong + " on: " + is + " instead of "
                            + soak.template().at(message, wrong));
        }
        boolean guarded =
                place.area.isPoison(place.at - GUARD, GUARD) && place.area.isPoison(place.at + place.capacity, GUARD);
        if (!guarded) throw failure(source, message, "was written beyond the buffer of " + place.capacity + " bytes");
        received.add(s.sizeBytes(), message.mixed(source, soak.me()));
    }

    private void envelope(SoakMessage message, int source, Status s) {
        if (s.source() == source && s.tag() == message.tag() && s.sizeBytes() == message.bytes()) return;
        throw failure(source, message, "arrived as " + s);
    }

    private AssertionError failure(int source, SoakMessage message, String problem) {
        return soak.failure(source, message, problem + ", received by " + way);
    }

    private Comm world() {
        return soak.mpi().world();
    }
}
