package org.tutti.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.mpi.Buf.NONE;
import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Cartesian;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Message;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Tutti;

/// All kinds of messages with device memory, on 1 to 4 ranks; on each kind of device, and with devices on some
/// ranks and arrays on other ranks. Expected values are computed by plain loops.
@ParameterizedClass
@MethodSource("kinds")
class DeviceMessagesTest {
    private static final int MOST_RANKS = 4, N = 1000;
    private static final int[] COUNTS = {0, 1, N};

    private static final String MIXED = " and arrays";

    private final String kind;
    private final boolean isMixed;

    static Stream<String> kinds() {
        return Stream.concat(TestDevice.kinds(), TestDevice.compiled().map(kind -> kind + MIXED));
    }

    DeviceMessagesTest(String kinds) {
        isMixed = kinds.endsWith(MIXED);
        kind = isMixed ? kinds.substring(0, kinds.length() - MIXED.length()) : kinds;
        TestDevice.open(kind).close();
    }

    /// The memory of a rank: a device or arrays.
    private record Place(Mpi mpi, Comm comm, Device device, boolean isArray) {
        int rank() {
            return comm.rank();
        }

        int size() {
            return comm.size();
        }

        /// Returns a slice in the middle of a larger buffer, or an array.
        Numbers of(int... values) {
            if (isArray) return new Numbers(values, null, null);
            DeviceBuffer all = device.allocate(Datatype.INT, values.length + 7);
            all.fill(-77);
            DeviceBuffer slice = all.slice(3, values.length);
            slice.copyFrom(values);
            return new Numbers(null, slice, all);
        }

        Numbers zeros(int count) {
            return of(new int[count]);
        }
    }

    private record Numbers(int[] array, DeviceBuffer slice, DeviceBuffer all) {
        Buf buffer() {
            return array != null ? buf(array) : buf(slice);
        }

        /// Checks the surrounding elements, then returns the values.
        int[] values() {
            if (array != null) return array;
            int[] with = all.toInts();
            int count = with.length - 7;
            for (int i = 0; i < with.length; i++) {
                if (i < 3 || i >= 3 + count)
                    assertThat(with[i]).as("next to the slice, %d", i).isEqualTo(-77);
            }
            return Arrays.copyOfRange(with, 3, 3 + count);
        }
    }

    private interface Fact {
        void check(Place place) throws Exception;
    }

    private void onRanks(int least, Fact fact) {
        for (int ranks = least; ranks <= MOST_RANKS; ranks++) {
            Tutti.local(ranks, mpi -> {
                Comm world = mpi.world();
                boolean isArray = isMixed && world.rank() % 2 == 1;
                try (Device device = Device.get(kind)) {
                    fact.check(new Place(mpi, world, device, isArray));
                }
            });
        }
    }

    private static int[] row(int rank, int count) {
        return IntStream.range(0, count).map(i -> 1000 * rank + i).toArray();
    }

    private static int[] summed(int ranks, int count) {
        return IntStream.range(0, count)
                .map(i -> IntStream.range(0, ranks).map(r -> 1000 * r + i).sum())
                .toArray();
    }

    private static int[] rows(int ranks, int count) {
        return IntStream.range(0, ranks * count)
                .map(i -> 1000 * (i / count) + i % count)
                .toArray();
    }

    // ---- point to point

    @Test
    void everyModeOfSendingArrives() {
        onRanks(2, p -> {
            Comm comm = p.comm();
            if (p.rank() == 0) comm.attachBuffer(4 * (N * 4 + 1000));
            for (int count : COUNTS) {
                Numbers sent = p.of(row(7, count)), received = p.zeros(count);
                if (p.rank() == 0) {
                    comm.send(sent.buffer(), 1, 1);
                    comm.ssend(sent.buffer(), 1, 2);
                    comm.bsend(sent.buffer(), 1, 3);
                    comm.barrier();
                    comm.rsend(sent.buffer(), 1, 4);
                    comm.isend(sent.buffer(), 1, 5).await();
                    comm.issend(sent.buffer(), 1, 6).await();
                    comm.ibsend(sent.buffer(), 1, 7).await();
                } else if (p.rank() == 1) {
                    for (int tag : new int[] {1, 2, 3}) {
                        Numbers into = p.zeros(count);
                        assertThat(comm.recv(into.buffer(), 0, tag).count(Datatype.INT))
                                .isEqualTo(count);
                        assertThat(into.values()).isEqualTo(row(7, count));
                    }
                    Request ready = comm.irecv(received.buffer(), 0, 4);
                    comm.barrier();
                    ready.await();
                    assertThat(received.values()).isEqualTo(row(7, count));
                    for (int tag : new int[] {5, 6, 7}) {
                        Numbers into = p.zeros(count);
                        comm.irecv(into.buffer(), 0, tag).await();
                        assertThat(into.values()).isEqualTo(row(7, count));
                    }
                } else {
                    comm.barrier();
                }
            }
            if (p.rank() == 0) comm.detachBuffer();
        });
    }

    @Test
    void aShorterMessageLeavesTheRest() {
        onRanks(2, p -> {
            if (p.rank() == 0) p.comm().send(p.of(1, 2).buffer(), 1, 0);
            if (p.rank() == 1) {
                Numbers into = p.of(9, 9, 9, 9);
                assertThat(p.comm().recv(into.buffer(), 0, 0).count(Datatype.INT))
                        .isEqualTo(2);
                assertThat(into.values()).containsExactly(1, 2, 9, 9);
            }
        });
    }

    @Test
    void aLongerMessageIsAnError() {
        onRanks(2, p -> {
            if (p.rank() == 0) p.comm().send(p.of(1, 2, 3).buffer(), 1, 0);
            if (p.rank() == 1) {
                Numbers into = p.of(9, 9);
                assertThatThrownBy(() -> p.comm().recv(into.buffer(), 0, 0))
                        .isInstanceOf(MpiException.class)
                        .hasMessageContaining(
                                "message of 3 INT (12 bytes) from rank 0, tag 0, does not fit into the buffer of"
                                        + " 2 INT");
            }
        });
    }

    @Test
    void exchangesAndRings() {
        onRanks(1, p -> {
            Comm comm = p.comm();
            int right = (p.rank() + 1) % p.size(), left = (p.rank() + p.size() - 1) % p.size();
            Numbers mine = p.of(row(p.rank(), N)), theirs = p.zeros(N);
            comm.sendrecv(mine.buffer(), right, theirs.buffer(), left);
            assertThat(theirs.values()).isEqualTo(row(left, N));
            comm.sendrecvReplace(mine.buffer(), right, 0, left, 0);
            assertThat(mine.values()).isEqualTo(row(left, N));
        });
    }

    @Test
    void matchedProbesReturnTheLength() {
        onRanks(2, p -> {
            if (p.rank() == 0) p.comm().send(p.of(row(1, 17)).buffer(), 1, 3);
            if (p.rank() == 1) {
                Message message = p.comm().mprobe(0, 3);
                Numbers into = p.zeros((int) message.status().count(Datatype.INT));
                message.recv(into.buffer());
                assertThat(into.values()).isEqualTo(row(1, 17));
            }
        });
    }

    @Test
    void persistentRequestsSendTheContentAtStart() {
        onRanks(2, p -> {
            Comm comm = p.comm();
            Numbers numbers = p.zeros(5);
            if (p.rank() > 1) return;
            try (PersistentRequest request =
                    p.rank() == 0 ? comm.sendInit(numbers.buffer(), 1, 0) : comm.recvInit(numbers.buffer(), 0, 0)) {
                for (int round = 0; round < 3; round++) {
                    if (p.rank() == 0) {
                        if (numbers.slice() != null) numbers.slice().copyFrom(row(round, 5));
                        else System.arraycopy(row(round, 5), 0, numbers.array(), 0, 5);
                    }
                    request.start();
                    request.await();
                    assertThat(numbers.values()).isEqualTo(row(round, 5));
                }
            }
        });
    }

    @Test
    void partitionedMessagesAreForMemoryOfTheHost() {
        onRanks(1, p -> {
            DeviceBuffer buffer = p.device().of(1, 2);
            assertThatThrownBy(() -> p.comm().psendInit(buf(buffer), 2, 0, 0))
                    .isInstanceOf(MpiException.class)
                    .hasMessageContaining("device memory are copied and cannot be sent in parts");
        });
    }

    @Test
    void aSendTakesTheWorkThatWasGivenBefore() {
        onRanks(2, p -> {
            int rounds = 20;
            for (int round = 0; round < rounds; round++) {
                if (p.rank() == 0) {
                    DeviceBuffer buffer = p.device().zeros(Datatype.INT, 1 << 16);
                    buffer.fill(round);
                    p.comm().send(buf(buffer), 1, 0);
                } else if (p.rank() == 1) {
                    int[] into = new int[1 << 16];
                    p.comm().recv(buf(into), 0, 0);
                    int expected = round;
                    assertThat(Arrays.stream(into).allMatch(v -> v == expected)).isTrue();
                }
            }
        });
    }

    // ---- collectives

    @Test
    void broadcastGatherAndScatter() {
        onRanks(1, p -> {
            for (int count : COUNTS) {
                for (int root = 0; root < p.size(); root++) {
                    Numbers all = p.rank() == root ? p.of(row(5, count)) : p.zeros(count);
                    p.comm().bcast(all.buffer(), root);
                    assertThat(all.values()).isEqualTo(row(5, count));

                    Numbers mine = p.of(row(p.rank(), count)), gathered = p.zeros(count * p.size());
                    p.comm().gather(mine.buffer(), p.rank() == root ? gathered.buffer() : NONE, root);
                    if (p.rank() == root) assertThat(gathered.values()).isEqualTo(rows(p.size(), count));

                    Numbers part = p.zeros(count), whole = p.of(rows(p.size(), count));
                    p.comm().scatter(p.rank() == root ? whole.buffer() : NONE, part.buffer(), root);
                    assertThat(part.values()).isEqualTo(row(p.rank(), count));
                }
            }
        });
    }

    @Test
    void allgatherAndAlltoall() {
        onRanks(1, p -> {
            for (int count : COUNTS) {
                Numbers all = p.zeros(count * p.size());
                p.comm().allgather(p.of(row(p.rank(), count)).buffer(), all.buffer());
                assertThat(all.values()).isEqualTo(rows(p.size(), count));

                int[] own = new int[count * p.size()];
                System.arraycopy(row(p.rank(), count), 0, own, p.rank() * count, count);
                Numbers inPlace = p.of(own);
                p.comm().allgather(inPlace.buffer());
                assertThat(inPlace.values()).isEqualTo(rows(p.size(), count));

                int[] out = IntStream.range(0, count * p.size())
                        .map(i -> 1000 * p.rank() + i)
                        .toArray();
                int[] expected = IntStream.range(0, count * p.size())
                        .map(i -> 1000 * (i / count) + p.rank() * count + i % count)
                        .toArray();
                Numbers received = p.zeros(count * p.size());
                p.comm().alltoall(p.of(out).buffer(), received.buffer());
                assertThat(received.values()).isEqualTo(expected);
                Numbers swapped = p.of(out);
                p.comm().alltoall(swapped.buffer());
                assertThat(swapped.values()).isEqualTo(expected);
            }
        });
    }

    @Test
    void reductions() {
        onRanks(1, p -> {
            for (int count : COUNTS) {
                Numbers all = p.zeros(count);
                p.comm().allreduce(p.of(row(p.rank(), count)).buffer(), all.buffer(), Op.SUM);
                assertThat(all.values()).isEqualTo(summed(p.size(), count));
                Numbers inPlace = p.of(row(p.rank(), count));
                p.comm().allreduce(inPlace.buffer(), Op.SUM);
                assertThat(inPlace.values()).isEqualTo(summed(p.size(), count));

                int root = p.size() - 1;
                Numbers reduced = p.of(row(p.rank(), count));
                p.comm().reduce(reduced.buffer(), Op.MAX, root);
                if (p.rank() == root) assertThat(reduced.values()).isEqualTo(row(root, count));

                Numbers scanned = p.of(row(p.rank(), count)), before = p.of(row(p.rank(), count));
                p.comm().scan(scanned.buffer(), Op.SUM);
                assertThat(scanned.values()).isEqualTo(summed(p.rank() + 1, count));
                p.comm().exscan(before.buffer(), Op.SUM);
                if (p.rank() > 0) assertThat(before.values()).isEqualTo(summed(p.rank(), count));

                int[] wide = row(p.rank(), count * p.size());
                Numbers block = p.zeros(count);
                p.comm().reduceScatterBlock(p.of(wide).buffer(), block.buffer(), Op.SUM);
                assertThat(block.values())
                        .isEqualTo(Arrays.copyOfRange(
                                summed(p.size(), count * p.size()), p.rank() * count, (p.rank() + 1) * count));
            }
        });
    }

    @Test
    void blocksOfDifferentLengths() {
        onRanks(1, p -> {
            int[] lengths = IntStream.range(0, p.size()).map(r -> r % 3).toArray();
            int total = Arrays.stream(lengths).sum();
            int[] expected = IntStream.range(0, p.size())
                    .flatMap(r -> Arrays.stream(row(r, lengths[r])))
                    .toArray();
            Numbers mine = p.of(row(p.rank(), lengths[p.rank()])), all = p.zeros(total);
            p.comm().allgather(mine.buffer(), all.buffer().blocks(lengths));
            assertThat(all.values()).isEqualTo(expected);
            Numbers part = p.zeros(lengths[p.rank()]);
            p.comm().scatter(p.rank() == 0 ? all.buffer().blocks(lengths) : NONE, part.buffer(), 0);
            assertThat(part.values()).isEqualTo(row(p.rank(), lengths[p.rank()]));
            Numbers sums = p.zeros(lengths[p.rank()]);
            p.comm().reduceScatter(p.of(row(p.rank(), total)).buffer().blocks(lengths), sums.buffer(), Op.SUM);
            int from = Arrays.stream(lengths).limit(p.rank()).sum();
            assertThat(sums.values())
                    .isEqualTo(Arrays.copyOfRange(summed(p.size(), total), from, from + lengths[p.rank()]));
        });
    }

    @Test
    void nonblockingAndPersistentCollectives() {
        onRanks(1, p -> {
            Comm comm = p.comm();
            Numbers a = p.of(row(p.rank(), N)), b = p.rank() == 0 ? p.of(row(9, 3)) : p.zeros(3), c = p.zeros(p.size());
            try (Requests requests = p.mpi().requests()) {
                requests.add(comm.iallreduce(Buf.IN_PLACE, a.buffer(), Op.SUM));
                requests.add(comm.ibcast(b.buffer(), 0));
                requests.add(comm.iallgather(p.of(p.rank()).buffer(), c.buffer()));
                requests.awaitAll();
            }
            assertThat(a.values()).isEqualTo(summed(p.size(), N));
            assertThat(b.values()).isEqualTo(row(9, 3));
            assertThat(c.values()).isEqualTo(IntStream.range(0, p.size()).toArray());
            Numbers d = p.of(p.rank() + 1), e = p.zeros(1);
            try (PersistentRequest sum = comm.allreduceInit(d.buffer(), e.buffer(), Op.SUM)) {
                for (int round = 0; round < 3; round++) {
                    sum.start();
                    sum.await();
                    assertThat(e.values()).containsExactly(p.size() * (p.size() + 1) / 2);
                }
            }
        });
    }

    @Test
    void neighborsExchangeTheirEdges() {
        onRanks(1, p -> {
            try (Cartesian ring = p.comm().cartesian(new int[] {p.size()}, new boolean[] {true})) {
                Numbers edges = p.of(p.rank() * 10, p.rank() * 10 + 1), ghosts = p.zeros(2);
                ring.neighborAlltoall(edges.buffer(), ghosts.buffer());
                int left = (p.rank() + p.size() - 1) % p.size(), right = (p.rank() + 1) % p.size();
                assertThat(ghosts.values()).containsExactly(left * 10 + 1, right * 10);
            }
        });
    }

    @Test
    void floatsAndDoublesAreSummed() {
        onRanks(1, p -> {
            DeviceBuffer f = p.device().of(p.rank() + 0.5f, 1), d = p.device().of(p.rank() + 0.25, 1);
            DeviceBuffer l = p.device().of(1L << 40);
            p.comm().allreduce(buf(f), Op.SUM);
            p.comm().allreduce(buf(d), Op.MAX);
            p.comm().allreduce(buf(l), Op.SUM);
            int pairs = p.size() * (p.size() - 1) / 2;
            assertThat(f.toFloats()).containsExactly(pairs + p.size() * 0.5f, p.size());
            assertThat(d.toDoubles()).containsExactly(p.size() - 0.75, 1);
            assertThat(l.toLongs()).containsExactly(p.size() * (1L << 40));
        });
    }

    // ---- errors

    @Test
    void freedMemoryIsNotSent() {
        onRanks(1, p -> {
            DeviceBuffer buffer = p.device().of(1, 2);
            buffer.free();
            String freed = p.device().id() + ": this buffer of 2 INT was freed";
            assertThatThrownBy(() -> p.comm().send(buf(buffer), p.rank(), 0)).hasStackTraceContaining(freed);
            assertThatThrownBy(() -> p.comm().isend(buf(buffer), p.rank(), 0)).hasStackTraceContaining(freed);
        });
    }

    // ---- derived types

    /// Packs and unpacks on the device, in several pieces, and copies units of 1, 2, 4 and 8 bytes.
    @Test
    @Tag("ci")
    void derivedTypesArePackedByTheDevice() {
        onRanks(1, p -> {
            Comm comm = p.comm();
            int right = (p.rank() + 1) % p.size(), left = (p.rank() + p.size() - 1) % p.size();
            for (Datatype memory : new Datatype[] {Datatype.BYTE, Datatype.SHORT, Datatype.INT, Datatype.LONG}) {
                int many = memory == Datatype.INT ? 400_000 : 5;
                Datatype column = memory.vector(many, 1, 3);
                Datatype some = memory.indexed(new int[] {1, 3, 1}, new int[] {0, 2, 11});
                for (Datatype type : new Datatype[] {column, some}) {
                    boolean[] belongs = new boolean[type == column ? 3 * many : 14];
                    if (type == column) for (int i = 0; i < many; i++) belongs[1 + 3 * i] = true;
                    else for (int place : new int[] {1, 3, 4, 5, 12}) belongs[place] = true;
                    int each = (int) memory.sizeBytes();
                    byte[] bytes = new byte[belongs.length * each], expected = new byte[bytes.length];
                    for (int i = 0; i < bytes.length; i++) {
                        bytes[i] = (byte) (i * 31 + p.rank());
                        expected[i] = belongs[i / each] ? (byte) (i * 31 + left) : 7;
                    }
                    DeviceBuffer out = p.device().allocate(memory, belongs.length);
                    out.copyFrom(MemorySegment.ofArray(bytes), 0);
                    DeviceBuffer in = p.device().allocate(Datatype.BYTE, bytes.length);
                    in.fill(7);
                    DeviceBuffer into = p.device().wrap(in.address(), bytes.length, memory);
                    comm.sendrecv(buf(out, 1, 1, type), right, buf(into, 1, 1, type), left);
                    byte[] got = new byte[bytes.length];
                    in.copyTo(MemorySegment.ofArray(got), 0);
                    assertThat(got).as("%s of %s", type, memory).isEqualTo(expected);
                }
            }
        });
    }
}
