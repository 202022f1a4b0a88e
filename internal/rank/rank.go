// Package rank computes positions in a list as texts that sort bytewise. A rank is a path of integers: 4 comes before
// 4,0, then 4,1, then 5. The texts of the integers sort like the integers and none is a prefix of another, so paths
// sort like their texts.
//
// Ranks stay short when entries are added at either end, or always before or after the same entry. Only inserting
// between the last two entries again and again makes them longer, by a character each time.
package rank

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
)

// Long is the length of a rank from which the entries around it should get new ranks.
const Long = 128

// digits are in byte order.
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

var (
	errOrder = errors.New("rank: ranks out of order")
	errForm  = errors.New("rank: not a rank")
)

// Between returns a rank strictly between two others. An empty a is the start of the list, an empty b its end. It
// returns an error if a does not come before b or if either is not a rank.
func Between(a, b string) (string, error) {
	if b != "" && a >= b {
		return "", errOrder
	}
	after, err := read(a)
	if err != nil {
		return "", err
	}
	before, err := read(b)
	if err != nil {
		return "", err
	}
	path := pathBetween(after, before)
	if n := path[len(path)-1]; n > maxNumber || n < -maxNumber-1 {
		return "", errForm
	}
	return write(path), nil
}

// At returns a unique rank at the end of a list for a new id: after the ranks of all ids created earlier. It does not
// need the list or a lock on it.
func At(id [16]byte) string {
	var moment int64
	for _, b := range id[:6] {
		moment = moment<<8 | int64(b)
	}
	moment = moment<<12 | int64(id[6]&0x0f)<<8 | int64(id[7])
	return write([]int64{moment, int64(binary.BigEndian.Uint32(id[12:]))})
}

// pathBetween requires after < before. An empty path is an open end.
func pathBetween(after, before []int64) []int64 {
	switch {
	case len(after) == 0 && len(before) == 0:
		return []int64{0}
	case len(before) == 0:
		return []int64{after[0] + 1}
	}
	same := 0
	for same < len(after) && after[same] == before[same] {
		same++
	}
	path := slices.Clone(before[:same])
	switch {
	case same == len(after): // before starts with after
		return append(path, before[same]-1)
	case before[same]-after[same] > 1:
		return append(path, after[same]+1)
	case same+1 < len(after): // nothing fits between the numbers: count up below the smaller
		return append(path, after[same], after[same+1]+1)
	}
	return append(path, after[same], 0)
}

// A number from 0 to 20 is one character of the upper half of the alphabet. A larger one starts with one of the last
// ten, which is the number of digits that follow; these count from the first number that needs so many. In negative
// numbers every character is mirrored in the alphabet: -1 is the mirror image of 0.
const (
	rankZero    = 31                 // index of the character for 0
	rankSingles = 21                 // numbers with one character
	rankHead    = 61 - rankDigits    // index of the first character before n digits, minus n
	rankDigits  = 10                 // most digits of a number
	maxNumber   = math.MaxInt64 >> 6 // fits in ten digits
)

func write(path []int64) string {
	b := make([]byte, 0, 4*len(path))
	for _, n := range path {
		b = appendNumber(b, n)
	}
	return string(b)
}

func appendNumber(b []byte, n int64) []byte {
	start := len(b)
	negative := n < 0
	if negative {
		n = -n - 1
	}
	if n < rankSingles {
		b = append(b, byte(rankZero+n))
	} else {
		n -= rankSingles
		size, span := 1, int64(62)
		for ; n >= span; span *= 62 {
			n -= span
			size++
		}
		b = append(b, byte(rankHead+size))
		for range size {
			span /= 62
			b = append(b, byte(n/span%62))
		}
	}
	for i, index := range b[start:] {
		if negative {
			index = 61 - index
		}
		b[start+i] = digits[index]
	}
	return b
}

func read(s string) ([]int64, error) {
	var path []int64
	for s != "" {
		n, length, ok := readNumber(s)
		if !ok {
			return nil, errForm
		}
		path = append(path, n)
		s = s[length:]
	}
	return path, nil
}

func readNumber(s string) (n int64, length int, ok bool) {
	head := strings.IndexByte(digits, s[0])
	if head < 0 {
		return 0, 0, false
	}
	negative := head < rankZero
	if negative {
		head = 61 - head
	}
	n, length = int64(head-rankZero), 1
	if n >= rankSingles {
		size := head - rankHead
		if len(s) < 1+size {
			return 0, 0, false
		}
		n = rankSingles
		var value int64
		span := int64(1)
		for i := range size {
			digit := strings.IndexByte(digits, s[1+i])
			if digit < 0 {
				return 0, 0, false
			}
			if negative {
				digit = 61 - digit
			}
			if i > 0 {
				n += span
			}
			span *= 62
			value = value*62 + int64(digit)
		}
		n += value
		length += size
	}
	if negative {
		n = -n - 1
	}
	return n, length, n <= maxNumber && n >= -maxNumber-1
}
