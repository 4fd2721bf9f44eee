package org.tutti.launch.trace;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Locale;
import org.tutti.job.calls.CallFile;
import org.tutti.job.calls.CallRecord;
import org.tutti.job.calls.CallRecord.Kind;
import org.tutti.launch.calls.JobCalls;
import org.tutti.launch.calls.MessagePairs;
import org.tutti.launch.text.Json;
import org.tutti.spi.Collective;

/// Writes the trace of a job:
///
///     M   names: of ranks (processes), and of a rank's threads and JVM tracks (threads)
///     X   slices: each call with the arguments; the whole time of a rank in the job; events of the JVM
///     s, f   a message, from the slice of the send to the slice in which the message was received
///
/// Times are microseconds since the first recorded event of any rank.
public final class Trace {
    private static final Collective.Kind[] KINDS = Collective.Kind.values();

    /// The number of the first JVM track; threads have smaller numbers.
    private static final long TRACKS = 1_000_000_000_000L;

    private final JobCalls job;
    private final Json json;
    private final long zero;
    private long flows;

    private Trace(JobCalls job, Json json) {
        this.job = job;
        this.json = json;
        zero = job.beganNanos();
    }

    /// Writes the trace and closes the stream.
    public static void write(JobCalls job, OutputStream out) throws IOException {
        try (Json json = new Json(out)) {
            new Trace(job, json).write();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void write() throws IOException {
        json.open('{').name("displayTimeUnit").value("ns");
        json.name("otherData").open('{');
        json.name("ranks").value(job.size());
        for (CallFile rank : job.ranks()) {
            if (rank.leftOut() > 0)
                json.name("calls left out of rank " + rank.rank()).value(rank.leftOut());
        }
        json.close('}');
        json.name("traceEvents").open('[');
        for (CallFile rank : job.ranks()) {
            names(rank);
            whole(rank);
            for (int i = 0; i < rank.records(); i++) slice(rank, i);
        }
        MessagePairs.match(job, (from, send, to, receive) -> {
            try {
                flow(from, send, to, receive);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        json.close(']').close('}');
    }

    /// Returns the number of a thread or of a JVM track.
    private static long thread(CallFile rank, int text) {
        String thread = rank.text(text);
        int blank = thread.indexOf(' ');
        if (blank <= 0) return TRACKS + text;
        return thread.startsWith("jvm ") ? TRACKS + text : Long.parseLong(thread, 0, blank, 10);
    }

    private Json event(String phase, CallFile rank, long thread) throws IOException {
        json.line().open('{').name("ph").value(phase);
        return json.name("pid").value(rank.rank()).name("tid").value(thread);
    }

    private void name(CallFile rank, long thread, String what, String field, String value) throws IOException {
        event("M", rank, thread).name("name").value(what);
        json.name("args").open('{').name(field).value(value).close('}').close('}');
    }

    private void order(CallFile rank, long thread, String what, long place) throws IOException {
        event("M", rank, thread).name("name").value(what);
        json.name("args").open('{').name("sort_index").value(place).close('}').close('}');
    }

    private void names(CallFile rank) throws IOException {
        name(rank, 0, "process_name", "name", "rank " + rank.rank());
        name(rank, 0, "process_labels", "labels", rank.host() + ", pid " + rank.pid());
        order(rank, 0, "process_sort_index", rank.rank());
        boolean[] named = new boolean[rank.texts()];
        for (int i = 0; i < rank.records(); i++) {
            int text = rank.thread(i);
            if (text >= named.length || named[text]) continue;
            named[text] = true;
            long thread = thread(rank, text);
            String full = rank.text(text);
            boolean ofJvm = rank.kind(i) == Kind.JVM;
            name(rank, thread, "thread_name", "name", full.substring(full.indexOf(' ') + 1));
            order(rank, thread, "thread_sort_index", ofJvm ? TRACKS + text : thread);
        }
    }

    /// Writes a slice from init to close, on the thread of the first call.
    private void whole(CallFile rank) throws IOException {
        for (int i = 0; i < rank.records(); i++) {
            if (rank.kind(i) == Kind.JVM) continue;
            event("X", rank, thread(rank, rank.thread(i))).name("name").value("rank " + rank.rank());
            times(rank.began(), last(rank, rank.thread(i)));
            json.name("cat").value("rank").name("args").open('{');
            json.name("closed").value(rank.hasLeft() ? "yes" : "no");
            json.close('}').close('}');
            return;
        }
    }

    private static long last(CallFile rank, int thread) {
        long last = rank.lastNanos();
        for (int i = rank.records() - 1; i >= 0; i--) {
            if (rank.kind(i) != Kind.JVM && rank.thread(i) == thread) return Math.max(last, rank.end(i) + 1);
        }
        return last;
    }

    private void times(long begin, long end) throws IOException {
        json.name("ts").micros(begin - zero).name("dur").micros(Math.max(1, end - begin));
    }

    private void slice(CallFile rank, int i) throws IOException {
        boolean ofJvm = rank.kind(i) == Kind.JVM;
        event("X", rank, thread(rank, rank.thread(i))).name("name");
        json.value(ofJvm ? rank.text(rank.comm(i)) : rank.operation(i));
        times(rank.begin(i), rank.end(i));
        json.name("cat").value(category(rank.kind(i))).name("args").open('{');
        if (ofJvm) {
            if (rank.bytes(i) > 0) json.name("paused_us").micros(rank.bytes(i));
        } else {
            arguments(rank, i);
        }
        json.close('}').close('}');
    }

    private static String category(Kind kind) {
        return switch (kind) {
            case SEND, RECV, PROBE -> "message";
            case COLLECTIVE, MAKE -> "collective";
            case WAIT -> "wait";
            case ACCESS -> "window";
            case FILE -> "file";
            case JVM -> "jvm";
        };
    }

    private void arguments(CallFile rank, int i) throws IOException {
        String comm = rank.text(rank.comm(i));
        json.name("communicator").value(comm.substring(comm.indexOf(' ') + 1));
        if (!rank.line(i).isEmpty()) json.name("line").value(rank.line(i));
        switch (rank.kind(i)) {
            case SEND, RECV, PROBE -> {
                json.name(rank.kind(i) == Kind.SEND ? "dest" : "source").value(rank(rank.peer(i)));
                if (rank.tag(i) < 0) json.name("tag").value("any");
                else json.name("tag").value(rank.tag(i));
                json.name("bytes").value(rank.bytes(i));
            }
            case COLLECTIVE -> {
                json.name("kind").value(KINDS[rank.code(i)].name().toLowerCase(Locale.ROOT));
                if (KINDS[rank.code(i)].rooted()) json.name("root").value(rank(rank.peer(i)));
                json.name("bytes").value(rank.bytes(i)).name("call").value(rank.call(i));
            }
            case MAKE -> json.name("call").value(rank.call(i));
            case WAIT -> awaited(rank, (int) rank.call(i) - 1);
            case ACCESS ->
                json.name("target").value(rank(rank.peer(i))).name("bytes").value(rank.bytes(i));
            case FILE -> {
                json.name("file").value(rank.text(rank.peer(i)));
                json.name("offset").value(rank.call(i)).name("bytes").value(rank.bytes(i));
            }
            case JVM -> throw new IllegalStateException("no call");
        }
        if (!rank.isFinished(i)) json.name("ended").value("no: the rank did not leave the call");
        if (rank.is(i, CallRecord.FAILED)) json.name("failed").value("yes");
    }

    private void awaited(CallFile rank, int started) throws IOException {
        if (started < 0 || started >= rank.records()) return;
        String line = rank.line(started);
        json.name("for").value(rank.operation(started) + (line.isEmpty() ? "" : " at " + line));
    }

    /// Returns the number of a rank of the world, or `any` or `PROC_NULL` for a value that is not a rank.
    private static String rank(int peer) {
        return peer >= 0 ? Integer.toString(peer) : peer == -1 ? "any" : "PROC_NULL";
    }

    /// Writes an arrow from the slice that sends the message to the slice in which the receiver detected the
    /// arrival.
    private void flow(CallFile from, int send, CallFile to, int receive) throws IOException {
        int found = to.done(receive);
        if (found < 0 || found >= to.records()) return;
        long sent = from.begin(send);
        // the last moment of the slice, because the end is no longer a part of the slice
        long received = Math.max(to.begin(found), to.end(found) - 1);
        flows++;
        arrow("s", from, from.thread(send), sent);
        json.close('}');
        arrow("f", to, to.thread(found), received);
        json.name("bp").value("e").close('}');
    }

    private void arrow(String phase, CallFile rank, int thread, long at) throws IOException {
        event(phase, rank, thread(rank, thread)).name("id").value(flows);
        json.name("name").value("message").name("cat").value("message");
        json.name("ts").micros(at - zero);
    }
}
