/// What `tutti run --profile` says at the end of a job: where its time went, in a page of lines.
@NullMarked
package org.tutti.launch.profile;

import org.jspecify.annotations.NullMarked;
