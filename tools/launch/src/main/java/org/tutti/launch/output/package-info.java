/// Relays the output of ranks in whole lines, so that the lines of different ranks do not mix.
///
///     LineRelay: reads one stream ──▶ RankOutput: prefixes and destinations ──▶ Sink: stdout, stderr, a file,
///                                                                                or a caller's stream
///
/// [RankOutput] also prints the launcher's messages, on stderr.
@NullMarked
package org.tutti.launch.output;

import org.jspecify.annotations.NullMarked;
