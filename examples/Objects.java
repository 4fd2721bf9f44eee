/*
 * Objects as messages: no buffers, no counts, no types.
 *
 * The counterpart of picklable objects in "Programming Machine Learning Algorithms for HPC: MPI4py": here any value,
 * including the program's records and enums.
 *
 *     ./tutti run -n 3 examples/Objects.java
 *
 *     rank 1 got a map with a=7 and b=3.14
 *     rank 0 got Result[name=job 1, sum=7.0]
 *     rank 0 got Result[name=job 2, sum=8.0]
 */

import org.tutti.mpi.*;

record Job(String name, int priority, List<double[]> points) {}

record Result(String name, double sum) {}

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();
        if (n < 2) throw new IllegalArgumentException("this takes at least 2 ranks: tutti run -n 2 …");

        if (me == 0) {
            world.sendObject(Map.of("a", 7, "b", 3.14), 1, 11);
            for (int worker = 1; worker < n; worker++) {
                List<double[]> points = List.of(new double[] {worker, 1}, new double[] {2, 3});
                world.sendObject(new Job("job " + worker, 1, points), worker);
            }
            for (int worker = 1; worker < n; worker++) {
                IO.println("rank 0 got " + world.recvObject(Result.class, worker));
            }
        } else {
            if (me == 1) {
                Map<?, ?> map = world.recvObject(Map.class, 0, 11);
                IO.println("rank 1 got a map with a=" + map.get("a") + " and b=" + map.get("b"));
            }
            Job job = world.recvObject(Job.class, 0, 0);
            double sum = 0;
            for (double[] point : job.points()) for (double x : point) sum += x;
            world.sendObject(new Result(job.name(), sum), 0);
        }
    }
}
