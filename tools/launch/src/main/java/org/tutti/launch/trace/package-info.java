/// The output of `tutti run --trace`: a single file for all ranks in the Trace Event Format, which Perfetto
/// (ui.perfetto.dev) and Chrome (about:tracing) open.
@NullMarked
package org.tutti.launch.trace;

import org.jspecify.annotations.NullMarked;
