package org.tutti.launch.program;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;

/// Holds the classes that javac generates in memory instead of on disk.
final class ClassesInMemory extends ForwardingJavaFileManager<StandardJavaFileManager> {
    private final Map<String, ByteArrayOutputStream> classes = new TreeMap<>();

    private final Set<String> packagesOfSources = new TreeSet<>();

    ClassesInMemory(StandardJavaFileManager files) {
        super(files);
    }

    @Override
    public Iterable<JavaFileObject> list(
            JavaFileManager.Location location, String packageName, Set<JavaFileObject.Kind> kinds, boolean recurse)
            throws IOException {
        if (location == StandardLocation.SOURCE_PATH) packagesOfSources.add(packageName);
        return super.list(location, packageName, kinds, recurse);
    }

    /// Returns the packages in which the compiler has searched for sources.
    Set<String> packagesOfSources() {
        return packagesOfSources;
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
            JavaFileManager.Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
        String path = className.replace('.', '/') + kind.extension;
        return new SimpleJavaFileObject(URI.create("memory:///" + path), kind) {
            @Override
            public OutputStream openOutputStream() {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                classes.put(path, bytes);
                return bytes;
            }
        };
    }

    /// Returns an uncompressed jar. Identical classes produce identical bytes.
    byte[] jar() throws IOException {
        ByteArrayOutputStream jar = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(jar)) {
            zip.setMethod(ZipOutputStream.STORED);
            for (Map.Entry<String, ByteArrayOutputStream> e : classes.entrySet()) {
                byte[] bytes = e.getValue().toByteArray();
                CRC32 crc = new CRC32();
                crc.update(bytes);
                ZipEntry entry = new ZipEntry(e.getKey());
                entry.setTime(0);
                entry.setSize(bytes.length);
                entry.setCompressedSize(bytes.length);
                entry.setCrc(crc.getValue());
                zip.putNextEntry(entry);
                zip.write(bytes);
            }
        }
        return jar.toByteArray();
    }

    /// Returns a loader of the current classes.
    ClassLoader loader(ClassLoader parent) {
        return new ClassLoader(parent) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                ByteArrayOutputStream bytes = classes.get(name.replace('.', '/') + ".class");
                if (bytes == null) throw new ClassNotFoundException(name);
                return defineClass(name, bytes.toByteArray(), 0, bytes.size());
            }
        };
    }
}
