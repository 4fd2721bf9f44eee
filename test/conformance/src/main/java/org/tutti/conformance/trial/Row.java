package org.tutti.conformance.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;

/// The parameters of one call, equal on every rank.
///
/// @param mixed whether each rank uses a different kind of memory: rank 0 uses `send` and `recv`, and each
/// further rank the next kinds
/// @param form of a collective call
/// @param salt the seed of the values
public record Row(
        Datatype type,
        int count,
        MemoryKind send,
        MemoryKind recv,
        int root,
        boolean inPlace,
        boolean mixed,
        Form form,
        long salt) {
    /// Long enough for rendezvous on every engine, with every type except types of one byte.
    private static final int LARGE = 40_003;

    /// Returns a covering array, and one row with many elements for each type.
    public static List<Row> of(Trial t) {
        int p = t.size();
        int[] counts = {0, 1, 7, Math.max(2, p - 1), p + 1, 255, 1000, 4099};
        int[] roots = {0, p - 1, p / 2};
        MemoryKind[] kinds = MemoryKind.values();
        Form[] forms = Form.values();
        List<Row> rows = new ArrayList<>();
        List<int[]> array = CoveringArray.pairs(
                t.random(),
                Plain.TYPES.size(),
                counts.length,
                kinds.length,
                kinds.length,
                roots.length,
                2,
                2,
                forms.length);
        for (int[] row : array) {
            rows.add(new Row(
                    Plain.TYPES.get(row[0]),
                    counts[row[1]],
                    kinds[row[2]],
                    kinds[row[3]],
                    roots[row[4]],
                    row[5] == 1,
                    row[6] == 1,
                    forms[row[7]],
                    t.random().nextLong()));
        }
        for (Datatype type : Plain.TYPES) {
            rows.add(new Row(
                    type,
                    LARGE,
                    kinds[t.random().nextInt(kinds.length)],
                    kinds[t.random().nextInt(kinds.length)],
                    t.random().nextInt(p),
                    t.random().nextBoolean(),
                    t.random().nextBoolean(),
                    forms[t.random().nextInt(forms.length)],
                    t.random().nextLong()));
        }
        return rows;
    }

    /// Executes the call in the form of this row and waits until it is complete.
    public void call(Runnable blocking, Supplier<Request> nonblocking, Supplier<PersistentRequest> persistent) {
        form.call(blocking, nonblocking, persistent);
    }

    /// Returns the kind of memory from which this rank sends.
    public MemoryKind sendKind(Trial t) {
        return mixed ? send.plus(t.rank()) : send;
    }

    /// Returns the kind of memory into which this rank receives.
    public MemoryKind recvKind(Trial t) {
        return mixed ? recv.plus(t.rank()) : recv;
    }

    /// Returns a box that contains this rank's values.
    public Box sendBox(Trial t) {
        return Box.of(t, 0, sendKind(t), type, count).fill(i -> value(t.rank(), i));
    }

    /// Returns a box of `elements` in which every element differs from the element of `expected`.
    public Box recvBox(Trial t, int elements, Box.Values expected) {
        return Box.of(t, 1, recvKind(t), type, elements).fill(i -> Plain.other(type, expected.at(i)));
    }

    public long value(int rank, int index) {
        return Plain.value(type, salt, rank, index);
    }
}
