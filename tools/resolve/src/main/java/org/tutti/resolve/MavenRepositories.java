package org.tutti.resolve;

import eu.maveniverse.maven.mima.context.Context;
import eu.maveniverse.maven.mima.context.ContextOverrides;
import eu.maveniverse.maven.mima.runtime.standalonestatic.StandaloneStaticRuntime;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.apache.maven.settings.building.DefaultSettingsBuilderFactory;
import org.apache.maven.settings.building.DefaultSettingsBuildingRequest;
import org.apache.maven.settings.building.SettingsBuildingException;
import org.eclipse.aether.AbstractRepositoryListener;
import org.eclipse.aether.RepositoryEvent;
import org.eclipse.aether.RepositoryException;
import org.eclipse.aether.RepositorySystemSession;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.ArtifactType;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.artifact.DefaultArtifactType;
import org.eclipse.aether.collection.CollectRequest;
import org.eclipse.aether.graph.Dependency;
import org.eclipse.aether.graph.Exclusion;
import org.eclipse.aether.repository.RemoteRepository;
import org.eclipse.aether.resolution.ArtifactDescriptorRequest;
import org.eclipse.aether.resolution.ArtifactResult;
import org.eclipse.aether.resolution.DependencyRequest;
import org.eclipse.aether.resolution.VersionRangeRequest;
import org.eclipse.aether.resolution.VersionRangeResult;
import org.eclipse.aether.spi.connector.layout.RepositoryLayoutProvider;
import org.eclipse.aether.transfer.ArtifactNotFoundException;
import org.eclipse.aether.transfer.ArtifactTransferException;
import org.eclipse.aether.util.artifact.JavaScopes;
import org.tutti.launch.artifact.MavenCoordinates;
import org.tutti.launch.artifact.MavenRepository;
import org.tutti.launch.artifact.Repositories;

/// The implementation of [Repositories] with the resolver of Maven 3.9.
public final class MavenRepositories implements Repositories {
    /// Excludes Tutti's modules from the dependencies of libraries, because the command contains these modules.
    private static final List<Exclusion> TUTTI = List.of(new Exclusion("org.tutti", "*", "*", "*"));

    /// The directory of the settings and of the local repository.
    private final Path userHome;

    public MavenRepositories() {
        this(Path.of(System.getProperty("user.home"), ".m2"));
    }

    MavenRepositories(Path userHome) {
        this.userHome = userHome;
    }

    @Override
    public List<Path> resolve(List<MavenCoordinates> artifacts, List<MavenRepository> from, Consumer<String> onDownload)
            throws IOException {
        Set<String> reported = new LinkedHashSet<>();
        ContextOverrides.Builder overrides = overrides().repositoryListener(new AbstractRepositoryListener() {
            @Override
            public synchronized void artifactDownloading(RepositoryEvent event) {
                boolean isFirst = reported.isEmpty();
                String url = ((RemoteRepository) event.getRepository()).getUrl();
                if (reported.add(url) && isFirst) onDownload.accept(url);
            }
        });
        if (!from.isEmpty()) {
            overrides
                    .repositories(from.stream()
                            .map(r -> new RemoteRepository.Builder(r.id(), "default", r.url()).build())
                            .toList())
                    .addRepositoriesOp(ContextOverrides.AddRepositoriesOp.REPLACE);
        }
        try (Context context = new StandaloneStaticRuntime().create(overrides.build())) {
            return resolve(context, artifacts);
        } catch (RepositoryException e) {
            throw new IOException(sentence(e), e);
        }
    }

    private ContextOverrides.Builder overrides() throws IOException {
        return ContextOverrides.create()
                .withMavenUserHomeOverride(userHome)
                .transferListener(new ChecksumFailures())
                .withUserSettings(true)
                .offline(isOffline())
                .extraArtifactTypes(List.of(new DefaultArtifactType("fatjar", "jar", null, "java", true, true)));
    }

    /// Whether the settings forbid network access. The resolver does not read this setting.
    private boolean isOffline() throws IOException {
        Path settings = userHome.resolve("settings.xml");
        if (!Files.isRegularFile(settings)) return false;
        try {
            return new DefaultSettingsBuilderFactory()
                    .newInstance()
                    .build(new DefaultSettingsBuildingRequest()
                            .setUserSettingsFile(settings.toFile())
                            .setSystemProperties(System.getProperties()))
                    .getEffectiveSettings()
                    .isOffline();
        } catch (SettingsBuildingException e) {
            throw new IOException(
                    settings + " is invalid: " + e.getProblems().getFirst().getMessage(), e);
        }
    }

    /// Resolves libraries as jbang does: versions in a BOM, and in the dependency management of a library,
    /// apply to all libraries.
    private static List<Path> resolve(Context context, List<MavenCoordinates> coordinates)
            throws IOException, RepositoryException {
        List<Dependency> managed = new ArrayList<>(), libraries = new ArrayList<>();
        for (MavenCoordinates c : coordinates) if (c.isBom()) managed.addAll(managedBy(context, artifact(context, c)));
        List<Dependency> managedByLibraries = new ArrayList<>();
        for (MavenCoordinates c : coordinates) {
            if (c.isBom()) continue;
            Artifact artifact = artifact(context, c);
            if (c.version().isEmpty()) artifact = artifact.setVersion(versionOf(c, managed));
            else managedByLibraries.addAll(managedBy(context, artifact));
            libraries.add(new Dependency(artifact, JavaScopes.COMPILE, false, TUTTI));
        }
        managed.addAll(managedByLibraries);
        CollectRequest request = new CollectRequest()
                .setDependencies(libraries)
                .setManagedDependencies(managed)
                .setRepositories(context.remoteRepositories());
        List<Path> files = new ArrayList<>();
        for (ArtifactResult result : context.repositorySystem()
                .resolveDependencies(context.repositorySystemSession(), new DependencyRequest(request, null))
                .getArtifactResults()) {
            files.add(result.getArtifact().getFile().toPath());
        }
        return files;
    }

    private static Artifact artifact(Context context, MavenCoordinates c) {
        ArtifactType type =
                context.repositorySystemSession().getArtifactTypeRegistry().get(c.type());
        if (type == null) return new DefaultArtifact(c.group(), c.name(), c.classifier(), c.type(), c.version());
        String classifier = c.classifier().isEmpty() ? type.getClassifier() : c.classifier();
        return new DefaultArtifact(c.group(), c.name(), classifier, type.getExtension(), c.version(), type);
    }

    private static String versionOf(MavenCoordinates c, List<Dependency> managed) throws IOException {
        for (Dependency m : managed) {
            Artifact a = m.getArtifact();
            if (a.getGroupId().equals(c.group()) && a.getArtifactId().equals(c.name())) return a.getVersion();
        }
        throw new IOException(c + " has no version, and no BOM (@pom) in the file contains it; add :VERSION");
    }

    private static List<Dependency> managedBy(Context context, Artifact artifact)
            throws IOException, RepositoryException {
        VersionRangeResult range = context.repositorySystem()
                .resolveVersionRange(
                        context.repositorySystemSession(),
                        new VersionRangeRequest(artifact, context.remoteRepositories(), ""));
        if (range.getHighestVersion() == null) {
            throw new IOException("no version of " + artifact.getGroupId() + ":" + artifact.getArtifactId() + " is in "
                    + artifact.getVersion());
        }
        return context.repositorySystem()
                .readArtifactDescriptor(
                        context.repositorySystemSession(),
                        new ArtifactDescriptorRequest(
                                artifact.setVersion(range.getHighestVersion().toString()),
                                context.remoteRepositories(),
                                ""))
                .getManagedDependencies();
    }

    /// Returns the innermost message about an artifact; the outer exceptions list all requests.
    private static String sentence(Exception e) {
        String text = String.valueOf(e.getMessage());
        boolean isUnreachable = false;
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof ArtifactNotFoundException || cause instanceof ArtifactTransferException) {
                text = String.valueOf(cause.getMessage());
            }
            if (cause instanceof UnknownHostException || cause instanceof java.net.ConnectException)
                isUnreachable = true;
        }
        return isUnreachable
                ? text + "; connect to the network, or set a mirror or a proxy in ~/.m2/settings.xml"
                : text;
    }

    @Override
    public void download(MavenCoordinates coordinates, Path file, LongConsumer received) throws IOException {
        try (Context context = new StandaloneStaticRuntime().create(overrides().build())) {
            RepositorySystemSession session = context.repositorySystemSession();
            Artifact artifact = artifact(context, coordinates);
            Path local = session.getLocalRepository()
                    .getBasedir()
                    .toPath()
                    .resolve(session.getLocalRepositoryManager().getPathForLocalArtifact(artifact));
            if (Files.isRegularFile(local)) {
                // writes into `file` instead of replacing it, because the caller may hold a lock on it
                try (OutputStream out = Files.newOutputStream(file)) {
                    Files.copy(local, out);
                }
                received.accept(Files.size(file));
                return;
            }
            if (session.isOffline()) {
                throw new IOException("Maven is set to work offline (settings.xml), and " + coordinates
                        + " is not in the local repository");
            }
            download(context, artifact, file, received);
        }
    }

    private static void download(Context context, Artifact artifact, Path file, LongConsumer received)
            throws IOException {
        RepositorySystemSession session = context.repositorySystemSession();
        RepositoryLayoutProvider layouts = context.lookup()
                .lookup(RepositoryLayoutProvider.class)
                .orElseThrow(() -> new IllegalStateException("the resolver is incomplete"));
        List<String> missing = new ArrayList<>();
        for (RemoteRepository repository : context.remoteRepositories()) {
            try {
                new HttpDownload(session, repository)
                        .get(
                                layouts.newRepositoryLayout(session, repository).getLocation(artifact, false),
                                file,
                                received);
                return;
            } catch (NoSuchFileException | FileNotFoundException e) {
                missing.add(repository.getId() + " (" + repository.getUrl() + ")");
            } catch (IOException | RepositoryException e) {
                throw new IOException(sentence(new ArtifactTransferException(artifact, repository, e)), e);
            }
        }
        throw new IOException("there is no " + artifact + " in " + String.join(" and ", missing));
    }
}
