package org.tutti.launch;

/// Something that ranks can run.
///
/// @param part what the user said of it
/// @param mainClass its binary name
/// @param classPath absolute entries
record Program(Part part, String mainClass, String classPath) {}
