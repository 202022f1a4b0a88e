package media

import (
	"bytes"
	"encoding/binary"
	"time"
)

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
