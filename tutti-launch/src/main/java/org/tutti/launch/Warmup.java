package org.tutti.launch;

/// What the training run of an AOT cache does: what every rank does first.
final class Warmup {
    private Warmup() {}

    static void main() {
        System.out.println("ready");
    }
}
