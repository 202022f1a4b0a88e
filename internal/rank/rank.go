// Package rank computes positions in a list as texts that sort bytewise. A rank is a path of integers: 4 comes before
// 4,0, then 4,1, then 5. The texts of the integers sort like the integers and none is a prefix of another, so paths
// sort like their texts.
//
// Ranks stay short when entries are added at either end, or always before or after the same entry. Only inserting
// between the last two entries again and again makes them longer, by a character each time.
package rank

import (
	"cmp"
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
	after, errA := read(a)
	before, errB := read(b)
	if err := cmp.Or(errA, errB); err != nil {
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
	first := binary.BigEndian.Uint64(id[:]) // 48 bits of time, 4 of the version of the id, 12 of a counter
	return write([]int64{int64(first>>16<<12 | first&0xfff), int64(binary.BigEndian.Uint32(id[12:]))})
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
	var b []byte
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
		var tail []byte
		for n -= rankSingles; n >= 0; n = n/62 - 1 {
			tail = append(tail, byte(n%62))
		}
		slices.Reverse(tail)
		b = append(append(b, byte(rankHead+len(tail))), tail...)
	}
	for i, index := range b[start:] {
		if negative {
			index = 61 - index
		}
		b[start+i] = digits[index]
	}
	return b
}

func read(s string) (path []int64, err error) {
	for s != "" {
		n, length, ok := readNumber(s)
		if !ok {
			return nil, errForm
		}
		path, s = append(path, n), s[length:]
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
		length += head - rankHead
		if len(s) < length {
			return 0, 0, false
		}
		n = -1
		for _, c := range []byte(s[1:length]) {
			digit := strings.IndexByte(digits, c)
			if digit < 0 {
				return 0, 0, false
			}
			if negative {
				digit = 61 - digit
			}
			n = (n+1)*62 + int64(digit)
		}
		n += rankSingles
	}
	if negative {
		n = -n - 1
	}
	return n, length, n <= maxNumber && n >= -maxNumber-1
}
