package quantile

import (
	"encoding/binary"
	"errors"
	"math"
)

var errSketch = errors.New("quantile: not a sketch")

// A stored sketch is nothing at all when it is empty. Otherwise it starts with its sum, its count and a zero; then the
// buckets in use are listed, each with the number of buckets skipped before it and its count.
//
// Earlier versions stored many buckets as planes, whose number stands in the place of the zero. They are read still, and
// written as a list when they change. The first plane holds the lowest four bits of every count, the next the four bits
// above, and so on; each starts with its first group of 16 buckets and how many groups it has.
const (
	sketchGroup  = 16 // buckets; they are a multiple of it
	sketchPlanes = 8  // at most: a count has 32 bits
)

// Encode writes the sketch. Equal sketches have equal bytes.
func (s *Sketch) Encode() []byte {
	if s.count == 0 {
		return nil
	}
	b := make([]byte, 0, 32+len(s.counts))
	b = binary.AppendUvarint(b, uint64(s.sum))
	b = binary.AppendUvarint(b, uint64(s.count))
	b = append(b, 0)
	last := -1
	for bucket, n := range s.counts {
		if n != 0 {
			b = binary.AppendUvarint(b, uint64(bucket-last-1))
			b = binary.AppendUvarint(b, uint64(n))
			last = bucket
		}
	}
	return b
}

// Decode reads what Encode wrote. Bytes that are no sketch are an error.
func Decode(b []byte) (*Sketch, error) {
	s := new(Sketch)
	if err := MergeEncoded(b, s); err != nil {
		return nil, err
	}
	var count int64
	for _, n := range s.counts {
		count += int64(n)
	}
	if count != s.count || !s.plausible() {
		return nil, errSketch
	}
	return s, nil
}

// MergeEncoded adds what Encode wrote to each of the given sketches. On an error nothing is added. It
// believes the sum and the count that it reads: only Decode checks them against the buckets.
func MergeEncoded(b []byte, into ...*Sketch) error {
	if len(b) == 0 {
		return nil
	}
	sum, b, ok1 := cutUvarint(b)
	count, b, ok2 := cutUvarint(b)
	if !ok1 || !ok2 || sum > math.MaxInt64 || count == 0 || count > sketchCount || len(b) == 0 {
		return errSketch
	}
	planes, b := int(b[0]), b[1:]
	top, ok := sketchBuckets-1, planesFit(b, planes)
	if planes == 0 {
		top, ok = lastListed(b)
	}
	if !ok {
		return errSketch
	}
	for _, s := range into {
		s.sum += int64(sum)
		s.count += int64(count)
		s.grow(top + 1)
		if planes == 0 {
			addListed(s.counts, b)
		} else {
			addPlanes(s.counts, b)
		}
	}
	return nil
}

// planesFit reports whether b is that many planes and nothing else.
func planesFit(b []byte, planes int) bool {
	if planes > sketchPlanes {
		return false
	}
	for range planes {
		if len(b) < 2 || int(b[0])+int(b[1]) > sketchBuckets/sketchGroup || len(b) < 2+8*int(b[1]) {
			return false
		}
		b = b[2+8*int(b[1]):]
	}
	return len(b) == 0
}

// addPlanes adds planes that fit.
func addPlanes(counts []uint32, b []byte) {
	for shift := 0; len(b) > 0; shift += 4 {
		bucket, end := int(b[0])*sketchGroup, 2+8*int(b[1])
		for _, pair := range b[2:end] {
			counts[bucket] += uint32(pair&15) << shift
			counts[bucket+1] += uint32(pair>>4) << shift
			bucket += 2
		}
		b = b[end:]
	}
}

// lastListed gives the highest bucket of a list, and false where it is none. Once it has passed, the list
// can be read without a check.
func lastListed(b []byte) (top int, ok bool) {
	top = -1
	for len(b) > 0 {
		skip, rest, ok1 := cutUvarint(b)
		n, rest, ok2 := cutUvarint(rest)
		if !ok1 || !ok2 || skip >= uint64(sketchBuckets-top-1) || n == 0 || n > sketchCount {
			return 0, false
		}
		top += int(skip) + 1
		b = rest
	}
	return top, top >= 0
}

func addListed(counts []uint32, b []byte) {
	for bucket := 0; len(b) > 0; bucket++ {
		skip, rest, _ := cutUvarint(b)
		n, rest, _ := cutUvarint(rest)
		bucket += int(skip)
		counts[bucket] += uint32(n)
		b = rest
	}
}

// cutUvarint takes a number off the front. Most have a single byte.
func cutUvarint(b []byte) (n uint64, rest []byte, ok bool) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), b[1:], true
	}
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return 0, nil, false
	}
	return n, b[size:], true
}
