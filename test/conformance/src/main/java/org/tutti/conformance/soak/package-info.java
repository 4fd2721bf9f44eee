/// Very many random messages between all pairs of ranks, of which every byte is checked.
///
///     SoakMain ──▶ Soak ──┬──▶ Outgoing, one for each destination ──letters of──▶ Letters
///                         └──▶ Incoming, one ──letters of──▶ Letters, one for each source
///
/// Both ends of a pair draw its letters (tag, length, content) from the seed. How a rank sends and
/// receives them, in which mode, from which memory and when, is its own. The content is a piece of a
/// template that all ranks have, so a sender need not write it and a receiver compares it as fast as
/// memory is read.
///
/// Rule: a letter never waits for one of another pair, so that whatever the ranks do, the job ends.
@NullMarked
package org.tutti.conformance.soak;

import org.jspecify.annotations.NullMarked;
