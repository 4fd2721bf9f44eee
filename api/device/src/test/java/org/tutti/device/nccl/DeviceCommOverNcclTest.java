package org.tutti.device.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.mpi.Buf.buf;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.device.Device;
import org.tutti.device.DeviceBuffer;
import org.tutti.device.DeviceComm;
import org.tutti.device.DeviceException;
import org.tutti.device.TestDevice;
import org.tutti.device.gpu.FakeDevices;
import org.tutti.device.gpu.FakeGpu;
import org.tutti.device.gpu.FakeLibrary;
import org.tutti.device.library.Attempt;
import org.tutti.device.library.DynamicLibrary;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.Tutti;

/// Fake devices connected by a fake NCCL; ranks are threads.
class DeviceCommOverNcclTest {
    private final FakeNccl.World world = new FakeNccl.World();

    @BeforeEach
    void limit() {
        System.setProperty(NcclLibrary.TIMEOUT, "30");
    }

    @AfterEach
    void forgetLimit() {
        System.clearProperty(NcclLibrary.TIMEOUT);
    }

    private final class Rank {
        final Comm comm;
        final FakeGpu gpu = new FakeGpu(false);
        final FakeNccl nccl = new FakeNccl(world, gpu);
        final Device device;

        /// @param number the number of the device, also in the UUID
        Rank(Comm comm, int number) {
            this.comm = comm;
            device = TestDevice.of(FakeDevices.open(gpu, number));
        }

        NcclCollectives library() {
            FakeLibrary symbols = new FakeLibrary(FakeNccl.PROTOTYPES, nccl);
            return new NcclCollectives(
                    search -> new DynamicLibrary(symbols, "libfake.so", List.of(new Attempt("libfake.so", null))),
                    name -> "");
        }

        DeviceComm connect() {
            return TestDevice.connect(comm, device, List.of(library()));
        }

        void end() {
            device.close();
            assertThat(nccl.open()).isZero();
            assertThat(gpu.leaks()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void everyOperationEqualsALoop(int size) {
        Tutti.local(size, mpi -> {
            Rank rank = new Rank(mpi.world(), mpi.world().rank());
            Device device = rank.device;
            int me = mpi.world().rank();
            float sum = size * (size - 1) / 2f;
            try (DeviceComm devices = rank.connect()) {
                assertThat(devices.way()).isEqualTo("NCCL 2.27.7");
                assertThat(devices.report()).isEmpty();
                var stream = device.newStream();
                DeviceBuffer x = device.of(me, 2f * me);
                devices.allreduce(x, Op.SUM, stream);
                assertThat(x.toFloats()).containsExactly(sum, 2 * sum);
                DeviceBuffer y = device.of((float) me, -me);
                devices.reduce(y, Op.MAX, 0, stream);
                assertThat(y.toFloats()).containsExactly(me == 0 ? size - 1 : me, me == 0 ? 0 : -me);
                devices.bcast(y, size - 1, stream);
                assertThat(y.toFloats()[0]).isEqualTo(size - 1);
                DeviceBuffer all = device.zeros(Datatype.FLOAT, 2L * size);
                devices.allgather(device.of(me, me + 10f), all, stream);
                for (int r = 0; r < size; r++)
                    assertThat(all.slice(2L * r, 2).toFloats()).containsExactly(r, r + 10);
                DeviceBuffer part = device.zeros(Datatype.FLOAT, 2);
                devices.reduceScatterBlock(all, part, Op.SUM, stream);
                assertThat(part.toFloats()).containsExactly(size * me, size * (me + 10f));
                DeviceBuffer turned = device.zeros(Datatype.FLOAT, 2L * size);
                devices.alltoall(all, turned, stream);
                for (int r = 0; r < size; r++) {
                    assertThat(turned.slice(2L * r, 2).toFloats()).containsExactly(me, me + 10);
                }
                int right = (me + 1) % size, left = (me + size - 1) % size;
                DeviceBuffer ghost = device.zeros(Datatype.FLOAT, 1);
                devices.exchange(stream, e -> {
                    e.send(device.of((float) me), right);
                    e.recv(ghost, left);
                });
                assertThat(ghost.toFloats()).containsExactly(left);
            }
            rank.end();
        });
    }

    @Test
    void longCallsOfMpiUseTheRouteAndADeviceClosesIndependently() {
        int n = 20_000;
        Tutti.local(3, mpi -> {
            Comm comm = mpi.world();
            Rank rank = new Rank(comm, comm.rank());
            TestDevice.route(comm, rank.device, List.of(rank.library()));
            DeviceBuffer x = rank.device.allocate(Datatype.FLOAT, n);
            x.copyFrom(numbers(n, comm.rank()));
            comm.allreduce(buf(x), Op.SUM);
            assertThat(x.toFloats()).isEqualTo(numbers(n, 3));
            assertThat(comm.explain("allreduce", buf(x)))
                    .isEqualTo(
                            "allreduce of 20000 FLOAT on cuda:0: NCCL 2.27.7, if the data of all ranks is on devices and it"
                                    + " supports the type and the operation; otherwise by complete copies on the host");
            assertThat(comm.explain("allreduce", buf(x.slice(0, 10)))).contains("it is too short for NCCL 2.27.7");
            if (comm.rank() == 1) rank.end();
            comm.barrier();
            float[] still = numbers(n, comm.rank());
            if (comm.rank() == 1) comm.allreduce(buf(still), Op.SUM);
            else {
                x.copyFrom(still);
                comm.allreduce(buf(x), Op.SUM);
                still = x.toFloats();
            }
            assertThat(still).isEqualTo(numbers(n, 3));
            if (comm.rank() != 1) rank.end();
        });
    }

    private static float[] numbers(int n, float value) {
        float[] all = new float[n];
        java.util.Arrays.fill(all, value);
        return all;
    }

    @Test
    void ranksOnOneDeviceAreConnectedWithoutNccl() {
        Tutti.local(2, mpi -> {
            Rank rank = new Rank(mpi.world(), 7);
            try (DeviceComm devices = rank.connect()) {
                assertThat(devices.way()).isEqualTo("copies through the host");
                assertThat(devices.report().lines().findFirst().orElseThrow())
                        .startsWith("nccl: ranks 0 and 1 use the same device, ")
                        .contains("NCCL needs one device per rank");
                DeviceBuffer x = rank.device.of(1f, 2f);
                devices.allreduce(x, Op.SUM, rank.device.stream());
                assertThat(x.toFloats()).containsExactly(2, 4);
            }
            rank.end();
        });
    }

    /// One device disappears; the operation fails on the other ranks.
    @Test
    void lostDeviceInACollectiveCallFailsOnAllRanks() {
        Map<Integer, String> messages = new ConcurrentHashMap<>();
        CountDownLatch given = new CountDownLatch(2);
        assertThatThrownBy(() -> Tutti.local(3, mpi -> {
                    int me = mpi.world().rank();
                    Rank rank = new Rank(mpi.world(), me);
                    DeviceComm devices = rank.connect();
                    DeviceBuffer x = rank.device.of(1f, 2f);
                    if (me == 2) {
                        given.await();
                        FakeDevices.lose(rank.gpu, 700);
                    }
                    try {
                        devices.allreduce(x, Op.SUM, rank.device.stream());
                        given.countDown();
                        x.toFloats();
                    } catch (DeviceException e) {
                        messages.put(me, e.getMessage());
                        throw e;
                    }
                }))
                .isInstanceOf(MpiException.class)
                .hasMessageContaining("rank 2 of 3 failed: ");
        assertThat(messages.get(2)).contains("cuda:0: ncclAllReduce (rank 2 of 3, NCCL 2.27.7): ");
        for (int r = 0; r < 2; r++) {
            assertThat(messages.get(r))
                    .contains("cuda:0: ncclAllReduce (rank " + r
                            + " of 3, NCCL 2.27.7): it was aborted, because the job failed: ");
        }
    }

    @Test
    void lostDeviceDoesNotHoldUpTheOtherRanksAtTheEnd() {
        Tutti.local(2, mpi -> {
            int me = mpi.world().rank();
            Rank rank = new Rank(mpi.world(), me);
            DeviceComm devices = rank.connect();
            if (me == 1) FakeDevices.lose(rank.gpu, 700);
            if (me == 0) devices.close();
            else assertThatThrownBy(devices::close).isInstanceOf(DeviceException.class);
            FakeDevices.lose(rank.gpu, 0);
            assertThat(rank.nccl.open()).isZero();
            mpi.world().barrier();
        });
    }

    @Test
    void closedDeviceClosesCommunicators() {
        Tutti.local(2, mpi -> {
            Rank rank = new Rank(mpi.world(), mpi.world().rank());
            DeviceComm devices = rank.connect();
            DeviceBuffer x = rank.device.of(1f, 2f);
            devices.allreduce(x, Op.SUM, rank.device.stream());
            assertThat(x.toFloats()).containsExactly(2, 4);
            rank.end();
            assertThatThrownBy(devices::close).hasMessage("cuda:0: the device was closed");
        });
    }
}
