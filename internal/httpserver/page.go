package httpserver

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"
)

// DocsPage is the API page below base; everything it needs is in the binary. Its scripts may call this server and
// nothing else, and of the inline ones only those run that the page has when the server starts. It keeps the key
// that it was given until the tab is closed. What is no file of the page is left to notFound.
func DocsPage(base string, notFound http.HandlerFunc) http.Handler {
	path := base + "/docs/"
	files := v5emb.NewHandlerWithConfig(swgui.Config{
		Title: "Recado API", SwaggerJSON: base + "/v1/openapi.json", BasePath: path,
		AppendHead: Head(base), PrependHTML: Header(base, "/docs/") + "<main>", AppendHTML: "</main>",
		SettingsUI: map[string]string{
			"plugins":    "[SwaggerUIBundle.plugins.DownloadUrl, recadoKey]",
			"onComplete": "recadoReady",
			// The operations of a tag are shown when it is opened: all at once they hold a browser up for seconds.
			"docExpansion": `"none"`,
		},
	})
	index := &pageBuffer{header: http.Header{}}
	files.ServeHTTP(index, &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}})
	page := index.String()
	policy := "default-src 'none'; connect-src 'self'; img-src 'self' data:; script-src 'self' " + inlineHashes(page, "script") +
		"; style-src 'self' " + inlineHashes(page, "style")
	look := http.StripPrefix(path, lookFiles())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ProtectPage(w.Header(), policy)
		w.Header().Set("Cache-Control", "no-cache") // asked for again with its ETag
		if isLook(strings.TrimPrefix(r.URL.Path, path)) {
			look.ServeHTTP(w, r)
			return
		}
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

// ProtectPage sets the headers of what a browser shows as a page. No other page may frame it, and it sends no form.
func ProtectPage(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy+"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
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
