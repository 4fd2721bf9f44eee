/*
 * Waits for messages together with other work of the program: a generalized request.
 *
 * Each rank reads a file in the background while a message is in progress, and continues with the operation that
 * completes first. Any CompletionStage can be awaited in this way: the response of a server, a computation on a
 * different thread, a kernel on a device (MPI_Grequest_start, MPI 4.1, section 13.2).
 *
 *     ./tutti run -n 2 examples/OwnRequests.java
 *
 *     rank 0: 3 lines, the last is "three", and a number of rank 1, plus one: 2.0
 *     rank 1: 3 lines, the last is "three", and a number of rank 0, plus one: 1.0
 */

import static org.tutti.mpi.Buf.buf;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.tutti.mpi.*;

static final int FILE = 0;

void main() throws Exception {
    Path file = Files.writeString(Files.createTempFile("own-requests", ".txt"), "one\ntwo\nthree\n");
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size(), right = (me + 1) % n, left = (me + n - 1) % n;

        List<String> lines = new ArrayList<>();
        Request reading = mpi.request(CompletableFuture.supplyAsync(() -> {
            lines.addAll(readLines(file));
            return Status.of(lines.size(), Datatype.BYTE); // the result of await: the number of elements
        }));
        double[] numbers = new double[1];
        Request receive = world.irecv(buf(numbers), left);
        world.send(buf(new double[] {me}), right);

        try (Requests both = mpi.requests(reading, receive)) {
            // awaitAny returns the index of each request, in the order of completion; it is empty after both
            for (OptionalInt done = both.awaitAny(); done.isPresent(); done = both.awaitAny()) {
                if (done.getAsInt() == FILE) Collections.reverse(lines);
                else numbers[0]++;
            }
        }
        IO.println("rank " + me + ": " + reading.await().count() + " lines, the last is \"" + lines.getFirst()
                + "\", and a number of rank " + left + ", plus one: " + numbers[0]);
    } finally {
        Files.delete(file);
    }
}

static List<String> readLines(Path file) {
    try {
        return Files.readAllLines(file);
    } catch (java.io.IOException e) {
        throw new java.io.UncheckedIOException(e); // thrown by await
    }
}
