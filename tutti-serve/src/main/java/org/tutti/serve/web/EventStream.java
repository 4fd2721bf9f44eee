package org.tutti.serve.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.tutti.serve.job.ServiceJob;

/// Readers of what jobs say, by server-sent events. Each has a thread, which sleeps; the bytes are in the
/// job's files. One that does not read for a while is cut: its thread is interrupted, which closes its
/// connection.
final class EventStream {
    private static final long COMMENT_MILLIS = 15_000, LOOK_MILLIS = 500;
    private static final byte[] COMMENT = ":\n\n".getBytes(UTF_8);

    private final Semaphore room;
    private final int most;
    private final long unreadNanos;

    /// Who writes, and since when.
    private final Map<Thread, Long> writing = new ConcurrentHashMap<>();

    private final Thread watch =
            Thread.ofVirtual().name("tutti-service-readers").unstarted(this::watch);

    EventStream(int most, Duration unread) {
        this.most = most;
        room = new Semaphore(most);
        unreadNanos = unread.toNanos();
        watch.start();
    }

    int readers() {
        return most - room.availablePermits();
    }

    /// @param last the event that the reader has seen; -1 for none
    void serve(HttpExchange exchange, ServiceJob job, long last) throws IOException, InterruptedException {
        if (!room.tryAcquire()) {
            throw new Problem(Problem.BUSY, most + " readers of events are connected").header("Retry-After", "5");
        }
        try {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            long place = job.eventsAfter(last);
            exchange.sendResponseHeaders(200, 0);
            OutputStream out = exchange.getResponseBody();
            write(out, COMMENT); // the head is sent with the first bytes
            while (true) {
                ServiceJob.Events events = job.readEvents(place, COMMENT_MILLIS);
                if (events.place() != place) throw new IOException("what it was to read is gone");
                int count = events.bytes().length;
                if (count == 0 && job.state().isFinal()) break;
                write(out, count == 0 ? COMMENT : events.bytes());
                place += count;
            }
            out.close();
        } finally {
            room.release();
        }
    }

    private void write(OutputStream out, byte[] bytes) throws IOException {
        writing.put(Thread.currentThread(), System.nanoTime());
        try {
            out.write(bytes);
            out.flush();
        } finally {
            writing.remove(Thread.currentThread());
        }
    }

    private void watch() {
        try {
            while (true) {
                Thread.sleep(LOOK_MILLIS);
                long now = System.nanoTime();
                writing.forEach((thread, since) -> {
                    if (now - since > unreadNanos) thread.interrupt();
                });
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the service has ended
        }
    }

    void close() {
        watch.interrupt();
    }
}
