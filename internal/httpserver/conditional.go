package httpserver

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
)

// unchanged gives a body its ETag, unless it has one, and makes the answer a 304 when the client has that body. A tag
// made here is weak, because it names the body before its compression.
func (a *Answer) unchanged(body []byte) bool {
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
	if !matches(strings.Join(a.known, ","), tag) {
		return false
	}
	a.status = http.StatusNotModified
	delete(h, "Content-Type")
	return true
}

// matches reports whether a header If-None-Match names a tag. Weak and strong tags are compared alike.
func matches(header, tag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		part = strings.TrimSpace(part)
		if part == "*" || part != "" && strings.TrimPrefix(part, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}
