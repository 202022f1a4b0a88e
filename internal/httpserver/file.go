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
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// file is one file of the app. It is compressed when it is first asked for, once for each encoding, so
// that starting a server costs nothing.
type file struct {
	mime  string
	plain []byte
	gzip  func() []byte // gives nil where compression gains nothing
	zstd  func() []byte
}

// types are the kinds of files that the build makes. The system's table is not asked, since it differs
// from machine to machine.
var types = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".json": "application/json",
	".woff2": "font/woff2", ".png": "image/png", ".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8",
}

func newFile(name string, content []byte) *file {
	f := &file{mime: types[path.Ext(name)], plain: content, gzip: nothing, zstd: nothing}
	if f.mime == "" {
		f.mime = mime.TypeByExtension(path.Ext(name))
	}
	if f.mime != "font/woff2" && f.mime != "image/png" { // these are compressed already
		f.gzip = sync.OnceValue(func() []byte { return smaller(gzippedFile(content), content) })
		f.zstd = sync.OnceValue(func() []byte { return smaller(zstandard(content), content) })
	}
	return f
}

func nothing() []byte { return nil }

// smaller gives the compressed form if it is one.
func smaller(compressed, content []byte) []byte {
	if len(compressed) >= len(content) {
		return nil
	}
	return compressed
}

// gzippedFile and zstandard write to memory with options that are valid, which cannot fail.
func gzippedFile(content []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = w.Write(content)
	_ = w.Close()
	return out.Bytes()
}

func zstandard(content []byte) []byte {
	w, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	return w.EncodeAll(content, nil)
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.mime)
	h.Set("Vary", "Accept-Encoding")
	content, encoding := f.plain, ""
	offered := r.Header.Get("Accept-Encoding")
	if accepts(offered, "zstd") && f.zstd() != nil {
		content, encoding = f.zstd(), "zstd"
	} else if accepts(offered, "gzip") && f.gzip() != nil {
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

// accepts reports whether a header Accept-Encoding names the encoding and does not refuse it with q=0.
func accepts(header, encoding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, parameters, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), encoding) {
			continue
		}
		q, found := strings.CutPrefix(strings.ReplaceAll(parameters, " ", ""), "q=")
		weight, err := strconv.ParseFloat(q, 64)
		return !found || (err == nil && weight > 0)
	}
	return false
}

// contentVersion is a hash over the names and contents of all files: the same build has the same version.
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
