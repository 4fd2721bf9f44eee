/*
 * Particles move through a box. Each rank has a strip of the box, and sends the particles that leave the strip to
 * the next rank, as arrays of records.
 *
 * A record of numbers is a datatype with the layout of a C struct: 24 bytes here. No declaration is needed, and a C
 * program could receive the data. Records are immutable, so a receive stores new records in the array.
 *
 *     ./tutti run -n 3 examples/RecordMessages.java
 *
 *     a Particle has 20 bytes in a message, one every 24
 *     rank 0 has 310 particles, 1245 have arrived
 *     rank 1 has 354 particles, 1269 have arrived
 *     rank 2 has 336 particles, 1247 have arrived
 *     rank 0 has collected 1000 particles; the first is Particle[x=0.88…, y=0.43…, id=0]
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

static final int PARTICLES = 1000, STEPS = 50;

record Particle(double x, double y, int id) {
    /// Particles with a high number are faster; no particle crosses a whole strip in one step. A particle that
    /// crosses the edge of the box enters at the opposite side.
    Particle moved() {
        double to = x + 0.05 * (id + 1) / PARTICLES;
        return new Particle(to < 1 ? to : to - 1, y, id);
    }

    /// Returns the rank of the strip that contains this particle.
    int owner(int ranks) {
        return (int) (x * ranks);
    }
}

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size(), right = (me + 1) % n, left = (me + n - 1) % n;

        Datatype type = Datatype.ofRecord(Particle.class);
        if (me == 0) IO.println("a Particle has " + type.sizeBytes() + " bytes in a message, one every " + type.extent());

        List<Particle> mine = new ArrayList<>();
        for (int id = 0; id < PARTICLES; id++) {
            SplittableRandom random = new SplittableRandom(id); // the same particles on any number of ranks
            Particle p = new Particle(random.nextDouble(), random.nextDouble(), id);
            if (p.owner(n) == me) mine.add(p);
        }

        int arrived = 0;
        for (int step = 0; step < STEPS; step++) {
            mine.replaceAll(Particle::moved);
            Particle[] leaving = mine.stream().filter(p -> p.owner(n) != me).toArray(Particle[]::new);
            mine.removeIf(p -> p.owner(n) != me);

            Request sent = world.isend(buf(leaving), right, step);
            Particle[] arriving = new Particle[(int) world.probe(left, step).count(type)]; // of the received length
            world.recv(buf(arriving), left, step);
            sent.await();
            mine.addAll(Arrays.asList(arriving));
            arrived += arriving.length;
        }
        IO.println("rank " + me + " has " + mine.size() + " particles, " + arrived + " have arrived");

        // Rank 0 collects all particles: a block from each rank.
        int[] counts = world.allgather(mine.size());
        Particle[] all = new Particle[me == 0 ? PARTICLES : 0];
        world.gather(buf(mine.toArray(new Particle[0])), me == 0 ? buf(all).blocks(counts) : Buf.NONE, 0);
        if (me == 0) {
            Arrays.sort(all, Comparator.comparing(Particle::id));
            IO.println("rank 0 has collected " + all.length + " particles; the first is " + all[0]);
        }
    }
}
