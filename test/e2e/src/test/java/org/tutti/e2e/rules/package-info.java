/// Rules for the source tree: dependencies between packages, sizes of files and packages, the API (docs/api),
/// and published modules. Tests of all modules read the list of modules in the root pom.
package org.tutti.e2e.rules;
