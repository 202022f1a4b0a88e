package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"testing"
	"testing/iotest"

	"recado/test/testkit"
)

// element returns a Matroska element with a size of eight bytes, or of unknown size.
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

// sample returns a WebM file as browsers record it, with clusters of unknown size.
func sample(codec string, tracks int, packets ...[]byte) []byte {
	head := append([]byte("OpusHead\x01\x01"), 0x38, 0x01, 0x80, 0xbb, 0, 0, 0, 0, 0)
	track := element(elementTrack, true, element(0xd7, true, []byte{1}),
		element(elementCodec, true, []byte(codec)), element(elementCodecPrivate, true, head))
	body := [][]byte{element(elementTracks, true, bytes.Repeat(track, tracks))}
	for i, p := range packets {
		content := append([]byte{0x81, byte(i >> 8), byte(i), 0x80}, p...)
		block := element(elementSimpleBlock, true, content)
		if i%2 == 1 {
			block = element(elementBlockGroup, true, element(elementBlock, true, content))
		}
		body = append(body, element(elementCluster, false, element(0xe7, true, []byte{0}), block))
	}
	return append(element(0x1a45dfa3, true, element(0x4282, true, []byte("webm"))), element(elementSegment, false, body...)...)
}

func TestConversionKeepsAllPackets(t *testing.T) {
	var packets [][]byte
	for i := range 120 { // 20 ms each
		packets = append(packets, append([]byte{0x78, byte(i)}, bytes.Repeat([]byte{byte(i)}, i*5)...))
	}
	ogg, err := io.ReadAll(FromWebM(bytes.NewReader(sample("A_OPUS", 1, packets...))))
	if err != nil {
		t.Fatal(err)
	}
	found, granule := readOgg(t, ogg)
	testkit.Equal(t, "header", string(found[0][:8]), "OpusHead")
	testkit.Equal(t, "comments", string(found[1][:8]), "OpusTags")
	testkit.Diff(t, "packets", found[2:], packets)
	testkit.Equal(t, "samples", granule, uint64(120*960))
}

func TestOtherFilesAreRejected(t *testing.T) {
	packet := []byte{0x78, 1, 2, 3}
	whole := sample("A_OPUS", 1, packet)
	for name, file := range map[string][]byte{
		"two tracks": sample("A_OPUS", 2, packet), "another codec": sample("A_VORBIS", 1, packet), "no sound": sample("A_OPUS", 1),
		"nothing": nil, "no WebM": []byte("OggS"), "cut in the header": whole[:40],
	} {
		if _, err := io.ReadAll(FromWebM(bytes.NewReader(file))); !errors.Is(err, ErrNotOpus) {
			t.Errorf("%s: got error %v, want %v", name, err, ErrNotOpus)
		}
	}
}

func TestATruncatedRecordingEndsWithTheLastCompleteBlock(t *testing.T) {
	file := sample("A_OPUS", 1, []byte{0x78, 1, 2, 3}, []byte{0x78, 4, 5, 6})
	ogg, err := io.ReadAll(FromWebM(bytes.NewReader(file[:len(file)-2])))
	if err != nil {
		t.Fatal(err)
	}
	packets, _ := readOgg(t, ogg)
	testkit.Diff(t, "packets", packets[2:], [][]byte{{0x78, 1, 2, 3}})
}

func TestAFailedUploadIsAnError(t *testing.T) {
	file := sample("A_OPUS", 1, []byte{0x78, 1, 2, 3}, []byte{0x78, 4, 5, 6})
	for _, length := range []int{20, len(file) - 20, len(file) - 2, len(file)} {
		upload := io.MultiReader(bytes.NewReader(file[:length]), iotest.ErrReader(io.ErrUnexpectedEOF))
		if _, err := io.ReadAll(FromWebM(upload)); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("after %d bytes: got error %v, want %v", length, err, io.ErrUnexpectedEOF)
		}
	}
}

func TestALongRecordingIsConvertedWithLittleMemory(t *testing.T) {
	head := sample("A_OPUS", 1)
	packet := element(elementSimpleBlock, true, []byte{0x81, 0, 0, 0x80, 0x78, 1, 2, 3})
	const count = MaxPackets
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := FromWebM(io.MultiReader(bytes.NewReader(head), &repeated{packet, count * len(packet), 0}))
	most := uint64(0)
	for buffer := make([]byte, 64<<10); ; {
		if _, err := r.Read(buffer); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if most == 0 || r.(*converter).out.packets%100_000 < 256 {
			runtime.ReadMemStats(&after)
			most = max(most, after.HeapAlloc-min(before.HeapAlloc, after.HeapAlloc))
		}
	}
	testkit.Equal(t, "packets", r.(*converter).out.packets, count)
	if most > 16<<20 {
		t.Errorf("the heap grew by %d bytes, want at most 16 MiB", most)
	}
}

// repeated returns the same bytes again and again.
type repeated struct {
	content  []byte
	left, at int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	for n < len(p) && r.left > 0 {
		k := copy(p[n:], r.content[r.at:])
		r.at = (r.at + k) % len(r.content)
		r.left -= k
		n += k
	}
	return n, nil
}

func FuzzFromWebM(f *testing.F) {
	f.Add(sample("A_OPUS", 1, []byte{0x78, 1}, []byte{0x7b, 2}))
	f.Fuzz(func(t *testing.T, file []byte) {
		ogg, err := io.ReadAll(FromWebM(bytes.NewReader(file)))
		if err != nil {
			return
		}
		if packets, _ := readOgg(t, ogg); len(packets) < 3 {
			t.Errorf("got %d packets, want the header, the comments and sound", len(packets))
		}
	})
}

// readOgg returns the packets of a file and the position of its last page.
func readOgg(t *testing.T, file []byte) (packets [][]byte, granule uint64) {
	t.Helper()
	for number := uint32(0); len(file) > 0; number++ {
		if !bytes.HasPrefix(file, []byte("OggS")) {
			t.Fatal("a page has no signature")
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

func TestARecordingHasALimitedNumberOfPackets(t *testing.T) {
	start := sample("A_OPUS", 1)
	packet := element(elementSimpleBlock, true, []byte{0x81, 0, 0, 0x80, 0x78})
	for count, want := range map[int]error{MaxPackets: nil, MaxPackets + 1: ErrTooManyPackets} {
		file := io.MultiReader(bytes.NewReader(start), bytes.NewReader(bytes.Repeat(packet, count)))
		_, err := io.Copy(io.Discard, FromWebM(file))
		testkit.Equal(t, "error", err, want)
	}
}
