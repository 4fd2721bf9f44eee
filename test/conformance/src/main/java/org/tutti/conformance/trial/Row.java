package org.tutti.conformance.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;

/// The variant of one call, the same on every rank.
///
/// @param mixed whether each rank uses a different kind of memory, beginning with the given kinds
/// @param form of the collective call
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
    /// Long enough to be offered before it is sent, on every engine and as every type but the bytes.
    private static final int LARGE = 40_003;

    /// A covering array, and a large one for each type.
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

    /// Executes the call in this row's form and waits until it is complete.
    public void call(Runnable blocking, Supplier<Request> nonblocking, Supplier<PersistentRequest> persistent) {
        form.call(blocking, nonblocking, persistent);
    }

    /// This rank's memory to send from.
    public MemoryKind sendKind(Trial t) {
        return mixed ? send.plus(t.rank()) : send;
    }

    /// This rank's memory to receive into.
    public MemoryKind recvKind(Trial t) {
        return mixed ? recv.plus(t.rank()) : recv;
    }

    /// A box of this rank's, with this rank's values.
    public Box sendBox(Trial t) {
        return Box.of(t, 0, sendKind(t), type, count).fill(i -> value(t.rank(), i));
    }

    /// A box of `elements` in which every element has a value that `expected` has not.
    public Box recvBox(Trial t, int elements, Box.Values expected) {
        return Box.of(t, 1, recvKind(t), type, elements).fill(i -> Plain.other(type, expected.at(i)));
    }

    public long value(int rank, int index) {
        return Plain.value(type, salt, rank, index);
    }
}
