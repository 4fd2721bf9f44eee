package org.tutti.inspect.calls;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.jspecify.annotations.Nullable;
import org.tutti.job.calls.CallLog;
import org.tutti.job.calls.CallRecord.Kind;
import org.tutti.job.process.RankWatch;

/// Logs garbage collections, compilations and pauses of all threads, as the JVM's flight recorder (JFR) reports
/// the events. JFR reports once per second, so the last second of a killed rank is missing.
///
/// JFR and System.nanoTime use different clocks. A [Clock] event, committed once per second, contains the two
/// times. Other events are stored until the first [Clock] event arrives.
final class JvmEvents {
    /// The minimum duration of a compilation in the log.
    private static final Duration SHORTEST_COMPILATION = Duration.ofMillis(1);

    private static final long STARTING_MILLIS = 1;
    private static final Duration SHORTEST_STOP = Duration.ofNanos(100_000);

    /// An event that contains the same moment according to two clocks.
    @Name("org.tutti.Clock")
    @StackTrace(false)
    static final class Clock extends Event {
        @SuppressWarnings("unused") // JFR reads it
        long nanos;

        /// Records an event with the two times. A delay between the two readings of the clocks makes [#nanos]
        /// older than the event's time; `nanos` is never newer.
        static void strike() {
            Clock clock = new Clock();
            clock.nanos = System.nanoTime();
            clock.commit();
        }
    }

    private record LoggedEvent(String track, String what, long begin, long nanos, long pauses) {}

    private final CallLog log;
    private final RecordingStream stream;
    private final List<LoggedEvent> reported = new ArrayList<>();

    /// The difference between JFR's times and System.nanoTime. The largest observed value is the most accurate.
    private long offset = Long.MIN_VALUE;

    private JvmEvents(CallLog log) {
        this.log = log;
        stream = new RecordingStream();
        stream.enable(Clock.class);
        stream.enable("jdk.GarbageCollection");
        stream.enable("jdk.GCPhasePause");
        stream.enable("jdk.Compilation").withThreshold(SHORTEST_COMPILATION);
        stream.enable("jdk.ExecuteVMOperation").withThreshold(SHORTEST_STOP);
        stream.onEvent("org.tutti.Clock", this::strike);
        stream.onEvent("jdk.GarbageCollection", this::collection);
        stream.onEvent(
                "jdk.GCPhasePause",
                e -> add("gc pauses", text(e, "name"), e, e.getDuration().toNanos()));
        stream.onEvent("jdk.Compilation", this::compilation);
        stream.onEvent("jdk.ExecuteVMOperation", this::operation);
        stream.onFlush(this::write);
    }

    /// Starts JFR, and waits until JFR runs, which is slow. Returns null in a JVM without JFR.
    static @Nullable JvmEvents start(CallLog log, RankWatch watch) {
        JvmEvents events;
        try {
            events = new JvmEvents(log);
        } catch (LinkageError | RuntimeException e) {
            System.getLogger(JvmEvents.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "the trace has no events of the JVM, because JFR cannot start: " + e);
            return null;
        }
        // in the root group, where threads count as threads of the JVM, because JFR's threads make no calls of
        // MPI
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) group = group.getParent();
        // a daemon, unlike JFR's own thread, because a rank with sessions terminates only when no other thread
        // exists
        Thread runs = new Thread(group, events.stream::start, "tutti-jfr");
        runs.setDaemon(true);
        runs.start();
        boolean interrupted = false;
        while (runs.isAlive() && !new Clock().isEnabled()) {
            try {
                runs.join(STARTING_MILLIS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
        Clock.strike();
        Clock.strike(); // the first event loads classes between the two readings
        watch.eachSecond(Clock::strike);
        return events;
    }

    /// Logs the remaining events and stops.
    void stop() {
        Clock.strike();
        try {
            stream.stop();
        } catch (IllegalStateException e) {
            // the JVM is ending, and JFR's hook has already run, so no further events arrive
        }
        write();
        stream.close();
    }

    private static long nanos(Instant time) {
        return TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
    }

    private void strike(RecordedEvent e) {
        offset = Math.max(offset, e.getLong("nanos") - nanos(e.getStartTime()));
    }

    private static String text(RecordedEvent e, String field) {
        String text = e.getString(field);
        return text == null ? "" : text;
    }

    private void collection(RecordedEvent e) {
        String name = text(e, "name");
        add(
                "gc " + name,
                name + ", " + text(e, "cause"),
                e,
                e.getDuration("sumOfPauses").toNanos());
    }

    private void compilation(RecordedEvent e) {
        String method = "a method";
        if (e.getValue("method") instanceof jdk.jfr.consumer.RecordedMethod m) {
            method = m.getType().getName() + "." + m.getName();
        }
        String thread = e.getThread() == null ? "compiler" : e.getThread().getOSName();
        add("jit " + thread, method, e, 0);
    }

    private void operation(RecordedEvent e) {
        boolean stops = e.getBoolean("safepoint");
        add(
                stops ? "safepoints" : "vm operations",
                text(e, "operation"),
                e,
                stops ? e.getDuration().toNanos() : 0);
    }

    private synchronized void add(String track, String what, RecordedEvent e, long pauses) {
        reported.add(new LoggedEvent(
                track, what, nanos(e.getStartTime()), e.getDuration().toNanos(), pauses));
    }

    private synchronized void write() {
        if (offset == Long.MIN_VALUE) return;
        for (LoggedEvent t : reported) {
            long begin = t.begin + offset;
            long number = log.begin(begin, Kind.JVM, 0, 0, log.text("jvm " + t.track), log.text(t.what));
            log.pauses(number, t.pauses);
            log.end(number, begin + Math.max(t.nanos, 1));
        }
        reported.clear();
    }
}
