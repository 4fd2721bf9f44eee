package org.tutti.mpi;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/// See [Mpi#startInfo].
final class StartInfo {
    private StartInfo() {}

    static Map<String, String> of(Mpi mpi) {
        ProcessHandle.Info process = ProcessHandle.current().info();
        Map<String, String> info = new TreeMap<>();
        process.command().ifPresent(command -> info.put("command", command));
        process.arguments().ifPresent(arguments -> info.put("argv", String.join(" ", arguments)));
        info.put("maxprocs", Integer.toString(mpi.world().size()));
        info.put("wdir", System.getProperty("user.dir"));
        info.put("host", mpi.processorName());
        info.put("arch", System.getProperty("os.arch"));
        info.put("thread_level", "MPI_THREAD_MULTIPLE");
        return Collections.unmodifiableMap(info);
    }
}
