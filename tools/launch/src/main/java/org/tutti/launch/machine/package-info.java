/// Properties of this machine: cores and memory, processes, terminals, commands on the `PATH` and the output.
/// Independent of jobs.
@NullMarked
package org.tutti.launch.machine;

import org.jspecify.annotations.NullMarked;
