package media

import (
	"image"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"time"

	_ "golang.org/x/image/webp"
)

// Info is what is known about a file. Zero values mean that it is not known or does not apply.
type Info struct {
	Width, Height int
	Duration      time.Duration
}

const (
	maxSide     = 1 << 16        // pixels; more is a malformed header
	maxDuration = 48 * time.Hour // likewise
)

// Read looks at a file of the given content type. It seeks within r and leaves its position undefined. A file of which
// it would have to read most bytes or more gives no information.
func Read(r io.ReadSeeker, mimeType string, most int64) Info {
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return Info{}
	}
	bounded := &boundedReader{ReadSeeker: r, left: most}
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

// boundedReader ends after a number of bytes, wherever they are read.
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

// file reads at offsets. Reads beyond the end give fewer bytes.
type file struct {
	r    io.ReadSeeker
	size int64
}

// at gives up to n bytes from an offset.
func (f *file) at(offset int64, n int) []byte {
	if offset < 0 || offset >= f.size || n <= 0 {
		return nil
	}
	if _, err := f.r.Seek(offset, io.SeekStart); err != nil {
		return nil
	}
	b := make([]byte, min(int64(n), f.size-offset))
	read, _ := io.ReadFull(f.r, b) // a short file gives a short slice
	return b[:read]
}

// picture gives the size at which a picture is shown: a photo may be stored on its side.
func picture(f *file, mimeType string) Info {
	if _, err := f.r.Seek(0, io.SeekStart); err != nil {
		return Info{}
	}
	config, _, err := image.DecodeConfig(f.r)
	if err != nil {
		return Info{}
	}
	if mimeType == "image/jpeg" && onItsSide(f) {
		return Info{Width: config.Height, Height: config.Width}
	}
	return Info{Width: config.Width, Height: config.Height}
}

// seconds is a duration counted in units of which a second has that many.
func seconds(count, perSecond int64) time.Duration {
	if perSecond <= 0 || count < 0 || count/perSecond > int64(maxDuration/time.Second) {
		return 0
	}
	whole := count / perSecond
	return time.Duration(whole)*time.Second + time.Duration(count%perSecond*int64(time.Second)/perSecond)
}
