/// Rules of the source tree: dependencies between packages, sizes of files and packages, the API (docs/api),
/// published modules. A test of all modules reads the list in the root's pom.
package org.tutti.e2e.rules;
