package org.tutti.device.nccl;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.tutti.device.spi.DeviceCommunicator.Element.FLOAT32;
import static org.tutti.device.spi.DeviceDriver.DEFAULT_STREAM;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.device.gpu.FakeDevices;
import org.tutti.device.gpu.FakeGpu;
import org.tutti.device.gpu.FakeLibrary;
import org.tutti.device.gpu.Prototypes;
import org.tutti.device.library.Attempt;
import org.tutti.device.library.DynamicLibrary;
import org.tutti.device.library.LibrarySearch;
import org.tutti.device.spi.CollectiveLibrary;
import org.tutti.device.spi.DeviceCommunicator;
import org.tutti.device.spi.DeviceCommunicator.Reduction;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Tutti;

/// Ranks as threads, each with a fake device and a fake NCCL.
class NcclTest {
    private static final String LIMIT = "0.3";

    private final FakeNccl.World world = new FakeNccl.World();
    private final Map<String, String> environment = new ConcurrentHashMap<>();

    @BeforeEach
    void limit() {
        System.setProperty(NcclLibrary.TIMEOUT, "30");
    }

    @AfterEach
    void forgetLimit() {
        System.clearProperty(NcclLibrary.TIMEOUT);
    }

    /// The state of each rank.
    private final class Rank {
        final Mpi mpi;
        final FakeGpu gpu = new FakeGpu(false);
        final FakeNccl nccl = new FakeNccl(world, gpu);
        final FakeLibrary library = new FakeLibrary(FakeNccl.PROTOTYPES, nccl);
        final DeviceDriver device;
        boolean installed = true;

        /// Environment variables of this rank only.
        final Map<String, String> variables = new ConcurrentHashMap<>();

        Rank(Mpi mpi, int deviceNumber) {
            this.mpi = mpi;
            device = FakeDevices.open(gpu, deviceNumber);
        }

        DeviceCommunicator connect() {
            return library().connect(mpi.world(), device);
        }

        CollectiveLibrary library() {
            Function<LibrarySearch, DynamicLibrary> loader = search -> installed
                    ? new DynamicLibrary(library, "libfake.so", List.of(new Attempt("libfake.so", null)))
                    : new DynamicLibrary(null, null, List.of(new Attempt("libnccl.so.2", "no such file")));
            return new NcclCollectives(
                    loader, name -> variables.getOrDefault(name, environment.getOrDefault(name, "")));
        }

        long place(float... values) {
            long address = device.allocate(4L * values.length);
            try (Arena arena = Arena.ofShared()) {
                device.copyIn(DEFAULT_STREAM, address, arena.allocateFrom(JAVA_FLOAT, values));
                device.synchronize(DEFAULT_STREAM);
            }
            return address;
        }

        float[] read(long address, int count) {
            try (Arena arena = Arena.ofShared()) {
                MemorySegment host = arena.allocate(JAVA_FLOAT, count);
                device.copyOut(DEFAULT_STREAM, host, address);
                device.synchronize(DEFAULT_STREAM);
                return host.toArray(JAVA_FLOAT);
            }
        }

        void close(DeviceCommunicator communicator) {
            communicator.close();
            device.close();
            assertThat(nccl.open()).isZero();
            assertThat(gpu.leaks()).isEmpty();
            assertThat(library.calls()).isNotNull();
        }
    }

    private interface Body {
        void run(Rank rank) throws Exception;
    }

    private void ranks(int size, Body body) {
        Tutti.local(size, mpi -> body.run(new Rank(mpi, mpi.world().rank())));
    }

    @Test
    void returnsTheVersionIfInstalled() {
        FakeLibrary fake = new FakeLibrary(FakeNccl.PROTOTYPES, new FakeNccl(world, new FakeGpu(false)));
        DynamicLibrary here = new DynamicLibrary(fake, "libfake.so", List.of(new Attempt("libfake.so", null)));
        DynamicLibrary none = new DynamicLibrary(null, null, List.of(new Attempt("libnccl.so.2", "no such file")));
        assertThat(new NcclCollectives(search -> here, name -> "").version()).matches("2\\.\\d+\\.\\d+");
        assertThat(new NcclCollectives(search -> none, name -> "").version()).isNull();
    }

    @Test
    void tableHasEveryNameAndWidthOfTheHeader() {
        String all = FakeNccl.PROTOTYPES + "\nLAST_ERROR ncclGetLastError(ncclComm_t comm)";
        Prototypes.assertSame(all, NcclFunction.class, NcclFunction.ROWS, NcclFunction.NAME, "");
    }

    @Test
    void onlyTheLastErrorIsAText() {
        for (NcclFunction row : NcclFunction.values()) {
            assertThat(NcclFunction.ROWS.result(row)).isEqualTo(row == NcclFunction.LAST_ERROR ? 't' : 'i');
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void everyOperationEqualsALoop(int size) {
        ranks(size, rank -> {
            int me = rank.mpi.world().rank();
            DeviceCommunicator c = rank.connect();
            assertThat(c.rank()).isEqualTo(me);
            assertThat(c.size()).isEqualTo(size);
            assertThat(c.library()).isEqualTo("NCCL 2.27.7");
            long stream = rank.device.createStream();
            long send = rank.place(me, 2 * me), receive = rank.place(new float[2 * size]);
            float sum = size * (size - 1) / 2f;
            c.allReduce(stream, send, receive, 2, FLOAT32, Reduction.SUM);
            c.await(stream);
            assertThat(rank.read(receive, 2)).containsExactly(sum, 2 * sum);
            c.reduce(stream, send, receive, 1, FLOAT32, Reduction.MAX, size - 1);
            c.await(stream);
            assertThat(rank.read(receive, 1)[0]).isEqualTo(me == size - 1 ? size - 1 : sum);
            c.allGather(stream, send, receive, 2, FLOAT32);
            c.await(stream);
            float[] all = new float[2 * size];
            for (int i = 0; i < size; i++) all[2 * i + 1] = 2 * (all[2 * i] = i);
            assertThat(rank.read(receive, 2 * size)).isEqualTo(all);
            c.reduceScatter(stream, receive, send, 2, FLOAT32, Reduction.SUM);
            c.await(stream);
            assertThat(rank.read(send, 2)).containsExactly(size * me, size * 2 * me);
            c.broadcast(stream, send, 2, FLOAT32, size - 1);
            c.await(stream);
            assertThat(rank.read(send, 2)).containsExactly(size * (size - 1), size * 2 * (size - 1));
            rank.close(c);
            assertThat(rank.nccl.destroyed).containsExactly("DESTROY");
        });
    }

    @ParameterizedTest
    @EnumSource(Reduction.class)
    void passesTheNumberOfEachReduction(Reduction reduction) {
        ranks(3, rank -> {
            DeviceCommunicator c = rank.connect();
            long data = rank.place(rank.mpi.world().rank() + 1);
            c.allReduce(DEFAULT_STREAM, data, data, 1, FLOAT32, reduction);
            c.await(DEFAULT_STREAM);
            float expected = switch (reduction) {
                case SUM, PROD -> 6;
                case MAX -> 3;
                case MIN -> 1;
                case AVG -> 2;
            };
            assertThat(rank.read(data, 1)).containsExactly(expected);
            rank.close(c);
        });
    }

    @Test
    void aGroupSendsAndReceivesInNoOrder() {
        ranks(3, rank -> {
            int me = rank.mpi.world().rank();
            DeviceCommunicator c = rank.connect();
            long mine = rank.place(10 + me), got = rank.place(0, 0, 0);
            c.group(DEFAULT_STREAM, () -> {
                for (int peer = 0; peer < 3; peer++) {
                    c.send(DEFAULT_STREAM, mine, 1, FLOAT32, peer);
                    c.receive(DEFAULT_STREAM, got + 4L * peer, 1, FLOAT32, peer);
                }
            });
            c.await(DEFAULT_STREAM);
            assertThat(rank.read(got, 3)).containsExactly(10, 11, 12);
            assertThat(rank.library.calls())
                    .containsSubsequence("ncclGroupStart", "ncclSend", "ncclRecv", "ncclGroupEnd");
            rank.close(c);
        });
    }

    @Test
    void splitsByColor() {
        ranks(3, rank -> {
            int me = rank.mpi.world().rank();
            DeviceCommunicator c = rank.connect();
            DeviceCommunicator part = c.split(me == 1 ? -1 : 5, me);
            if (part == null) {
                assertThat(me).isEqualTo(1);
            } else {
                assertThat(part.rank()).isEqualTo(me / 2);
                assertThat(part.size()).isEqualTo(2);
                long data = rank.place(me);
                part.allReduce(DEFAULT_STREAM, data, data, 1, FLOAT32, Reduction.SUM);
                part.await(DEFAULT_STREAM);
                assertThat(rank.read(data, 1)).containsExactly(2);
                part.close();
            }
            rank.close(c);
        });
    }

    @Test
    void missingRankAbortsOtherRanksWithAMessage() {
        System.setProperty(NcclLibrary.TIMEOUT, LIMIT);
        ranks(3, rank -> {
            DeviceCommunicator c = rank.connect();
            rank.mpi.world().barrier();
            if (rank.mpi.world().rank() != 1) {
                long data = rank.place(1);
                c.allReduce(DEFAULT_STREAM, data, data, 1, FLOAT32, Reduction.SUM);
                DeviceFault fault = fault(() -> c.await(DEFAULT_STREAM));
                int me = c.rank();
                assertThat(fault.reason()).isEqualTo(Reason.PEER_FAILED);
                assertThat(fault.getMessage())
                        .isEqualTo("ncclAllReduce (rank " + me + " of 3, NCCL 2.27.7): not done in 0.3 s, so it was"
                                + " aborted, with ranks " + (me == 0 ? "1, 2" : "0, 1") + ": a rank has"
                                + " terminated, or has not called it; check the output of these ranks and the"
                                + " order of calls; -Dtutti.device.nccl.timeout=SECONDS sets the limit");
                assertThat(fault(() -> c.broadcast(DEFAULT_STREAM, data, 1, FLOAT32, 0))
                                .getMessage())
                        .isEqualTo(fault.getMessage());
                assertThat(rank.nccl.destroyed).containsExactly("ABORT");
            } else {
                c.abort();
            }
            rank.close(c);
        });
    }

    private static DeviceFault fault(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        DeviceFault fault = catchThrowableOfType(DeviceFault.class, call);
        assertThat(fault).isNotNull();
        return fault;
    }

    @Test
    void asynchronousErrorIsReportedByName() {
        ranks(2, rank -> {
            DeviceCommunicator c = rank.connect();
            rank.mpi.world().barrier();
            if (rank.mpi.world().rank() == 0) {
                long data = rank.place(1);
                c.receive(DEFAULT_STREAM, data, 1, FLOAT32, 1);
                rank.nccl.state = 6;
                DeviceFault fault = fault(() -> c.await(DEFAULT_STREAM));
                assertThat(fault.reason()).isEqualTo(Reason.PEER_FAILED);
                assertThat(fault.getMessage())
                        .isEqualTo("ncclRecv (rank 0 of 2, NCCL 2.27.7): ncclRemoteError (6); it was aborted, with"
                                + " rank 1");
            }
            rank.mpi.world().barrier();
            c.abort();
            rank.close(c);
        });
    }

    @Test
    void lostDeviceAbortsTheCommunicator() {
        ranks(2, rank -> {
            DeviceCommunicator c = rank.connect();
            rank.mpi.world().barrier();
            if (rank.mpi.world().rank() == 0) {
                long data = rank.place(1);
                c.receive(DEFAULT_STREAM, data, 1, FLOAT32, 1);
                FakeDevices.lose(rank.gpu, 700);
                assertThat(fault(() -> c.await(DEFAULT_STREAM)).reason()).isEqualTo(Reason.LOST);
                FakeDevices.lose(rank.gpu, 0);
            }
            rank.mpi.world().barrier();
            c.abort();
            rank.close(c);
        });
    }

    @Test
    void aCommunicatorThatDoesNotGetReadyFailsOnAllRanks() {
        System.setProperty(NcclLibrary.TIMEOUT, LIMIT);
        ranks(2, rank -> {
            int me = rank.mpi.world().rank();
            rank.nccl.neverReady = me == 1;
            assertThat(fault(rank::connect).getMessage())
                    .startsWith(
                            me == 0
                                    ? "nccl: initialization failed on rank 1; see that rank's output"
                                    : "ncclCommInitRankConfig (rank 1 of 2, NCCL 2.27.7): not done in 0.3 s");
            rank.device.close();
            assertThat(rank.nccl.open()).isZero();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc", "NaN", "0", "-1", ""})
    void wrongTimeoutIsRefusedOnAllRanks(String value) {
        System.setProperty(NcclLibrary.TIMEOUT, value);
        ranks(2, rank -> {
            DeviceFault fault = fault(rank::connect);
            assertThat(fault.reason()).isEqualTo(Reason.UNSUPPORTED);
            assertThat(fault.getMessage())
                    .isEqualTo(
                            "nccl: rank 0 has a -Dtutti.device.nccl.timeout that is not a positive number of seconds;"
                                    + " this rank has " + value);
            rank.device.close();
        });
    }

    @Test
    void veryLongTimeoutIsAllowed() {
        System.setProperty(NcclLibrary.TIMEOUT, "1e17");
        ranks(2, rank -> rank.close(rank.connect()));
    }

    @Test
    void failedCallAbortsTheCommunicator() {
        ranks(2, rank -> {
            DeviceCommunicator c = rank.connect();
            long data = rank.place(1);
            rank.library.fail("ALL_REDUCE", 3);
            assertThat(fault(() -> c.allReduce(DEFAULT_STREAM, data, data, 1, FLOAT32, Reduction.SUM))
                            .getMessage())
                    .isEqualTo("ncclAllReduce (rank " + c.rank() + " of 2, NCCL 2.27.7): ncclInternalError (3)");
            rank.close(c);
        });
    }

    @Test
    void sharedDevicesAreRefusedBeforeTheLibraryIsCalled() {
        Tutti.local(3, mpi -> {
            Rank rank = new Rank(mpi, mpi.world().rank() == 0 ? 0 : 1);
            assertThat(fault(rank::connect).getMessage())
                    .isEqualTo("nccl: ranks 1 and 2 use the same device, GPU-01020304-0506-0708-090a-0b0c0d0e0f01;"
                            + " NCCL needs one device per rank");
            assertThat(rank.library.calls()).containsExactly("ncclGetVersion");
            rank.device.close();
        });
    }

    @Test
    void newVersionsShareADeviceWhenAsked() {
        Tutti.local(2, mpi -> {
            Rank rank = new Rank(mpi, 0);
            rank.nccl.version = 23007;
            assertThat(fault(rank::connect).getMessage())
                    .endsWith("NCCL needs one device per rank, unless NCCL_MULTI_RANK_GPU_ENABLE=1 is set on all"
                            + " ranks");
            mpi.world().barrier();
            environment.put(NcclLibrary.MULTIPLE_RANKS, "1");
            mpi.world().barrier();
            rank.close(rank.connect());
        });
    }

    @Test
    void allRanksRejectASharedDeviceUnlessAllAllowIt() {
        Tutti.local(2, mpi -> {
            Rank rank = new Rank(mpi, 0);
            rank.nccl.version = 23007;
            if (mpi.world().rank() == 0) rank.variables.put(NcclLibrary.MULTIPLE_RANKS, "1");
            assertThat(fault(rank::connect).getMessage()).startsWith("nccl: ranks 0 and 1 use the same device, ");
            assertThat(rank.library.calls()).containsExactly("ncclGetVersion");
            rank.device.close();
        });
    }

    @Test
    void versionsMustBeTheSame() {
        ranks(2, rank -> {
            rank.nccl.version = rank.mpi.world().rank() == 0 ? 22707 : 2708;
            assertThat(fault(rank::connect).getMessage())
                    .isEqualTo("nccl: rank 0 has version 2.27.7, rank 1 has 2.7.8; all ranks need the same version");
            rank.device.close();
        });
    }

    @Test
    void aRankWithoutTheLibraryIsNamedOnAll() {
        ranks(2, rank -> {
            rank.installed = rank.mpi.world().rank() == 0;
            DeviceFault fault = fault(rank::connect);
            assertThat(fault.reason()).isEqualTo(Reason.UNSUPPORTED);
            assertThat(fault.getMessage())
                    .isEqualTo("nccl: rank 1 has no libnccl.so.2; -Dtutti.device.lib.nccl=… sets the path");
            rank.device.close();
        });
    }

    @Test
    void failureToCreateAnIdIsReportedOnAllRanks() {
        ranks(2, rank -> {
            int me = rank.mpi.world().rank();
            rank.library.fail("UNIQUE_ID", 2);
            assertThat(fault(rank::connect).getMessage())
                    .isEqualTo(
                            me == 0
                                    ? "ncclGetUniqueId: ncclSystemError (2)"
                                    : "nccl: rank 0 could not create a unique id; see the output of rank 0");
            rank.device.close();
        });
    }

    @Test
    void anOldLibraryIsNotTaken() {
        FakeLibrary old = new FakeLibrary(FakeNccl.PROTOTYPES, (row, a) -> 0).without("ncclCommInitRankConfig");
        List<Attempt> attempts = new NcclCollectives(
                        search -> new DynamicLibrary(old, "libold.so", List.of(new Attempt("libold.so", null))),
                        name -> "")
                .attempts();
        assertThat(attempts.getLast().failure())
                .isEqualTo("libold.so lacks ncclCommInitRankConfig; install a newer version");
    }

    @Test
    void refusesDevicesOfAnotherKind() {
        ranks(
                1,
                rank -> assertThatThrownBy(() -> new RcclCollectives().connect(rank.mpi.world(), rank.device))
                        .hasMessage("cuda:0 is not a device of RCCL"));
    }

    @Test
    void manyOperationsWaitInTheRing() {
        ranks(2, rank -> {
            DeviceCommunicator c = rank.connect();
            long data = rank.place(1);
            rank.gpu.hold();
            for (int i = 0; i < 300; i++) c.broadcast(DEFAULT_STREAM, data, 1, FLOAT32, 0);
            rank.gpu.proceed();
            c.await(DEFAULT_STREAM);
            rank.close(c);
        });
    }

    @Test
    void codesHaveNames() {
        assertThat(NcclApi.code(5)).isEqualTo("ncclInvalidUsage (5)");
        assertThat(NcclApi.code(42)).isEqualTo("error 42");
        assertThat(Collections.unmodifiableList(List.of(NcclApi.dotted(2708), NcclApi.dotted(23007))))
                .containsExactly("2.7.8", "2.30.7");
    }
}
