// Package quantile summarises durations so that their quantiles can be given without keeping each.
package quantile

import (
	"math"
	"slices"
)

// Sketch summarises durations in whole seconds: how many, their exact sum, and their quantiles. Quantiles
// are exact up to 100 seconds and for a single duration; else they differ from the true value by at most
// 1/101 of it (0.99 %).
//
// What was added can be removed again, and sketches can be merged, in any order and grouping with the
// same result to the last bit. The zero value is an empty sketch. Durations below zero count as zero,
// those above 2^32-1 seconds (136 years) as that.
type Sketch struct {
	counts []uint32 // by bucket, up to the highest one ever used
	count  int64
	sum    int64
}

const (
	sketchSeconds = math.MaxUint32
	sketchCount   = 1 << 30 // so that a sum fits in an int64
	sketchBuckets = 1024
	sketchWidth   = 101 // see sketchStarts
)

// sketchStarts holds the shortest duration of each bucket and, at the end, one that is too long for any. A
// bucket is at most 2/101 as wide as its start, so its middle is within 1/101 of all it holds.
var sketchStarts = func() (starts [sketchBuckets + 1]int64) {
	for i := 1; i < len(starts); i++ {
		starts[i] = starts[i-1] + max(1, 2*starts[i-1]/sketchWidth)
	}
	return starts
}()

// Add counts n durations of the given length; a negative n takes them out again. It is false, and changes
// nothing, when so many cannot have been put in, or when the sketch would hold more than 2^30.
func (s *Sketch) Add(seconds, n int64) bool {
	seconds = max(0, min(seconds, sketchSeconds))
	bucket := sketchBucket(seconds)
	if n > sketchCount-s.count || n < 0 && (bucket >= len(s.counts) || int64(s.counts[bucket]) < -n) {
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
	s.counts[bucket] += uint32(n) // a negative n wraps around to the difference
	s.count += n
	s.sum += seconds * n
}

// plausible reports whether the sum is one that the buckets allow. Taking out a neighbour of what was put
// in, from the same bucket, is noticed here.
func (s *Sketch) plausible() bool {
	var least, most int64
	for bucket, n := range s.counts {
		low, width := sketchRange(bucket)
		least += int64(n) * low
		most += int64(n) * (low + width - 1)
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
		if rank -= int64(n); rank <= 0 {
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

func (s *Sketch) grow(buckets int) {
	if more := buckets - len(s.counts); more > 0 {
		s.counts = append(s.counts, make([]uint32, more)...)
	}
}

// sketchBucket finds the bucket of a duration.
func sketchBucket(seconds int64) int {
	if seconds < sketchWidth {
		return int(seconds)
	}
	bucket, found := slices.BinarySearch(sketchStarts[:], seconds)
	if !found {
		bucket--
	}
	return bucket
}

// sketchRange gives the shortest duration of a bucket and how many durations share it.
func sketchRange(bucket int) (low, width int64) {
	return sketchStarts[bucket], sketchStarts[bucket+1] - sketchStarts[bucket]
}

// sketchMiddle stands for all durations of a bucket.
func sketchMiddle(bucket int) int64 {
	low, width := sketchRange(bucket)
	return low + width/2
}
