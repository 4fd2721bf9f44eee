package org.tutti.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;

/// The files of a new project: resource files in which values replace the placeholders `{{NAME}}`.
final class ProjectTemplate {
    /// The name of the command in the files of a project. The files do not contain a path, because they are
    /// written for users of an installed Tutti.
    static final String COMMAND = "tutti";

    private static final int DESCRIPTION_GAP = 7;

    /// How the project is built.
    enum Build {
        MAVEN("target/\n", "mvn -q test", " run -n 4 -cp target/classes Main"),
        GRADLE("build/\n.gradle/\n", "gradle test", " run -n 4 -cp build/classes/java/main Main"),
        KOTLIN("target/\n", "mvn -q test", " run -n 4 -cp 'target/classes:target/lib/*' MainKt"),
        NONE("", null, " run -n 4 Main.java");

        private final String ignored;
        private final @Nullable String test;
        private final String run;

        Build(String ignored, @Nullable String test, String run) {
            this.ignored = ignored;
            this.test = test;
            this.run = run;
        }
    }

    /// The program in the project.
    ///
    /// @param folder of the resources
    /// @param module the additional module of Tutti; null for none
    enum Content {
        MESSAGES("messages", null),
        POOL("pool", "tutti-futures"),
        TRAINING("train", "tutti-train");

        private final String folder;
        private final @Nullable String module;

        Content(String folder, @Nullable String module) {
            this.folder = folder;
            this.module = module;
        }
    }

    private final Build build;
    private final Content content;
    private final Properties values;

    ProjectTemplate(Build build, Content content) throws IOException {
        this.build = build;
        this.content = content;
        values = new Properties();
        try (InputStream in = resource("versions.properties")) {
            values.load(in);
        }
    }

    /// Returns the command that compiles and tests the project; null for a single file.
    @Nullable
    String testCommand() {
        return build.test;
    }

    /// @param command the command `tutti`, or the path of the script
    String runCommand(String command) {
        return command + build.run;
    }

    /// Returns the version of Tutti that the project uses.
    String tuttiVersion() {
        return values.getProperty("tutti");
    }

    /// Writes all files.
    ///
    /// @throws UsageException if one of the files exists; no file is written
    /// @throws IOException if a file cannot be written; the files of this call are deleted
    void write(Path directory) throws IOException {
        Map<String, String> files = files(projectName(directory));
        for (String name : files.keySet()) {
            Path file = directory.resolve(name);
            // a link without a target is a file, too
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                throw new UsageException("init " + directory + ": " + file
                        + " exists, and init overwrites no file; name another directory");
            }
        }
        List<Path> written = new ArrayList<>();
        try {
            for (Map.Entry<String, String> file : files.entrySet()) {
                Path path = directory.resolve(file.getKey());
                Files.createDirectories(path.toAbsolutePath().getParent());
                Files.createFile(path);
                written.add(path);
                Files.writeString(path, file.getValue());
            }
        } catch (IOException e) {
            // otherwise the next call would reject these files as existing
            for (Path path : written) Files.deleteIfExists(path);
            throw e;
        }
    }

    /// Returns the name of the directory, reduced to the characters that Maven permits.
    private static String projectName(Path directory) {
        Path name = directory.toAbsolutePath().normalize().getFileName();
        String text = name == null ? "" : name.toString().replaceAll("[^A-Za-z0-9_.-]+", "-");
        return text.matches("[.-]*") ? "project" : text;
    }

    private Map<String, String> files(String name) throws IOException {
        Map<String, String> files = new LinkedHashMap<>();
        values.setProperty("name", name);
        String run = runCommand(COMMAND), line = "    %-" + (run.length() + DESCRIPTION_GAP) + "s%s";
        values.setProperty(
                "commands",
                (build.test == null ? "" : line.formatted(build.test, "compile and test\n"))
                        + line.formatted(run, "run on 4 ranks"));
        String sources = content.folder;
        switch (build) {
            case MAVEN -> {
                values.setProperty("modules", ofMaven());
                files.put("pom.xml", filled("pom.xml"));
                files.put("src/main/java/Main.java", filled(sources + "/Main.java"));
                files.put("src/test/java/MainTest.java", filled(sources + "/MainTest.java"));
            }
            case GRADLE -> {
                values.setProperty("modules", ofGradle());
                files.put("build.gradle", filled("build.gradle"));
                files.put("settings.gradle", filled("settings.gradle"));
                files.put("src/main/java/Main.java", filled(sources + "/Main.java"));
                files.put("src/test/java/MainTest.java", filled(sources + "/MainTest.java"));
            }
            case KOTLIN -> {
                files.put("pom.xml", filled("kotlin/pom.xml"));
                files.put("src/main/kotlin/Main.kt", filled("kotlin/Main.kt"));
                files.put("src/test/kotlin/MainTest.kt", filled("kotlin/MainTest.kt"));
            }
            case NONE -> files.put("Main.java", directives() + filled(sources + "/Main.java"));
        }
        if (!build.ignored.isEmpty()) files.put(".gitignore", build.ignored);
        files.put("README.md", readme(files));
        return files;
    }

    private String readme(Map<String, String> files) throws IOException {
        String program = "", test = "";
        for (String file : files.keySet()) {
            if (file.contains("/Main.") || file.equals("Main.java")) program = file;
            if (file.contains("MainTest.")) test = ", the test is `" + file + "`";
        }
        values.setProperty("program", program);
        values.setProperty("tests", test);
        return filled("README.md");
    }

    private String ofMaven() {
        if (content.module == null) return "";
        return "    <dependency>\n      <groupId>org.tutti</groupId>\n      <artifactId>" + content.module
                + "</artifactId>\n    </dependency>\n";
    }

    private String ofGradle() {
        return content.module == null ? "" : "    implementation 'org.tutti:" + content.module + "'\n";
    }

    /// Returns the first lines of a single file, with which jbang runs the same file.
    private String directives() {
        String version = ":" + tuttiVersion();
        String module = content.module == null ? "" : " org.tutti:" + content.module + version;
        return "//JAVA 25+\n//DEPS org.tutti:tutti" + version + module + "\n\n";
    }

    private String filled(String name) throws IOException {
        String text;
        try (InputStream in = resource(name)) {
            text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        for (String key : values.stringPropertyNames()) text = text.replace("{{" + key + "}}", values.getProperty(key));
        return text;
    }

    private static InputStream resource(String name) {
        return Objects.requireNonNull(ProjectTemplate.class.getResourceAsStream("init/" + name), name);
    }
}
