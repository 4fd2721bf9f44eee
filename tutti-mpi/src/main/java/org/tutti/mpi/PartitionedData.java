package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.Layout;
import org.tutti.spi.type.LayoutPart;

/// The data of a message in parts: where the bytes of a part lie.
final class PartitionedData {
    private final Memory memory;
    private final @Nullable Layout layout;

    PartitionedData(Buf buf) {
        memory = buf.memory();
        layout = buf.layout;
    }

    /// Describes `bytes` packed bytes from byte `from` on to the transfer.
    Transfer place(Transfer t, long from, long bytes) {
        return layout == null ? t.at(memory, from, bytes) : t.at(memory, new LayoutPart(layout, from, bytes));
    }
}
