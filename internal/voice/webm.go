// Package voice puts recordings of browsers into the form in which WhatsApp takes voice messages: Opus in Ogg. The sound
// is not encoded again.
package voice

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
)

// IsWebM reports whether a file begins like WebM or another form of Matroska.
func IsWebM(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1a, 0x45, 0xdf, 0xa3}) }

// The elements of Matroska that matter here.
const (
	elementSegment      = 0x18538067
	elementCluster      = 0x1f43b675
	elementTracks       = 0x1654ae6b
	elementTrack        = 0xae
	elementCodec        = 0x86
	elementCodecPrivate = 0x63a2
	elementSimpleBlock  = 0xa3
	elementBlockGroup   = 0xa0
	elementBlock        = 0xa1
)

// recording is what a WebM file holds.
type recording struct {
	tracks  int
	codec   string
	head    []byte // the Opus header
	packets [][]byte
	laced   bool // several packets share a block
}

// FromWebM gives an Ogg file with the sound of a WebM file, and false unless that is a single track of Opus.
func FromWebM(file []byte) (ogg []byte, ok bool) {
	r, ok := readWebM(file)
	if !ok || r.tracks != 1 || r.codec != "A_OPUS" || r.laced || len(r.packets) == 0 || !bytes.HasPrefix(r.head, []byte("OpusHead")) || len(r.head) < 19 || len(r.head) > 255 {
		return nil, false
	}
	return writeOgg(r.head, r.packets), true
}

// readWebM walks through the elements of a file, into those that hold others. One without a size ends where something
// follows that it cannot hold, which makes no difference here.
func readWebM(file []byte) (r recording, ok bool) {
	for at := 0; at < len(file); {
		id, n := number(file[at:], false)
		if n == 0 || n > 4 {
			return r, false
		}
		at += n
		size, n := number(file[at:], true)
		if n == 0 {
			return r, false
		}
		at += n
		switch id {
		case elementTrack:
			r.tracks++
			continue
		case elementSegment, elementCluster, elementTracks, elementBlockGroup:
			continue
		}
		if size > uint64(len(file)-at) { // the recording was cut
			return r, r.tracks > 0
		}
		r.take(id, file[at:at+int(size)])
		at += int(size)
	}
	return r, true
}

func (r *recording) take(id uint64, content []byte) {
	switch id {
	case elementCodec:
		r.codec = string(bytes.TrimRight(content, "\x00"))
	case elementCodecPrivate:
		r.head = content
	case elementSimpleBlock, elementBlock: // the track, two bytes of time, one of flags, a packet
		_, n := number(content, true)
		if n == 0 || len(content) < n+4 {
			return
		}
		r.laced = r.laced || content[n+2]&0x06 != 0
		r.packets = append(r.packets, content[n+3:])
	}
}

// number reads a number of variable length, without the bit that tells its length where marked is set. A size of all
// ones, which means unknown, comes out greater than any file. n is 0 where there is none.
func number(b []byte, marked bool) (v uint64, n int) {
	if len(b) == 0 || b[0] == 0 {
		return 0, 0
	}
	if n = bits.LeadingZeros8(b[0]) + 1; n > len(b) {
		return 0, 0
	}
	v = uint64(b[0])
	if marked {
		v &= 0xff >> n
	}
	for _, next := range b[1:n] {
		v = v<<8 | uint64(next)
	}
	if marked && v == 1<<(7*n)-1 {
		v = math.MaxUint64
	}
	return v, n
}

// samples is how long an Opus packet is, in samples of 48 kHz (RFC 6716, section 3.1).
func samples(packet []byte) int {
	config, count := packet[0]>>3, 1
	var frame int
	switch {
	case config < 12:
		frame = []int{480, 960, 1920, 2880}[config%4]
	case config < 16:
		frame = []int{480, 960}[config%2]
	default:
		frame = []int{120, 240, 480, 960}[config%4]
	}
	switch packet[0] & 3 {
	case 1, 2:
		count = 2
	case 3:
		if count = 0; len(packet) > 1 {
			count = int(packet[1] & 63)
		}
	}
	return frame * count
}

// writeOgg writes the pages of an Ogg file (RFC 3533, RFC 7845): the header, the comments, then about a second each.
func writeOgg(head []byte, packets [][]byte) []byte {
	w := oggWriter{}
	w.page([][]byte{head}, 0, firstPage)
	comments := append([]byte("OpusTags"), 6, 0, 0, 0)
	comments = append(comments, "Recado\x00\x00\x00\x00"...)
	w.page([][]byte{comments}, 0, 0)
	granule, from, segments, length := 0, 0, 0, 0
	for i, p := range packets {
		need := len(p)/255 + 1
		if segments+need > 255 || length >= 48000 {
			w.page(packets[from:i], granule, 0)
			from, segments, length = i, 0, 0
		}
		n := samples(p)
		granule, segments, length = granule+n, segments+need, length+n
	}
	w.page(packets[from:], granule, lastPage)
	return w.out
}

// Flags of a page.
const (
	firstPage = 2
	lastPage  = 4
)

type oggWriter struct {
	out   []byte
	pages uint32
}

// page writes packets that end in this page.
func (w *oggWriter) page(packets [][]byte, granule int, flags byte) {
	start := len(w.out)
	w.out = append(w.out, 'O', 'g', 'g', 'S', 0, flags)
	w.out = binary.LittleEndian.AppendUint64(w.out, uint64(granule))
	w.out = binary.LittleEndian.AppendUint32(w.out, 1) // the stream
	w.out = binary.LittleEndian.AppendUint32(w.out, w.pages)
	w.out = append(w.out, 0, 0, 0, 0, 0) // checksum, number of segments
	table := len(w.out)
	for _, p := range packets {
		for n := len(p); n >= 255; n -= 255 {
			w.out = append(w.out, 255)
		}
		w.out = append(w.out, byte(len(p)%255))
	}
	w.out[table-1] = byte(len(w.out) - table)
	for _, p := range packets {
		w.out = append(w.out, p...)
	}
	binary.LittleEndian.PutUint32(w.out[start+22:], checksum(w.out[start:]))
	w.pages++
}

// checksum is that of Ogg: a CRC-32 that is not reflected.
func checksum(page []byte) (sum uint32) {
	for _, b := range page {
		sum ^= uint32(b) << 24
		for range 8 {
			if sum&(1<<31) != 0 {
				sum = sum<<1 ^ 0x04c11db7
			} else {
				sum <<= 1
			}
		}
	}
	return sum
}
