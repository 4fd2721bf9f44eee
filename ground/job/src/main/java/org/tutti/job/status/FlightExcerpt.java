package org.tutti.job.status;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.tutti.job.status.FlightRing.Entry;
import org.tutti.job.status.FlightRing.Kind;
import org.tutti.job.status.FlightRing.State;

/// The last operations of a rank on a machine without the launcher: as many as fit into one [ReportLine], so
/// that each line is self-contained.
///
///     moves int64 │ number of entries int32 │ entries                                     all deflated
///     an entry    number, time, thread, comm, a, b, c, d: int64, each minus that of the previous entry
///                 │ type int32 │ kind, state: int8
///                 │ operation, line, name of the communicator: length int16, UTF-8
///
/// @param moves the number of moves (messages or calls) at the time of the last report, as in [WaitReporter]
/// @param entries the entries, the oldest first; times are according to this machine's clock
public record FlightExcerpt(long moves, List<Entry> entries) {
    /// The maximum number of entries. Only ranks on the launcher's machine can report more.
    static final int MOST = 128;

    /// The available space in a line with the longest host name, in bytes before the conversion to base64.
    static final int ROOM_BYTES = 2300;

    private static final int NUMBERS = 8;

    static byte[] bytes(FlightRing ring, long moves) {
        List<Entry> entries = ring.newest(MOST);
        while (true) {
            byte[] bytes = encode(moves, entries);
            if (bytes.length <= ROOM_BYTES || entries.isEmpty()) return bytes;
            entries = entries.subList((entries.size() + 1) / 2, entries.size());
        }
    }

    private static byte[] encode(long moves, List<Entry> entries) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(bytes))) {
            out.writeLong(moves);
            out.writeInt(entries.size());
            long[] before = new long[NUMBERS];
            for (Entry e : entries) {
                long[] now = {e.number(), e.nanos(), e.thread(), e.comm(), e.a(), e.b(), e.c(), e.d()};
                for (int i = 0; i < NUMBERS; i++) out.writeLong(now[i] - before[i]);
                before = now;
                out.writeInt(e.type());
                out.writeByte(e.kind().ordinal());
                out.writeByte(e.state().ordinal());
                out.writeUTF(e.operation());
                out.writeUTF(e.line());
                out.writeUTF(e.commName());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e); // not possible: the data is in memory
        }
        return bytes.toByteArray();
    }

    /// Decodes the report of a rank. The rank's clock is slow by `offsetNanos`, compared with this machine's
    /// clock.
    ///
    /// @throws IOException if the report is incomplete, or is output of a program
    public static FlightExcerpt read(byte[] bytes, long offsetNanos) throws IOException {
        try (DataInputStream in = new DataInputStream(new InflaterInputStream(new ByteArrayInputStream(bytes)))) {
            long moves = in.readLong();
            int count = in.readInt();
            if (count < 0 || count > MOST) throw new IOException(count + " operations, of at most " + MOST);
            List<Entry> entries = new ArrayList<>(count);
            long[] at = new long[NUMBERS];
            while (entries.size() < count) {
                for (int i = 0; i < NUMBERS; i++) at[i] += in.readLong();
                entries.add(entry(in, at, offsetNanos));
            }
            return new FlightExcerpt(moves, List.copyOf(entries));
        }
    }

    private static Entry entry(DataInputStream in, long[] at, long offsetNanos) throws IOException {
        int type = in.readInt();
        int kind = in.readUnsignedByte(), state = in.readUnsignedByte();
        if (kind >= Kind.values().length || state >= State.values().length) {
            throw new IOException("an operation of kind " + kind + " in state " + state);
        }
        String operation = in.readUTF(), line = in.readUTF(), commName = in.readUTF();
        return new Entry(
                at[0],
                Kind.values()[kind],
                State.values()[state],
                at[2],
                at[1] + offsetNanos,
                operation,
                line,
                at[3],
                commName,
                type,
                at[4],
                at[5],
                at[6],
                at[7]);
    }
}
