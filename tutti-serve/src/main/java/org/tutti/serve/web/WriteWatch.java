package org.tutti.serve.web;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Writes to clients, and cuts those that do not read: the thread is interrupted, which closes its
/// connection.
final class WriteWatch {
    private static final long LOOK_MILLIS = 500;
    private static final int PIECE_BYTES = 1 << 16;

    private final long unreadNanos;

    /// Who writes a piece, and since when.
    private final Map<Thread, Long> writing = new ConcurrentHashMap<>();

    private final Thread watch = Thread.ofVirtual().name("tutti-service-writes").unstarted(this::watch);

    /// @param unread for how long a client may take nothing
    WriteWatch(Duration unread) {
        unreadNanos = unread.toNanos();
        watch.start();
    }

    void write(OutputStream out, byte[] bytes) throws IOException {
        for (int from = 0; from < bytes.length; from += PIECE_BYTES) {
            writing.put(Thread.currentThread(), System.nanoTime());
            try {
                out.write(bytes, from, Math.min(PIECE_BYTES, bytes.length - from));
                out.flush();
            } finally {
                writing.remove(Thread.currentThread());
            }
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
