package programs;

/// Tells the test who is who.
final class Ready {
    private Ready() {}

    static void say(int rank) {
        System.out.println("ready " + rank + " " + ProcessHandle.current().pid());
        System.out.flush();
    }
}
