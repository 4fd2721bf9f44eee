// examples/MasterWorker.java for Open MPI's Java bindings: tasks and reports are structs over bytes.

import mpi.*;

public class OpenMpiMasterWorker {
    static final int TASKS = 20, NUMBERS = 2_000, NOTHING_LEFT = 1;

    static class Task extends Struct {
        final int from = addInt(), to = addInt();

        class Data extends Struct.Data {
            int from() {
                return getInt(from);
            }

            int to() {
                return getInt(to);
            }

            void set(int first, int end) {
                putInt(from, first);
                putInt(to, end);
            }
        }

        @Override
        protected Data newData() {
            return new Data();
        }
    }

    static final Task TASK = new Task();

    public static void main(String[] args) throws MPIException {
        MPI.Init(args);
        if (MPI.COMM_WORLD.getRank() == 0) master(MPI.COMM_WORLD.getSize() - 1);
        else worker();
        MPI.Finalize();
    }

    static void master(int busy) throws MPIException {
        int next = 0, primes = 0;
        int[] report = new int[1];
        byte[] bytes = new byte[TASK.getExtent()];
        Task.Data task = TASK.getData(bytes);
        while (busy > 0) {
            Status s = MPI.COMM_WORLD.recv(report, 1, MPI.INT, MPI.ANY_SOURCE, 0);
            primes += report[0];
            if (next < TASKS) {
                task.set(next * NUMBERS, ++next * NUMBERS);
                MPI.COMM_WORLD.send(bytes, 1, TASK.getType(), s.getSource(), 0);
            } else {
                MPI.COMM_WORLD.send(null, 0, MPI.BYTE, s.getSource(), NOTHING_LEFT);
                busy--;
            }
        }
        System.out.println(next + " tasks were done: " + primes + " primes below " + TASKS * NUMBERS);
    }

    static void worker() throws MPIException {
        int[] report = {0};
        byte[] bytes = new byte[TASK.getExtent()];
        Task.Data task = TASK.getData(bytes);
        while (true) {
            MPI.COMM_WORLD.send(report, 1, MPI.INT, 0, 0);
            Status s = MPI.COMM_WORLD.recv(bytes, 1, TASK.getType(), 0, MPI.ANY_TAG);
            if (s.getTag() == NOTHING_LEFT) return;
            report[0] = primes(task.from(), task.to());
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
