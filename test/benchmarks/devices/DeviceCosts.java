// Measures a message between the devices of two ranks, compared with the copies that it needs, and a kernel
// launch.
//
//     ./tutti run -n 2 test/benchmarks/devices/DeviceCosts.java [BYTES]
//
// Rank 0 prints the devices and three medians:
//     - the bandwidth of a message of BYTES (4194304) divided by the bandwidth of the two copies of a message
//       through the host, from one device to pinned memory and from there to the second device; the quotient is
//       greater than 1 if a direct path exists;
//     - the additional time of a message of 8 bytes between devices, compared with arrays;
//     - the time that the caller needs to launch an empty kernel. On the host, this includes the kernel.

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntConsumer;
import org.tutti.device.*;
import org.tutti.mpi.*;

static final int SHORT = 8, LONG = 4 << 20;
static final int ROUNDS = 41, WARM_ROUNDS = 20;

/** Far fewer launches than the number at which a driver blocks the caller. */
static final int LAUNCHES = 100;

static final String EMPTY = """
        extern "C" __global__ void empty(int n) {
        }
        """;

void main(String[] args) {
    try (Mpi mpi = Mpi.init(); Device device = Device.forRank(mpi.world())) {
        Comm world = mpi.world();
        if (world.size() != 2) throw new IllegalArgumentException("needs 2 ranks: tutti run -n 2 …");
        int large = args.length > 0 ? Integer.parseInt(args[0]) : LONG;
        List<String> devices = world.allgatherObject(device.id() + " (" + device.attributes().name() + ")");

        double copies = copyNanos(device, large);
        double message = oneWayNanos(world, device(device, large), device(device, large), 10);
        double arrays = oneWayNanos(world, buf(new byte[SHORT]), buf(new byte[SHORT]), 1000);
        double small = oneWayNanos(world, device(device, SHORT), device(device, SHORT), 100);
        double launch = launchNanos(device);
        if (world.rank() != 0) return;
        print("%s to %s", devices.get(0), devices.get(1));
        print("%d bytes: two copies %.1f µs, a message %.1f µs: %.2f of the bandwidth of the copies", large,
                copies / 1e3, message / 1e3, copies / message);
        print("%d bytes: arrays %.2f µs, devices %.2f µs: %.2f µs more", SHORT, arrays / 1e3, small / 1e3,
                (small - arrays) / 1e3);
        print("launch of an empty kernel: %.0f ns for the caller", launch);
    }
}

static void print(String format, Object... values) {
    IO.println(String.format(Locale.ROOT, format, values));
}

static Buf device(Device device, int bytes) {
    return buf(device.zeros(Datatype.BYTE, bytes));
}

/** Returns the time of a copy from a device to pinned memory and of a copy back. */
static double copyNanos(Device device, int bytes) {
    DeviceBuffer memory = device.zeros(Datatype.BYTE, bytes);
    PinnedMemory pinned = device.pinned(bytes);
    DeviceStream stream = device.stream();
    return median(times -> {
        for (int i = 0; i < times; i++) {
            memory.copyTo(pinned, 0, stream);
            stream.synchronize();
            memory.copyFrom(pinned, 0, stream);
            stream.synchronize();
        }
    }, 10);
}

/** Returns half of the time of a round trip. */
static double oneWayNanos(Comm world, Buf out, Buf in, int times) {
    int other = 1 - world.rank();
    world.barrier();
    return median(n -> {
        for (int i = 0; i < n; i++) {
            if (world.rank() == 0) world.send(out, other);
            world.recv(in, other);
            if (world.rank() == 1) world.send(out, other);
        }
    }, times) / 2;
}

/** Returns the time of the caller per launch. The wait for the kernels of a round is not measured. */
static double launchNanos(Device device) {
    Kernel empty = device.kernel("empty", EMPTY, (thread, a) -> {});
    double[] nanos = new double[ROUNDS];
    for (int round = -WARM_ROUNDS; round < ROUNDS; round++) {
        long start = System.nanoTime();
        for (int i = 0; i < LAUNCHES; i++) empty.launch(Dim.of(1), Dim.of(1), 1);
        if (round >= 0) nanos[round] = (double) (System.nanoTime() - start) / LAUNCHES;
        device.synchronize();
    }
    Arrays.sort(nanos);
    return nanos[ROUNDS / 2];
}

/** Returns the time per iteration in nanoseconds, the median of the rounds. */
static double median(IntConsumer loop, int times) {
    double[] nanos = new double[ROUNDS];
    for (int round = -WARM_ROUNDS; round < ROUNDS; round++) {
        long start = System.nanoTime();
        loop.accept(times);
        if (round >= 0) nanos[round] = (double) (System.nanoTime() - start) / times;
    }
    Arrays.sort(nanos);
    return nanos[ROUNDS / 2];
}
