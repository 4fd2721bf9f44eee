package org.tutti.bench.kernels;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;

/// Particles that move in a square without borders. Each rank has the particles of a vertical slab. In each
/// iteration, every particle moves, and particles that left the slab migrate: an alltoall of counts, then an
/// alltoall of particles.
///
/// Positions and velocities are multiples of 1/8, so that sums are exact.
final class Particles implements ApplicationKernel {
    private static final int COUNT = 20_000, SIDE = 1024, PARTS = 8, SPEEDS = 257;

    /// A particle is a row of five numbers.
    private static final int ID = 0, X = 1, Y = 2, SPEED_X = 3, SPEED_Y = 4, FIELDS = 5;

    private final Comm world;
    private final int me, ranks;
    private final int all;
    private final double[] particles, leaving;
    private final int[] slabs;
    private int count;

    /// Counts of numbers, not particles, to and from each rank.
    private final int[] sendCounts, recvCounts;

    private final int[] next;

    Particles(Mpi mpi, int divisor) {
        all = COUNT / divisor;
        particles = new double[all * FIELDS];
        leaving = new double[all * FIELDS];
        slabs = new int[all];
        world = mpi.world();
        me = world.rank();
        ranks = world.size();
        sendCounts = new int[ranks];
        recvCounts = new int[ranks];
        next = new int[ranks];
        for (int id = 0; id < all; id++) {
            double x = (double) start(id, X) / PARTS;
            if (slab(x, ranks) != me) continue;
            int at = count++ * FIELDS;
            particles[at + ID] = id;
            particles[at + X] = x;
            particles[at + Y] = (double) start(id, Y) / PARTS;
            particles[at + SPEED_X] = (double) speed(id, SPEED_X) / PARTS;
            particles[at + SPEED_Y] = (double) speed(id, SPEED_Y) / PARTS;
        }
    }

    /// Returns an initial coordinate in units of 1/8.
    private static long start(int id, int field) {
        return Hash64.at((long) id * FIELDS + field) & SIDE * PARTS - 1;
    }

    /// Returns a velocity in units of 1/8 per iteration: -128 to 128.
    private static long speed(int id, int field) {
        return ((Hash64.at((long) id * FIELDS + field) >>> 32) * SPEEDS >>> 32) - SPEEDS / 2;
    }

    private static int slab(double x, int ranks) {
        return (int) (x * ranks / SIDE);
    }

    @Override
    public void run(int iterations) {
        for (int k = 0; k < iterations; k++) {
            Arrays.fill(sendCounts, 0);
            move(particles, count, ranks, slabs, sendCounts);
            sendCounts[me] = 0;
            int staying = divide(particles, count, slabs, me, sendCounts, next, leaving);
            world.alltoall(buf(sendCounts), buf(recvCounts));
            int left = Arrays.stream(sendCounts).sum(),
                    arrived = Arrays.stream(recvCounts).sum();
            world.alltoall(
                    buf(leaving, 0, left).blocks(sendCounts),
                    buf(particles, staying * FIELDS, arrived).blocks(recvCounts));
            count = staying + arrived / FIELDS;
        }
    }

    private static void move(double[] particles, int count, int ranks, int[] slabs, int[] counts) {
        for (int i = 0; i < count; i++) {
            int at = i * FIELDS;
            double x = wrapped(particles[at + X] + particles[at + SPEED_X]);
            particles[at + X] = x;
            particles[at + Y] = wrapped(particles[at + Y] + particles[at + SPEED_Y]);
            slabs[i] = slab(x, ranks);
            counts[slabs[i]] += FIELDS;
        }
    }

    private static double wrapped(double position) {
        return position < 0 ? position + SIDE : position >= SIDE ? position - SIDE : position;
    }

    /// Moves staying particles to the front and copies leaving ones to `leaving`, by rank. Returns the number
    /// of staying ones.
    private static int divide(
            double[] particles, int count, int[] slabs, int me, int[] counts, int[] next, double[] leaving) {
        next[0] = 0;
        for (int r = 1; r < counts.length; r++) next[r] = next[r - 1] + counts[r - 1];
        int staying = 0;
        for (int i = 0; i < count; i++) {
            int slab = slabs[i];
            if (slab == me) {
                if (staying != i) copy(particles, i * FIELDS, particles, staying * FIELDS);
                staying++;
            } else {
                copy(particles, i * FIELDS, leaving, next[slab]);
                next[slab] += FIELDS;
            }
        }
        return staying;
    }

    private static void copy(double[] from, int source, double[] to, int target) {
        for (int f = 0; f < FIELDS; f++) to[target + f] = from[source + f];
    }

    @Override
    public long checksum() {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            int at = i * FIELDS;
            long x = (long) (particles[at + X] * PARTS), y = (long) (particles[at + Y] * PARTS);
            if (slab(particles[at + X], ranks) == me) sum += weight((long) particles[at + ID], x, y);
        }
        return sum;
    }

    @Override
    public long expected(int iterations) {
        long sum = 0;
        for (int id = me; id < all; id += ranks) {
            long x = start(id, X) + iterations * speed(id, SPEED_X), y = start(id, Y) + iterations * speed(id, SPEED_Y);
            sum += weight(id, x & SIDE * PARTS - 1, y & SIDE * PARTS - 1);
        }
        return sum;
    }

    private static long weight(long id, long x, long y) {
        return (2 * id + 1) * (x * SIDE * PARTS + y + 1);
    }
}
