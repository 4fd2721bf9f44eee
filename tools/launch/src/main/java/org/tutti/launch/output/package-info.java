/// What ranks write, passed on by whole lines, so that the lines of several do not mix.
///
///     LineRelay: reads one stream ──▶ RankOutput: prefixes and choice ──▶ Sink: stdout, stderr, a file,
///                                                                          or a caller's stream
///
/// [RankOutput] also says the launcher's own sentences, on stderr.
@NullMarked
package org.tutti.launch.output;

import org.jspecify.annotations.NullMarked;
