package org.tutti.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.mpi.Datatype;

@ParameterizedClass
@MethodSource("org.tutti.device.TestDevice#kinds")
class DeviceBufferTest {
    private final Device device;
    private final String id;

    DeviceBufferTest(String kind) {
        device = TestDevice.open(kind);
        id = device.id();
    }

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void valuesAreCopiedBackUnchanged() {
        assertThat(device.of(1f, -2.5f, Float.NaN).toFloats()).containsExactly(1f, -2.5f, Float.NaN);
        assertThat(device.of(1.0, -0.0).toDoubles()).containsExactly(1.0, -0.0);
        assertThat(device.of(1, Integer.MIN_VALUE).toInts()).containsExactly(1, Integer.MIN_VALUE);
        assertThat(device.of(1L, Long.MIN_VALUE).toLongs()).containsExactly(1L, Long.MIN_VALUE);
        assertThat(device.zeros(Datatype.DOUBLE, 3).toDoubles()).containsExactly(0, 0, 0);
    }

    @Test
    void longHeapArraysAreCopiedInPieces() {
        long[] values = new SplittableRandom(1).longs(300_001).toArray();
        DeviceBuffer buffer = device.of(values);
        assertThat(buffer.toLongs()).isEqualTo(values);
    }

    @Test
    void aBufferMayHaveNoElements() {
        DeviceBuffer none = device.of(new float[0]);
        none.fill(1.0);
        none.clear();
        none.copyFrom(device.zeros(Datatype.FLOAT, 0));
        assertThat(none.toFloats()).isEmpty();
        assertThat(none.slice(0, 0).count()).isZero();
        none.free();
    }

    @Test
    void aSliceIsTheSameMemory() {
        DeviceBuffer all = device.of(0, 1, 2, 3, 4, 5), middle = all.slice(2, 3);
        assertThat(middle.toInts()).containsExactly(2, 3, 4);
        assertThat(middle.slice(1, 1).toInts()).containsExactly(3);
        assertThat(middle.address()).isEqualTo(all.address() + 8);
        middle.fill(9);
        assertThat(all.toInts()).containsExactly(0, 1, 9, 9, 9, 5);
        all.slice(0, 2).copyFrom(all.slice(4, 2));
        assertThat(all.toInts()).containsExactly(9, 5, 9, 9, 9, 5);
    }

    @Test
    void fillWritesEveryType() {
        DeviceBuffer f = device.zeros(Datatype.FLOAT, 3), d = device.zeros(Datatype.DOUBLE, 3);
        DeviceBuffer l = device.zeros(Datatype.LONG, 3), b = device.zeros(Datatype.BYTE, 5);
        DeviceBuffer s = device.zeros(Datatype.SHORT, 3);
        f.slice(1, 2).fill(2.5);
        d.fill(-1);
        l.fill(1L << 40 | 3);
        b.slice(1, 3).fill(7);
        s.fill(-2);
        assertThat(f.toFloats()).containsExactly(0, 2.5f, 2.5f);
        assertThat(d.toDoubles()).containsOnly(-1);
        assertThat(l.toLongs()).containsOnly(1L << 40 | 3);
        byte[] bytes = new byte[5];
        b.copyTo(MemorySegment.ofArray(bytes), 0);
        assertThat(bytes).containsExactly(0, 7, 7, 7, 0);
        short[] shorts = new short[3];
        s.copyTo(MemorySegment.ofArray(shorts), 0);
        assertThat(shorts).containsOnly((short) -2);
        assertThatThrownBy(() -> device.zeros(Datatype.DOUBLE_COMPLEX, 1).fill(1))
                .hasMessage(id + ": fill: elements of DOUBLE_COMPLEX are not numbers");
    }

    @Test
    void partsAreCopiedToAndFromSegments() {
        DeviceBuffer buffer = device.of(0, 1, 2, 3);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment two = arena.allocate(ValueLayout.JAVA_INT, 2);
            buffer.copyTo(two, 4);
            assertThat(two.toArray(ValueLayout.JAVA_INT)).containsExactly(1, 2);
            buffer.copyFrom(two, 8);
        }
        assertThat(buffer.toInts()).containsExactly(0, 1, 1, 2);
    }

    @Test
    void boundsAreReportedWithValues() {
        DeviceBuffer buffer = device.of(1, 2, 3);
        MemorySegment four = MemorySegment.ofArray(new int[4]);
        assertThatThrownBy(() -> buffer.slice(2, 2))
                .isInstanceOf(DeviceException.class)
                .hasMessage(id + ": slice: from=2, count=2 exceed 3 elements");
        assertThatThrownBy(() -> buffer.slice(-1, 1)).hasMessageContaining("from=-1");
        assertThatThrownBy(() -> buffer.slice(1, Long.MAX_VALUE)).hasMessageContaining("exceed 3 elements");
        assertThatThrownBy(() -> buffer.copyTo(four, 0))
                .hasMessage(id + ": copyTo: 16 bytes at byte 0 exceed 12 bytes");
        assertThatThrownBy(() -> buffer.copyFrom(four, Long.MAX_VALUE)).hasMessageContaining("copyFrom: 16 bytes at");
        assertThatThrownBy(() -> buffer.copyFrom(new int[2]))
                .hasMessage(id + ": an array of 2 elements and a buffer of 3: copy a slice");
        assertThatThrownBy(() -> buffer.copyFrom(new float[3]))
                .hasMessage(id + ": an array of FLOAT and a buffer of INT do not match");
        assertThatThrownBy(buffer::toFloats).hasMessage(id + ": a buffer of INT cannot be read as FLOAT");
        assertThatThrownBy(() -> buffer.copyFrom(buffer.slice(0, 2))).hasMessageContaining("copy a slice");
        assertThatThrownBy(() -> buffer.slice(0, 2).copyFrom(buffer.slice(1, 2)))
                .hasMessageContaining("overlap");
        assertThatThrownBy(() -> buffer.copyTo(MemorySegment.ofArray(new int[3]).asReadOnly(), 0))
                .hasMessage(id + ": copyTo: the target is read-only");
        assertThatThrownBy(() -> device.allocate(Datatype.INT, -1)).hasMessageContaining("count=-1 of INT");
        assertThatThrownBy(() -> device.allocate(Datatype.INT.contiguous(2), 1)).hasMessageContaining("predefined");
    }

    @Test
    void useAfterFreeIsReported() {
        DeviceBuffer buffer = device.of(1, 2, 3), slice = buffer.slice(0, 1), other = device.of(1, 2, 3);
        assertThatThrownBy(slice::free).hasMessage(id + ": free: this is a slice");
        buffer.free();
        String freed = id + ": this buffer of 3 INT was freed";
        assertThatThrownBy(buffer::toInts).isInstanceOf(DeviceException.class).hasMessage(freed);
        assertThatThrownBy(buffer::free).hasMessage(freed);
        assertThatThrownBy(buffer::clear).hasMessage(freed);
        assertThatThrownBy(() -> other.copyFrom(buffer)).hasMessage(freed);
        assertThatThrownBy(slice::toInts).hasMessage(id + ": this buffer of 1 INT was freed");
        assertThat(other.toInts()).containsExactly(1, 2, 3);
    }

    @Test
    void wrappedMemoryIsAnothersToFree() {
        DeviceBuffer owner = device.of(1f, 2f, 3f);
        DeviceBuffer wrapped = device.wrap(owner.address() + 4, 8, Datatype.FLOAT);
        wrapped.fill(7);
        device.synchronize();
        assertThat(owner.toFloats()).containsExactly(1, 7, 7);
        assertThatThrownBy(wrapped::free).hasMessage(id + ": free: this memory has another owner");
        assertThatThrownBy(() -> device.wrap(owner.address(), 7, Datatype.FLOAT))
                .hasMessageContaining("bytes=7");
    }

    @Test
    void asynchronousCopiesAreDoneAfterTheirStream() {
        DeviceStream stream = device.newStream();
        PinnedMemory in = device.pinned(4000), out = device.pinned(4000);
        for (int i = 0; i < 1000; i++) in.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
        DeviceBuffer buffer = device.zeros(Datatype.FLOAT, 1000), copy = device.zeros(Datatype.FLOAT, 1000);
        buffer.copyFrom(in, 0, stream);
        copy.copyFrom(buffer, stream);
        copy.copyTo(out, 0, stream);
        Event event = stream.record();
        event.synchronize();
        assertThat(event.isComplete()).isTrue();
        assertThat(out.segment().mismatch(in.segment())).isEqualTo(-1);
        assertThatThrownBy(() -> buffer.copyTo(out, 8, stream))
                .hasMessage(id + ": 4000 bytes at byte 8 exceed pinned memory of 4000 bytes");
        event.close();
        assertThatThrownBy(event::isComplete).hasMessage(id + ": this event was closed");
        stream.close();
        assertThatThrownBy(() -> buffer.copyFrom(in, 0, stream)).hasMessage(id + ": this stream was closed");
        in.close();
        assertThatThrownBy(() -> buffer.copyFrom(in, 0, device.stream()))
                .hasMessage(id + ": this pinned memory was freed");
        assertThatThrownBy(() -> in.segment().get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void workWithOneBufferIsDoneInOrderOnWhicheverStreams() {
        int rounds = 50, count = 1 << 16;
        DeviceStream[] streams = {device.stream(), device.newStream(), device.newStream()};
        PinnedMemory pinned = device.pinned(4L * count);
        DeviceBuffer a = device.zeros(Datatype.INT, count), b = device.zeros(Datatype.INT, count);
        for (int i = 0; i < rounds; i++) {
            a.fill(i);
            b.copyFrom(a, streams[i % 3]);
            b.copyTo(pinned, 0, streams[(i + 1) % 3]);
            streams[(i + 1) % 3].synchronize();
            int expected = i;
            assertThat(Arrays.stream(pinned.segment().toArray(ValueLayout.JAVA_INT))
                            .allMatch(v -> v == expected))
                    .isTrue();
        }
    }

    @Test
    void aStreamWaitsForAnEventOfAnother() {
        DeviceStream first = device.newStream(), second = device.newStream();
        Event event = first.record();
        second.await(event);
        event.close();
        second.synchronize();
    }

    @Test
    void buffersOfTwoDevicesAreCopied() {
        try (Device other = Device.get("host")) {
            DeviceBuffer here = device.of(1f, 2f), there = other.zeros(Datatype.FLOAT, 2);
            there.copyFrom(here);
            assertThat(there.toFloats()).containsExactly(1, 2);
            there.fill(5);
            here.copyFrom(there);
            assertThat(here.toFloats()).containsExactly(5, 5);
            assertThatThrownBy(() -> here.copyFrom(other.pinned(8), 0, device.stream()))
                    .hasMessage(id + ": copyFrom: this pinned memory is of host:0, another device");
        }
    }

    @Test
    void threadsUseADeviceAtTheSameTime() throws Exception {
        Thread[] threads = new Thread[4];
        boolean[] right = new boolean[threads.length];
        for (int t = 0; t < threads.length; t++) {
            int mine = t;
            threads[t] = Thread.ofPlatform().start(() -> {
                boolean all = true;
                for (int i = 0; i < 200; i++) {
                    DeviceBuffer buffer = device.zeros(Datatype.INT, 100);
                    buffer.fill(mine * 1000 + i);
                    int expected = mine * 1000 + i;
                    all &= Arrays.stream(buffer.toInts()).allMatch(v -> v == expected);
                    buffer.free();
                }
                right[mine] = all;
            });
        }
        for (Thread t : threads) t.join();
        assertThat(right).containsOnly(true);
    }

    @Test
    void fillConvertsAsJavaDoes() {
        DeviceBuffer ints = device.zeros(Datatype.INT, 2);
        ints.fill(1e300);
        assertThat(ints.toInts()).containsOnly((int) 1e300);
        ints.fill(-2.9);
        assertThat(ints.toInts()).containsOnly(-2);
    }
}
