package media

import (
	"bytes"
	"encoding/binary"
)

// oggWriter writes an Ogg file with Opus (RFC 3533, RFC 7845): the header, the comments, then pages of about a second.
type oggWriter struct {
	ready bytes.Buffer // finished pages

	pages    uint32
	packets  int
	granule  uint64 // position at the end of the page, in samples
	length   int    // samples of the page
	segments []byte
	content  []byte
}

// Flags of a page.
const (
	firstPage = 2
	lastPage  = 4
)

// open writes the header and the comments, each on a separate page.
func (w *oggWriter) open(head []byte) {
	w.add(head)
	w.flush(firstPage)
	w.add([]byte("OpusTags\x06\x00\x00\x00Recado\x00\x00\x00\x00"))
	w.flush(0)
}

func (w *oggWriter) packet(packet []byte) {
	if len(w.segments)+len(packet)/255+1 > 255 || w.length >= 48000 {
		w.flush(0)
	}
	n := samples(packet)
	w.granule += uint64(n)
	w.length += n
	w.packets++
	w.add(packet)
}

func (w *oggWriter) add(packet []byte) {
	for n := len(packet); n >= 255; n -= 255 {
		w.segments = append(w.segments, 255)
	}
	w.segments = append(w.segments, byte(len(packet)%255))
	w.content = append(w.content, packet...)
}

func (w *oggWriter) flush(flags byte) {
	page := append(make([]byte, 0, 27+len(w.segments)+len(w.content)), 'O', 'g', 'g', 'S', 0, flags)
	page = binary.LittleEndian.AppendUint64(page, w.granule)
	page = binary.LittleEndian.AppendUint32(page, 1) // stream
	page = binary.LittleEndian.AppendUint32(page, w.pages)
	page = append(page, 0, 0, 0, 0, byte(len(w.segments))) // the checksum is set below
	page = append(page, w.segments...)
	page = append(page, w.content...)
	binary.LittleEndian.PutUint32(page[22:], checksum(page))
	w.ready.Write(page)
	w.pages++
	w.length, w.segments, w.content = 0, w.segments[:0], w.content[:0]
}

// samples returns the length of an Opus packet in samples of 48 kHz (RFC 6716, section 3.1).
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

// crcTable is for Ogg's checksum, a CRC-32 that is not reflected, unlike those of hash/crc32.
var crcTable = func() (table [256]uint32) {
	for i := range table {
		sum := uint32(i) << 24
		for range 8 {
			if sum&(1<<31) != 0 {
				sum = sum<<1 ^ 0x04c11db7
			} else {
				sum <<= 1
			}
		}
		table[i] = sum
	}
	return table
}()

func checksum(page []byte) (sum uint32) {
	for _, b := range page {
		sum = sum<<8 ^ crcTable[byte(sum>>24)^b]
	}
	return sum
}
