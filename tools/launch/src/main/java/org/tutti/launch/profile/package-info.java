/// The output of `tutti run --profile` at the end of a job: a page that shows where time was spent.
@NullMarked
package org.tutti.launch.profile;

import org.jspecify.annotations.NullMarked;
