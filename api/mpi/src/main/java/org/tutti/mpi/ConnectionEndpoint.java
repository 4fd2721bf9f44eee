package org.tutti.mpi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.ConnectionMemory;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Memory;
import org.tutti.spi.NameService;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// Communication between processes that share memory but do not have a communicator yet: processes publish
/// values, and send messages to a process, which is identified by its number. Values and messages are strings.
///
/// The memory belongs to the job or to a [Port]. Each process enters the memory of a [Port] individually; the
/// other ranks of its job need not enter.
final class ConnectionEndpoint {
    /// The maximum length of a message in bytes. It suffices for the numbers of all processes of a large world.
    private static final int MOST_BYTES = 1 << 20;

    /// The number of polls for an expected message after the sending process has left. The process may have
    /// sent the message before it left.
    private static final int LAST_POLLS = 1_000;

    /// The waits run in the engine of this [Mpi], so that messages of the job make progress during a wait, too.
    private final Mpi mpi;

    private final EngineCalls engine;
    final NameService names;

    /// A received message.
    ///
    /// @param from the number of the process that sent it
    record ConnectionMessage(int from, String text) {}

    private ConnectionEndpoint(Mpi mpi, EngineCalls engine, NameService names) {
        this.mpi = mpi;
        this.engine = engine;
        this.names = names;
    }

    /// Returns the endpoint in the job's memory, or null if the processes share no memory.
    static @Nullable ConnectionEndpoint ofJob(Mpi mpi, String operation) {
        EngineCalls engine = Arguments.given(operation, "mpi", mpi).engine(operation);
        NameService names = engine.power(NameService.class);
        return names == null ? null : new ConnectionEndpoint(mpi, engine, names);
    }

    /// Enters this memory as a single process, which remains in it until [#leave].
    static ConnectionEndpoint into(ConnectionMemory memory, Mpi mpi, String operation) {
        Engine alone = memory.enterSeparately(operation);
        NameService names = alone.power(NameService.class);
        if (names == null) throw new IllegalStateException("memory for connections without names");
        return new ConnectionEndpoint(mpi, new EngineCalls(alone, null), names);
    }

    void leave() {
        engine.leave();
    }

    EngineCalls engine() {
        return engine;
    }

    /// Returns this process's number.
    int process() {
        CommPort world = engine.world();
        return world.process(world.rank());
    }

    /// Returns the next message with this tag, from any process; null if no such message has arrived.
    @Nullable
    ConnectionMessage next(String operation, int tag) {
        Transfer t = message(operation, Transfer.Kind.RECV, Transfer.ANY_SOURCE, tag);
        if (!engine.take(t)) return null;
        t.type = ElementType.BYTE; // a probed message has no type yet
        return asMessage(run(into(t, new byte[(int) t.receivedBytes])));
    }

    /// Sends a message without waiting until it has been received.
    void send(String operation, int process, int tag, String text) {
        Transfer t = message(operation, Transfer.Kind.SEND, process, tag);
        run(into(t, text.getBytes(StandardCharsets.UTF_8)));
    }

    /// Sends a message, and waits until it has been received. Returns false if the receiving process ends
    /// before it has received the message.
    boolean deliver(String operation, int process, int tag, String text) {
        Transfer t = into(message(operation, Transfer.Kind.SEND, process, tag), text.getBytes(StandardCharsets.UTF_8));
        t.synchronous = true;
        engine.start(t);
        boolean done =
                await(t, process, operation + ", waiting for " + describeRank(process) + " to receive the answer");
        if (done) EngineCalls.throwFailure(t);
        return done;
    }

    /// Starts to receive a message from the process `process`.
    Transfer expect(String operation, int process, int tag) {
        Transfer t = into(message(operation, Transfer.Kind.RECV, process, tag), new byte[MOST_BYTES]);
        engine.start(t);
        return t;
    }

    /// Waits for the message that [#expect] receives, and returns it; null if the process ends without sending
    /// this message.
    @Nullable
    String await(Transfer expected, int process) {
        boolean done =
                await(expected, process, expected.operation + ", waiting for the answer of " + describeRank(process));
        return done ? text(expected) : withdraw(expected);
    }

    /// Cancels the receive that [#expect] has started. Returns the message if it has already arrived, otherwise
    /// null.
    @Nullable
    String withdraw(Transfer expected) {
        if (!expected.isDone()) engine.cancel(expected);
        return expected.cancelled ? null : text(expected);
    }

    private static String text(Transfer received) {
        EngineCalls.throwFailure(received);
        return asMessage(received).text;
    }

    private static String describeRank(int process) {
        return "process " + process + " on the other side";
    }

    /// Waits for `t`. Returns false if the process ends before `t` is done.
    private boolean await(Transfer t, int process, String what) {
        mpi.engine(t.operation).await(new OutsideWait(t.operation, what) {
            @Override
            public boolean isOver() {
                return isThere(t) || names.hasLeftOrDied(process);
            }
        });
        // the process may have sent the message before it left
        for (int i = 0; i < LAST_POLLS && !engine.test(t); i++) Thread.yield();
        return t.isDone();
    }

    /// Returns whether the transfer is done. If the memory is not that of the job, polls first, because no
    /// other thread makes progress there.
    boolean isThere(Transfer t) {
        if (!t.isDone() && engine != mpi.engineNow()) engine.test(t);
        return t.isDone();
    }

    /// A wait for processes that this rank's engine does not know.
    abstract static class OutsideWait implements LocalWait {
        private final String operation;
        private final String what;

        OutsideWait(String operation, String what) {
            this.operation = operation;
            this.what = what;
        }

        @Override
        public final String operation() {
            return operation;
        }

        @Override
        public final String what() {
            return what;
        }

        @Override
        public final boolean completesByMessages() {
            return true;
        }

        @Override
        public final boolean isCompletedExternally() {
            return true;
        }
    }

    private Transfer message(String operation, Transfer.Kind kind, int process, int tag) {
        Transfer t = engine.transfer().fill(operation, names.allProcesses(), kind, process, tag, ElementType.BYTE);
        t.within(Transfer.Lane.MAKING, process, null);
        return t;
    }

    private static Transfer into(Transfer t, byte[] bytes) {
        MemorySegment memory = MemorySegment.ofArray(bytes);
        return t.at(Memory.of(memory), 0, memory.byteSize());
    }

    private Transfer run(Transfer t) {
        engine.run(t);
        EngineCalls.throwFailure(t);
        return t;
    }

    private static ConnectionMessage asMessage(Transfer received) {
        byte[] bytes =
                received.memory.segment().asSlice(0, received.receivedBytes).toArray(JAVA_BYTE);
        return new ConnectionMessage(received.source, new String(bytes, StandardCharsets.UTF_8));
    }

    /// Returns the error that the root has detected, which all ranks of the communicator throw.
    static Fault wrong(String operation, String text) {
        return Fault.argument(PredefinedErrorClass.ERR_PORT, operation, text, null);
    }
}
