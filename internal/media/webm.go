package media

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/bits"
	"slices"
)

// ErrNotOpus is returned for a file that is not WebM with a single Opus track.
var ErrNotOpus = errors.New("voice: not a WebM file with a single Opus track")

// ErrTooManyPackets is returned for a recording with more than MaxPackets packets.
var ErrTooManyPackets = errors.New("voice: too many packets")

// MaxPackets limits the packets of a recording: almost three hours at 20 ms, the usual length in browsers.
const MaxPackets = 500_000

// IsWebM reports whether a file starts like WebM or another form of Matroska.
func IsWebM(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1a, 0x45, 0xdf, 0xa3}) }

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

// maxBlock is the size of the largest block: an Opus packet has at most 48 frames of 1,275 bytes.
const maxBlock = 62 << 10

// converter reads WebM and returns Ogg. It buffers at most one page of the output.
type converter struct {
	in     *bufio.Reader
	source *source
	out    oggWriter
	tracks int
	codec  string
	head   []byte // the Opus header
	buffer []byte // content of the current element
	opened bool   // the header was written
	err    error  // returned when the output is read to its end
}

// FromWebM returns the sound of a WebM file as an Ogg file. Read returns ErrNotOpus unless the file is a single track
// of Opus, possibly after part of the output. A recording that ends within a block ends with the block before it.
func FromWebM(file io.Reader) io.Reader {
	s := &source{r: file}
	return &converter{in: bufio.NewReader(s), source: s}
}

// source remembers a read error.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

func (c *converter) Read(p []byte) (int, error) {
	for c.out.ready.Len() == 0 {
		if c.err != nil {
			return 0, c.err
		}
		if c.err = c.element(); c.err != nil {
			c.end()
		}
	}
	return c.out.ready.Read(p)
}

// end writes the last page at the end of the file.
func (c *converter) end() {
	switch {
	case !errors.Is(c.err, io.EOF):
	case c.out.packets == 0:
		c.err = ErrNotOpus
	default:
		c.out.flush(lastPage)
	}
}

// element reads the next element. It descends into containers without tracking where they end.
func (c *converter) element() error {
	id, n, err := c.number(false)
	if err != nil {
		return err
	}
	if n > 4 {
		return ErrNotOpus
	}
	size, _, err := c.number(true)
	if err != nil {
		return err
	}
	switch id {
	case elementTrack:
		if c.tracks++; c.tracks > 1 {
			return ErrNotOpus
		}
		return nil
	case elementSegment, elementCluster, elementTracks, elementBlockGroup:
		return nil
	case elementCodec, elementCodecPrivate, elementSimpleBlock, elementBlock:
		if size > maxBlock {
			return ErrNotOpus
		}
		c.buffer = slices.Grow(c.buffer[:0], int(size))
		content := c.buffer[:size]
		if _, err := io.ReadFull(c.in, content); err != nil {
			return cmp.Or(c.source.err, io.EOF)
		}
		return c.take(id, content)
	}
	if size > math.MaxInt64 {
		return ErrNotOpus
	}
	_, err = io.CopyN(io.Discard, c.in, int64(size))
	return err
}

func (c *converter) take(id uint64, content []byte) error {
	switch id {
	case elementCodec:
		c.codec = string(bytes.TrimRight(content, "\x00"))
		return nil
	case elementCodecPrivate:
		c.head = bytes.Clone(content)
		return nil
	}
	// A block: the track, two bytes of time, one byte of flags, a packet.
	_, n := number(content, true)
	if n == 0 || len(content) < n+4 {
		return nil
	}
	if laced := content[n+2]&0x06 != 0; laced {
		return ErrNotOpus
	}
	if !c.opened {
		if c.codec != "A_OPUS" || !bytes.HasPrefix(c.head, []byte("OpusHead")) || len(c.head) < 19 || len(c.head) > 255 {
			return ErrNotOpus
		}
		c.opened = true
		c.out.open(c.head)
	}
	if c.out.packets == MaxPackets {
		return ErrTooManyPackets
	}
	c.out.packet(content[n+3:])
	return nil
}

// number reads a variable-length number.
func (c *converter) number(marked bool) (v uint64, n int, err error) {
	first, err := c.in.Peek(1)
	if err != nil {
		return 0, 0, err
	}
	if first[0] == 0 {
		return 0, 0, ErrNotOpus
	}
	b, err := c.in.Peek(bits.LeadingZeros8(first[0]) + 1)
	if err != nil {
		return 0, 0, err
	}
	v, n = number(b, marked)
	_, err = c.in.Discard(n)
	return v, n, err
}

// number decodes a variable-length number, without the bit that marks its length if marked is set. All ones, an
// unknown size, become the largest number. n is 0 if b does not contain a number.
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
