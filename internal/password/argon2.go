package password

import (
	"encoding/binary"
	"sync"
	_ "unsafe"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/blake2b"
)

// This file is argon2.IDKey in steps. IDKey computes for about a twelfth of a second without a pause, during which
// nothing else runs on that processor, and its memory is garbage afterwards, so that every hash made the collector run. The
// functions that compute are those of the library.

const (
	modeID     = 2 // argon2id
	blockWords = 128
	sliceCount = 4
	stepBlocks = 512 // computed between two pauses: about a millisecond
)

type block [blockWords]uint64

// start is the hash of all parameters, with room for the numbers of a block and a row.
type start [blake2b.Size + 8]byte

//go:linkname initHash golang.org/x/crypto/argon2.initHash
func initHash(password, salt, key, data []byte, time, memory, threads, keyLen uint32, mode int) start

//go:linkname blake2bHash golang.org/x/crypto/argon2.blake2bHash
func blake2bHash(out, in []byte)

//go:linkname processBlock golang.org/x/crypto/argon2.processBlock
func processBlock(out, in1, in2 *block)

//go:linkname processBlockXOR golang.org/x/crypto/argon2.processBlockXOR
func processBlockXOR(out, in1, in2 *block)

//go:linkname indexAlpha golang.org/x/crypto/argon2.indexAlpha
func indexAlpha(rand uint64, rows, segments, threads, n, slice, row, index uint32) uint32

//go:linkname extractKey golang.org/x/crypto/argon2.extractKey
func extractKey(blocks []block, memory, threads, keyLen uint32) []byte

var _ = argon2.IDKey // the names above are of its package

// spare holds the memory of earlier hashes until the collector has run twice without a need for it.
var spare sync.Pool

// derivation is a hash under way.
type derivation struct {
	blocks        []block
	passes, rows  uint32
	width, length uint32 // of a row and of a segment of it, in blocks
	computed      int
	pause         func() // after each step
}

// idKey gives what argon2.IDKey gives, and calls pause about once in a millisecond.
func idKey(password, salt []byte, passes, memory uint32, threads uint8, keyLength uint32, pause func()) []byte {
	rows := uint32(threads)
	h0 := initHash(password, salt, nil, nil, passes, memory, rows, keyLength, modeID)
	memory = max(memory/(sliceCount*rows), 2) * sliceCount * rows
	blocks, _ := spare.Get().(*[]block)
	if blocks == nil || len(*blocks) < int(memory) {
		made := make([]block, memory)
		blocks = &made
	}
	defer spare.Put(blocks)
	d := derivation{blocks: (*blocks)[:memory], passes: passes, rows: rows, width: memory / rows, length: memory / rows / sliceCount, pause: pause}
	d.first(&h0)
	for pass := range passes {
		for slice := range uint32(sliceCount) {
			for row := range rows {
				d.segment(pass, slice, row)
			}
		}
	}
	return extractKey(d.blocks, memory, rows, keyLength)
}

// first computes the first two blocks of each row.
func (d *derivation) first(h0 *start) {
	var bytes [8 * blockWords]byte
	for row := range d.rows {
		binary.LittleEndian.PutUint32(h0[blake2b.Size+4:], row)
		for i := range uint32(2) {
			binary.LittleEndian.PutUint32(h0[blake2b.Size:], i)
			blake2bHash(bytes[:], h0[:])
			for word := range d.blocks[row*d.width+i] {
				d.blocks[row*d.width+i][word] = binary.LittleEndian.Uint64(bytes[8*word:])
			}
		}
	}
}

// segment computes the blocks of a row within one slice. In the first pass it overwrites them: what is there is of an
// earlier hash.
func (d *derivation) segment(pass, slice, row uint32) {
	var addresses, zero block
	independent := pass == 0 && slice < sliceCount/2
	in := block{uint64(pass), uint64(row), uint64(slice), uint64(len(d.blocks)), uint64(d.passes), modeID}
	next := func() {
		in[6]++
		processBlock(&addresses, &in, &zero)
		processBlock(&addresses, &addresses, &zero)
	}
	index := uint32(0)
	if pass == 0 && slice == 0 {
		index = 2
		next()
	}
	for ; index < d.length; index++ {
		at := row*d.width + slice*d.length + index
		before := at - 1
		if index == 0 && slice == 0 {
			before += d.width
		}
		random := d.blocks[before][0]
		if independent {
			if index%blockWords == 0 {
				next()
			}
			random = addresses[index%blockWords]
		}
		other := indexAlpha(random, d.width, d.length, d.rows, pass, slice, row, index)
		if pass == 0 {
			processBlock(&d.blocks[at], &d.blocks[before], &d.blocks[other])
		} else {
			processBlockXOR(&d.blocks[at], &d.blocks[before], &d.blocks[other])
		}
		if d.computed++; d.computed%stepBlocks == 0 {
			d.pause()
		}
	}
}
