package load

import (
	"math/bits"
	"time"
)

const (
	fineBits = 6 // 64 buckets per power of two: a quantile is at most 1/64 too high
	fine     = 1 << fineBits
	buckets  = (64 - fineBits) * fine
)

// Histogram counts durations in buckets of growing width, with a fixed size and relative error. The zero value is empty.
// It is not safe for concurrent use.
type Histogram struct {
	counts [buckets]uint32
	total  int
	max    time.Duration
}

// Record adds one duration. A negative one counts as zero.
func (h *Histogram) Record(d time.Duration) {
	d = max(d, 0)
	h.counts[bucketOf(uint64(d))]++
	h.total++
	h.max = max(h.max, d)
}

// Add adds other to h.
func (h *Histogram) Add(other *Histogram) {
	for i, count := range other.counts {
		h.counts[i] += count
	}
	h.total += other.total
	h.max = max(h.max, other.max)
}

// Count returns the number of durations.
func (h *Histogram) Count() int { return h.total }

// Max returns the exact maximum.
func (h *Histogram) Max() time.Duration { return h.max }

// Quantile returns the q-quantile (0 to 1), or 0 if h is empty. It is at most 2 % too high and never above Max.
func (h *Histogram) Quantile(q float64) time.Duration {
	rank := max(1, int(q*float64(h.total)+0.999999))
	seen := 0
	for i, count := range h.counts {
		if seen += int(count); seen >= rank {
			return min(time.Duration(upperEnd(i)), h.max)
		}
	}
	return h.max
}

// bucketOf uses only the highest seven bits of v.
func bucketOf(v uint64) int {
	if v < fine {
		return int(v)
	}
	shift := bits.Len64(v) - fineBits - 1
	return (shift+1)*fine + int(v>>shift) - fine
}

// upperEnd returns the largest value of bucket i.
func upperEnd(i int) uint64 {
	if i < fine {
		return uint64(i)
	}
	shift := i/fine - 1
	return (uint64(i%fine+fine)+1)<<shift - 1
}
