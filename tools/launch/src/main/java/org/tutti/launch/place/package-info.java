/// Where ranks run: the hosts, and the cpus on each host.
///
///     Binding, Hosts, Rankfile: the user's options ──with CpuTopology──▶ Bindings: the cpus of each rank
///
/// A cpu is the kernel's number of a hardware thread. For ranks on other hosts, which a native launcher places,
/// only the options are parsed here. [org.tutti.job.cpu.CpuLevel] names the units that ranks are bound to.
@NullMarked
package org.tutti.launch.place;

import org.jspecify.annotations.NullMarked;
