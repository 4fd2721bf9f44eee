package programs;

/// Prints the rank and the pid for the test.
final class Ready {
    private Ready() {}

    static void print(int rank) {
        System.out.println("ready " + rank + " " + ProcessHandle.current().pid());
        System.out.flush();
    }
}
