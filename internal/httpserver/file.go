package httpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// file is a file of the app. It is compressed on first use, once for each encoding.
type file struct {
	mime  string
	plain []byte
	gzip  func() []byte // returns nil if compression does not help
	zstd  func() []byte
}

// types contains the types of the files of the build. The table of the system differs between machines.
var types = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".json": "application/json",
	".woff2": "font/woff2", ".png": "image/png", ".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8",
}

func newFile(name string, content []byte) *file {
	f := &file{mime: types[path.Ext(name)], plain: content, gzip: nothing, zstd: nothing}
	if f.mime == "" {
		f.mime = mime.TypeByExtension(path.Ext(name))
	}
	if f.mime != "font/woff2" && f.mime != "image/png" { // already compressed
		f.gzip = sync.OnceValue(func() []byte { return smaller(gzipped(content, gzip.BestCompression), content) })
		f.zstd = sync.OnceValue(func() []byte { return smaller(zstandard(content), content) })
	}
	return f
}

func nothing() []byte { return nil }

// smaller returns nil if the compressed content is not smaller.
func smaller(compressed, content []byte) []byte {
	if len(compressed) >= len(content) {
		return nil
	}
	return compressed
}

func zstandard(content []byte) []byte { // cannot fail: the options are valid
	w, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	return w.EncodeAll(content, nil)
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.mime)
	h.Set("Vary", "Accept-Encoding")
	content, encoding := f.plain, ""
	accepted := r.Header.Get("Accept-Encoding")
	if acceptsEncoding(accepted, "zstd") && f.zstd() != nil {
		content, encoding = f.zstd(), "zstd"
	} else if acceptsEncoding(accepted, "gzip") && f.gzip() != nil {
		content, encoding = f.gzip(), "gzip"
	}
	if encoding == "" {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		return
	}
	h.Set("Content-Encoding", encoding)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(content)
	}
}

// contentVersion returns a hash of the names and contents of all files.
func contentVersion(files fs.FS) (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		sum.Write([]byte(name + "\x00" + strconv.Itoa(len(content)) + "\x00"))
		sum.Write(content)
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil))[:16], err
}
