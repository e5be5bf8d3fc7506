package io.drumlin.checkpoint.internal.hdf5;

import io.drumlin.checkpoint.CompositeType;
import io.drumlin.checkpoint.DataType;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.OpaqueType;
import io.drumlin.checkpoint.internal.data.RunGroup;
import io.drumlin.format.hdf5.Datatype;
import io.drumlin.format.hdf5.StoredDataset;
import io.drumlin.format.hdf5.internal.NewDatatype;
import io.drumlin.format.hdf5.internal.NewGroup;
import io.drumlin.format.hdf5.internal.NewObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The groups and types of an HDF5 file before it is written, as C FTI writes them (docs/formats/fti-hdf5.md). */
public final class Hdf5Tree {

    private final NewGroup root = new NewGroup();
    /** By the program's group, also if the tree is made from a copy, because types refer to the program's groups. */
    private final Map<RunGroup, NewGroup> groups = new HashMap<>();

    /** The types found so far, including those that are only part of other types. */
    private final Map<DataType, Datatype> described = new HashMap<>();

    private final Map<DataType, NewDatatype> named = new HashMap<>();

    /**
     * Makes the groups of a run, without datasets.
     *
     * @param groups the root of the run
     */
    public Hdf5Tree(RunGroup groups) {
        add(groups, root);
    }

    private void add(RunGroup group, NewGroup made) {
        groups.put(group.original(), made);
        for (RunGroup child : group.children()) {
            add(child, made.add(child.name(), new NewGroup()));
        }
    }

    public NewGroup root() {
        return root;
    }

    public NewGroup group(RunGroup group) {
        NewGroup made = groups.get(group.original());
        if (made == null) {
            throw new IllegalArgumentException("group " + group.path() + " is of another run");
        }
        return made;
    }

    /** Returns the named type of a type, if it has one. */
    public Optional<NewDatatype> named(DataType type) {
        return Optional.ofNullable(named.get(type));
    }

    /**
     * Names a type as C FTI does: a type of the program gets a name, unless it was first found as a part of another
     * type.
     */
    public void nameOnce(DataType type) {
        if (type instanceof ElementType || described.containsKey(type)) {
            return;
        }
        NewDatatype made = new NewDatatype(describe(type));
        String name;
        NewGroup group = root;
        if (type instanceof CompositeType composite) {
            name = composite.name();
            group = composite.group().map(RunGroup::of).map(this::group).orElse(root);
        } else {
            name = ((OpaqueType) type).name();
        }
        Optional<NewObject> there = group.get(name);
        if (there.isPresent()
                && there.get() instanceof NewDatatype same
                && same.type().equals(made.type())) {
            // The same type was described twice, for example by two layouts of one record.
            named.put(type, same);
        } else {
            named.put(type, group.add(name, made));
        }
    }

    /** Returns how the elements of a dataset ("there") differ from those of a type ("here"); empty if they do not. */
    public static Optional<String> difference(StoredDataset dataset, DataType type) {
        try {
            return dataset.type().difference(describeAlone(type));
        } catch (IllegalArgumentException | ArithmeticException e) {
            return Optional.of(dataset.type() + " there, and here " + e.getMessage());
        }
    }

    /** Returns how two types of the program differ; empty if they do not. */
    public static Optional<String> difference(DataType there, DataType here) {
        return there == here ? Optional.empty() : describeAlone(there).difference(describeAlone(here));
    }

    private static Datatype describeAlone(DataType type) {
        return new Hdf5Tree(new RunGroup()).describe(type);
    }

    public Datatype describe(DataType type) {
        Datatype known = described.get(type);
        if (known != null) {
            return known;
        }
        Datatype made;
        if (type instanceof ElementType element) {
            made = describe(element);
        } else if (type instanceof CompositeType composite) {
            made = describe(composite);
        } else {
            // C FTI describes such elements as a number of 8 bits, and the rest as padding.
            made = Datatype.integer(type.size(), Byte.SIZE, true);
        }
        described.put(type, made);
        return made;
    }

    private static Datatype describe(ElementType type) {
        return switch (type) {
            case CHAR, SHRT, INTG, LONG -> Datatype.integer(type.size(), type.size() * Byte.SIZE, true);
            case UCHR, USHT, UINT, ULNG -> Datatype.integer(type.size(), type.size() * Byte.SIZE, false);
            case SFLT -> Datatype.ieee32();
            case DBLE -> Datatype.ieee64();
            case LDBE -> Datatype.extended80();
        };
    }

    private Datatype describe(CompositeType type) {
        List<Datatype.Member> members = new ArrayList<>();
        for (CompositeType.Field field : type.fields()) {
            Datatype element = describe(field.type());
            // As in C FTI, an array of one element is a scalar.
            boolean scalar = field.dimensions().isEmpty() || field.dimensions().equals(List.of(1L));
            Datatype.Member member = new Datatype.Member(
                    field.name(), field.offset(), scalar ? element : Datatype.array(element, field.dimensions()));
            // Like C FTI, which continues if the library refuses a field. The elements still contain the bytes of this
            // field.
            if (members.stream().noneMatch(member::excludes)) {
                members.add(member);
            }
        }
        try {
            return Datatype.compound(type.size(), members);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(type + ": " + e.getMessage(), e);
        }
    }
}
