package model

import "math/bits"

// A set of a few known names, such as events, is a bit for each, at its place in the list of all.

// bitOf is zero for a name that is not in the list.
func bitOf[T ~string](all []T, name T) uint32 {
	for i, known := range all {
		if name == known {
			return 1 << i
		}
	}
	return 0
}

func bitsOf[T ~string](all, names []T) (set uint32) {
	for _, name := range names {
		set |= bitOf(all, name)
	}
	return set
}

// parseBits reads the names of a request's field. A name given twice counts once, an unknown one is an error.
func parseBits[T ~string](all []T, noun, field string, names []string) (set uint32, err *Error) {
	for _, name := range names {
		bit := bitOf(all, T(name))
		if bit == 0 {
			return 0, Invalid(field, "there is no "+noun+" "+quoted(name)+"; the "+noun+"s are "+joined(all)+".")
		}
		set |= bit
	}
	return set, nil
}

// listBits gives the names of a set in the order of the list, never nil.
func listBits[T ~string](all []T, set uint32) []T {
	list := make([]T, 0, bits.OnesCount32(set))
	for i, name := range all {
		if set&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return list
}
