/// Random messages between all pairs of ranks. The receivers check every byte.
///
///     SoakMain ──▶ Soak ──┬──▶ Outgoing, one for each destination ──messages of──▶ MessageSequence
///                         └──▶ Incoming, one ──messages of──▶ MessageSequence, one for each source
///
/// Sender and receiver of a pair draw the messages (tag, length, content) from the same seed. Each rank chooses
/// the mode, the memory and the time of each send and receive. The content is a part of a template that all
/// ranks have, so a sender need not write the content, and a receiver can compare it at memory speed.
///
/// Rule: a message never waits for a message of a different pair, so the job always ends.
@NullMarked
package org.tutti.conformance.soak;

import org.jspecify.annotations.NullMarked;
