package quantile

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

var errSketch = errors.New("quantile: not a sketch")

// A stored sketch is nothing at all when it is empty. Otherwise it starts with its sum, its count and the
// number of its planes. Without planes the buckets in use are listed, each with the number of buckets
// skipped before it. Else the first plane holds the lowest four bits of every count, the next the four bits
// above, and so on; each starts with its first group of 16 buckets and how many groups it has. Planes take
// more room where few buckets are in use, but they are added up four buckets at a time.
const (
	sketchGroup  = 16 // buckets; they are a multiple of it
	sketchPlanes = 8  // at most: a count has 32 bits
)

// Encode writes the sketch. Equal sketches have equal bytes.
func (s *Sketch) Encode() []byte {
	s.settle()
	first, last, used, most := s.extent()
	if used == 0 {
		return nil
	}
	b := make([]byte, 0, 32+4*used)
	b = binary.AppendUvarint(b, uint64(s.sum))
	b = binary.AppendUvarint(b, uint64(s.count))
	if (last-first)/2 > 4*used {
		return s.appendListed(append(b, 0))
	}
	planes := (bits.Len32(most) + 3) / 4
	b = append(b, byte(planes))
	s.grow(sketchBuckets)
	for shift := 0; shift < 4*planes; shift += 4 {
		b = s.appendPlane(b, shift)
	}
	return b
}

// appendPlane writes four bits of every count.
func (s *Sketch) appendPlane(b []byte, shift int) []byte {
	group := func(g int) (word uint64) {
		for i, n := range s.counts[g*sketchGroup:][:sketchGroup] {
			word |= uint64(n>>shift&15) << (4 * i)
		}
		return word
	}
	first, end := 0, 0
	for g := range sketchBuckets / sketchGroup {
		if group(g) == 0 {
			continue
		}
		if end == 0 {
			first = g
		}
		end = g + 1
	}
	if end == 0 {
		return append(b, 0, 0)
	}
	b = append(b, byte(first), byte(end-first))
	for g := first; g < end; g++ {
		b = binary.LittleEndian.AppendUint64(b, group(g))
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

// Decode reads what Encode wrote. Bytes that are no sketch are an error.
func Decode(b []byte) (*Sketch, error) {
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
	var top int
	ok := planesFit(b, planes)
	if planes == 0 {
		top, ok = lastListed(b)
	}
	if !ok {
		return errSketch
	}
	for _, s := range into {
		s.sum += int64(sum)
		s.count += int64(count)
		if planes == 0 {
			s.grow(top + 1)
			addListed(s.counts, b)
			continue
		}
		for rest, shift := b, 0; len(rest) > 0; shift += 4 {
			end := 2 + 8*int(rest[1])
			s.addPlane(int(rest[0]), rest[2:end], shift)
			rest = rest[end:]
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

// sketchSums adds up planes: a word holds the sums, of 16 bits each, of every fourth bucket of a group.
// Reports merge thousands of planes.
type sketchSums struct {
	words [sketchBuckets / 4]uint64
	used  int // words, from the first on
	full  int // what the fullest sum may have reached
}

const sumNibbles = 0x000f_000f_000f_000f

// addPlane adds groups of four bits, which stand shift bits to the right of where they belong.
func (s *Sketch) addPlane(first int, groups []byte, shift int) {
	if len(groups) == 0 {
		return
	}
	if shift > 4 { // such counts are rare, and would fill the sums at once
		s.addHighPlane(first*sketchGroup, groups, shift)
		return
	}
	if s.sums == nil {
		s.sums = new(sketchSums)
	}
	if s.sums.full+15<<shift > math.MaxUint16 {
		s.settle()
	}
	s.sums.full += 15 << shift
	words := s.sums.words[4*first:]
	words = words[:len(groups)/2]
	s.sums.used = max(s.sums.used, 4*first+len(words))
	for ; len(words) >= 4 && len(groups) >= 8; words, groups = words[4:], groups[8:] {
		group := binary.LittleEndian.Uint64(groups)
		words[0] += group & sumNibbles << shift
		words[1] += group >> 4 & sumNibbles << shift
		words[2] += group >> 8 & sumNibbles << shift
		words[3] += group >> 12 & sumNibbles << shift
	}
}

func (s *Sketch) addHighPlane(bucket int, groups []byte, shift int) {
	s.grow(bucket + 2*len(groups))
	for _, pair := range groups {
		s.counts[bucket] += uint32(pair&15) << shift
		s.counts[bucket+1] += uint32(pair>>4) << shift
		bucket += 2
	}
}

// settle adds the sums to the buckets. Every method that reads the buckets calls it first.
func (s *Sketch) settle() {
	if s.sums == nil || s.sums.full == 0 {
		return
	}
	words := s.sums.words[:s.sums.used]
	s.grow(4 * len(words))
	for i, word := range words {
		counts := s.counts[i/4*sketchGroup+i%4:]
		counts[0] += uint32(uint16(word))
		counts[4] += uint32(uint16(word >> 16))
		counts[8] += uint32(uint16(word >> 32))
		counts[12] += uint32(word >> 48)
	}
	clear(words)
	s.sums.used, s.sums.full = 0, 0
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
