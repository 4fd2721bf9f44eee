package org.tutti.conformance.random;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Plain;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Message;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Status;

/// Some messages between random ranks. Every rank starts the sends without waiting, receives in one of six
/// forms, and then waits for the sends.
final class ExchangeStep {
    private static final int TAGS = 3;

    /// One message; the values follow from the number.
    private record Letter(int number, int source, int dest, int tag, Datatype type, int count) {}

    /// The form in which a rank receives.
    private enum Way {
        BY_SOURCE_AND_TAG,
        ANY_SOURCE,
        ANY_TAG,
        PROBE,
        MATCHED_PROBE,
        BLOCKING
    }

    private final Step step;
    private final Comm comm;
    private final List<Letter> letters = new ArrayList<>();
    private final List<Request> sends = new ArrayList<>();

    ExchangeStep(Step step) {
        this.step = step;
        comm = step.comm();
        int base = step.shared().nextInt(1000) * TAGS;
        Datatype[] types = {step.type(), step.type(), step.type()};
        int most = 3 * step.size() + 2;
        int count = step.shared().nextInt(1, most);
        for (int i = 0; i < count; i++) {
            int which = step.shared().nextInt(TAGS);
            letters.add(new Letter(
                    i,
                    step.shared().nextInt(step.size()),
                    step.shared().nextInt(step.size()),
                    base + which,
                    types[which],
                    step.count()));
        }
    }

    void run() {
        boolean first = step.own().nextBoolean();
        if (first) send();
        List<Letter> mine = letters.stream().filter(l -> l.dest == step.me()).toList();
        Way way = Way.values()[step.own().nextInt(Way.values().length)];
        // a call that blocks before this rank has sent may wait for a rank that waits for this rank
        boolean blocks = way == Way.PROBE || way == Way.MATCHED_PROBE || way == Way.BLOCKING;
        if (!first && blocks) send();
        List<Runnable> receives = switch (way) {
            case BY_SOURCE_AND_TAG -> bySourceAndTag(mine);
            case ANY_SOURCE -> anySource(mine);
            case ANY_TAG -> anyTag(mine);
            case PROBE -> probe(mine);
            case MATCHED_PROBE -> matchedProbe(mine);
            case BLOCKING -> blocking(mine);
        };
        if (!first && !blocks) send();
        cancelOne();
        receives.forEach(Runnable::run);
        await();
        // the next step may use the same tags with a wildcard
        comm.barrier();
    }

    private void send() {
        for (Letter l : letters) {
            if (l.source != step.me()) continue;
            Box box = filled(l);
            switch (step.own().nextInt(6)) {
                case 0 -> sends.add(comm.issend(box.buf(), l.dest, l.tag));
                case 1 -> comm.bsend(box.buf(), l.dest, l.tag);
                case 2 -> sends.add(comm.ibsend(box.buf(), l.dest, l.tag));
                default -> sends.add(comm.isend(box.buf(), l.dest, l.tag));
            }
        }
    }

    private void await() {
        switch (step.own().nextInt(3)) {
            case 0 -> {
                for (int i : step.order(sends.size())) sends.get(i).await();
            }
            case 1 -> {
                for (int i = 0; i < sends.size(); i++) while (!sends.get(i).test()) Thread.yield();
            }
            default -> {
                try (Requests all = step.trial().mpi().requests()) {
                    sends.forEach(all::add);
                    all.awaitAll();
                }
            }
        }
    }

    /// Cancels a receive with an unused tag.
    private void cancelOne() {
        if (step.own().nextInt(4) != 0) return;
        Request never = comm.irecv(step.box(Datatype.INT, 1).buf(), step.own().nextInt(step.size()), 4000);
        never.cancel();
        Check.that(never.await().isCancelled(), "isCancelled() is false for an unmatched receive");
    }

    private Box filled(Letter l) {
        return step.box(l.type, l.count).fill(i -> Plain.value(l.type, step.seed(), l.number, i));
    }

    private void expect(Letter l, Box box, Status status) {
        Check.same(l.source, status.source(), "source");
        Check.same(l.tag, status.tag(), "tag");
        Check.same((long) l.count, status.sizeBytes() / l.type.sizeBytes(), "count");
        expectValues(l, box);
    }

    private void expectValues(Letter l, Box box) {
        for (int i = 0; i < l.count; i++) {
            long expected = Plain.value(l.type, step.seed(), l.number, i);
            if (box.get(i) != expected) {
                throw new AssertionError(
                        l + " into " + box + ", element " + i + ": expected " + expected + " but was " + box.get(i));
            }
        }
    }

    /// Posts receives in an order chosen by this rank; the k-th receive of one source and tag gets the k-th
    /// message.
    private List<Runnable> bySourceAndTag(List<Letter> mine) {
        List<Runnable> checks = new ArrayList<>();
        List<Letter> left = new ArrayList<>(mine);
        for (int i : step.order(mine.size())) {
            Letter like = mine.get(i);
            Letter l = takeFirst(left, like.source, like.tag);
            Box box = step.box(l.type, l.count);
            Request r = comm.irecv(box.buf(), l.source, l.tag);
            checks.add(() -> expect(l, box, r.await()));
        }
        return checks;
    }

    /// Posts one receive per message; the messages of each sender arrive in order.
    private List<Runnable> anySource(List<Letter> mine) {
        List<Box> boxes = new ArrayList<>();
        List<Request> requests = new ArrayList<>();
        for (Letter l : mine) {
            Box box = step.box(l.type, longest(mine, l.tag));
            boxes.add(box);
            requests.add(comm.irecv(box.buf(), Comm.ANY_SOURCE, l.tag));
        }
        List<Letter> left = new ArrayList<>(mine);
        return List.of(() -> {
            for (int i = 0; i < requests.size(); i++) {
                Status s = requests.get(i).await();
                Letter l = takeFirst(left, s.source(), s.tag());
                Check.same(mine.get(i).tag, s.tag(), "tag of a receive from anybody");
                Check.same((long) l.count, s.sizeBytes() / l.type.sizeBytes(), "count");
                expectValues(l, boxes.get(i));
            }
        });
    }

    /// The messages of a source arrive in the order of sending, regardless of tags.
    private List<Runnable> anyTag(List<Letter> mine) {
        List<Runnable> checks = new ArrayList<>();
        List<Letter> left = new ArrayList<>(mine);
        for (int i : step.order(mine.size())) {
            int source = mine.get(i).source;
            Letter l = left.stream().filter(x -> x.source == source).findFirst().orElseThrow();
            left.remove(l);
            Box box = step.box(l.type, l.count);
            Request r = comm.irecv(box.buf(), source, Comm.ANY_TAG);
            checks.add(() -> expect(l, box, r.await()));
        }
        return checks;
    }

    private List<Runnable> probe(List<Letter> mine) {
        List<Letter> left = new ArrayList<>(mine);
        for (int i : step.order(mine.size())) {
            int tag = mine.get(i).tag;
            Status s = null;
            if (step.own().nextBoolean()) s = comm.probe(Comm.ANY_SOURCE, tag);
            for (; s == null; Thread.yield()) s = comm.iprobe(Comm.ANY_SOURCE, tag);
            Letter l = takeFirst(left, s.source(), s.tag());
            Check.same((long) l.count * l.type.sizeBytes(), s.sizeBytes(), "probed length");
            Box box = step.box(l.type, l.count);
            expect(l, box, comm.recv(box.buf(), s.source(), s.tag()));
        }
        return List.of();
    }

    private List<Runnable> matchedProbe(List<Letter> mine) {
        List<Letter> left = new ArrayList<>(mine);
        List<Runnable> checks = new ArrayList<>();
        for (int i : step.order(mine.size())) {
            int tag = mine.get(i).tag;
            @Nullable Message m = null;
            if (step.own().nextBoolean()) m = comm.mprobe(Comm.ANY_SOURCE, tag);
            for (; m == null; Thread.yield()) m = comm.improbe(Comm.ANY_SOURCE, tag);
            Letter l = takeFirst(left, m.status().source(), m.status().tag());
            Box box = step.box(l.type, l.count);
            if (step.own().nextBoolean()) {
                expect(l, box, m.recv(box.buf()));
            } else {
                Request r = m.irecv(box.buf());
                checks.add(() -> expect(l, box, r.await()));
            }
        }
        return checks;
    }

    private List<Runnable> blocking(List<Letter> mine) {
        List<Letter> left = new ArrayList<>(mine);
        for (int i : step.order(mine.size())) {
            Letter like = mine.get(i);
            Letter l = takeFirst(left, like.source, like.tag);
            Box box = step.box(l.type, l.count);
            expect(l, box, comm.recv(box.buf(), l.source, l.tag));
        }
        return List.of();
    }

    private static int longest(List<Letter> mine, int tag) {
        return mine.stream()
                .filter(l -> l.tag == tag)
                .mapToInt(l -> l.count)
                .max()
                .orElse(0);
    }

    private static Letter takeFirst(List<Letter> left, int source, int tag) {
        for (Letter l : left) {
            if (l.source != source || l.tag != tag) continue;
            left.remove(l);
            return l;
        }
        throw new AssertionError(
                "a message from rank " + source + ", tag " + tag + ", that no rank sent; left: " + left);
    }
}
