package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"image/png"
	"testing"
	"time"
)

func TestDimensionsAndDurationsAreReadFromHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		mimeType string
		file     []byte
		want     Info
	}{
		"png":                      {"image/png", pngFile(t, 300, 200), Info{Width: 300, Height: 200}},
		"jpeg":                     {"image/jpeg", jpegFile(t, 320, 240, 0), Info{Width: 320, Height: 240}},
		"jpeg upright":             {"image/jpeg", jpegFile(t, 320, 240, 1), Info{Width: 320, Height: 240}},
		"jpeg turned":              {"image/jpeg", jpegFile(t, 320, 240, 6), Info{Width: 240, Height: 320}},
		"mp4":                      {"video/mp4", mp4File(640, 360, false), Info{Width: 640, Height: 360, Duration: 2500 * time.Millisecond}},
		"mp4 turned":               {"video/mp4", mp4File(640, 360, true), Info{Width: 360, Height: 640, Duration: 2500 * time.Millisecond}},
		"m4a":                      {"audio/mp4", mp4File(0, 0, false), Info{Duration: 2500 * time.Millisecond}},
		"ogg":                      {"audio/ogg", oggFile(3*48_000 + 312), Info{Duration: 3 * time.Second}},
		"mp3 with a frame count":   {"audio/mpeg", mp3File(true), Info{Duration: 1152 * 100 * time.Second / 44_100}},
		"mp3 of constant bit rate": {"audio/mpeg", mp3File(false), Info{Duration: time.Second}},
		"aac":                      {"audio/aac", aacFile(430), Info{Duration: 430 * 1024 * time.Second / 44_100}},
		"amr":                      {"audio/amr", amrFile(150), Info{Duration: 3 * time.Second}},
		"a text":                   {"text/plain", []byte("hello"), Info{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Read(bytes.NewReader(c.file), c.mimeType, 1<<24)
			if got.Width != c.want.Width || got.Height != c.want.Height {
				t.Errorf("size: got %dx%d, want %dx%d", got.Width, got.Height, c.want.Width, c.want.Height)
			}
			if difference := (got.Duration - c.want.Duration).Abs(); difference > time.Millisecond {
				t.Errorf("duration: got %v, want %v", got.Duration, c.want.Duration)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	types := []string{"image/jpeg", "image/png", "image/webp", "video/mp4", "audio/ogg", "audio/mpeg", "audio/aac", "audio/amr"}
	for i, file := range [][]byte{
		{0xff, 0xd8, 0xff, 0xe1}, nil, []byte("RIFF"), mp4File(640, 360, true), oggFile(1), mp3File(true), aacFile(2), amrFile(2),
	} {
		f.Add(i, file)
	}
	f.Fuzz(func(t *testing.T, kind int, file []byte) {
		got := Read(bytes.NewReader(file), types[uint(kind)%uint(len(types))], 1<<24)
		if got.Width < 0 || got.Width > maxSide || got.Height < 0 || got.Height > maxSide ||
			got.Duration < 0 || got.Duration > maxDuration {
			t.Errorf("got %+v", got)
		}
	})
}

func pngFile(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegFile(t *testing.T, width, height, orientation int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	if orientation == 0 {
		return b.Bytes()
	}
	exif := []byte("Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00")
	exif = append(exif, byte(orientation), 0, 0, 0, 0, 0, 0)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2))
	return bytes.Join([][]byte{b.Bytes()[:2], segment, exif, b.Bytes()[2:]}, nil)
}

func box(kind string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), kind...), body...)
}

func mp4File(width, height uint32, turned bool) []byte {
	header := make([]byte, 100)
	binary.BigEndian.PutUint32(header[12:], 1000)
	binary.BigEndian.PutUint32(header[16:], 2500)
	track := make([]byte, 84)
	binary.BigEndian.PutUint32(track[40:], 0x10000)
	if turned {
		binary.BigEndian.PutUint32(track[40:], 0)
		binary.BigEndian.PutUint32(track[44:], 0x10000)
	}
	binary.BigEndian.PutUint32(track[76:], width<<16)
	binary.BigEndian.PutUint32(track[80:], height<<16)
	return bytes.Join([][]byte{
		box("ftyp", []byte("isom\x00\x00\x00\x00")), box("mdat", make([]byte, 5000)),
		box("moov", box("mvhd", header), box("trak", box("tkhd", track))),
	}, nil)
}

func oggFile(position uint64) []byte {
	page := func(position uint64, body string) []byte {
		b := append([]byte("OggS\x00\x00"), binary.LittleEndian.AppendUint64(nil, position)...)
		b = append(b, make([]byte, 12)...)
		return append(append(b, 1, byte(len(body))), body...)
	}
	return append(page(0, "OpusHead\x01\x01\x38\x01\x80\xbb\x00\x00\x00\x00\x00"), page(position, "sound")...)
}

// mp3File returns a file of 128 kbit/s at 44.1 kHz: 16,000 bytes a second.
func mp3File(counted bool) []byte {
	tag := append([]byte("ID3\x04\x00\x00\x00\x00\x00\x10"), make([]byte, 16)...)
	b := make([]byte, 16_000)
	copy(b, []byte{0xff, 0xfb, 0x90, 0x00})
	if counted {
		copy(b[36:], "Info\x00\x00\x00\x01\x00\x00\x00\x64")
	}
	return append(tag, b...)
}

func aacFile(frames int) []byte {
	const size = 200
	frame := make([]byte, size)
	copy(frame, []byte{0xff, 0xf1, 0x50, 0x80, size >> 3, size & 7 << 5, 0xfc})
	return bytes.Repeat(frame, frames)
}

func amrFile(frames int) []byte {
	frame := make([]byte, 32)
	frame[0] = 7 << 3
	return append([]byte("#!AMR\n"), bytes.Repeat(frame, frames)...)
}
