package model

import (
	"encoding/binary"
	"errors"
	"math"
)

var errSketch = errors.New("model: not a sketch")

// A stored sketch is nothing at all when it is empty. Otherwise it starts with its form, its sum and its
// count. Few buckets in use are listed, with the number of buckets skipped before each; many are a run of
// equally wide counts, whole groups of eight of them, which is read far faster.
const (
	sketchListed = 0
	sketchRun8   = 1 // bytes to a count
	sketchRun32  = 4
	sketchGroup  = 8 // counts; the number of buckets is a multiple of it
)

// Encode writes the sketch. Equal sketches have equal bytes.
func (s *Sketch) Encode() []byte {
	s.settle()
	first, last, used, most := s.extent()
	if used == 0 {
		return nil
	}
	first -= first % sketchGroup
	run := (last-first)/sketchGroup*sketchGroup + sketchGroup
	form := byte(sketchRun8)
	if most > math.MaxUint8 {
		form = sketchRun32
	}
	if run*int(form) > 8*used {
		form = sketchListed
	}
	b := append(make([]byte, 0, 32+min(8*used, run*sketchRun32)), form)
	b = binary.AppendUvarint(b, uint64(s.sum))
	b = binary.AppendUvarint(b, uint64(s.count))
	if form == sketchListed {
		return s.appendListed(b)
	}
	b = binary.AppendUvarint(b, uint64(first))
	s.grow(first + run)
	for _, n := range s.counts[first : first+run] {
		if form == sketchRun8 {
			b = append(b, byte(n))
		} else {
			b = binary.LittleEndian.AppendUint32(b, n)
		}
	}
	return b
}

// extent finds the first and last bucket in use, how many there are, and the largest count.
func (s *Sketch) extent() (first, last, used int, most uint32) {
	for bucket, n := range s.counts {
		if n == 0 {
			continue
		}
		if used == 0 {
			first = bucket
		}
		last = bucket
		used++
		most = max(most, n)
	}
	return first, last, used, most
}

func (s *Sketch) appendListed(b []byte) []byte {
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
	if err := MergeEncoded(b, s); err != nil {
		return nil, err
	}
	s.settle()
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
// believes the sum and the count that it reads: only DecodeSketch checks them against the buckets.
func MergeEncoded(b []byte, into ...*Sketch) error {
	if len(b) == 0 {
		return nil
	}
	form := b[0]
	sum, b, ok1 := cutUvarint(b[1:])
	count, b, ok2 := cutUvarint(b)
	if !ok1 || !ok2 || sum > math.MaxInt64 || count == 0 || count > sketchCount {
		return errSketch
	}
	var first, top int
	var ok bool
	if form == sketchListed {
		top, ok = lastListed(b)
	} else {
		first, b, ok = cutRun(b, int(form))
	}
	if !ok {
		return errSketch
	}
	for _, s := range into {
		s.sum += int64(sum)
		s.count += int64(count)
		switch form {
		case sketchListed:
			s.grow(top + 1)
			addListed(s.counts, b)
		case sketchRun8:
			s.addRun8(first, b)
		default:
			s.addRun32(first, b)
		}
	}
	return nil
}

// cutRun takes the first bucket of a run off its front. It is false where what follows is no run.
func cutRun(b []byte, width int) (first int, run []byte, ok bool) {
	at, run, ok := cutUvarint(b)
	groups := len(run) / (width * sketchGroup)
	ok = ok && (width == sketchRun8 || width == sketchRun32) && groups > 0 && len(run) == groups*width*sketchGroup &&
		at%sketchGroup == 0 && at < sketchBuckets && groups*sketchGroup <= sketchBuckets-int(at)
	return int(at), run, ok
}

func (s *Sketch) addRun32(first int, run []byte) {
	counts := len(run) / sketchRun32
	s.grow(first + counts)
	for i := range counts {
		s.counts[first+i] += binary.LittleEndian.Uint32(run[i*sketchRun32:])
	}
}

// sketchLanes adds up runs of bytes eight at a time: each word holds four sums of 16 bits, the first of a
// group those of its even buckets, the second those of its odd ones. Reports merge thousands of runs.
type sketchLanes struct {
	words [2 * sketchBuckets / sketchGroup]uint64
	used  int // words, from the first on
	runs  int // added since the lanes were empty
}

const (
	lowBytes = 0x00ff_00ff_00ff_00ff
	laneRuns = math.MaxUint16 / math.MaxUint8 // that cannot overflow a lane
)

func (s *Sketch) addRun8(first int, run []byte) {
	if s.lanes == nil {
		s.lanes = new(sketchLanes)
	}
	if s.lanes.runs == laneRuns {
		s.settle()
	}
	words := s.lanes.words[2*first/sketchGroup:]
	words = words[:2*len(run)/sketchGroup]
	for i := 0; i+1 < len(words) && len(run) >= sketchGroup; i += 2 {
		group := binary.LittleEndian.Uint64(run)
		words[i] += group & lowBytes
		words[i+1] += group >> 8 & lowBytes
		run = run[sketchGroup:]
	}
	s.lanes.used = max(s.lanes.used, 2*first/sketchGroup+len(words))
	s.lanes.runs++
}

// settle brings what the lanes hold to the buckets. Whoever looks at the buckets calls it first.
func (s *Sketch) settle() {
	if s.lanes == nil || s.lanes.runs == 0 {
		return
	}
	words := s.lanes.words[:s.lanes.used]
	s.grow(len(words) / 2 * sketchGroup)
	for i, word := range words {
		counts := s.counts[i/2*sketchGroup:]
		for lane := range 4 {
			counts[2*lane+i%2] += uint32(uint16(word >> (16 * lane)))
		}
	}
	clear(words)
	s.lanes.used, s.lanes.runs = 0, 0
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
