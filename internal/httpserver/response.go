package httpserver

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// minCompressed is the size above which JSON responses are compressed. Smaller ones fit into a packet or two.
const minCompressed = 1 << 10

// response delays the header until the body is written, so that a JSON body, which is written at once, can get a
// Content-Length, an ETag and an encoding.
type response struct {
	http.ResponseWriter
	status int // 0: not set
	sent   bool
	body   *requestBody
	drains bool

	acceptEncoding []string
	ifNoneMatch    []string

	secret      bool // the body contains a secret and is not compressed
	conditional bool // a JSON body with status 200 gets an ETag, and the status 304 if the client has it already
}

func newResponse(w http.ResponseWriter, r *http.Request) *response {
	return &response{
		ResponseWriter: w, body: newRequestBody(r),
		acceptEncoding: r.Header["Accept-Encoding"], ifNoneMatch: r.Header["If-None-Match"],
	}
}

// finish sends a response without a body, and reads the rest of the request body within limits.
func (a *response) finish() {
	a.send()
	a.drain()
}

// WriteHeader stores the first status until the header is sent.
func (a *response) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write sends the header before the first bytes.
func (a *response) Write(b []byte) (int, error) {
	written := len(b)
	if !a.sent {
		if h := a.Header(); h["Content-Length"] == nil && len(b) > 0 && h.Get("Content-Type") == "application/json" {
			if a.conditional && a.unchanged(b) {
				a.send()
				return written, nil
			}
			b = a.compressed(b)
			h["Content-Length"] = []string{strconv.Itoa(len(b))}
		}
		a.send()
	}
	if n, err := a.ResponseWriter.Write(b); err != nil {
		return min(n, written), err
	}
	return written, nil
}

// Hijack implements http.Hijacker.
func (a *response) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(a.ResponseWriter).Hijack()
	if err == nil {
		a.sent, a.status = true, http.StatusOK
	}
	return conn, buffered, err
}

// Unwrap lets http.ResponseController reach the connection.
func (a *response) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *response) send() {
	if a.sent {
		return
	}
	a.sent = true
	if a.status == 0 {
		a.status = http.StatusOK
	}
	a.prepareDrain()
	a.ResponseWriter.WriteHeader(a.status)
}

// unchanged sets the ETag of a body, unless there is one, and the status 304 if the client has the body already. The tag is
// weak because it identifies the body before compression.
func (a *response) unchanged(body []byte) bool {
	if a.status != 0 && a.status != http.StatusOK {
		return false
	}
	h := a.Header()
	tag := h.Get("ETag")
	if tag == "" {
		sum := sha256.Sum256(body)
		tag = `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
		h["Etag"] = []string{tag}
	}
	if !matches(strings.Join(a.ifNoneMatch, ","), tag) {
		return false
	}
	a.status = http.StatusNotModified
	delete(h, "Content-Type")
	return true
}

// matches reports whether an If-None-Match header contains a tag. Weak and strong tags are compared alike.
func matches(header, tag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		part = strings.TrimSpace(part)
		if part == "*" || part != "" && strings.TrimPrefix(part, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

// compressed encodes a JSON body if the client accepts it, and sets the headers. Responses with a secret are not compressed,
// because the compressed length reveals similarities with the secret. Neither are responses with a strong ETag, which
// identifies exact bytes.
func (a *response) compressed(body []byte) []byte {
	h := a.Header()
	if len(body) <= minCompressed || a.secret || strings.HasPrefix(h.Get("ETag"), `"`) || h.Get("Content-Encoding") != "" {
		return body
	}
	h.Add("Vary", "Accept-Encoding")
	accepted := strings.Join(a.acceptEncoding, ",")
	switch {
	case acceptsEncoding(accepted, "zstd"):
		h.Set("Content-Encoding", "zstd")
		return zstdEncoder().EncodeAll(body, nil)
	case acceptsEncoding(accepted, "gzip"):
		h.Set("Content-Encoding", "gzip")
		return gzipped(body, gzip.BestSpeed)
	}
	return body
}

// zstdEncoder returns an encoder that is safe for concurrent use with EncodeAll. NewWriter fails only for invalid options.
var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	e, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(256<<10))
	return e
})

// gzipped cannot fail because the level is valid and the output is in memory.
func gzipped(content []byte, level int) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, level)
	_, _ = w.Write(content)
	_ = w.Close()
	return out.Bytes()
}

// acceptsEncoding reports whether an Accept-Encoding header contains the encoding without q=0.
func acceptsEncoding(header, encoding string) bool {
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
