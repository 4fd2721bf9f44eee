package programs.faults;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.ProviderMismatchException;
import java.nio.file.StandardOpenOption;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The default file system, except that operations fail as [Faults] specifies. The text of a path is that of
/// the default file system.
final class FaultyFileSystem extends FileSystem {
    private static final FileSystem REAL = FileSystems.getDefault();

    private final Faults faults;
    private final Provider provider = new Provider();

    FaultyFileSystem(Faults faults) {
        this.faults = faults;
    }

    /// Returns the path in this file system.
    Path of(Path real) {
        return new FaultyPath(real);
    }

    private static Path real(Path path) {
        if (path instanceof FaultyPath faulty) return faulty.real;
        throw new ProviderMismatchException(path + " is of a different file system");
    }

    @Override
    public FileSystemProvider provider() {
        return provider;
    }

    @Override
    public void close() {}

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return REAL.getSeparator();
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return REAL.getRootDirectories();
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return REAL.getFileStores();
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return REAL.supportedFileAttributeViews();
    }

    @Override
    public Path getPath(String first, String... more) {
        return of(REAL.getPath(first, more));
    }

    @Override
    public PathMatcher getPathMatcher(String pattern) {
        PathMatcher real = REAL.getPathMatcher(pattern);
        return path -> real.matches(real(path));
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        return REAL.getUserPrincipalLookupService();
    }

    @Override
    public WatchService newWatchService() throws IOException {
        return REAL.newWatchService();
    }

    private final class FaultyPath implements Path {
        private final Path real;

        FaultyPath(Path real) {
            this.real = real;
        }

        private @Nullable Path wrap(@Nullable Path other) {
            return other == null ? null : new FaultyPath(other);
        }

        @Override
        public FileSystem getFileSystem() {
            return FaultyFileSystem.this;
        }

        @Override
        public boolean isAbsolute() {
            return real.isAbsolute();
        }

        @Override
        public @Nullable Path getRoot() {
            return wrap(real.getRoot());
        }

        @Override
        public @Nullable Path getFileName() {
            return wrap(real.getFileName());
        }

        @Override
        public @Nullable Path getParent() {
            return wrap(real.getParent());
        }

        @Override
        public int getNameCount() {
            return real.getNameCount();
        }

        @Override
        public Path getName(int index) {
            return new FaultyPath(real.getName(index));
        }

        @Override
        public Path subpath(int begin, int end) {
            return new FaultyPath(real.subpath(begin, end));
        }

        @Override
        public boolean startsWith(Path other) {
            return other instanceof FaultyPath p && real.startsWith(p.real);
        }

        @Override
        public boolean endsWith(Path other) {
            return other instanceof FaultyPath p && real.endsWith(p.real);
        }

        @Override
        public Path normalize() {
            return new FaultyPath(real.normalize());
        }

        @Override
        public Path resolve(Path other) {
            return new FaultyPath(real.resolve(real(other)));
        }

        @Override
        public Path relativize(Path other) {
            return new FaultyPath(real.relativize(real(other)));
        }

        @Override
        public URI toUri() {
            return real.toUri();
        }

        @Override
        public Path toAbsolutePath() {
            return new FaultyPath(real.toAbsolutePath());
        }

        @Override
        public Path toRealPath(LinkOption... options) throws IOException {
            faults.step("toRealPath", real, false);
            return new FaultyPath(real.toRealPath(options));
        }

        @Override
        public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
                throws IOException {
            return real.register(watcher, events, modifiers);
        }

        @Override
        public int compareTo(Path other) {
            return real.compareTo(real(other));
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof FaultyPath p && real.equals(p.real);
        }

        @Override
        public int hashCode() {
            return real.hashCode();
        }

        @Override
        public String toString() {
            return real.toString();
        }
    }

    private final class Provider extends FileSystemProvider {
        private final FileSystemProvider to = REAL.provider();

        @Override
        public String getScheme() {
            return "faulty";
        }

        @Override
        public FileSystem newFileSystem(URI uri, Map<String, ?> env) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileSystem getFileSystem(URI uri) {
            return FaultyFileSystem.this;
        }

        @Override
        public Path getPath(URI uri) {
            return of(Path.of(uri));
        }

        @Override
        public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
                throws IOException {
            Path real = real(path);
            boolean writes =
                    options.contains(StandardOpenOption.CREATE) || options.contains(StandardOpenOption.CREATE_NEW);
            faults.step("open", real, writes);
            return new Channel(to.newFileChannel(real, options, attributes), real);
        }

        @Override
        public SeekableByteChannel newByteChannel(
                Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
            return newFileChannel(path, options.isEmpty() ? Set.of(StandardOpenOption.READ) : options, attributes);
        }

        @Override
        public DirectoryStream<Path> newDirectoryStream(Path dir, DirectoryStream.Filter<? super Path> filter)
                throws IOException {
            Path real = real(dir);
            faults.step("list", real, false);
            DirectoryStream<Path> entries = to.newDirectoryStream(real, p -> filter.accept(new FaultyPath(p)));
            faults.open.put(entries, real);
            return new DirectoryStream<>() {
                @Override
                public Iterator<Path> iterator() {
                    Iterator<Path> all = entries.iterator();
                    return new Iterator<>() {
                        @Override
                        public boolean hasNext() {
                            return all.hasNext();
                        }

                        @Override
                        public Path next() {
                            return new FaultyPath(all.next());
                        }
                    };
                }

                @Override
                public void close() throws IOException {
                    faults.open.remove(entries);
                    entries.close();
                }
            };
        }

        @Override
        public void createDirectory(Path dir, FileAttribute<?>... attributes) throws IOException {
            faults.step("createDirectory", real(dir), true);
            to.createDirectory(real(dir), attributes);
        }

        @Override
        public void delete(Path path) throws IOException {
            faults.step("delete", real(path), false);
            to.delete(real(path));
        }

        @Override
        public void copy(Path source, Path target, CopyOption... options) throws IOException {
            faults.step("copy", real(target), true);
            to.copy(real(source), real(target), options);
        }

        @Override
        public void move(Path source, Path target, CopyOption... options) throws IOException {
            faults.step("move", real(target), true);
            to.move(real(source), real(target), options);
        }

        @Override
        public boolean isSameFile(Path path, Path other) throws IOException {
            return to.isSameFile(real(path), real(other));
        }

        @Override
        public boolean isHidden(Path path) throws IOException {
            return to.isHidden(real(path));
        }

        @Override
        public FileStore getFileStore(Path path) throws IOException {
            return to.getFileStore(real(path));
        }

        @Override
        public void checkAccess(Path path, AccessMode... modes) throws IOException {
            to.checkAccess(real(path), modes);
        }

        @Override
        public <V extends FileAttributeView> @Nullable V getFileAttributeView(
                Path path, Class<V> type, LinkOption... options) {
            return to.getFileAttributeView(real(path), type, options);
        }

        @Override
        public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
                throws IOException {
            // Files.exists and similar methods read BasicFileAttributes and cannot throw
            if (type != BasicFileAttributes.class) faults.step("readAttributes", real(path), false);
            return to.readAttributes(real(path), type, options);
        }

        @Override
        public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options)
                throws IOException {
            faults.step("readAttributes", real(path), false);
            return to.readAttributes(real(path), attributes, options);
        }

        @Override
        public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
            faults.step("setAttribute", real(path), true);
            to.setAttribute(real(path), attribute, value, options);
        }
    }

    /// A channel in which every second write is incomplete, so that programs must write the remaining bytes.
    private final class Channel extends FileChannel {
        private final FileChannel to;
        private final Path file;
        private boolean isShort;

        Channel(FileChannel to, Path file) {
            this.to = to;
            this.file = file;
            faults.open.put(this, file);
        }

        private void step(String operation, boolean writes) throws IOException {
            faults.step("channel " + operation, file, writes);
        }

        @Override
        public int read(ByteBuffer into) throws IOException {
            step("read", false);
            return to.read(into);
        }

        @Override
        public long read(ByteBuffer[] into, int at, int count) throws IOException {
            step("read", false);
            return to.read(into, at, count);
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            step("write", true);
            int whole = from.limit();
            from.limit(from.position() + part(from.remaining()));
            try {
                return to.write(from);
            } finally {
                from.limit(whole);
            }
        }

        private int part(int bytes) {
            isShort = !isShort;
            return isShort && bytes > 1 ? bytes / 2 : bytes;
        }

        @Override
        public long write(ByteBuffer[] from, int at, int count) throws IOException {
            step("write", true);
            return to.write(from, at, count);
        }

        @Override
        public long position() throws IOException {
            return to.position();
        }

        @Override
        public FileChannel position(long position) throws IOException {
            to.position(position);
            return this;
        }

        @Override
        public long size() throws IOException {
            return to.size();
        }

        @Override
        public FileChannel truncate(long size) throws IOException {
            step("truncate", false);
            to.truncate(size);
            return this;
        }

        @Override
        public void force(boolean metadata) throws IOException {
            step("force", true);
            to.force(metadata);
        }

        @Override
        public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
            step("read", false);
            return to.transferTo(position, count, target);
        }

        @Override
        public long transferFrom(ReadableByteChannel source, long position, long count) throws IOException {
            step("write", true);
            return to.transferFrom(source, position, count);
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            step("read", false);
            return to.read(into, position);
        }

        @Override
        public int write(ByteBuffer from, long position) throws IOException {
            step("write", true);
            int whole = from.limit();
            from.limit(from.position() + part(from.remaining()));
            try {
                return to.write(from, position);
            } finally {
                from.limit(whole);
            }
        }

        @Override
        public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
            step("map", false);
            return to.map(mode, position, size);
        }

        @Override
        public MemorySegment map(MapMode mode, long offset, long size, Arena arena) throws IOException {
            step("map", false);
            return to.map(mode, offset, size, arena);
        }

        @Override
        public FileLock lock(long position, long size, boolean shared) throws IOException {
            step("lock", false);
            return to.lock(position, size, shared);
        }

        @Override
        public @Nullable FileLock tryLock(long position, long size, boolean shared) throws IOException {
            step("lock", false);
            return to.tryLock(position, size, shared);
        }

        @Override
        protected void implCloseChannel() throws IOException {
            faults.open.remove(this);
            to.close();
        }

        @Override
        public String toString() {
            return Objects.toString(file);
        }
    }
}
