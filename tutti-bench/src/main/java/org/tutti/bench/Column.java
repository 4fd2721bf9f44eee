package org.tutti.bench;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Mpi;

/// Half the time of a column to rank 1 and back, by a vector type: a matrix of doubles with [#COLUMNS]
/// columns, of which the column is as long as the message. The same as `column.c`.
final class Column {
    /// Elements in a row.
    private static final int COLUMNS = 1000;

    /// The column that is sent, and the one that is received into, of another matrix.
    private static final int OUT = 3, IN = 7;

    private Column() {}

    static void run(Mpi mpi, BenchOptions options) {
        if (mpi.world().rank() == 0) {
            String title = "Tutti latency test of a column of doubles, " + mpi.engineDescription();
            OsuTable table = new OsuTable(System.out, title, "Latency (us)");
            for (long bytes = smallest(options); bytes <= options.maxBytes(); bytes *= 2) {
                table.row(bytes, measure(mpi, options, bytes));
            }
        } else if (mpi.world().rank() == 1) {
            for (long bytes = smallest(options); bytes <= options.maxBytes(); bytes *= 2) {
                measure(mpi, options, bytes);
            }
        }
        mpi.world().barrier();
    }

    private static long smallest(BenchOptions options) {
        return Math.max(options.minBytes(), Double.BYTES);
    }

    private static double measure(Mpi mpi, BenchOptions options, long bytes) {
        int rows = Math.toIntExact(bytes / Double.BYTES);
        Datatype column = Datatype.DOUBLE.vector(rows, 1, COLUMNS);
        Buf out = column(mpi, options.buffer(), rows, OUT, column);
        Buf in = column(mpi, options.buffer(), rows, IN, column);
        return Latency.measure(mpi, options, bytes, out, in);
    }

    private static Buf column(Mpi mpi, BenchOptions.Buffer where, int rows, int index, Datatype column) {
        return switch (where) {
            case HEAP -> buf(new double[Math.multiplyExact(rows, COLUMNS)], index, 1, column);
            case SEGMENT -> {
                MemorySegment s = mpi.alloc((long) rows * COLUMNS * Double.BYTES);
                yield buf(s, (long) index * Double.BYTES, 1, column);
            }
        };
    }
}
