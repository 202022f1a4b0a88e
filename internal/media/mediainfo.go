package media

import (
	"bytes"
	"encoding/binary"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"time"

	_ "golang.org/x/image/webp"
)

// Info describes a file. Zero values are unknown or do not apply.
type Info struct {
	Width, Height int
	Duration      time.Duration
}

const (
	maxSide     = 1 << 16 // pixels; larger values are malformed
	maxDuration = 48 * time.Hour
)

// Read returns the Info of a file with the given content type. It leaves the position of r undefined. It returns
// no information if it would have to read maxBytes or more.
func Read(r io.ReadSeeker, mimeType string, maxBytes int64) Info {
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return Info{}
	}
	bounded := &boundedReader{ReadSeeker: r, left: maxBytes}
	f := &file{r: bounded, size: size}
	var info Info
	switch mimeType {
	case "image/jpeg", "image/png", "image/webp":
		info = picture(f, mimeType)
	case "video/mp4", "video/3gpp", "audio/mp4":
		info = movie(f)
	case "audio/ogg":
		info.Duration = oggDuration(f)
	case "audio/mpeg":
		info.Duration = mp3Duration(f)
	case "audio/aac":
		info.Duration = aacDuration(f)
	case "audio/amr":
		info.Duration = amrDuration(f)
	}
	if bounded.left <= 0 {
		return Info{}
	}
	if info.Width <= 0 || info.Height <= 0 || info.Width > maxSide || info.Height > maxSide {
		info.Width, info.Height = 0, 0
	}
	if info.Duration < 0 || info.Duration > maxDuration {
		info.Duration = 0
	}
	return info
}

// boundedReader limits the total number of bytes read.
type boundedReader struct {
	io.ReadSeeker
	left int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, io.EOF
	}
	n, err := b.ReadSeeker.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

type file struct {
	r    io.ReadSeeker
	size int64
}

// at returns up to n bytes from an offset, fewer at the end of the file.
func (f *file) at(offset int64, n int) []byte {
	if offset < 0 || offset >= f.size || n <= 0 {
		return nil
	}
	if _, err := f.r.Seek(offset, io.SeekStart); err != nil {
		return nil
	}
	b := make([]byte, min(int64(n), f.size-offset))
	read, _ := io.ReadFull(f.r, b)
	return b[:read]
}

// picture returns the size at which a picture is shown; a photo may be stored sideways.
func picture(f *file, mimeType string) Info {
	if _, err := f.r.Seek(0, io.SeekStart); err != nil {
		return Info{}
	}
	config, _, err := image.DecodeConfig(f.r)
	if err != nil {
		return Info{}
	}
	if mimeType == "image/jpeg" && isSideways(f) {
		return Info{Width: config.Height, Height: config.Width}
	}
	return Info{Width: config.Width, Height: config.Height}
}

// seconds converts a count of units to a duration.
func seconds(count, perSecond int64) time.Duration {
	if perSecond <= 0 || count < 0 || count/perSecond > int64(maxDuration/time.Second) {
		return 0
	}
	whole := count / perSecond
	return time.Duration(whole)*time.Second + time.Duration(count%perSecond*int64(time.Second)/perSecond)
}

const orientationTag = 0x0112

// isSideways reports whether the EXIF orientation of a JPEG file swaps width and height (values 5 to 8).
func isSideways(f *file) bool {
	offset := int64(2)
	for range 64 { // far more segments than any camera writes
		header := f.at(offset, 4)
		if len(header) < 4 || header[0] != 0xff || header[1] == 0xda {
			return false
		}
		length := int64(binary.BigEndian.Uint16(header[2:]))
		if header[1] == 0xe1 {
			segment := f.at(offset+4, int(length))
			if tiff, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00")); ok {
				value := orientation(tiff)
				return value >= 5 && value <= 8
			}
		}
		offset += 2 + length
	}
	return false
}

// orientation returns the tag from the first directory of a TIFF header, or 0.
func orientation(tiff []byte) int {
	if len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.BigEndian
	if bytes.HasPrefix(tiff, []byte("II")) {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 0
	}
	count := int64(order.Uint16(tiff[at:]))
	for i := range count {
		entry := at + 2 + 12*i
		if entry+12 > int64(len(tiff)) {
			return 0
		}
		if order.Uint16(tiff[entry:]) == orientationTag {
			return int(order.Uint16(tiff[entry+8:]))
		}
	}
	return 0
}

const maxBoxes = 4096 // limits the work for one file

// movie reads an ISO base media file (MP4, M4A, 3GP): the duration of the movie header and the rotated size of the
// first track that has one.
func movie(f *file) Info {
	var info Info
	boxes := maxBoxes
	walk(f, 0, f.size, &boxes, func(kind string, start, end int64) bool {
		switch kind {
		case "moov", "trak":
			return true
		case "mvhd":
			info.Duration = movieHeader(f.at(start, int(min(end-start, 36))))
		case "tkhd":
			if info.Width == 0 {
				info.Width, info.Height = trackSize(f.at(start, int(min(end-start, 96))))
			}
		}
		return false
	})
	return info
}

// walk calls visit for each box between two offsets and descends into those for which it returns true.
func walk(f *file, at, end int64, boxes *int, visit func(kind string, start, end int64) bool) {
	for at+8 <= end && *boxes > 0 {
		*boxes--
		header := f.at(at, 16)
		if len(header) < 8 {
			return
		}
		size, body := int64(binary.BigEndian.Uint32(header)), int64(8)
		switch {
		case size == 0:
			size = end - at
		case size == 1 && len(header) == 16:
			size, body = int64(binary.BigEndian.Uint64(header[8:])), 16
		}
		if size < body || size > end-at {
			return
		}
		if visit(string(header[4:8]), at+body, at+size) {
			walk(f, at+body, at+size, boxes, visit)
		}
		at += size
	}
}

func movieHeader(b []byte) time.Duration {
	switch {
	case len(b) >= 20 && b[0] == 0:
		return seconds(int64(binary.BigEndian.Uint32(b[16:])), int64(binary.BigEndian.Uint32(b[12:])))
	case len(b) >= 32 && b[0] == 1:
		return seconds(int64(binary.BigEndian.Uint64(b[24:])), int64(binary.BigEndian.Uint32(b[20:])))
	}
	return 0
}

// trackSize returns the size of a track in pixels, swapped if the matrix rotates it.
func trackSize(b []byte) (width, height int) {
	matrix := 40
	if len(b) > 0 && b[0] == 1 {
		matrix = 52
	}
	if len(b) < matrix+44 {
		return 0, 0
	}
	width = int(binary.BigEndian.Uint32(b[matrix+36:]) >> 16)
	height = int(binary.BigEndian.Uint32(b[matrix+40:]) >> 16)
	if binary.BigEndian.Uint32(b[matrix:]) == 0 && binary.BigEndian.Uint32(b[matrix+4:]) != 0 {
		width, height = height, width
	}
	return width, height
}

// oggDuration subtracts the pre-skip of the Opus header from the position of the last page, both in samples of 48 kHz.
func oggDuration(f *file) time.Duration {
	const longestPage = 65_307
	head := f.at(0, 64)
	at := bytes.Index(head, []byte("OpusHead"))
	if at < 0 || at+12 > len(head) {
		return 0
	}
	skip := int64(binary.LittleEndian.Uint16(head[at+10:]))
	tail := f.at(max(0, f.size-longestPage), longestPage)
	last := bytes.LastIndex(tail, []byte("OggS"))
	if last < 0 || last+14 > len(tail) {
		return 0
	}
	return seconds(int64(binary.LittleEndian.Uint64(tail[last+6:]))-skip, 48_000)
}

// Bit rates in kbit/s and sample rates of MPEG audio by their index in the frame header.
var (
	bitRates1   = [16]int64{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0}
	bitRates2   = [16]int64{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0}
	sampleRates = [4]int64{44_100, 48_000, 32_000, 0}
)

// mp3Duration uses the frame count of a Xing or Info header, and otherwise the bit rate of the first frame.
func mp3Duration(f *file) time.Duration {
	start := int64(0)
	if tag := f.at(0, 10); len(tag) == 10 && bytes.HasPrefix(tag, []byte("ID3")) {
		start = 10 + (int64(tag[6])<<21 | int64(tag[7])<<14 | int64(tag[8])<<7 | int64(tag[9]))
	}
	b := f.at(start, 4096)
	for len(b) > 4 && (b[0] != 0xff || b[1]&0xe0 != 0xe0) { // padding after the tag
		b, start = b[1:], start+1
	}
	if len(b) < 4 {
		return 0
	}
	version, layer := b[1]>>3&3, b[1]>>1&3
	if version == 1 || layer != 1 { // reserved, or not layer III
		return 0
	}
	rate, samples, bits := sampleRates[b[2]>>2&3], int64(1152), bitRates1[b[2]>>4]
	if version != 3 {
		samples, bits = 576, bitRates2[b[2]>>4]
		rate /= 2
		if version == 0 {
			rate /= 2
		}
	}
	head := b[:min(len(b), 64)]
	for _, mark := range []string{"Xing", "Info"} {
		if at := bytes.Index(head, []byte(mark)); at > 0 && at+12 <= len(head) && head[at+7]&1 != 0 {
			return seconds(int64(binary.BigEndian.Uint32(head[at+8:]))*samples, rate)
		}
	}
	if bits == 0 || rate == 0 {
		return 0
	}
	return seconds((f.size-start)*8, bits*1000)
}

// aacRates are the sample rates of ADTS by index.
var aacRates = [16]int64{96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350}

// aacDuration counts the frames of an ADTS stream: 1,024 samples each.
func aacDuration(f *file) time.Duration {
	frames, rate := int64(0), int64(0)
	scan(f, func(b []byte) int {
		if len(b) < 7 || b[0] != 0xff || b[1]&0xf6 != 0xf0 {
			return 0
		}
		frames, rate = frames+1, aacRates[b[2]>>2&15]
		return int(b[3]&3)<<11 | int(b[4])<<3 | int(b[5]>>5)
	})
	return seconds(frames*1024, rate)
}

// amrSizes are the sizes of narrow-band frames in bytes, including the header, by frame type.
var amrSizes = [16]int{13, 14, 16, 18, 20, 21, 27, 32, 6, 0, 0, 0, 0, 0, 0, 1}

// amrDuration counts the frames of an AMR file: 20 milliseconds each.
func amrDuration(f *file) time.Duration {
	mark := []byte("#!AMR\n")
	frames, first := int64(0), true
	scan(f, func(b []byte) int {
		if first {
			first = false
			if bytes.HasPrefix(b, mark) {
				return len(mark)
			}
			return 0
		}
		size := amrSizes[b[0]>>3&15]
		if size > 0 && size <= len(b) {
			frames++
		}
		return size
	})
	return seconds(frames, 50)
}

// scan calls frame with the bytes from the start of each frame and advances by the size it returns, until that is
// zero or the file ends. b has at least 8 KiB except at the end of the file.
func scan(f *file, frame func(b []byte) int) {
	const window, longest = 256 << 10, 8 << 10
	for at := int64(0); at < f.size; {
		b := f.at(at, window)
		used := 0
		for used < len(b) && (len(b)-used >= longest || at+int64(len(b)) == f.size) {
			n := frame(b[used:])
			if n <= 0 {
				return
			}
			used += n
		}
		if used == 0 {
			return
		}
		at += int64(used)
	}
}
