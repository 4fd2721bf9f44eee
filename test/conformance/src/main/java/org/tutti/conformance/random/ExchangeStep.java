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

/// Messages between random ranks. Every rank starts the sends without waiting, receives in one of six forms,
/// and then waits for the sends.
final class ExchangeStep {
    private static final int TAGS = 3;

    /// One message. The values of the elements depend only on `number`.
    private record PlannedMessage(int number, int source, int dest, int tag, Datatype type, int count) {}

    /// The form in which a rank receives the messages.
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
    private final List<PlannedMessage> messages = new ArrayList<>();
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
            messages.add(new PlannedMessage(
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
        List<PlannedMessage> mine =
                messages.stream().filter(p -> p.dest == step.me()).toList();
        Way way = Way.values()[step.own().nextInt(Way.values().length)];
        // a rank that blocks before it has sent could wait for a rank that waits for this rank
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
        for (PlannedMessage p : messages) {
            if (p.source != step.me()) continue;
            Box box = filled(p);
            switch (step.own().nextInt(6)) {
                case 0 -> sends.add(comm.issend(box.buf(), p.dest, p.tag));
                case 1 -> comm.bsend(box.buf(), p.dest, p.tag);
                case 2 -> sends.add(comm.ibsend(box.buf(), p.dest, p.tag));
                default -> sends.add(comm.isend(box.buf(), p.dest, p.tag));
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

    private Box filled(PlannedMessage p) {
        return step.box(p.type, p.count).fill(i -> Plain.value(p.type, step.seed(), p.number, i));
    }

    private void expect(PlannedMessage p, Box box, Status status) {
        Check.same(p.source, status.source(), "source");
        Check.same(p.tag, status.tag(), "tag");
        Check.same((long) p.count, status.sizeBytes() / p.type.sizeBytes(), "count");
        expectValues(p, box);
    }

    private void expectValues(PlannedMessage p, Box box) {
        for (int i = 0; i < p.count; i++) {
            long expected = Plain.value(p.type, step.seed(), p.number, i);
            if (box.get(i) != expected) {
                throw new AssertionError(
                        p + " into " + box + ", element " + i + ": expected " + expected + " but was " + box.get(i));
            }
        }
    }

    /// Posts receives in an order chosen by this rank. The k-th receive for a source and tag gets the k-th
    /// message.
    private List<Runnable> bySourceAndTag(List<PlannedMessage> mine) {
        List<Runnable> checks = new ArrayList<>();
        List<PlannedMessage> left = new ArrayList<>(mine);
        for (int i : step.order(mine.size())) {
            PlannedMessage like = mine.get(i);
            PlannedMessage p = takeFirst(left, like.source, like.tag);
            Box box = step.box(p.type, p.count);
            Request r = comm.irecv(box.buf(), p.source, p.tag);
            checks.add(() -> expect(p, box, r.await()));
        }
        return checks;
    }

    /// Posts one wildcard receive per message. The messages of each sender arrive in order.
    private List<Runnable> anySource(List<PlannedMessage> mine) {
        List<Box> boxes = new ArrayList<>();
        List<Request> requests = new ArrayList<>();
        for (PlannedMessage p : mine) {
            Box box = step.box(p.type, longest(mine, p.tag));
            boxes.add(box);
            requests.add(comm.irecv(box.buf(), Comm.ANY_SOURCE, p.tag));
        }
        List<PlannedMessage> left = new ArrayList<>(mine);
        return List.of(() -> {
            for (int i = 0; i < requests.size(); i++) {
                Status s = requests.get(i).await();
                PlannedMessage p = takeFirst(left, s.source(), s.tag());
                Check.same(mine.get(i).tag, s.tag(), "tag of a receive from ANY_SOURCE");
                Check.same((long) p.count, s.sizeBytes() / p.type.sizeBytes(), "count");
                expectValues(p, boxes.get(i));
            }
        });
    }

    /// Posts receives with any tag in an order chosen by this rank. The messages of a source arrive in the
    /// order of sending, regardless of the tags.
    private List<Runnable> anyTag(List<PlannedMessage> mine) {
        List<Runnable> checks = new ArrayList<>();
        List<PlannedMessage> left = new ArrayList<>(mine);
        for (int i : step.order(mine.size())) {
            int source = mine.get(i).source;
            PlannedMessage p =
                    left.stream().filter(x -> x.source == source).findFirst().orElseThrow();
            left.remove(p);
            Box box = step.box(p.type, p.count);
            Request r = comm.irecv(box.buf(), source, Comm.ANY_TAG);
            checks.add(() -> expect(p, box, r.await()));
        }
        return checks;
    }

    private List<Runnable> probe(List<PlannedMessage> mine) {
        List<PlannedMessage> left = new ArrayList<>(mine);
        for (int i : step.order(mine.size())) {
            int tag = mine.get(i).tag;
            Status s = null;
            if (step.own().nextBoolean()) s = comm.probe(Comm.ANY_SOURCE, tag);
            for (; s == null; Thread.yield()) s = comm.iprobe(Comm.ANY_SOURCE, tag);
            PlannedMessage p = takeFirst(left, s.source(), s.tag());
            Check.same((long) p.count * p.type.sizeBytes(), s.sizeBytes(), "probed length");
            Box box = step.box(p.type, p.count);
            expect(p, box, comm.recv(box.buf(), s.source(), s.tag()));
        }
        return List.of();
    }

    private List<Runnable> matchedProbe(List<PlannedMessage> mine) {
        List<PlannedMessage> left = new ArrayList<>(mine);
        List<Runnable> checks = new ArrayList<>();
        for (int i : step.order(mine.size())) {
            int tag = mine.get(i).tag;
            @Nullable Message m = null;
            if (step.own().nextBoolean()) m = comm.mprobe(Comm.ANY_SOURCE, tag);
            for (; m == null; Thread.yield()) m = comm.improbe(Comm.ANY_SOURCE, tag);
            PlannedMessage p = takeFirst(left, m.status().source(), m.status().tag());
            Box box = step.box(p.type, p.count);
            if (step.own().nextBoolean()) {
                expect(p, box, m.recv(box.buf()));
            } else {
                Request r = m.irecv(box.buf());
                checks.add(() -> expect(p, box, r.await()));
            }
        }
        return checks;
    }

    private List<Runnable> blocking(List<PlannedMessage> mine) {
        List<PlannedMessage> left = new ArrayList<>(mine);
        for (int i : step.order(mine.size())) {
            PlannedMessage like = mine.get(i);
            PlannedMessage p = takeFirst(left, like.source, like.tag);
            Box box = step.box(p.type, p.count);
            expect(p, box, comm.recv(box.buf(), p.source, p.tag));
        }
        return List.of();
    }

    private static int longest(List<PlannedMessage> mine, int tag) {
        return mine.stream()
                .filter(p -> p.tag == tag)
                .mapToInt(p -> p.count)
                .max()
                .orElse(0);
    }

    private static PlannedMessage takeFirst(List<PlannedMessage> left, int source, int tag) {
        for (PlannedMessage p : left) {
            if (p.source != source || p.tag != tag) continue;
            left.remove(p);
            return p;
        }
        throw new AssertionError(
                "a message from rank " + source + ", tag " + tag + ", that no rank sent; left: " + left);
    }
}
