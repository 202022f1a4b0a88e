// Package quantile estimates quantiles of durations without storing each duration.
package quantile

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// Sketch summarizes durations in seconds: their number, their exact sum and their quantiles. Quantiles are exact up to
// 100 seconds and for a single duration; otherwise the error is at most 1/101 (0.99 %).
//
// Durations can be removed again, and sketches can be merged in any order with the same result. The zero value is an
// empty sketch. Negative durations count as zero, those above 2^32-1 seconds (136 years) as that.
type Sketch struct {
	counts []uint32 // by bucket, up to the highest bucket ever used
	count  int64
	sum    int64
}

const (
	sketchSeconds = math.MaxUint32
	sketchCount   = 1 << 30 // so that the sum fits in an int64
	sketchBuckets = 1024
	sketchWidth   = 101 // see sketchStarts
)

// sketchStarts contains the shortest duration of each bucket and the end of the last one. The width of a bucket is at
// most 2/101 of its start, so its middle is within 1/101 of all its durations.
var sketchStarts = func() (starts [sketchBuckets + 1]int64) {
	for i := 1; i < len(starts); i++ {
		starts[i] = starts[i-1] + max(1, 2*starts[i-1]/sketchWidth)
	}
	return starts
}()

// Add adds n durations of the given length; a negative n removes them. It returns false and changes nothing if the
// sketch does not contain so many or would contain more than 2^30.
func (s *Sketch) Add(seconds, n int64) bool {
	seconds = max(0, min(seconds, sketchSeconds))
	bucket := sketchBucket(seconds)
	if n > sketchCount-s.count || n < 0 && (bucket >= len(s.counts) || int64(s.counts[bucket]) < -n) {
		return false
	}
	s.grow(bucket + 1)
	s.counts[bucket] += uint32(n) // a negative n wraps around to the difference
	s.count += n
	s.sum += seconds * n
	if n < 0 && !s.plausible() {
		s.Add(seconds, -n) // restore the sketch
		return false
	}
	return true
}

// plausible reports whether the sum matches the buckets. It detects the removal of a different duration from the same
// bucket.
func (s *Sketch) plausible() bool {
	var least, most int64
	for bucket, n := range s.counts {
		low, width := sketchRange(bucket)
		least += int64(n) * low
		most += int64(n) * (low + width - 1)
	}
	return least <= s.sum && s.sum <= most
}

// Merge adds the durations of other.
func (s *Sketch) Merge(other *Sketch) {
	s.grow(len(other.counts))
	for i, n := range other.counts {
		s.counts[i] += n
	}
	s.count += other.count
	s.sum += other.sum
}

// Subtract removes a sketch of some of the same durations.
func (s *Sketch) Subtract(other *Sketch) {
	s.grow(len(other.counts))
	for i, n := range other.counts {
		n = min(n, s.counts[i])
		s.counts[i] -= n
		s.count -= int64(n)
	}
	s.sum -= other.sum
}

// Quantile returns the q-quantile by nearest rank: element ceil(q*n), at least 1, of the n sorted durations. 0 is the
// shortest, 1 the longest, 0.5 the lower of two in the middle. It returns false for an empty sketch.
func (s *Sketch) Quantile(q float64) (seconds int64, ok bool) {
	if s.count <= 1 {
		return s.sum, s.count == 1
	}
	rank := nearestRank(q, s.count)
	for bucket, n := range s.counts {
		if rank -= int64(n); rank <= 0 {
			return sketchMiddle(bucket), true
		}
	}
	return 0, false
}

// nearestRank returns ceil(q*n) between 1 and n. It corrects rounding errors of decimal fractions: 0.55*100 is 55,
// although the floating-point product is a little more.
func nearestRank(q float64, n int64) int64 {
	exact := q * float64(n)
	rank := math.Ceil(exact)
	if near := math.Round(exact); math.Abs(exact-near) <= 1e-12*float64(n) {
		rank = near
	}
	if rank >= 1 {
		return int64(min(rank, float64(n)))
	}
	return 1 // also for NaN
}

func (s *Sketch) grow(buckets int) {
	if more := buckets - len(s.counts); more > 0 {
		s.counts = append(s.counts, make([]uint32, more)...)
	}
}

func sketchBucket(seconds int64) int {
	bucket, found := slices.BinarySearch(sketchStarts[:], seconds)
	if !found {
		bucket--
	}
	return bucket
}

// sketchRange returns the shortest duration of a bucket and the width of the bucket.
func sketchRange(bucket int) (low, width int64) {
	return sketchStarts[bucket], sketchStarts[bucket+1] - sketchStarts[bucket]
}

func sketchMiddle(bucket int) int64 {
	low, width := sketchRange(bucket)
	return low + width/2
}

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
	if err := MergeEncoded(b, s); err != nil {
		return nil, err
	}
	return s, nil
}

// MergeEncoded adds the result of Encode to each of the sketches. On an error nothing is added.
func MergeEncoded(b []byte, into ...*Sketch) error {
	if len(b) == 0 {
		return nil
	}
	sum, b, ok := next(b)
	count, b, counted := next(b)
	if !ok || !counted || sum > math.MaxInt64 || count > sketchCount || len(b) == 0 {
		return errSketch
	}
	var total, least, most int64
	top := -1
	for rest := b; len(rest) > 0; {
		var skipped, n uint64
		skipped, rest, ok = next(rest)
		n, rest, counted = next(rest)
		if !ok || !counted || skipped >= uint64(sketchBuckets-top-1) || n == 0 || n > uint64(sketchCount-total) {
			return errSketch
		}
		top += int(skipped) + 1
		low, width := sketchRange(top)
		total += int64(n)
		least += int64(n) * low
		most += int64(n) * (low + width - 1)
	}
	if uint64(total) != count || int64(sum) < least || int64(sum) > most {
		return errSketch
	}
	for _, s := range into {
		s.grow(top + 1)
		s.count += total
		s.sum += int64(sum)
	}
	bucket := -1
	for rest := b; len(rest) > 0; {
		var skipped, n uint64
		skipped, rest, _ = next(rest)
		n, rest, _ = next(rest)
		bucket += int(skipped) + 1
		for _, s := range into {
			s.counts[bucket] += uint32(n)
		}
	}
	return nil
}

// next reads a number and returns the rest.
func next(b []byte) (n uint64, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return 0, nil, false
	}
	return n, b[size:], true
}
