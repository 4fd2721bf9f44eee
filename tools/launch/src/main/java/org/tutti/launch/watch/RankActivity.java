package org.tutti.launch.watch;

/// What one rank does, as it told itself or as it looks from outside.
///
/// @param calls whether it is in a call of Tutti, or may be, and about to wait
/// @param words `asleep (Thread.sleep) at Halo.java:40`
/// @param stacks those of its threads, or what there is in place of them; lines
record RankActivity(boolean calls, String words, String stacks) {}
