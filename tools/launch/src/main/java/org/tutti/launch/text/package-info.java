/// Text formats of all commands: JSON, arguments in shell syntax, and suggestions for misspelled names.
/// Independent of jobs.
@NullMarked
package org.tutti.launch.text;

import org.jspecify.annotations.NullMarked;
