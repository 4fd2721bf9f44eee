/*
 * Free workers request tasks from rank 0, so that a slow worker does not delay the other workers.
 *
 * The task processing ("spawn, pull, …") that is an exercise in "Towards Python MPI for Artificial Intelligence and
 * Deep Learning Research". The tasks count primes in ranges of numbers; high ranges take longer than low ranges.
 *
 *     ./tutti run -n 4 examples/MasterWorker.java
 *
 *     rank 1 did … tasks
 *     rank 2 did … tasks
 *     rank 3 did … tasks
 *     20 tasks were done: 17984 primes below 200000
 */

import org.tutti.mpi.*;

static final int TASKS = 20, NUMBERS = 10_000; // tasks, and numbers in each

record Task(int from, int to) {}

/// The report of a free worker: the number of primes in the last task.
record Report(int tasksDone, int primes) {}

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        if (world.size() < 2) throw new IllegalArgumentException("this takes at least 2 ranks: tutti run -n 2 …");
        if (world.rank() == 0) master(world);
        else worker(world);
    }
}

void master(Comm world) {
    int next = 0, busy = world.size() - 1, primes = 0;
    while (busy > 0) {
        // Reports are handled in order of arrival.
        Received<Report> received = world.recvObjectWithStatus(Report.class, Comm.ANY_SOURCE);
        int worker = received.source();
        primes += received.value().primes();

        if (next < TASKS) {
            world.sendObject(new Task(next * NUMBERS, (next + 1) * NUMBERS), worker);
            next++;
        } else {
            world.sendObject(null, worker); // no task left
            busy--;
        }
    }
    IO.println(TASKS + " tasks were done: " + primes + " primes below " + TASKS * NUMBERS);
}

void worker(Comm world) {
    Report report = new Report(0, 0); // no task done yet
    while (true) {
        world.sendObject(report, 0);
        Task task = world.recvObject(Task.class, 0);
        if (task == null) break;
        report = new Report(report.tasksDone() + 1, countPrimes(task.from(), task.to()));
    }
    IO.println("rank " + world.rank() + " did " + report.tasksDone() + " tasks");
}

static int countPrimes(int from, int to) {
    int count = 0;
    for (int i = Math.max(from, 2); i < to; i++) {
        boolean prime = true;
        for (int d = 2; d * d <= i && prime; d++) prime = i % d != 0;
        if (prime) count++;
    }
    return count;
}
