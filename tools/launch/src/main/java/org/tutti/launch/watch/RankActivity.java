package org.tutti.launch.watch;

/// The activity of a rank, as reported by the rank or observed from outside.
///
/// @param calls whether the rank is, or may be, in a call of Tutti and about to wait
/// @param words `asleep (Thread.sleep) at Halo.java:40`
/// @param stacks lines with the stacks of the threads, or with an explanation
record RankActivity(boolean calls, String words, String stacks) {}
