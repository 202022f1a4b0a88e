package quantile

import (
	"encoding/binary"
	"errors"
	"math"
)

var errSketch = errors.New("quantile: not a sketch")

// A stored sketch is empty when nothing was counted. Otherwise it has its sum, its count and the buckets in use, each with the
// number of buckets skipped before it and its count.

// Encode writes the sketch. Equal sketches have equal bytes.
func (s *Sketch) Encode() []byte {
	if s.count == 0 {
		return nil
	}
	b := make([]byte, 0, 32+len(s.counts))
	b = binary.AppendUvarint(b, uint64(s.sum))
	b = binary.AppendUvarint(b, uint64(s.count))
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
	if !ok1 || !ok2 || sum > math.MaxInt64 || count == 0 || count > sketchCount {
		return errSketch
	}
	top, ok := lastListed(b)
	if !ok {
		return errSketch
	}
	for _, s := range into {
		s.sum += int64(sum)
		s.count += int64(count)
		s.grow(top + 1)
		addListed(s.counts, b)
	}
	return nil
}

// lastListed returns the highest bucket of a list, and reports whether it is one. Once it has passed, the list
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
