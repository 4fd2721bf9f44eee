/// Properties of this machine: cores and memory, processes, terminals, and commands on the `PATH` and their
/// output. Independent of jobs.
@NullMarked
package org.tutti.launch.machine;

import org.jspecify.annotations.NullMarked;
