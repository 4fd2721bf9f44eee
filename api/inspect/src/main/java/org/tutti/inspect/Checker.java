package org.tutti.inspect;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.UserLine;
import org.tutti.spi.CallSignature;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;
import org.tutti.spi.ObservedCall;
import org.tutti.spi.Observer;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// Compares collective calls between ranks, over an engine without this check. Each rank sends the signature
/// and the source line of the call to the right neighbor, and compares the message from the left neighbor. If
/// the calls of any two ranks of a communicator differ, the calls of two neighbors differ, too. A blocking call
/// is compared before the data is transferred, because libraries would otherwise overrun buffers. The
/// comparison of a nonblocking call does not wait; later calls check the result.
///
/// The first [#FIRST] calls on a communicator are compared, and after these every [#EACH]th call. With
/// `--check`, all calls are compared. Calls have the same numbers on all ranks, so all ranks compare the same
/// calls.
final class Checker implements Observer {
    private static final long FIRST = 16, EACH = 256;

    /// A message contains the three values of the [CallSignature], the number of the call, the length of the
    /// line, and the line.
    private static final int WORDS = 4, LINE = WORDS * Long.BYTES + 1, LONGEST_LINE = 95, BYTES = LINE + LONGEST_LINE;

    private final Engine engine;
    private final boolean always;
    private final List<Comparison> open = new ArrayList<>();

    Checker(Engine engine, boolean always) {
        this.engine = engine;
        this.always = always;
    }

    /// The comparison of a call with the call of the left neighbor.
    private record Comparison(
            CommPort port, String operation, byte[] mine, byte[] others, Transfer send, Transfer recv) {}

    @Override
    public void begins(Verb verb, ObservedCall call) {
        if (!(call instanceof Collective c) || verb != Verb.RUN && verb != Verb.START) return;
        long number = c.port().calls() + 1;
        boolean isDue = always || number <= FIRST || number % EACH == 0;
        if (!isDue || c.port().size() == 1 || engine.job().poison() != null) return;
        Comparison comparison = begin(c, number);
        if (verb == Verb.START) {
            synchronized (open) {
                open.add(comparison);
            }
            return;
        }
        engine.await(comparison.recv);
        engine.await(comparison.send);
        Fault problem = problem(comparison);
        if (problem != null) throw fails(problem);
    }

    @Override
    public void returns(Verb verb, ObservedCall call) {
        switch (verb) {
            case START, TEST, AWAIT, AWAIT_ANY -> checkOpen();
            default -> {}
        }
    }

    @Override
    public void leaving() {
        checkOpen();
    }

    private Fault fails(Fault problem) {
        engine.job().fail(problem);
        return problem;
    }

    private Comparison begin(Collective c, long call) {
        CommPort port = c.port();
        byte[] mine = new byte[BYTES], others = new byte[BYTES];
        byte[] line = UserLine.here().getBytes(StandardCharsets.UTF_8);
        int length = Math.min(line.length, LONGEST_LINE);
        ByteBuffer.wrap(mine)
                .putLong(CallSignature.a(c))
                .putLong(CallSignature.b(c))
                .putLong(CallSignature.c(c, 0))
                .putLong(call)
                .put((byte) length)
                .put(line, 0, length);
        int size = port.size(), me = port.rank();
        Transfer recv = message(c, Transfer.Kind.RECV, (me + size - 1) % size, others);
        Transfer send = message(c, Transfer.Kind.SEND, (me + 1) % size, mine);
        engine.start(recv);
        engine.start(send);
        return new Comparison(port, c.operation, mine, others, send, recv);
    }

    private Transfer message(Collective c, Transfer.Kind kind, int peer, byte[] bytes) {
        Transfer t = engine.transfer();
        t.fill(c.operation, c.port(), kind, peer, 0, ElementType.BYTE).within(Transfer.Lane.CHECKING, peer, null);
        return t.at(new Memory.Heap(MemorySegment.ofArray(bytes), bytes), 0, bytes.length);
    }

    /// Checks the results of the comparisons of nonblocking calls.
    private void checkOpen() {
        if (open.isEmpty()) return; // read without the lock: a missed comparison is checked in the next call
        synchronized (open) {
            for (int i = open.size() - 1; i >= 0; i--) {
                Comparison comparison = open.get(i);
                if (!engine.test(comparison.recv) || !engine.test(comparison.send)) continue;
                open.remove(i);
                Fault problem = problem(comparison);
                if (problem != null) throw fails(problem);
            }
        }
    }

    private static @Nullable Fault problem(Comparison comparison) {
        ByteBuffer mine = ByteBuffer.wrap(comparison.mine), others = ByteBuffer.wrap(comparison.others);
        if (comparison.recv.failure() instanceof Fault e) return e;
        if (match(mine, others)) return null;
        CommPort port = comparison.port;
        CallSignature.Call here = call(mine), there = call(others);
        String sender = port.describeRank(comparison.recv.source);
        String detail = CallSignature.differ(port, " calls ", here, sender, there) + CallSignature.unseen(here, there);
        return Fault.job(PredefinedErrorClass.ERR_MISMATCH, comparison.operation, detail, port);
    }

    private static boolean match(ByteBuffer mine, ByteBuffer others) {
        long a = mine.getLong(0), b = others.getLong(0);
        int from = 0;
        if (CallSignature.isInter(a) && CallSignature.isInter(b)) {
            if (CallSignature.ofBothGroups(a) != CallSignature.ofBothGroups(b)) return false;
            from = WORDS - 1; // only the word with the sequence number
        }
        for (int i = from; i < WORDS; i++)
            if (mine.getLong(i * Long.BYTES) != others.getLong(i * Long.BYTES)) return false;
        return true;
    }

    private static CallSignature.Call call(ByteBuffer words) {
        byte[] line = new byte[words.get(WORDS * Long.BYTES)];
        words.get(LINE, line);
        return new CallSignature.Call(
                words.getLong(0),
                words.getLong(Long.BYTES),
                words.getLong(3 * Long.BYTES),
                new String(line, StandardCharsets.UTF_8));
    }
}
