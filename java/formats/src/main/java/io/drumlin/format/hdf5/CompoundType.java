package io.drumlin.format.hdf5;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A struct.
 *
 * @param members the members in the order of the message
 */
record CompoundType(int size, List<Member> members) implements Datatype {

    static final int CLASS = 6;

    CompoundType {
        members = List.copyOf(members);
    }

    @Override
    public Optional<String> difference(Datatype here) {
        if (!(here instanceof CompoundType other) || size != other.size || members.size() != other.members.size()) {
            return ScalarType.differenceOf(this, here);
        }
        List<Member> ours = byOffset();
        List<Member> others = other.byOffset();
        for (int i = 0; i < ours.size(); i++) {
            Member one = ours.get(i);
            Member two = others.get(i);
            if (!one.name().equals(two.name()) || one.offset() != two.offset()) {
                return ScalarType.differenceOf(one, two);
            }
            Optional<String> found = one.type().difference(two.type());
            if (found.isPresent()) {
                return Optional.of("member " + one.name() + ": " + found.get());
            }
        }
        return Optional.empty();
    }

    private List<Member> byOffset() {
        return members.stream().sorted(Comparator.comparingInt(Member::offset)).toList();
    }

    @Override
    public String toString() {
        return "compound of " + size + " bytes with " + members.size() + " members";
    }
}
