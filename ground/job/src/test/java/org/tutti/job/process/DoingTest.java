package org.tutti.job.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The activity of a thread according to the stack.
class DoingTest {
    private static final StackTraceElement USER = frame("app", "Halo", "step", "Halo.java", 40);
    private static final StackTraceElement MAIN = frame("app", "Halo", "main", "Halo.java", 12);

    private static StackTraceElement frame(String loader, String type, String method, String file, int line) {
        return new StackTraceElement(loader, null, null, type, method, file, line);
    }

    private static StackTraceElement jdk(String type, String method) {
        return frame("", type, method, "X.java", 7);
    }

    private static StackTraceElement inNative(String type, String method) {
        return frame("", type, method, "X.java", -2);
    }

    private static String words(Thread.State state, StackTraceElement... above) {
        StackTraceElement[] stack = new StackTraceElement[above.length + 2];
        System.arraycopy(above, 0, stack, 0, above.length);
        stack[above.length] = USER;
        stack[above.length + 1] = MAIN;
        return ThreadState.of(state, stack, null).words();
    }

    @Test
    void namesTheCallThatTheProgramMadeAndItsLine() {
        assertThat(words(
                        Thread.State.TIMED_WAITING,
                        inNative("java.lang.Thread", "sleepNanos0"),
                        jdk("java.lang.Thread", "sleep"),
                        jdk("java.util.concurrent.TimeUnit", "sleep")))
                .isEqualTo("asleep (TimeUnit.sleep) at Halo.java:40");
        assertThat(words(
                        Thread.State.RUNNABLE,
                        inNative("sun.nio.ch.UnixFileDispatcherImpl", "read0"),
                        jdk("java.nio.file.Files", "readAllBytes")))
                .isEqualTo("in file I/O (Files.readAllBytes) at Halo.java:40");
        assertThat(words(
                        Thread.State.RUNNABLE,
                        inNative("sun.nio.ch.Net", "poll"),
                        jdk("sun.nio.ch.NioSocketImpl", "park"),
                        jdk("java.net.Socket$SocketInputStream", "read")))
                .isEqualTo("in socket I/O (Socket.SocketInputStream.read) at Halo.java:40");
        assertThat(words(
                        Thread.State.WAITING,
                        inNative("jdk.internal.misc.Unsafe", "park"),
                        jdk("java.util.concurrent.CountDownLatch", "await")))
                .isEqualTo("waiting for another thread (CountDownLatch.await) at Halo.java:40");
        assertThat(words(Thread.State.RUNNABLE, inNative("java.lang.StrictMath", "sin")))
                .isEqualTo("in a native call (StrictMath.sin) at Halo.java:40");
        assertThat(words(Thread.State.RUNNABLE, jdk("jdk.internal.foreign.abi.DowncallStub/0x1", "invoke")))
                .isEqualTo("in a native call at Halo.java:40");
        assertThat(words(Thread.State.RUNNABLE)).isEqualTo("in user code at Halo.java:40");
        assertThat(words(Thread.State.RUNNABLE, jdk("java.util.HashMap", "get")))
                .isEqualTo("in user code at Halo.java:40");
        assertThat(words(
                        Thread.State.RUNNABLE,
                        jdk("org.tutti.shm.ShmEngine", "test"),
                        jdk("org.tutti.mpi.Request", "test")))
                .isEqualTo("in test at Halo.java:40");
    }

    @Test
    void namesTheHolderOfALock() {
        StackTraceElement[] stack = {jdk("java.util.concurrent.locks.ReentrantLock", "lock"), USER};
        assertThat(ThreadState.of(Thread.State.WAITING, stack, "worker").words())
                .isEqualTo("waiting for a lock (ReentrantLock.lock) at Halo.java:40, which thread \"worker\" holds");
        StackTraceElement[] monitor = {USER};
        assertThat(ThreadState.of(Thread.State.BLOCKED, monitor, "worker").words())
                .isEqualTo("waiting for a lock (synchronized) at Halo.java:40, which thread \"worker\" holds");
    }

    @Test
    void isReadAsItWasWritten() {
        ThreadState doing = ThreadState.of(Thread.State.RUNNABLE, new StackTraceElement[] {USER}, null);
        assertThat(ThreadState.read(doing.toString())).isEqualTo(doing);
        assertThat(ThreadState.read("no such kind")).isNull();
    }

    @Test
    void takesTheVirtualThreadsOutOfADump() {
        String dump = """
                4711
                2026-01-01T00:00:00Z

                #3 "main" RUNNABLE 2026-01-01T00:00:00Z
                    at Halo.main(Halo.java:12)

                #23 "late" virtual TIMED_WAITING 2026-01-01T00:00:00Z
                    at Halo.lambda$main$0(Halo.java:4)

                """;
        assertThat(Locks.onlyVirtual(dump))
                .isEqualTo("\"late\" virtual TIMED_WAITING 2026-01-01T00:00:00Z\n"
                        + "    at Halo.lambda$main$0(Halo.java:4)\n\n");
    }

    @Test
    void aWaitForAThreadNamesThatThreadsCall() {
        ThreadState joins =
                new ThreadState(ThreadState.Kind.WAITS, "waiting for another thread (Thread.join) at A.java:9");
        ThreadState idle = new ThreadState(ThreadState.Kind.WAITS, "asleep");
        ThreadState calls = new ThreadState(ThreadState.Kind.CALLS, "in recv at A.java:5");
        Map<String, ThreadState> others = new LinkedHashMap<>();
        others.put("timer", idle);
        assertThat(joins.besides(others)).isEqualTo(joins);
        others.put("worker", calls);
        assertThat(joins.besides(others))
                .hasToString(
                        "WAITS waiting for another thread (Thread.join) at A.java:9; thread \"worker\" is in recv at"
                                + " A.java:5");
        assertThat(idle.besides(others)).isEqualTo(idle);
    }

    @Test
    void thisThreadsStackIsAmongThoseOfThisProcess() {
        assertThat(RankStacks.ofThisProcess(Thread.currentThread()))
                .contains("called Mpi.init\n")
                .contains("DoingTest.thisThreadsStackIsAmongThoseOfThisProcess(DoingTest.java:");
    }
}
