package org.tutti.mpi;

import org.tutti.spi.Activity;
import org.tutti.spi.Transfer;

/// Complete when a buffer has sent on all that lay in it when this was made.
final class FlushRequest extends Request {
    private final MessageBuffer buffer;
    private final long count;

    /// `sign` stands for the messages, which are the buffer's to look after.
    FlushRequest(Mpi mpi, MessageBuffer buffer, Transfer sign) {
        super(mpi, Buf.NONE, Buf.NONE);
        this.buffer = buffer;
        count = buffer.sent();
        begin(sign);
    }

    @Override
    boolean lookNow() {
        Activity sign = awaited();
        if (sign == null) return true;
        mpi.engine(sign.operation);
        if (buffer.holdsOfFirst(count)) return false;
        finish(sign);
        return true;
    }

    @Override
    void awaitNow(String operation) {
        while (!lookNow()) buffer.flush();
    }

    @Override
    boolean waitsForProgram() {
        return true;
    }

    @Override
    boolean isUnfinished(EngineCalls engine) {
        return !isOver() && buffer.holdsOfFirst(count);
    }

    @Override
    void release(Activity a) {
        // the sign is nobody's
    }

    @Override
    public String toString() {
        Activity sign = awaited();
        return sign == null ? super.toString() : sign.operation + "()";
    }
}
