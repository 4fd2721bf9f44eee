package org.tutti.cli;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The references of a class file, from the constant pool (JVMS 4.4). Parsed here, because the JDK's class-file
/// API is not in the launcher's AOT cache, and would load more slowly than the whole launcher.
///
/// @param texts all text constants
/// @param classes names with slashes
/// @param members the fields and methods that the class uses, for example `mpi/Comm.Send`
record ClassReferences(Set<String> texts, List<String> classes, List<String> members) {
    private static final int MAGIC = 0xCAFEBABE;

    private record Pair(int first, int second) {}

    /// Returns null if it is not a class file.
    static @Nullable ClassReferences read(InputStream file) throws IOException {
        DataInputStream in = new DataInputStream(file);
        if (in.readInt() != MAGIC) return null;
        in.readInt(); // class file version
        int size = in.readUnsignedShort();
        @Nullable String[] texts = new String[size];
        int[] names = new int[size]; // of a class, or of a name and type
        Pair[] uses = new Pair[size];
        boolean[] isClass = new boolean[size];
        for (int i = 1; i < size; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1 -> texts[i] = in.readUTF();
                case 7 -> {
                    names[i] = in.readUnsignedShort();
                    isClass[i] = true;
                }
                case 9, 10, 11 -> uses[i] = new Pair(in.readUnsignedShort(), in.readUnsignedShort());
                case 12 -> {
                    names[i] = in.readUnsignedShort();
                    in.readUnsignedShort();
                }
                case 3, 4, 17, 18 -> in.readInt();
                case 5, 6 -> {
                    in.readLong();
                    i++; // a long or a double occupies two entries
                }
                case 8, 16, 19, 20 -> in.readUnsignedShort();
                case 15 -> in.skipNBytes(3);
                default -> {
                    return null;
                }
            }
        }
        ClassReferences all = new ClassReferences(new HashSet<>(), new ArrayList<>(), new ArrayList<>());
        for (int i = 1; i < size; i++) {
            String text = texts[i];
            if (text != null) all.texts.add(text);
            if (isClass[i]) all.classes.add(String.valueOf(texts[names[i]]));
            if (uses[i] != null) all.members.add(texts[names[uses[i].first]] + "." + texts[names[uses[i].second]]);
        }
        return all;
    }
}
