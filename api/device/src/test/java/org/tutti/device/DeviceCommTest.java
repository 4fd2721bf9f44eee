package org.tutti.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.mpi.Buf.IN_PLACE;
import static org.tutti.mpi.Buf.NONE;
import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.Tutti;

/// Operations between devices, by copies and by shared memory; `NcclTest` tests operations of libraries.
class DeviceCommTest {
    private static final int MOST_RANKS = 4;

    private interface Body {
        void run(Comm world, Device device, DeviceComm devices);
    }

    private static Device device(String way) {
        return switch (way) {
            case "shared" -> TestDevice.shared();
            case "copies" -> Device.get("host");
            default -> TestDevice.open(way);
        };
    }

    static Stream<String> waysAndKinds() {
        return Stream.concat(Stream.of("copies", "shared"), TestDevice.compiled());
    }

    private static void onRanks(String way, Body body) {
        device(way).close(); // skip the test here, not on a rank
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            Tutti.local(ranks, mpi -> {
                try (Device device = device(way);
                        DeviceComm devices = DeviceComm.of(mpi.world(), device)) {
                    body.run(mpi.world(), device, devices);
                }
            });
        }
    }

    private static int[] row(int rank, int count) {
        return IntStream.range(0, count).map(i -> 100 * rank + i).toArray();
    }

    private static int[] sums(int ranks, int from, int count) {
        return IntStream.range(from, from + count)
                .map(i -> IntStream.range(0, ranks).map(r -> 100 * r + i).sum())
                .toArray();
    }

    private static int[] rows(int ranks, int from, int count) {
        return IntStream.range(0, ranks)
                .flatMap(r -> IntStream.range(from, from + count).map(i -> 100 * r + i))
                .toArray();
    }

    @ParameterizedTest
    @MethodSource("waysAndKinds")
    void everyOperationEqualsALoop(String way) {
        onRanks(way, (world, device, devices) -> {
            int p = devices.size(), me = devices.rank(), n = 7;
            DeviceStream stream = device.newStream();
            switch (way) {
                case "shared" -> assertThat(devices.way()).isEqualTo("memory shared between processes");
                case "copies", "opencl" -> assertThat(devices.way()).isEqualTo("copies through the host");
                default -> assertThat(devices.way()).isNotEqualTo("copies through the host");
            }
            DeviceBuffer mine = device.of(row(me, n));
            devices.allreduce(mine, Op.SUM, stream);
            assertThat(mine.toInts()).isEqualTo(sums(p, 0, n));

            DeviceBuffer most = device.of(row(me, n));
            devices.reduce(most, Op.MAX, p - 1, stream);
            assertThat(most.toInts()).isEqualTo(row(me, n)); // the last rank has the largest

            DeviceBuffer first = device.of(row(me, n));
            devices.bcast(first, p - 1, stream);
            assertThat(first.toInts()).isEqualTo(row(p - 1, n));

            DeviceBuffer all = device.zeros(Datatype.INT, (long) n * p);
            devices.allgather(device.of(row(me, n)), all, stream);
            assertThat(all.toInts()).isEqualTo(rows(p, 0, n));

            DeviceBuffer part = device.zeros(Datatype.INT, n);
            devices.reduceScatterBlock(device.of(row(me, n * p)), part, Op.SUM, stream);
            assertThat(part.toInts()).isEqualTo(sums(p, n * me, n));

            DeviceBuffer turned = device.zeros(Datatype.INT, (long) n * p);
            devices.alltoall(device.of(row(me, n * p)), turned, stream);
            assertThat(turned.toInts()).isEqualTo(rows(p, n * me, n));

            int right = (me + 1) % p, left = (me + p - 1) % p;
            DeviceBuffer ghost = device.zeros(Datatype.INT, n);
            devices.exchange(stream, x -> {
                x.send(device.of(row(me, n)), right);
                x.recv(ghost, left);
            });
            assertThat(ghost.toInts()).isEqualTo(row(left, n));

            DeviceBuffer none = device.zeros(Datatype.INT, 0);
            devices.allreduce(none, Op.SUM, stream);
            devices.allgather(none, none, stream);

            // only the host combines these
            DeviceBuffer bits = device.of(1 << me);
            devices.allreduce(bits, Op.BOR, stream);
            assertThat(bits.toInts()).containsExactly((1 << p) - 1);
            assertThat(devices.way(Datatype.INT, Op.BOR)).isEqualTo("copies through the host");
        });
    }

    /// The data exceeds half of an area, and a block of the alltoall exceeds a third.
    @Test
    void longDataGoesInPieces() {
        int n = 1_100_001;
        Tutti.local(3, mpi -> {
            try (Device device = TestDevice.shared();
                    DeviceComm devices = DeviceComm.of(mpi.world(), device)) {
                int me = devices.rank();
                DeviceBuffer x = device.allocate(Datatype.FLOAT, n);
                x.fill(me + 1);
                devices.allreduce(x, Op.PROD, device.stream());
                assertThat(device.arrays().min(x)).isEqualTo(6);
                assertThat(device.arrays().max(x)).isEqualTo(6);
                x.fill(me);
                devices.bcast(x, 2, device.stream());
                assertThat(device.arrays().min(x)).isEqualTo(2);
                DeviceBuffer all = device.zeros(Datatype.FLOAT, 3L * n);
                x.fill(me);
                devices.allgather(x, all, device.stream());
                assertThat(device.arrays().sum(all.slice(n, n))).isEqualTo(n);
                DeviceBuffer turned = device.zeros(Datatype.FLOAT, 3L * n);
                devices.alltoall(all, turned, device.stream());
                assertThat(device.arrays().min(turned)).isEqualTo(me);
                devices.reduceScatterBlock(all, x, Op.SUM, device.stream());
                assertThat(device.arrays().max(x)).isEqualTo(3 * me);
            }
        });
    }

    @Test
    void invalidArgumentsAreRejectedFirst() {
        Tutti.local(2, mpi -> {
            try (Device device = Device.get("host");
                    Device other = Device.get("host")) {
                DeviceComm devices = DeviceComm.of(mpi.world(), device);
                DeviceBuffer x = device.zeros(Datatype.INT, 3), foreign = other.zeros(Datatype.INT, 3);
                DeviceStream stream = device.stream();
                String me = " (rank " + devices.rank() + " of 2)";
                assertThatThrownBy(() -> devices.allreduce(foreign, Op.SUM, stream))
                        .isInstanceOf(DeviceException.class)
                        .hasMessage("host:0: allreduce: the buffer is of host:0, another device" + me);
                assertThatThrownBy(() -> devices.bcast(x, 2, stream))
                        .hasMessage("host:0: bcast: root=2 is not a rank: there are 2" + me);
                assertThatThrownBy(() -> devices.allgather(x, x, stream))
                        .hasMessage("host:0: allgather: recv has 3 elements, not 2 times the 3 of send" + me);
                assertThatThrownBy(() -> devices.alltoall(x, x, stream))
                        .hasMessage("host:0: alltoall: send has 3 elements and recv 3: both must have one equal"
                                + " block for each of 2"
                                + " ranks" + me);
                assertThatThrownBy(() -> devices.reduceScatterBlock(device.zeros(Datatype.LONG, 6), x, Op.SUM, stream))
                        .hasMessage("host:0: reduceScatterBlock: buffers of LONG and INT do not match" + me);
                assertThatThrownBy(() -> devices.allreduce(x, Op.SUM, other.stream()))
                        .hasMessage("host:0: allreduce: the stream is of host:0, another device" + me);
                assertThatThrownBy(() -> devices.exchange(stream, e -> e.send(x, -1)))
                        .hasMessage("host:0: exchange: to=-1 is not a rank: there are 2" + me);
                devices.close();
                assertThatThrownBy(() -> devices.allreduce(x, Op.SUM, stream))
                        .hasMessage("host:0: allreduce: the communicator was closed" + me);
            }
        });
    }

    /// MPI calls with much data on a communicator with connected devices: with device memory on all ranks, with
    /// arrays on some ranks, and after a device was closed.
    @ParameterizedTest
    @ValueSource(strings = {"shared", "copies"})
    void longCallsOfMpiTakeTheRouteWhenAllAreOnDevices(String way) {
        int n = 20_000;
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            Tutti.local(ranks, mpi -> {
                Comm world = mpi.world();
                int p = world.size(), me = world.rank();
                Device device = device(way);
                TestDevice.route(world, device, List.of());
                DeviceBuffer x = device.of(row(me, n)), y = device.zeros(Datatype.INT, n);
                assertThat(world.explain("allreduce", buf(x)))
                        .startsWith("allreduce of 20000 INT on host:0: the fastest path between these devices,"
                                + " selected by the first such call");
                world.allreduce(buf(x), buf(y), Op.SUM);
                assertThat(y.toInts()).isEqualTo(sums(p, 0, n));
                String how = world.explain("allreduce", buf(x));
                if (way.equals("shared")) assertThat(how).contains("on host:0: memory shared between processes, if");
                else
                    assertThat(how)
                            .contains("by complete copies on the host: no faster path was found (memory shared"
                                    + " between processes: rank 0: host:0 has no memory shared between"
                                    + " processes)");
                world.allreduce(buf(x), Op.SUM);
                assertThat(x.toInts()).isEqualTo(sums(p, 0, n));

                int[] array = row(me, n);
                DeviceBuffer there = device.of(row(me, n));
                boolean isArray = me % 2 == 1;
                world.allreduce(IN_PLACE, isArray ? buf(array) : buf(there), Op.SUM);
                assertThat(isArray ? array : there.toInts()).isEqualTo(sums(p, 0, n));

                DeviceBuffer all = device.zeros(Datatype.INT, (long) n * p);
                world.allgather(buf(device.of(row(me, n))), buf(all));
                assertThat(all.toInts()).isEqualTo(rows(p, 0, n));
                DeviceBuffer turned = device.zeros(Datatype.INT, (long) n * p);
                world.alltoall(buf(device.of(row(me, n * p))), buf(turned));
                assertThat(turned.toInts()).isEqualTo(rows(p, n * me, n));
                world.reduceScatterBlock(buf(device.of(row(me, n * p))), buf(y), Op.SUM);
                assertThat(y.toInts()).isEqualTo(sums(p, n * me, n));
                DeviceBuffer z = device.of(row(me, n));
                world.reduce(buf(z), me == 0 ? buf(y) : NONE, Op.SUM, 0);
                if (me == 0) assertThat(y.toInts()).isEqualTo(sums(p, 0, n));
                world.reduce(buf(z), Op.SUM, p - 1);
                assertThat(z.toInts()).isEqualTo(me == p - 1 ? sums(p, 0, n) : row(me, n));
                world.bcast(buf(z), p - 1);
                assertThat(z.toInts()).isEqualTo(sums(p, 0, n));

                if (me == 0) device.close();
                int[] still = row(me, n);
                DeviceBuffer other = me == 0 ? null : device.of(still);
                world.allreduce(other == null ? buf(still) : buf(other), Op.SUM);
                assertThat(other == null ? still : other.toInts()).isEqualTo(sums(p, 0, n));
                device.close();
            });
        }
    }

    @Test
    void explainDescribesThePathOfAMessage() {
        Tutti.local(1, mpi -> {
            try (Device device = Device.get("host")) {
                Comm world = mpi.world();
                DeviceBuffer x = device.zeros(Datatype.FLOAT, 10);
                assertThat(world.explain("send", buf(new int[3])))
                        .isEqualTo("send of 3 INT: host memory, transferred by shm");
                assertThat(world.explain("irecv", buf(x)))
                        .isEqualTo("irecv of 10 FLOAT on host:0: in pieces through shm's memory, during the message");
                assertThat(world.explain("bsend", buf(x))).contains("copied to the buffer on the host");
                assertThat(world.explain("iallreduce", buf(x)))
                        .contains("by complete copies on the host: these devices are not connected");
                assertThatThrownBy(() -> world.explain("allredcue", buf(x)))
                        .isInstanceOf(MpiException.class)
                        .hasMessageContaining("explain: 'allredcue' is not a communicator method with a buffer");
            }
        });
    }

    @Test
    void reportNamesTheRankWithoutSharedMemory() {
        Tutti.local(3, mpi -> {
            try (Device device = device(mpi.world().rank() == 1 ? "copies" : "shared");
                    DeviceComm devices = DeviceComm.of(mpi.world(), device)) {
                assertThat(devices.report())
                        .isEqualTo("memory shared between processes: rank 1: host:0 has no memory shared between"
                                + " processes");
            }
        });
    }

    /// Simulates ranks in separate processes: each opens the other's area.
    @Test
    void failureToCloseSharedMemoryDoesNotHoldUpTheOtherRanks() {
        Tutti.local(2, mpi -> {
            Comm world = mpi.world();
            int me = world.rank();
            try (Device device = TestDevice.shared(me == 1 ? "close: lost" : "")) {
                DeviceWay way = InterprocessWay.connect(world, device, "process " + me, new ArrayList<>());
                DeviceBuffer x = device.of(row(me, 7));
                Objects.requireNonNull(way).allreduce(x, Op.SUM, device.stream());
                assertThat(x.toInts()).isEqualTo(sums(2, 0, 7));
                if (me == 0) way.close();
                else {
                    assertThatThrownBy(way::close)
                            .isInstanceOf(DeviceException.class)
                            .hasMessage("host:0: close: lost");
                }
                world.barrier();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"copies", "shared"})
    void overlappingBuffersAreRejected(String way) {
        onRanks(way, (world, device, devices) -> {
            int p = devices.size(), me = devices.rank();
            DeviceStream stream = device.stream();
            DeviceBuffer x = device.of(row(me, 2 * p)), one = x.slice(0, 1);
            String ending = " overlap (rank " + me + " of " + p + ")";
            assertThatThrownBy(() -> devices.alltoall(x, x, stream))
                    .isInstanceOf(DeviceException.class)
                    .hasMessage("host:0: alltoall: send (" + x + ") and recv (" + x + ")" + ending);
            DeviceBuffer wrong = x.slice(2L * ((me + 1) % p), 1), all = x.slice(0, p);
            if (p > 2) {
                assertThatThrownBy(() -> devices.allgather(x.slice((me + 1) % p, 1), all, stream))
                        .hasMessageEndingWith(ending);
                assertThatThrownBy(() -> devices.reduceScatterBlock(x, x.slice(2L * ((me + 1) % p), 2), Op.SUM, stream))
                        .hasMessageEndingWith(ending);
            }
            assertThatThrownBy(() -> devices.exchange(stream, e -> {
                        e.send(wrong, me);
                        e.recv(wrong, me);
                    }))
                    .hasMessage("host:0: exchange: a receive buffer overlaps another buffer: 1 INT on host:0 (rank "
                            + me + " of " + p + ")");
            assertThat(x.toInts()).isEqualTo(row(me, 2 * p));
            devices.exchange(stream, e -> {
                e.send(one, me);
                e.send(one, me);
                e.recv(x.slice(1, 1), me);
                e.recv(device.zeros(Datatype.INT, 1), me);
            });
            assertThat(x.toInts()[1]).isEqualTo(100 * me);
            // the block of this rank, in place
            DeviceBuffer whole = device.of(row(me, 2 * p));
            devices.reduceScatterBlock(whole, whole.slice(2L * me, 2), Op.SUM, stream);
            assertThat(whole.slice(2L * me, 2).toInts()).isEqualTo(sums(p, 2 * me, 2));
            devices.allgather(whole.slice(2L * me, 2), whole, stream);
            assertThat(whole.toInts()).isEqualTo(sums(p, 0, 2 * p));
        });
    }
}
