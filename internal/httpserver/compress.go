package httpserver

import (
	"bytes"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// compressFrom is the size from which a JSON answer is compressed: a smaller one fits into a packet or two as it is.
const compressFrom = 1 << 10

// compressed gives the body of a JSON answer in the encoding that the client takes, with its headers set, or the body
// as it is. Answers that show a secret stay as they are, because the length of a compressed answer tells what else in it
// is like the secret; so do answers with a strong ETag, which names exact bytes.
func (a *Answer) compressed(body []byte) []byte {
	h := a.Header()
	if len(body) <= compressFrom || a.Secret || strings.HasPrefix(h.Get("ETag"), `"`) || h.Get("Content-Encoding") != "" {
		return body
	}
	h.Add("Vary", "Accept-Encoding")
	offered := strings.Join(a.accepts, ",")
	switch {
	case takes(offered, "zstd"):
		h.Set("Content-Encoding", "zstd")
		return zstdEncoder().EncodeAll(body, nil)
	case takes(offered, "gzip"):
		h.Set("Content-Encoding", "gzip")
		return gzipped(body)
	}
	return body
}

// zstdEncoder is safe for concurrent use with EncodeAll. The options are valid, so that making it cannot fail.
var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	e, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(256<<10))
	return e
})

// gzipWriters keeps the memory of finished compressions for the next ones.
var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return w
}}

func gzipped(body []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(body) / 4)
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(&out)
	_, _ = w.Write(body) // to memory
	_ = w.Close()
	return out.Bytes()
}

// takes reports whether a header Accept-Encoding names the encoding and does not refuse it with q=0.
func takes(header, encoding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, parameters, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), encoding) {
			continue
		}
		q, weighted := strings.CutPrefix(strings.ReplaceAll(parameters, " ", ""), "q=")
		weight, err := strconv.ParseFloat(q, 64)
		return !weighted || err == nil && weight > 0
	}
	return false
}
