package org.tutti.shm;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The data that the parents pass to a new world.
///
/// @param first the number of the new world's first process
/// @param size the size of the new world
/// @param context the context of the intercommunicator
/// @param parents the numbers of the parent processes, in rank order
/// @param address the address of the shared memory, see [org.tutti.shm.segment.Segment#address]
record Invitation(int first, int size, long context, int[] parents, String address) {
    private static final int FIELDS = 5;

    static Invitation of(String text) {
        String[] fields = text.split(" ", FIELDS);
        int[] parents =
                Arrays.stream(fields[3].split(",")).mapToInt(Integer::parseInt).toArray();
        return new Invitation(
                Integer.parseInt(fields[0]),
                Integer.parseInt(fields[1]),
                Long.parseLong(fields[2]),
                parents,
                fields[4]);
    }

    String text() {
        String numbers = Arrays.stream(parents).mapToObj(Integer::toString).collect(Collectors.joining(","));
        return first + " " + size + " " + context + " " + numbers + " " + address;
    }

    /// Returns the position of rank `rank` in the new world.
    Place place(int rank) {
        return new Place(rank, size, first);
    }

    /// Returns the numbers of the parent processes, followed by those of the new world.
    int[] processes() {
        return IntStream.concat(Arrays.stream(parents), IntStream.range(first, first + size))
                .toArray();
    }
}
