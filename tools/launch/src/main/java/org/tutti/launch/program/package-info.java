/// From what the user named to what a JVM can run.
///
///     ProgramSpec: a source file, a jar or a class ──Programs──▶ Program: main class and class path
///                          └── SourceCache ──▶ SourceCompiler: compiled once, kept as a jar
///
/// [Jars] are what every rank needs of Tutti itself; [MainMethod] is what a program begins with, looked for
/// here and called by the rank. [CurrentJvm] is the program that runs in this JVM already, for ranks that
/// it spawns.
@NullMarked
package org.tutti.launch.program;

import org.jspecify.annotations.NullMarked;
