package org.tutti.mpi;

import org.tutti.spi.Memory;

/// [Op#reduceLocal], of every operation. No default method there: the interface would be initialised
/// before the enum whose constants it names.
final class ReduceLocal {
    private ReduceLocal() {}

    static void run(Op op, Buf in, Buf inout) {
        if (!in.isPlace() || !inout.isPlace() || inout.isReadOnly()) {
            String what = inout.isReadOnly() ? "inout is read-only" : "in is " + in + " and inout is " + inout;
            throw MpiException.argument(ErrorClass.ERR_BUFFER, "reduceLocal", what + "; pass two buffers", null);
        }
        if (in.type() != inout.type() || in.count() != inout.count()) {
            throw MpiException.argument(
                    in.type() == inout.type() ? ErrorClass.ERR_COUNT : ErrorClass.ERR_TYPE,
                    "reduceLocal",
                    "in holds " + in + " but inout holds " + inout,
                    null);
        }
        if (!op.supports(in.type())) {
            throw MpiException.argument(
                    ErrorClass.ERR_OP,
                    "reduceLocal",
                    op.name() + " is not defined for " + in.type() + "; see the table at Op",
                    null);
        }
        CommHandle.checkRecords("reduceLocal", in, 0, in.count(), null);
        CommHandle.checkRecords("reduceLocal", inout, 0, inout.count(), null);
        if (inout.overlaps()) throw CommHandle.overlap("reduceLocal", null);
        Memory to = inout.toMemory();
        op.apply(in.type(), in.toMemory().segment(), 0, to.segment(), 0, in.count());
        inout.fromMemory(to, 0, inout.lengthBytes());
    }
}
