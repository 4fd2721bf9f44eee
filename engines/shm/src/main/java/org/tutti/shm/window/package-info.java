/// Windows in the job's memory: where they lie, and when their memory is given back. What happens in them is the
/// same wherever ranks share memory: [org.tutti.coll.window].
@NullMarked
package org.tutti.shm.window;

import org.jspecify.annotations.NullMarked;
