/// Resolves and downloads artifacts with Maven's resolver, for `//DEPS` and `tutti fetch`.
///
/// The jars of this package and of the resolver are in the folder `lib/resolve` of an installation. The command
/// loads the jars with a separate class loader and uses only the interface
/// [org.tutti.launch.artifact.Repositories].
@NullMarked
package org.tutti.resolve;

import org.jspecify.annotations.NullMarked;
