package imports

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"io"
	"path"
	"strings"

	"recado/internal/kernel"
)

// Limits of the archive of a chat.
const (
	maxChatBytes    = 100 << 20 // of the text
	maxUnpacked     = 2 << 30   // of all files; those of a chat hardly shrink in an archive
	maxArchiveFiles = 20_000
	maxDirectory    = 8 << 20 // of the list of files, which is held in memory
)

// chatFile is an exported chat: a text, alone or in an archive with the files of its messages.
type chatFile struct {
	names []string // of the upload and of the text, which contain the name of the contact
	text  func() (io.ReadCloser, error)
	files map[string]*zip.File // by the name in the text
}

// openChatFile reads the list of files of an archive. An error that is not a kernel.Error comes from the storage.
func openChatFile(name string, content io.ReadSeeker, size int64) (*chatFile, error) {
	c := &chatFile{names: []string{name}, files: map[string]*zip.File{}}
	magic := make([]byte, 4)
	n, err := io.ReadFull(content, magic)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	if string(magic[:n]) != "PK\x03\x04" {
		if size > maxChatBytes {
			return nil, errTooLarge(maxChatBytes)
		}
		c.text = func() (io.ReadCloser, error) {
			_, err := content.Seek(0, io.SeekStart)
			return io.NopCloser(content), err
		}
		return c, nil
	}
	source := &readerAt{ReadSeeker: content, at: -1, left: maxDirectory}
	archive, err := zip.NewReader(source, size)
	source.left = -1
	switch {
	case errors.Is(err, errDirectory) || err == nil && len(archive.File) > maxArchiveFiles:
		return nil, kernel.Invalid("body.file", kernel.RuleTooMany, "the archive has more than 20,000 files", kernel.Params{"max": maxArchiveFiles})
	case isDamage(err), err == io.EOF:
		return nil, errNoChat()
	case err != nil:
		return nil, err
	}
	var unpacked uint64
	for _, f := range archive.File {
		if unpacked += min(f.UncompressedSize64, maxUnpacked); unpacked > maxUnpacked {
			return nil, kernel.Errorf(kernel.CodeBodyTooLarge, "The files in the archive may have at most %s.", kernel.SizeText(maxUnpacked))
		}
		base := path.Base(strings.ReplaceAll(f.Name, `\`, "/"))
		if _, repeated := c.files[base]; !repeated && !f.FileInfo().IsDir() {
			c.files[base] = f
		}
	}
	text, err := c.findText(archive.File)
	if err != nil {
		return nil, err
	}
	if text.UncompressedSize64 > maxChatBytes {
		return nil, errTooLarge(maxChatBytes)
	}
	c.names = append(c.names, path.Base(text.Name))
	c.text = text.Open
	return c, nil
}

// findText returns the text of the chat. Other text files may be attached to its messages.
func (c *chatFile) findText(all []*zip.File) (*zip.File, error) {
	if f := c.files["_chat.txt"]; f != nil { // iPhone
		return f, nil
	}
	for _, f := range all {
		if !strings.EqualFold(path.Ext(f.Name), ".txt") {
			continue
		}
		begins, err := beginsAsChat(f)
		if err != nil && !isDamage(err) {
			return nil, err
		}
		if begins {
			return f, nil
		}
	}
	return nil, errNoChat()
}

// beginsAsChat reports whether the first lines of a file have an entry of a chat.
func beginsAsChat(f *zip.File) (bool, error) {
	r, err := f.Open()
	if err != nil {
		return false, err
	}
	defer func() { _ = r.Close() }()
	chat := newChatReader(io.LimitReader(r, 4<<10))
	for {
		e, err := chat.next()
		if err != nil || e.kind != entryUnknown {
			return err == nil, nilIfEOF(err)
		}
	}
}

func nilIfEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// readerAt makes io.ReaderAt out of a file of the storage, for one goroutine. It seeks only if it has to, because that may be a request.
type readerAt struct {
	io.ReadSeeker
	at   int64 // -1: unknown
	left int64 // bytes that may be read; negative: any
}

var errDirectory = errors.New("imports: the list of files of an archive is too long")

// ReadAt reads from a position.
func (r *readerAt) ReadAt(p []byte, at int64) (n int, err error) {
	if r.left >= 0 {
		if r.left -= int64(len(p)); r.left < 0 {
			r.left = 0
			return 0, errDirectory
		}
	}
	if at != r.at {
		if _, err := r.Seek(at, io.SeekStart); err != nil {
			r.at = -1
			return 0, err
		}
	}
	n, err = io.ReadFull(r.ReadSeeker, p)
	r.at = at + int64(n)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}

// isDamage reports whether an error says that an archive is damaged, in contrast to one of the storage.
func isDamage(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrAlgorithm) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &corrupt)
}
