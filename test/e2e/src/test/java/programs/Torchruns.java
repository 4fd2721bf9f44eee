package programs;

import java.util.Map;
import java.util.TreeMap;

/// Prints torchrun's variables without a call of MPI, and executes the action that the first argument selects.
public final class Torchruns {
    private Torchruns() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> variables = new TreeMap<>(System.getenv());
        variables
                .keySet()
                .removeIf(name -> !name.matches("(LOCAL_|GROUP_|TUTTI_)?RANK|(LOCAL_)?WORLD_SIZE|MASTER_ADDR"));
        System.out.println(variables);
        if (System.getenv("MASTER_PORT") == null) throw new IllegalStateException("MASTER_PORT is not set");
        if (args[0].equals("fail") && "1".equals(System.getenv("LOCAL_RANK"))) {
            throw new IllegalStateException("rank " + System.getenv("RANK") + " throws on purpose");
        }
        if (args[0].equals("fail")) Thread.sleep(Long.MAX_VALUE);
    }
}
