package org.tutti.serve.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.Semaphore;
import org.tutti.serve.job.ServiceJob;

/// Readers of what jobs say, by server-sent events. Each has a thread, which sleeps; the bytes are in the
/// job's files.
final class EventStream {
    private static final long COMMENT_MILLIS = 15_000;
    private static final byte[] COMMENT = ":\n\n".getBytes(UTF_8);

    private final Semaphore room;
    private final int most;
    private final WriteWatch writes;

    EventStream(int most, WriteWatch writes) {
        this.most = most;
        this.writes = writes;
        room = new Semaphore(most);
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
            writes.write(out, COMMENT); // the head is sent with the first bytes
            while (true) {
                ServiceJob.Events events = job.readEvents(place, COMMENT_MILLIS);
                if (events.place() != place) throw new IOException("what it was to read is gone");
                int count = events.bytes().length;
                if (events.isEnd()) break;
                writes.write(out, count == 0 ? COMMENT : events.bytes());
                place += count;
            }
            out.close();
        } finally {
            room.release();
        }
    }
}
