package media

import (
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
