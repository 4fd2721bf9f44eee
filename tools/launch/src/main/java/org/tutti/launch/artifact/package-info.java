/// Artifacts of Maven repositories: libraries that a source file declares, and libraries that `tutti fetch`
/// downloads.
///
///     SourceDirectives: //DEPS, //REPOS ──▶ Repositories ◀── loaded from lib/resolve by ResolverJars
///
/// The implementation of [Repositories] is the module tutti-resolve, which uses the resolver of Maven. The
/// resolver is as large as Tutti, so it is not on the class path; a separate class loader loads it when an
/// artifact is needed.
@NullMarked
package org.tutti.launch.artifact;

import org.jspecify.annotations.NullMarked;
