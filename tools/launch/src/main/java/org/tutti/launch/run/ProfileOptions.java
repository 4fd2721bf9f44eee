package org.tutti.launch.run;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// What is made of the calls that ranks write down.
///
/// @param profile whether to say at the end where the time went
/// @param trace the file for a picture of all calls; null for none
public record ProfileOptions(boolean profile, @Nullable Path trace) {}
