/// The state of windows, independent of engines and of the user API's types.
///
///     Window (org.tutti.mpi) ──checks──▶ Epochs: the calls that are permitted now
///
/// Rules: a refusal is a returned [org.tutti.spi.Fault], which the user API converts and throws.
@NullMarked
package org.tutti.mpi.window;

import org.jspecify.annotations.NullMarked;
