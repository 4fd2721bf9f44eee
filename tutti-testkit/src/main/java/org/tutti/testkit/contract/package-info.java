/// One class per operation or matter; its methods are facts, run by every rank of a job.
///
/// Rules: the user API alone, no engine's name outside [org.tutti.testkit.trial.Contract#engine]; every rank
/// runs the same methods in the same order; a method leaves no message and no request behind.
///
/// Not here yet, because the API has not got them: persistent and partitioned messages, buffered,
/// synchronous and ready sends, matched probes (3.8.2), derived types, one-sided communication, files.
@NullMarked
package org.tutti.testkit.contract;

import org.jspecify.annotations.NullMarked;
