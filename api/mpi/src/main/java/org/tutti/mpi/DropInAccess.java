package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.UserLine;
import org.tutti.mpi.internal.DropInBridge;
import org.tutti.spi.Memory;

/// See [DropInBridge].
final class DropInAccess extends DropInBridge {
    @Override
    public void leave(AutoCloseable mpi) {
        ((Mpi) mpi).leaveTogether();
    }

    @Override
    public void abort(AutoCloseable mpi, int code, String why) {
        ((Mpi) mpi).abort(code, why + UserLine.at());
    }

    @Override
    public Object booleans(boolean[] array, long offset, long count, Object bytes) {
        Datatype type = (Datatype) bytes;
        Pieces pieces;
        if (type == Datatype.BYTE) {
            BufMaker.checkRange(array.length, Math.toIntExact(offset), Math.toIntExact(count));
            pieces = new Pieces.Booleans(array, (int) offset, (int) count);
        } else {
            pieces = new Pieces.PlacedBooleans(array, BufMaker.runs(array.length, offset, count, type));
        }
        return new Buf(Memory.NONE, count, type, pieces, null, null);
    }

    @Override
    public @Nullable MemorySegment allocateCollected(AutoCloseable mpi, long bytes) {
        EngineCalls calls = ((Mpi) mpi).engine("alloc");
        try {
            return EngineCalls.gate(() -> calls.allocator().allocateCollected(bytes));
        } catch (MpiException e) {
            if (e.errorClass() == ErrorClass.ERR_NO_MEM) return null;
            throw e;
        }
    }

    @Override
    public AutoCloseable window(Object comm, MemorySegment memory, int unitBytes) {
        Window made = Window.make((Comm) comm, memory.byteSize(), unitBytes, Map.of(), Window.Flavor.CREATE, memory);
        made.over(memory);
        made.created();
        return made;
    }

    @Override
    public void isNotUsers(String packageName) {
        UserLine.exclude(packageName);
    }
}
