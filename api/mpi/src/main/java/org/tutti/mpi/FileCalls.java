package org.tutti.mpi;

import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.file.FileRanks;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;
import org.tutti.spi.LongExchange;
import org.tutti.spi.Memory;
import org.tutti.spi.WindowPort;
import org.tutti.spi.Windows.Placement;
import org.tutti.spi.type.ElementType;

/// The communication between the ranks that have opened a file.
record FileCalls(EngineCalls engine, WindowCalls windows) implements FileRanks {
    @Override
    public @Nullable WindowPort allocate(String operation, CommPort parent, String name, long bytes) {
        try {
            return windows.allocateWindow(operation, parent, name, bytes, 1, Placement.ANYWHERE);
        } catch (MpiException e) {
            if (e.errorClass() == ErrorClass.ERR_NO_MEM) return null;
            throw e;
        }
    }

    @Override
    public void free(WindowPort window) {
        windows.free(window);
    }

    @Override
    public long[] exchange(String operation, CommPort port, long... mine) {
        Collective call = LongExchange.fill(engine.collective(), operation, port, mine);
        engine.complete(call);
        return call.recv.memory.segment().toArray(ValueLayout.JAVA_LONG);
    }

    @Override
    public void broadcast(String operation, CommPort port, byte[] bytes, int root) {
        Collective call = engine.collective().fill(operation, port, Collective.Kind.BCAST, root);
        call.recv.memory = Memory.ofArray(bytes);
        call.send.count = bytes.length;
        call.send.type = ElementType.BYTE;
        engine.complete(call);
    }

    @Override
    public void await(LocalWait wait) {
        engine.await(wait);
    }
}
