/// Windows in the job's memory: allocation and release. Accesses are implemented in [org.tutti.coll.window],
/// for all ranks that share memory.
@NullMarked
package org.tutti.shm.window;

import org.jspecify.annotations.NullMarked;
