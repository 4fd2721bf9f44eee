package org.tutti.serve.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.Semaphore;
import org.tutti.serve.job.ServiceJob;

/// Readers of the events of jobs, as server-sent events. Each reader has a sleeping thread; the bytes are in
/// the job's files. Readers of large results are counted as readers, too, because the time that they need
/// depends on the speed of the connection.
final class EventStream {
    private static final long COMMENT_MILLIS = 15_000;
    private static final byte[] COMMENT = ":\n\n".getBytes(UTF_8);

    private final Semaphore room;
    private final int most;

    EventStream(int most) {
        this.most = most;
        room = new Semaphore(most);
    }

    int readers() {
        return most - room.availablePermits();
    }

    /// Counts a reader until [#leave].
    ///
    /// @throws Problem if the number of readers is at the limit
    void enter() {
        if (!room.tryAcquire()) {
            throw new Problem(Problem.BUSY, most + " readers of events are connected").header("Retry-After", "5");
        }
    }

    void leave() {
        room.release();
    }

    /// @param last the last event that the reader has received; -1 for none
    void serve(ClientExchange exchange, ServiceJob job, long last) throws IOException, InterruptedException {
        enter();
        try {
            ServiceJob.Resumption from = job.eventsAfter(last);
            exchange.headers().put("Content-Type", "text/event-stream");
            OutputStream out = exchange.answer(200, ClientExchange.UNKNOWN);
            out.write(COMMENT); // the head is sent with the first bytes
            if (from.isGap()) out.write(gap(last, from.place()));
            long place = from.place();
            while (true) {
                ServiceJob.Events events = job.readEvents(place, COMMENT_MILLIS);
                // after this exception, the reader reconnects with the last id that it has received, and is
                // sent an event that reports the gap
                if (events.place() != place)
                    throw new IOException("events were removed before the reader received them");
                int count = events.bytes().length;
                if (events.isEnd()) break;
                out.write(count == 0 ? COMMENT : events.bytes());
                place += count;
            }
            out.close();
        } finally {
            leave();
        }
    }

    /// Returns the event that reports a gap. It has no id, so that a reader that loses the connection
    /// afterwards requests the same position again.
    private static byte[] gap(long last, long first) {
        return ("event: gap\ndata: {\"after\":" + last + ",\"first\":" + first + "}\n\n").getBytes(UTF_8);
    }
}
