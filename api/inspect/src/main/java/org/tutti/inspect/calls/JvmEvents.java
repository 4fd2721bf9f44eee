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

/// Writes down when the JVM collected garbage, compiled, or stopped all threads, as its own recorder (JFR)
/// tells. That tells once a second, so of a rank that is killed the last second is missing.
///
/// Its times are of another clock than System.nanoTime: an event of ours, committed now and then, has both.
/// What JFR tells is kept until such an event has come with it.
final class JvmEvents {
    /// What is shorter is not worth a line in a picture.
    private static final Duration SHORTEST_COMPILATION = Duration.ofMillis(1);

    private static final long STARTING_MILLIS = 1;
    private static final Duration SHORTEST_STOP = Duration.ofNanos(100_000);

    /// The same moment by two clocks.
    @Name("org.tutti.Clock")
    @StackTrace(false)
    static final class Clock extends Event {
        @SuppressWarnings("unused") // JFR reads it
        long nanos;

        /// What lies between reading the clock and JFR's reading its own only makes [#nanos] look older.
        static void strike() {
            Clock clock = new Clock();
            clock.nanos = System.nanoTime();
            clock.commit();
        }
    }

    private record Told(String track, String what, long begin, long nanos, long pauses) {}

    private final CallLog log;
    private final RecordingStream stream;
    private final List<Told> told = new ArrayList<>();

    /// What is to be added to JFR's times. The largest of all that were seen is the nearest.
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

    /// Returns when JFR has started, which takes its time. Null in a JVM without it.
    static @Nullable JvmEvents start(CallLog log, RankWatch watch) {
        JvmEvents events;
        try {
            events = new JvmEvents(log);
        } catch (LinkageError | RuntimeException e) {
            System.getLogger(JvmEvents.class.getName())
                    .log(System.Logger.Level.WARNING, "the trace is without what the JVM does: " + e);
            return null;
        }
        // threads of this group count as the JVM's: the ones that JFR makes call nothing of MPI
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) group = group.getParent();
        // a daemon, which JFR's own is not: a rank that uses sessions leaves only when no other thread is there
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
        Clock.strike(); // the first one loads classes between its two clocks
        watch.eachSecond(Clock::strike);
        return events;
    }

    /// Writes down what is still to come, and ends it.
    void stop() {
        Clock.strike();
        try {
            stream.stop();
        } catch (IllegalStateException e) {
            // the JVM ends, and JFR's own hook was quicker: what it has told by now is all
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
        told.add(new Told(track, what, nanos(e.getStartTime()), e.getDuration().toNanos(), pauses));
    }

    private synchronized void write() {
        if (offset == Long.MIN_VALUE) return;
        for (Told t : told) {
            long begin = t.begin + offset;
            long number = log.begin(begin, Kind.JVM, 0, 0, log.text("jvm " + t.track), log.text(t.what));
            log.pauses(number, t.pauses);
            log.end(number, begin + Math.max(t.nanos, 1));
        }
        told.clear();
    }
}
