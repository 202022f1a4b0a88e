package voice

import (
	"bytes"
	"encoding/binary"
	"testing"

	"recado/internal/testkit"
)

// element writes an element of Matroska with a size of eight bytes, or of unknown size.
func element(id uint64, known bool, content ...[]byte) []byte {
	var b []byte
	for shift := 24; shift >= 0; shift -= 8 {
		if part := byte(id >> shift); part != 0 || len(b) > 0 {
			b = append(b, part)
		}
	}
	inner := bytes.Join(content, nil)
	size := uint64(1)<<56 - 1
	if known {
		size = uint64(len(inner))
	}
	return append(binary.BigEndian.AppendUint64(b, 1<<56|size), inner...)
}

// sample is a WebM file as browsers record it, with clusters of unknown size.
func sample(codec string, tracks int, packets ...[]byte) []byte {
	head := append([]byte("OpusHead\x01\x01"), 0x38, 0x01, 0x80, 0xbb, 0, 0, 0, 0, 0)
	track := element(elementTrack, true, element(0xd7, true, []byte{1}), element(elementCodec, true, []byte(codec)), element(elementCodecPrivate, true, head))
	body := [][]byte{element(elementTracks, true, bytes.Repeat(track, tracks))}
	for i, p := range packets {
		block := append([]byte{0x81, byte(i >> 8), byte(i), 0x80}, p...)
		if i%2 == 1 {
			body = append(body, element(elementCluster, false, element(0xe7, true, []byte{0}), element(elementBlockGroup, true, element(elementBlock, true, block))))
		} else {
			body = append(body, element(elementCluster, false, element(0xe7, true, []byte{0}), element(elementSimpleBlock, true, block)))
		}
	}
	return append(element(0x1a45dfa3, true, element(0x4282, true, []byte("webm"))), element(elementSegment, false, body...)...)
}

func TestTheFramesOfARecordingAreKept(t *testing.T) {
	var packets [][]byte
	for i := range 120 { // 20 ms each
		packets = append(packets, append([]byte{0x78, byte(i)}, bytes.Repeat([]byte{byte(i)}, i*5)...))
	}
	ogg, ok := FromWebM(sample("A_OPUS", 1, packets...))
	if !ok {
		t.Fatal("it is not taken for a recording")
	}
	found, granule := readOgg(t, ogg)
	testkit.Equal(t, "header", string(found[0][:8]), "OpusHead")
	testkit.Equal(t, "comments", string(found[1][:8]), "OpusTags")
	testkit.Diff(t, "packets", found[2:], packets)
	testkit.Equal(t, "samples", granule, uint64(120*960))
}

func TestOtherFilesAreLeftAlone(t *testing.T) {
	packet := []byte{0x78, 1, 2, 3}
	whole := sample("A_OPUS", 1, packet)
	for name, file := range map[string][]byte{
		"two tracks": sample("A_OPUS", 2, packet), "another codec": sample("A_VORBIS", 1, packet), "no sound": sample("A_OPUS", 1),
		"nothing": nil, "no WebM": []byte("OggS"), "cut in the header": whole[:40],
	} {
		if _, ok := FromWebM(file); ok {
			t.Errorf("%s: it is taken for a recording", name)
		}
	}
}

func FuzzFromWebM(f *testing.F) {
	f.Add(sample("A_OPUS", 1, []byte{0x78, 1}, []byte{0x7b, 2}))
	f.Fuzz(func(t *testing.T, file []byte) {
		if ogg, ok := FromWebM(file); ok && !bytes.HasPrefix(ogg, []byte("OggS")) {
			t.Error("it gives something else than Ogg")
		}
	})
}

// readOgg gives the packets of a file and the position of its last page.
func readOgg(t *testing.T, file []byte) (packets [][]byte, granule uint64) {
	t.Helper()
	for number := uint32(0); len(file) > 0; number++ {
		if !bytes.HasPrefix(file, []byte("OggS")) {
			t.Fatal("a page does not begin as one")
		}
		testkit.Equal(t, "page number", binary.LittleEndian.Uint32(file[18:]), number)
		granule = binary.LittleEndian.Uint64(file[6:])
		table := file[27 : 27+int(file[26])]
		at := 27 + len(table)
		var packet []byte
		for _, n := range table {
			packet = append(packet, file[at:at+int(n)]...)
			at += int(n)
			if n < 255 {
				packets, packet = append(packets, packet), nil
			}
		}
		sum := binary.LittleEndian.Uint32(file[22:])
		page := bytes.Clone(file[:at])
		copy(page[22:26], []byte{0, 0, 0, 0})
		testkit.Equal(t, "checksum", checksum(page), sum)
		file = file[at:]
	}
	return packets, granule
}
