package org.tutti.job.calls;

import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/// The format of a rank's call log, a file `R.calls`.
///
///     |  header, 4 KiB  |  4,096 sites, 64 bytes each  |  texts: length int16, UTF-8 … 1 MiB  |  records  |
///     a site     operation int32, line int32 | calls | nanos | bytes | waits                    int64, native order
///     a record   64 bytes: begin | end │ site, thread, comm: int32; kind, code, lane, flags: int8 │ peer, tag: int32
///                │ bytes | call | done
///
/// `end` is 0 during the call. `done` is the number of the wait or test that has detected that the operation of
/// this record is complete; -1 until then. Texts are numbered from 1. The text of a thread is `id name`; so is
/// the text of a communicator, with a hexadecimal id. Peers are ranks of the world. In a collective call
/// between two groups `lane` is 1.
///
/// | kind | code | peer, tag | bytes | call |
/// |---|---|---|---|---|
/// | messages | | as passed; for a complete receive, as received | of the message | 0, or 1 + the probe's number |
/// | collective calls | `Collective.Kind` | root, rank in `comm` | of this rank's data | number on `comm` |
/// | creation of a communicator | | | | the same; 0 if only some of the ranks participate |
/// | probes | | as found | of the message | |
/// | one rank's access to a file | 1 for a write | number of the path's text, 0 | requested | offset in the view |
/// | waits | | | | 1 + the number of the awaited record; 0 for none |
///
/// A record of kind `JVM` is not a call: `thread` is the text of a track, `comm` the text of the event, `bytes`
/// the total pause in nanoseconds.
public final class CallRecord {
    private CallRecord() {}

    /// The subject of a record.
    public enum Kind {
        SEND,
        RECV,
        COLLECTIVE,
        MAKE,
        PROBE,
        WAIT,
        ACCESS,
        FILE,
        JVM;

        static final Kind[] ALL = values();
    }

    /// A flag: the call only starts an operation, and a later call waits for the operation.
    public static final int STARTS = 1;

    /// A flag: the operation is complete.
    public static final int COMPLETE = 2;

    /// A flag: the call has failed.
    public static final int FAILED = 4;

    /// A flag: the call received no message, for example because it was cancelled, or it was a probe, which
    /// leaves the message in the queue.
    public static final int NO_MESSAGE = 8;

    static final int MOST_SITES = 4096, LONGEST_TEXT = 500, TEXT_BYTES = 1 << 20, BYTES = 64;
    static final long SITES = 4096, TEXTS = SITES + (long) MOST_SITES * BYTES, RECORDS = TEXTS + TEXT_BYTES;
    static final long BLOCK_RECORDS = 1 << 16, BLOCK_BYTES = BLOCK_RECORDS * BYTES;

    /// Offsets in the header.
    static final long MAGIC = 0, SIZE = 8, PID = 16, HOST = 24, BEGAN = 32, LEFT = 40, RECORDS_USED = 48, LEFT_OUT = 56;
    static final long TEXT_USED = 64, SITES_USED = 72, INSIDE = 80, INSIDE_SINCE = 88, CLOCK = 96;
    static final long THERE = 0x43414c4c53303144L; // "CALLS01D"

    /// Offsets in a site.
    static final long OPERATION = 0, LINE = 4, CALLS = 8, NANOS = 16, SITE_BYTES = 24, WAITS = 32;

    /// Offsets in a record.
    static final long BEGIN = 0,
            END = 8,
            SITE = 16,
            THREAD = 20,
            COMM = 24,
            KIND = 28,
            CODE = 29,
            LANE = 30,
            FLAGS = 31;
    static final long PEER = 32, TAG = 36, LENGTH = 40, CALL = 48, DONE = 56;

    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

    static Path file(Path directory, int rank) {
        return directory.resolve(rank + ".calls");
    }

    /// Returns the offset of a site in the file.
    static long site(int number) {
        return SITES + (long) number * BYTES;
    }

    /// Returns the offset of a record from the start of the block that contains it.
    static long inBlock(long number) {
        return number % BLOCK_RECORDS * BYTES;
    }
}
