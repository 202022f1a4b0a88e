package media

import (
	"encoding/binary"
	"time"
)

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
