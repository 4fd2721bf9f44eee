package org.tutti.shm;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// What a new world and those that start it must know of each other.
///
/// @param first the number of the new world's first process
/// @param size of the new world
/// @param context of the intercommunicator
/// @param parents their numbers, in the order of their ranks
/// @param address where the memory is, see [org.tutti.shm.segment.Segment#address]
record Invitation(int first, int size, long context, int[] parents, String address) {
    private static final int WORDS = 5;

    static Invitation of(String text) {
        String[] words = text.split(" ", WORDS);
        int[] parents =
                Arrays.stream(words[3].split(",")).mapToInt(Integer::parseInt).toArray();
        return new Invitation(
                Integer.parseInt(words[0]), Integer.parseInt(words[1]), Long.parseLong(words[2]), parents, words[4]);
    }

    String text() {
        String numbers = Arrays.stream(parents).mapToObj(Integer::toString).collect(Collectors.joining(","));
        return first + " " + size + " " + context + " " + numbers + " " + address;
    }

    /// Where rank `rank` of the new world stands.
    Place place(int rank) {
        return new Place(rank, size, first);
    }

    /// The parents, then the new world.
    int[] processes() {
        return IntStream.concat(Arrays.stream(parents), IntStream.range(first, first + size))
                .toArray();
    }
}
