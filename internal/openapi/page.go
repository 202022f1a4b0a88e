package openapi

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/swaggest/swgui/v5emb"
)

// Page is the API page at a path, which shows the document at another; everything it needs is in the binary. Its
// scripts may call this server and nothing else, and of the inline ones only those run that the page has when the
// server starts. What is no file of the page is left to notFound.
func Page(title, document, path string, notFound http.HandlerFunc) http.Handler {
	files := v5emb.New(title, document, path)
	index := &pageBuffer{header: http.Header{}}
	files.ServeHTTP(index, &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}})
	page := index.String()
	policy := "default-src 'none'; connect-src 'self'; img-src 'self' data:; script-src 'self' " + inlineHashes(page, "script") +
		"; style-src 'self' " + inlineHashes(page, "style") + closedPage
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protectPage(w.Header(), policy)
		w.Header().Set("Cache-Control", "no-cache") // asked for again with its ETag
		file := &notFoundWriter{ResponseWriter: w}
		if files.ServeHTTP(file, r); file.missing {
			w.Header().Set("Cache-Control", "no-store")
			notFound(w, r)
		}
	})
}

// pageBuffer takes a page that is not for a client.
type pageBuffer struct {
	strings.Builder
	header http.Header
}

// Header implements http.ResponseWriter.
func (b *pageBuffer) Header() http.Header { return b.header }

// WriteHeader implements http.ResponseWriter.
func (b *pageBuffer) WriteHeader(int) {}

// closedPage ends the policy of a page that no other page may frame, and that sends no form.
const closedPage = "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// protectPage sets the headers of what a browser shows as a page.
func protectPage(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY") // for browsers that do not know frame-ancestors
	h.Set("Referrer-Policy", "no-referrer")
}

// inlineHashes names the inline elements of a page in the form of a content security policy.
func inlineHashes(page, element string) string {
	var hashes []string
	for _, match := range regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(page, -1) {
		sum := sha256.Sum256([]byte(match[1]))
		hashes = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	return strings.Join(hashes, " ")
}

// notFoundWriter passes a file on and drops the plain text of a 404.
type notFoundWriter struct {
	http.ResponseWriter
	missing bool
}

// WriteHeader does not pass a 404 on.
func (f *notFoundWriter) WriteHeader(status int) {
	if f.missing = status == http.StatusNotFound; !f.missing {
		f.ResponseWriter.WriteHeader(status)
	}
}

// Write drops the text of a 404.
func (f *notFoundWriter) Write(b []byte) (int, error) {
	if f.missing {
		return len(b), nil
	}
	return f.ResponseWriter.Write(b)
}
