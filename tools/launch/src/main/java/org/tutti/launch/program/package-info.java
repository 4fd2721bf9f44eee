/// Resolution of the program that the user specified.
///
///     ProgramSpec: a source file, a jar or a class ──Programs──▶ Program: main class and class path
///                          └── SourceCache ──▶ SourceCompiler: compiled once, stored as a jar
///                                          ──▶ DeclaredLibraries: the jars of //DEPS
///
/// [Jars] are the files of Tutti that every rank needs. [MainMethod] is the start method of a program, resolved
/// here and called by the rank. [CurrentJvm] describes the program that runs in this JVM, for ranks that it
/// spawns.
@NullMarked
package org.tutti.launch.program;

import org.jspecify.annotations.NullMarked;
