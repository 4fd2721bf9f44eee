// examples/MasterWorker.java for the API of MPJ Express: objects are processed in the order of arrival.

import java.io.Serializable;
import mpi.*;

public class MpjMasterWorker {
    static final int TASKS = 20, NUMBERS = 2_000;

    static class Task implements Serializable {
        int from, to;
    }

    static class Report implements Serializable {
        int tasks, primes;
    }

    public static void main(String[] args) throws MPIException {
        MPI.Init(args);
        if (MPI.COMM_WORLD.Rank() == 0) master(MPI.COMM_WORLD.Size() - 1);
        else worker();
        MPI.Finalize();
    }

    static void master(int busy) throws MPIException {
        int next = 0, primes = 0;
        Report[] report = new Report[1];
        while (busy > 0) {
            Status s = MPI.COMM_WORLD.Recv(report, 0, 1, MPI.OBJECT, MPI.ANY_SOURCE, 0);
            primes += report[0].primes;
            Task task = null; // no more tasks
            if (next < TASKS) {
                task = new Task();
                task.from = next++ * NUMBERS;
                task.to = task.from + NUMBERS;
            } else {
                busy--;
            }
            MPI.COMM_WORLD.Send(new Object[] {task}, 0, 1, MPI.OBJECT, s.source, 0);
        }
        System.out.println(next + " tasks were done: " + primes + " primes below " + TASKS * NUMBERS);
    }

    static void worker() throws MPIException {
        Report[] report = {new Report()};
        Task[] task = new Task[1];
        while (true) {
            MPI.COMM_WORLD.Send(report, 0, 1, MPI.OBJECT, 0, 0);
            MPI.COMM_WORLD.Recv(task, 0, 1, MPI.OBJECT, 0, 0);
            if (task[0] == null) return;
            report[0].tasks++;
            report[0].primes = primes(task[0].from, task[0].to);
        }
    }

    static int primes(int from, int to) {
        int count = 0;
        for (int i = Math.max(from, 2); i < to; i++) {
            boolean prime = true;
            for (int d = 2; d * d <= i && prime; d++) prime = i % d != 0;
            if (prime) count++;
        }
        return count;
    }
}
