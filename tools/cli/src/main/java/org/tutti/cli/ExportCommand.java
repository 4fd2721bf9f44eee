package org.tutti.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.tutti.launch.JobText;
import org.tutti.launch.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `tutti export`: writes the Python script that exports a model of PyTorch.
@Command(
        name = "export",
        sortOptions = false,
        customSynopsis = "tutti export [DIR]",
        description = {
            "Writes tutti_export.py, which exports PyTorch models for GraphModel.",
            "DIR is the working directory by default. No file is overwritten."
        },
        footer = {
            "",
            "In Python, with PyTorch 2.13:",
            "  from tutti_export import tutti_export",
            "  tutti_export(model, {\"input_ids\": ids, \"labels\": labels}, \"gpt2.pt2\",",
            "               sequence=[\"input_ids\", \"labels\"])",
            "The second argument has the arguments of forward by name, with an example of",
            "at least 2 samples. sequence= names inputs with a variable second dimension.",
            "",
            "In Java:",
            "  GraphModel model = GraphModel.read(Path.of(\"gpt2.pt2\"));",
            "docs/models-from-python.md describes the next steps."
        })
final class ExportCommand implements Callable<Integer> {
    private static final String SCRIPT = "tutti_export.py";

    @Parameters(arity = "0..1", hidden = true)
    String directory = "";

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws IOException {
        byte[] script;
        try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream("export/" + SCRIPT))) {
            script = in.readAllBytes();
        }
        Path target = Path.of(directory).resolve(SCRIPT);
        try {
            if (!Files.exists(target)) {
                Path parent = target.getParent();
                if (parent != null) Files.createDirectories(parent);
                Files.write(target, script);
            } else if (!Files.isRegularFile(target) || !Arrays.equals(Files.readAllBytes(target), script)) {
                throw new UsageException("export: " + target + " exists; name another directory: tutti export DIR");
            }
        } catch (IOException e) {
            throw new UsageException("export: " + JobText.reason(e));
        }
        System.out.println(target);
        return 0;
    }
}
