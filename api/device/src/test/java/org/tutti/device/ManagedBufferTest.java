package org.tutti.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.device.gpu.FakeDevices;
import org.tutti.device.gpu.FakeGpu;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;
import org.tutti.mpi.Tutti;

/// Memory that the host and a device can access.
@ParameterizedClass
@MethodSource("org.tutti.device.TestDevice#kinds")
class ManagedBufferTest {
    private static final String TWICE = """
            extern "C" __global__ void twice(int n, int* x) {
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i < n) x[i] = 2 * x[i];
            }
            """;

    private static final HostKernel TWICE_IN_JAVA = (thread, a) -> {
        if (thread.x() < a.intValue(0)) a.set(1, thread.x(), 2 * a.getInt(1, thread.x()));
    };

    private final String kind;
    private final Device device;

    ManagedBufferTest(String kind) {
        this.kind = kind;
        device = TestDevice.open(kind);
    }

    @AfterEach
    void close() {
        device.close();
    }

    private ManagedBuffer of(int... values) {
        assumeTrue(device.hasManaged(), device + " has no fine-grained memory");
        ManagedBuffer made = device.allocateManaged(Datatype.INT, values.length);
        MemorySegment.copy(values, 0, made.segment(), ValueLayout.JAVA_INT, 0, values.length);
        return made;
    }

    @Test
    void javaAndKernelsWorkInTheSameMemory() {
        ManagedBuffer numbers = of(1, 2, 3);
        Kernel twice = device.kernel("twice", TWICE, TWICE_IN_JAVA);
        twice.launch(Dim.of(1), Dim.of(4), 3, numbers.buffer());
        assertThat(numbers.segment().toArray(ValueLayout.JAVA_INT)).containsExactly(2, 4, 6);
        numbers.segment().setAtIndex(ValueLayout.JAVA_INT, 1, 50);
        twice.launch(device.newStream(), 0, Dim.of(1), Dim.of(4), 3, numbers.buffer());
        assertThat(numbers.segment().toArray(ValueLayout.JAVA_INT)).containsExactly(4, 100, 12);
        assertThat(numbers.buffer().toInts()).containsExactly(4, 100, 12);
        numbers.buffer().copyFrom(device.of(7, 8, 9));
        assertThat(numbers.segment().getAtIndex(ValueLayout.JAVA_INT, 2)).isEqualTo(9);
        assertThat(numbers).hasToString("3 INT on " + device.id() + ", managed");
        assertThat(of().segment().byteSize()).isZero();
    }

    @Test
    void messagesTakeItAsEither() {
        Tutti.local(2, mpi -> {
            try (Device mine = Device.get(kind)) {
                assumeTrue(mine.hasManaged());
                ManagedBuffer one = mine.allocateManaged(Datatype.LONG, 1);
                one.buffer().fill(3);
                mpi.world().allreduce(buf(one.buffer()), Op.SUM);
                mpi.world().allreduce(buf(one.segment(), Datatype.LONG), Op.SUM);
                assertThat(one.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(12);
            }
        });
    }

    @Test
    void isReleasedWithTheDeviceOrEarlier() {
        ManagedBuffer early = of(1), late = of(2);
        MemorySegment segment = early.segment(), other = late.segment();
        assertThatThrownBy(() -> early.buffer().free())
                .hasMessage(device.id() + ": free: this memory has another owner");
        early.close();
        early.close();
        assertThatThrownBy(() -> segment.get(ValueLayout.JAVA_INT, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(early::segment).hasMessage(device.id() + ": this buffer of 1 INT was freed");
        assertThatThrownBy(() -> early.buffer().toInts()).hasMessage(device.id() + ": this buffer of 1 INT was freed");
        device.close();
        assertThatThrownBy(() -> other.get(ValueLayout.JAVA_INT, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(late::segment).hasMessage(device.id() + ": the device was closed");
        late.close();
    }

    @Test
    void rejectsAnUnsupportedDeviceAndAnInvalidLength() {
        try (Device cuda = new Device(FakeDevices.open(new FakeGpu(false), 1), 1)) {
            assertThat(cuda.hasManaged()).isFalse();
            assertThatThrownBy(() -> cuda.allocateManaged(Datatype.INT, 1))
                    .isInstanceOf(DeviceException.class)
                    .hasMessage("cuda:0: managed memory is not supported; check hasManaged()");
        }
        assertThatThrownBy(() -> device.allocateManaged(Datatype.INT, -1))
                .hasMessage(device.id() + ": count=-1 of INT is not a valid buffer length");
    }
}
