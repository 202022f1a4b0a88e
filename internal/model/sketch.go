package model

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

// Sketch summarises durations in whole seconds: how many, their exact sum, and their quantiles. Quantiles
// are exact below 128 seconds and for a single duration; else they differ from the true value by at most
// 1/128 of it (0.79 %).
//
// What was added can be removed again, and sketches can be merged, in any order and grouping with the
// same result to the last bit. The zero value is an empty sketch. Durations below zero count as zero,
// those above 2^32-1 seconds (136 years) as that.
type Sketch struct {
	counts []int64 // by bucket, up to the highest one ever used
	count  int64
	sum    int64
}

const (
	sketchExact   = 128 // seconds that have a bucket each
	sketchSplit   = 64  // buckets to every doubling from there on
	sketchSeconds = math.MaxUint32
	sketchCount   = 1 << 30 // so that a sum fits in an int64
	sketchBuckets = sketchExact + (32-7)*sketchSplit
)

var errSketch = errors.New("model: not a sketch")

// Add counts n durations of the given length; a negative n takes them out again. It is false, and changes
// nothing, when so many cannot have been put in, or when the sketch would hold more than 2^30.
func (s *Sketch) Add(seconds, n int64) bool {
	seconds = max(0, min(seconds, sketchSeconds))
	bucket := sketchBucket(seconds)
	if n > sketchCount-s.count || n < 0 && (bucket >= len(s.counts) || s.counts[bucket]+n < 0) {
		return false
	}
	s.grow(bucket + 1)
	s.add(bucket, seconds, n)
	if n < 0 && !s.plausible() {
		s.add(bucket, seconds, -n)
		return false
	}
	return true
}

func (s *Sketch) add(bucket int, seconds, n int64) {
	s.counts[bucket] += n
	s.count += n
	s.sum += seconds * n
}

// plausible reports whether the sum is one that the buckets allow. Taking out a neighbour of what was put
// in, from the same bucket, is noticed here.
func (s *Sketch) plausible() bool {
	var least, most int64
	for bucket, n := range s.counts {
		low, width := sketchRange(bucket)
		least += n * low
		most += n * (low + width - 1)
	}
	return least <= s.sum && s.sum <= most
}

// Merge adds all that other holds.
func (s *Sketch) Merge(other *Sketch) {
	s.grow(len(other.counts))
	for i, n := range other.counts {
		s.counts[i] += n
	}
	s.count += other.count
	s.sum += other.sum
}

// MergeEncoded adds what Encode wrote, without a sketch in between. On an error nothing is added.
func (s *Sketch) MergeEncoded(b []byte) error { return MergeEncoded(b, s) }

// MergeEncoded adds what Encode wrote to several sketches, reading it once. On an error nothing is added.
func MergeEncoded(b []byte, into ...*Sketch) error {
	sum, buckets, top, err := checkSketch(b)
	if err != nil || top < 0 {
		return err
	}
	for _, s := range into {
		s.grow(top + 1)
		s.sum += sum
	}
	for bucket := -1; len(buckets) > 0; {
		var n int64
		bucket, n, buckets = nextBucket(bucket, buckets)
		for _, s := range into {
			s.counts[bucket] += n
			s.count += n
		}
	}
	return nil
}

// Count is the number of durations.
func (s *Sketch) Count() int64 { return s.count }

// Sum is the exact sum of the durations in seconds.
func (s *Sketch) Sum() int64 { return s.sum }

// Average is the exact mean in seconds; it is false when there is nothing to average.
func (s *Sketch) Average() (float64, bool) {
	if s.count <= 0 {
		return 0, false
	}
	return float64(s.sum) / float64(s.count), true
}

// Quantile gives the q-quantile by nearest rank: of the n durations in order the one in place ceil(q*n), at
// least the first. So 0 gives the shortest, 1 the longest and 0.5 the lower of two in the middle. It is
// false when there are none.
func (s *Sketch) Quantile(q float64) (seconds int64, ok bool) {
	if s.count <= 0 {
		return 0, false
	}
	if s.count == 1 {
		return s.sum, true
	}
	rank := nearestRank(q, s.count)
	for bucket, n := range s.counts {
		if rank -= n; rank <= 0 {
			return sketchMiddle(bucket), true
		}
	}
	return 0, false
}

// nearestRank is ceil(q*n) within 1 and n, as if q were the decimal fraction it was written as: 0.55*100
// is 55, though its product in floating point is a little more.
func nearestRank(q float64, n int64) int64 {
	exact := q * float64(n)
	rank := math.Ceil(exact)
	if near := math.Round(exact); math.Abs(exact-near) <= 1e-12*float64(n) {
		rank = near
	}
	switch {
	case rank >= float64(n):
		return n
	case rank >= 1:
		return int64(rank)
	}
	return 1
}

// Encode writes the sketch: nothing at all when it is empty, otherwise the sum and then, for each bucket in
// use, how many are skipped before it and what it holds. Equal sketches have equal bytes.
func (s *Sketch) Encode() []byte {
	if s.count == 0 {
		return nil
	}
	b := binary.AppendUvarint(make([]byte, 0, 64), uint64(s.sum))
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

// DecodeSketch reads what Encode wrote. Bytes that are no sketch are an error.
func DecodeSketch(b []byte) (*Sketch, error) {
	s := new(Sketch)
	return s, s.MergeEncoded(b)
}

// checkSketch reports the sum, the bytes of the buckets and the highest bucket, -1 when there is none. Once
// it has passed, the buckets can be read without a check.
func checkSketch(b []byte) (sum int64, buckets []byte, top int, err error) {
	if len(b) == 0 {
		return 0, nil, -1, nil
	}
	total, size := binary.Uvarint(b)
	if size <= 0 || size == len(b) {
		return 0, nil, -1, errSketch
	}
	buckets = b[size:]
	top = -1
	var count, least, most uint64
	for rest := buckets; len(rest) > 0; {
		skip, size := binary.Uvarint(rest)
		if size <= 0 || skip >= uint64(sketchBuckets-top-1) {
			return 0, nil, -1, errSketch
		}
		n, more := binary.Uvarint(rest[size:])
		if more <= 0 || n == 0 || n > sketchCount-count {
			return 0, nil, -1, errSketch
		}
		top += int(skip) + 1
		low, width := sketchRange(top)
		count += n
		least += n * uint64(low)
		most += n * uint64(low+width-1)
		rest = rest[size+more:]
	}
	if total < least || total > most {
		return 0, nil, -1, errSketch
	}
	return int64(total), buckets, top, nil
}

func nextBucket(last int, b []byte) (bucket int, n int64, rest []byte) {
	skip, size := binary.Uvarint(b)
	held, more := binary.Uvarint(b[size:])
	return last + 1 + int(skip), int64(held), b[size+more:]
}

func (s *Sketch) grow(buckets int) {
	if more := buckets - len(s.counts); more > 0 {
		s.counts = append(s.counts, make([]int64, more)...)
	}
}

// sketchBucket finds the bucket of a duration: its own below 128, else by its seven leading bits.
func sketchBucket(seconds int64) int {
	if seconds < sketchExact {
		return int(seconds)
	}
	shift := bits.Len64(uint64(seconds)) - 7
	return shift*sketchSplit + int(seconds>>shift)
}

// sketchRange gives the shortest duration of a bucket and how many durations share it.
func sketchRange(bucket int) (low, width int64) {
	if bucket < sketchExact {
		return int64(bucket), 1
	}
	shift := bucket/sketchSplit - 1
	return int64(bucket-shift*sketchSplit) << shift, 1 << shift
}

// sketchMiddle stands for all durations of a bucket.
func sketchMiddle(bucket int) int64 {
	low, width := sketchRange(bucket)
	return low + width/2
}
