/// Text that all commands write: JSON, and names that were probably meant. Knows nothing of jobs.
@NullMarked
package org.tutti.launch.text;

import org.jspecify.annotations.NullMarked;
