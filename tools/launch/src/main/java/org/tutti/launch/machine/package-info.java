/// What the system tells of this machine: cores and memory, processes, terminals, commands on the `PATH`
/// and what they answer; and the directory in which something is kept between runs. Knows nothing of jobs.
@NullMarked
package org.tutti.launch.machine;

import org.jspecify.annotations.NullMarked;
