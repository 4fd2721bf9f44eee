package org.tutti.launch.watch;

/// The activity of a rank, as reported by the rank or observed from outside.
///
/// @param calls whether the rank is, or may be, in a call of Tutti and about to wait
/// @param words `asleep (Thread.sleep) at Halo.java:40`
/// @param stacks the stacks of the threads, or an explanation; lines
record RankActivity(boolean calls, String words, String stacks) {}
