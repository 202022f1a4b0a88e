package admin

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// voice returns a silent voice message of the given length as an Ogg Opus file.
func voice(seconds int) []byte {
	const perSecond, samples, skip = 50, 960, 312 // frames of 20 ms at 48 kHz
	silence := []byte{0xf8, 0xff, 0xfe}           // one such frame
	head := append([]byte("OpusHead\x01\x01"), binary.LittleEndian.AppendUint16(nil, skip)...)
	head = append(binary.LittleEndian.AppendUint32(head, 48_000), 0, 0, 0)
	tags := append([]byte("OpusTags"), binary.LittleEndian.AppendUint32(nil, 6)...)
	tags = append(binary.LittleEndian.AppendUint32(append(tags, "recado"...), 0), nil...)

	var out bytes.Buffer
	page := 0
	write := func(flags byte, position int, packets ...[]byte) {
		out.Write(oggPage(flags, position, page, packets))
		page++
	}
	write(2, 0, head)
	write(0, 0, tags)
	for second := range seconds {
		packets := make([][]byte, perSecond)
		for i := range packets {
			packets[i] = silence
		}
		flags := byte(0)
		if second == seconds-1 {
			flags = 4
		}
		write(flags, (second+1)*perSecond*samples+skip, packets...)
	}
	return out.Bytes()
}

// oggPage returns a page of a stream. Every packet must be shorter than 255 bytes.
func oggPage(flags byte, position, number int, packets [][]byte) []byte {
	b := append([]byte("OggS\x00"), flags)
	b = binary.LittleEndian.AppendUint64(b, uint64(position))
	b = binary.LittleEndian.AppendUint32(b, 0x52454341)
	b = binary.LittleEndian.AppendUint32(b, uint32(number))
	b = append(b, 0, 0, 0, 0, byte(len(packets)))
	for _, p := range packets {
		b = append(b, byte(len(p)))
	}
	for _, p := range packets {
		b = append(b, p...)
	}
	binary.LittleEndian.PutUint32(b[22:], oggChecksum(b))
	return b
}

// oggChecksum computes the CRC-32 of Ogg: the Ethernet polynomial, most significant bit first, without inversion.
func oggChecksum(b []byte) (sum uint32) {
	for _, c := range b {
		sum ^= uint32(c) << 24
		for range 8 {
			if sum&0x80000000 != 0 {
				sum = sum<<1 ^ 0x04c11db7
			} else {
				sum <<= 1
			}
		}
	}
	return sum
}

// document returns a PDF file with a page of text.
func document(lines ...string) []byte {
	var text bytes.Buffer
	text.WriteString("BT /F1 16 Tf 72 760 Td 22 TL\n")
	for _, line := range lines {
		fmt.Fprintf(&text, "(%s) Tj T*\n", line)
	}
	text.WriteString("ET")
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", text.Len(), text.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	var offsets []int
	for i, o := range objects {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return out.Bytes()
}
