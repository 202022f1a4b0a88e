package media

import (
	"bytes"
	"encoding/binary"
)

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
