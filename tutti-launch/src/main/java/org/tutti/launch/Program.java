package org.tutti.launch;

/// Something that ranks can run.
///
/// @param mainClass its binary name
/// @param classPath absolute entries
record Program(String mainClass, String classPath) {}
