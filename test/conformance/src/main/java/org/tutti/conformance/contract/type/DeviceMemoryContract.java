package org.tutti.conformance.contract.type;

import static org.tutti.mpi.Buf.IN_PLACE;
import static org.tutti.mpi.Buf.NONE;
import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.DeviceMemory;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Op;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Window;

/// Device memory as a buffer of every kind of operation, together with ranks that have the data in host memory.
/// The device is simulated: only copies can access the memory.
public final class DeviceMemoryContract {
    private DeviceMemoryContract() {}

    /// The kind of device memory that the MPI library can access by address, as the jobs of these tests
    /// declare.
    public static final String ADDRESSED = "addressed";

    /// @param hidden memory that only this class reads or writes
    private record SimulatedMemory(String device, MemorySegment hidden, Datatype type, AtomicInteger copies)
            implements DeviceMemory {
        static SimulatedMemory of(int... numbers) {
            return on("simulated:0", numbers);
        }

        static SimulatedMemory on(String device, int... numbers) {
            MemorySegment hidden =
                    Arena.ofAuto().allocate(Math.max(1, 4L * numbers.length), 4).asSlice(0, 4L * numbers.length);
            hidden.copyFrom(MemorySegment.ofArray(numbers));
            return new SimulatedMemory(device, hidden, Datatype.INT, new AtomicInteger());
        }

        /// Returns memory with the first `numbers` elements.
        SimulatedMemory part(int numbers) {
            return new SimulatedMemory(device, hidden.asSlice(0, 4L * numbers), type, copies);
        }

        @Override
        public long address() {
            return device.startsWith(ADDRESSED) ? hidden.address() : 1; // not an address that a process can read
        }

        @Override
        public long byteSize() {
            return hidden.byteSize();
        }

        @Override
        public void copyTo(MemorySegment target, long from) {
            copies.incrementAndGet();
            MemorySegment.copy(hidden, from, target, 0, target.byteSize());
        }

        @Override
        public void copyFrom(MemorySegment source, long to) {
            copies.incrementAndGet();
            MemorySegment.copy(source, 0, hidden, to, source.byteSize());
        }

        void check(String label, int... expected) {
            for (int i = 0; i < expected.length; i++) {
                Check.same(expected[i], hidden.getAtIndex(ValueLayout.JAVA_INT, i), label + ", element " + i);
            }
        }
    }

    /// Returns the device buffer on ranks with an even number, the host buffer on other ranks.
    private static Buf mixed(Trial t, SimulatedMemory there, int[] here) {
        return t.rank() % 2 == 0 ? buf(there) : buf(here);
    }

    private static void check(Trial t, String label, SimulatedMemory there, int[] here, int... expected) {
        if (t.rank() % 2 == 0) there.check(label, expected);
        else for (int i = 0; i < expected.length; i++) Check.same(expected[i], here[i], label + ", element " + i);
    }

    @Contract
    public static void messagesOfEachModeGoFromDeviceToDevice(Trial t) {
        SimulatedMemory out = SimulatedMemory.of(t.rank(), 10 * t.rank(), -1), in = SimulatedMemory.of(7, 7, 7, 7);
        t.world().sendrecv(buf(out), t.right(), buf(in), t.left());
        in.check("sendrecv", t.left(), 10 * t.left(), -1, 7);
        SimulatedMemory second = SimulatedMemory.of(7, 7, 7);
        int[] host = new int[3];
        try (Requests r = t.mpi().requests()) {
            r.add(t.world().irecv(buf(second), t.left(), 1));
            r.add(t.world().irecv(buf(host), t.left(), 2));
            r.add(t.world().isend(buf(out), t.right(), 1));
            r.add(t.world().issend(buf(out), t.right(), 2));
            r.awaitAll();
        }
        second.check("irecv", t.left(), 10 * t.left(), -1);
        Check.same(10L * t.left(), host[1], "from a device to the host");
        SimulatedMemory none = SimulatedMemory.of();
        t.world().sendrecv(buf(none), t.right(), buf(none), t.left());
    }

    @Contract
    public static void persistentMessagesSendCurrentData(Trial t) {
        SimulatedMemory out = SimulatedMemory.of(0), in = SimulatedMemory.of(0);
        PersistentRequest send = t.world().sendInit(buf(out), t.right(), 0);
        PersistentRequest recv = t.world().recvInit(buf(in), t.left(), 0);
        for (int round = 1; round <= 3; round++) {
            out.copyFrom(MemorySegment.ofArray(new int[] {100 * round + t.rank()}), 0);
            recv.start();
            send.start();
            send.await();
            recv.await();
            in.check("round " + round, 100 * round + t.left());
        }
        send.close();
        recv.close();
    }

    @Contract
    public static void collectiveCallsMixDevicesAndHosts(Trial t) {
        int p = t.size(), sum = p * (p - 1) / 2;
        SimulatedMemory there = SimulatedMemory.of(t.rank(), 1);
        int[] here = {t.rank(), 1};
        t.world().allreduce(IN_PLACE, mixed(t, there, here), Op.SUM);
        check(t, "allreduce in place", there, here, sum, p);

        SimulatedMemory many = SimulatedMemory.of(new int[p]);
        int[] some = new int[p];
        t.world().allgather(mixed(t, SimulatedMemory.of(t.rank() + 5), new int[] {t.rank() + 5}), mixed(t, many, some));
        int[] ranks = new int[p];
        for (int r = 0; r < p; r++) ranks[r] = r + 5;
        check(t, "allgather", many, some, ranks);

        t.world().bcast(mixed(t, there, here), p - 1);
        check(t, "bcast", there, here, sum, p);

        SimulatedMemory part = SimulatedMemory.of(0);
        int[] its = {0};
        t.world().scatter(t.rank() == 0 ? buf(SimulatedMemory.of(ranks)) : NONE, mixed(t, part, its), 0);
        check(t, "scatter", part, its, t.rank() + 5);

        t.world().alltoall(buf(SimulatedMemory.of(ranks)), mixed(t, many, some));
        int[] mine = new int[p];
        java.util.Arrays.fill(mine, t.rank() + 5);
        check(t, "alltoall", many, some, mine);

        t.world()
                .ireduce(mixed(t, SimulatedMemory.of(2, 3), new int[] {2, 3}), mixed(t, there, here), Op.PROD, 0)
                .await();
        if (t.rank() == 0) check(t, "ireduce", there, here, (int) Math.pow(2, p), (int) Math.pow(3, p));

        t.world().scan(mixed(t, SimulatedMemory.of(1, 2), new int[] {1, 2}), mixed(t, there, here), Op.SUM);
        check(t, "scan", there, here, t.rank() + 1, 2 * (t.rank() + 1));
    }

    /// A device-aware library gets the address, so Tutti copies no data. The shm engine copies data, and so may
    /// the library if sender and receiver are the same rank.
    @Contract
    public static void deviceAwareLibraryGetsTheAddress(Trial t) {
        for (int count : new int[] {1, 1000, 100_000}) {
            int[] numbers = new int[count];
            java.util.Arrays.fill(numbers, t.rank() + 1);
            SimulatedMemory out = SimulatedMemory.on(ADDRESSED + ":0", numbers),
                    in = SimulatedMemory.on(ADDRESSED + ":0", new int[count + 1]);
            t.world().sendrecv(buf(out), t.right(), buf(in), t.left());
            in.check("sendrecv", t.left() + 1);
            SimulatedMemory second = SimulatedMemory.on(ADDRESSED + ":0", new int[count]);
            try (Requests r = t.mpi().requests()) {
                r.add(t.world().irecv(buf(second), t.left(), 1));
                r.add(t.world().isend(buf(out), t.right(), 1));
                r.awaitAll();
            }
            second.check("irecv", t.left() + 1);
            if (!t.onShm() && t.size() == 1) continue;
            for (SimulatedMemory each : new SimulatedMemory[] {out, in, second}) {
                Check.that(t.onShm() == (each.copies().get() > 0), each.copies() + " copies of " + count);
            }
        }
    }

    @Contract
    public static void windowsAcceptDeviceMemory(Trial t) {
        SimulatedMemory out = SimulatedMemory.of(t.rank(), 5), in = SimulatedMemory.of(7, 7, 7);
        try (Window window = Window.allocate(t.world(), 8)) {
            window.fence();
            window.put(buf(out), t.right(), 0);
            window.fence();
            window.get(buf(in.part(2)), t.rank(), 0);
            window.fence();
            in.check("data put by the left rank", t.left(), 5, 7);
            window.accumulate(buf(SimulatedMemory.of(10, 20)), t.right(), 0, Op.SUM);
            window.fence();
            window.get(buf(in.part(2)), t.rank(), 0);
            window.fence();
            in.check("data added by the left rank", t.left() + 10, 25, 7);
        }
    }

    /// Only the bytes of the type are sent and written; gaps do not change.
    @Contract
    public static void derivedTypesOnADevice(Trial t) {
        Datatype column = Datatype.INT.vector(3, 1, 4);
        Datatype some = Datatype.INT.indexed(new int[] {2, 1}, new int[] {0, 5});
        for (Datatype type : new Datatype[] {column, some}) {
            int[] at = type == column ? new int[] {1, 5, 9} : new int[] {1, 2, 6};
            int[] out = new int[12], in = new int[12], expected = new int[12];
            for (int i = 0; i < 12; i++) {
                out[i] = 100 * t.rank() + i;
                in[i] = -i;
                expected[i] = -i;
            }
            for (int place : at) expected[place] = 100 * t.left() + place;
            SimulatedMemory from = SimulatedMemory.of(out),
                    to = SimulatedMemory.of(in),
                    fromHost = SimulatedMemory.of(in);
            t.world().sendrecv(buf(from, 1, 1, type), t.right(), buf(to, 1, 1, type), t.left());
            to.check("sendrecv of " + type, expected);
            t.world().sendrecv(buf(out, 1, 1, type), t.right(), buf(fromHost, 1, 1, type), t.left());
            fromHost.check("from the host", expected);
            t.world().bcast(mixed(t, SimulatedMemory.of(out), out), 0);
            SimulatedMemory shared = t.rank() == 0 ? from : to;
            t.world().bcast(buf(shared, 1, 1, type), 0);
            if (t.rank() != 0) for (int place : at) expected[place] = place;
            shared.check("bcast of " + type, t.rank() == 0 ? firstRank() : expected);
        }
        Check.rejects(
                ErrorClass.ERR_COUNT,
                "buf: 3000000000 runs of bytes exceed the limit of 67108864; send it in parts",
                () -> buf(
                        SimulatedMemory.of(1, 2, 3),
                        0,
                        3_000_000_000L,
                        Datatype.INT.vector(1, 1, 1).resized(0, 0)));
        SimulatedMemory small = SimulatedMemory.of(1, 2, 3, 4, 5);
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: offset=1, count=1 of " + column + " need bytes 4 to 40 of a memory of 20 bytes",
                () -> buf(small, 1, 1, column));
    }

    private static int[] firstRank() {
        int[] numbers = new int[12];
        for (int i = 0; i < 12; i++) numbers[i] = i;
        return numbers;
    }

    @Contract
    public static void explainReportsTheDataPath(Trial t) {
        SimulatedMemory there = SimulatedMemory.of(1, 2);
        String message = t.world().explain("isend", buf(there));
        String way = t.onShm()
                ? "in pieces through shm's memory, during the message"
                : "by a copy on the host, because the MPI library does not support devices of kind simulated";
        Check.same("isend of 2 INT on simulated:0: " + way, message, "explain");
        Check.that(
                t.world()
                        .explain("allreduceInit", buf(there))
                        .startsWith("allreduceInit of 2 INT on simulated:0: by complete copies"),
                "explain of a collective call");
        Check.rejects(
                ErrorClass.ERR_ARG,
                "explain: 'sent' is not a communicator method with a buffer, such as send, iallreduce or"
                        + " bcastInit ("
                        + t.where() + ")",
                () -> t.world().explain("sent", buf(there)));
    }

    @Contract
    public static void deviceElementsMustBeComplete(Trial t) {
        SimulatedMemory odd =
                new SimulatedMemory("simulated:0", Arena.ofAuto().allocate(10), Datatype.INT, new AtomicInteger());
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: 10 bytes on simulated:0 are not a whole number of INT elements of 4 bytes",
                () -> buf(odd));
    }
}
