// Package rank makes places in a list, as texts that sort bytewise. A rank is a path of whole numbers: 4 comes before
// 4,0, which comes before 4,1, which comes before 5. Each number is written so that the texts sort as the
// numbers do and none begins with another, hence paths sort as their texts.
//
// Counting up or down costs a digit only when a number outgrows its digits. So ranks stay short when
// entries go to either end, and also when they always go before or after the same entry. Only a caller
// who keeps inserting between the last two makes them grow, by a character each time.
package rank

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
)

// Long is the length from which the crowded part of a list deserves new ranks.
const Long = 128

// digits are in the order of their bytes.
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

var (
	errOrder = errors.New("rank: ranks out of order")
	errForm  = errors.New("rank: not a rank")
)

// Between gives a rank strictly between two others. An empty a stands for the beginning of the list,
// an empty b for its end. It is an error when a does not come before b, or when either is no rank.
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

// At is the place at the end of a list of an entry that joins it when id is made: after all that
// joined in earlier milliseconds, and equal to no other. It needs no look at the list and no lock on it.
func At(id [16]byte) string {
	var moment int64
	for _, b := range id[:6] {
		moment = moment<<8 | int64(b)
	}
	moment = moment<<12 | int64(id[6]&0x0f)<<8 | int64(id[7])
	return write([]int64{moment, int64(binary.BigEndian.Uint32(id[12:]))})
}

// pathBetween needs after < before, where an empty path is an open end.
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
	path := append([]int64(nil), before[:same]...)
	switch {
	case same == len(after): // before lies below after: go before it there
		return append(path, before[same]-1)
	case before[same]-after[same] > 1:
		return append(path, after[same]+1)
	case same+1 < len(after): // nothing fits between the two numbers: count on below the smaller
		return append(path, after[same], after[same+1]+1)
	}
	return append(path, after[same], 0)
}

// A number from 0 to 20 is one of the characters in the upper half of the alphabet. A larger one begins
// with one of the last ten, which tells how many digits follow; these count from the first number that
// needs so many. Below zero every character is replaced by the one at the same
// distance from the other end of the alphabet, so -1 is the mirror image of 0.
const (
	rankZero    = 31                 // the character for 0: the first of the upper half
	rankSingles = 21                 // numbers of one character
	rankHead    = 61 - rankDigits    // the head before n digits is so many characters further on
	rankDigits  = 10                 // the most that follow a head
	maxNumber   = math.MaxInt64 >> 6 // ten digits reach beyond it
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
	below := n < 0
	if below {
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
		if below {
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
	below := head < rankZero
	if below {
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
			if below {
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
	if below {
		n = -n - 1
	}
	return n, length, n <= maxNumber && n >= -maxNumber-1
}
