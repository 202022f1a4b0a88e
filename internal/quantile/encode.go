package quantile

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

var errSketch = errors.New("quantile: not a sketch")

// Encode encodes the sketch: the sum, the count, and for each bucket in use the number of empty buckets before it and
// its count. An empty sketch has no bytes. Equal sketches have equal bytes.
func (s *Sketch) Encode() []byte {
	if s.count == 0 {
		return nil
	}
	b := binary.AppendUvarint(nil, uint64(s.sum))
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

// Decode parses the result of Encode.
func Decode(b []byte) (*Sketch, error) {
	s := new(Sketch)
	if len(b) == 0 {
		return s, nil
	}
	var numbers []uint64
	for len(b) > 0 {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return nil, errSketch
		}
		numbers, b = append(numbers, n), b[size:]
	}
	if len(numbers) < 4 || len(numbers)%2 != 0 || numbers[0] > math.MaxInt64 {
		return nil, errSketch
	}
	s.sum = int64(numbers[0])
	bucket := -1
	for pair := range slices.Chunk(numbers[2:], 2) {
		skipped, n := pair[0], pair[1]
		if skipped >= uint64(sketchBuckets-bucket-1) || n == 0 || n > uint64(sketchCount-s.count) {
			return nil, errSketch
		}
		bucket += int(skipped) + 1
		s.grow(bucket + 1)
		s.counts[bucket] = uint32(n)
		s.count += int64(n)
	}
	if uint64(s.count) != numbers[1] || !s.plausible() {
		return nil, errSketch
	}
	return s, nil
}

// MergeEncoded adds the result of Encode to each of the sketches. On an error nothing is added.
func MergeEncoded(b []byte, into ...*Sketch) error {
	s, err := Decode(b)
	if err != nil {
		return err
	}
	for _, sketch := range into {
		sketch.Merge(s)
	}
	return nil
}
