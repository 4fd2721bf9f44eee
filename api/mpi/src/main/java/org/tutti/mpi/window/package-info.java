/// What windows know of themselves, without an engine and without the user's types.
///
///     Window (org.tutti.mpi) ──asks──▶ Epochs: what may be called now
///
/// Rules: a refusal is a [org.tutti.spi.Fault] that is returned, for the user API to throw in its own form.
@NullMarked
package org.tutti.mpi.window;

import org.jspecify.annotations.NullMarked;
