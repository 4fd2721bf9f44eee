package programs;

import org.tutti.mpi.Mpi;

/// Each rank writes lines of its own letter, of one byte to 200 KiB, in parts and in one piece.
public class LongLines {
    public static void main(String[] args) {
        try (Mpi mpi = Mpi.init()) {
            int rank = mpi.world().rank();
            String letter = String.valueOf((char) ('a' + rank));
            mpi.world().barrier();
            for (int i = 0; i < 40; i++) {
                int length = 1 + i * i * 131;
                if (i % 2 == 0) {
                    System.out.print(letter.repeat(length / 2));
                    System.out.println(letter.repeat(length - length / 2));
                } else {
                    System.out.println(letter.repeat(length));
                }
            }
        }
    }
}
