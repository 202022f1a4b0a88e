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

// docsPage serves the API page below base from embedded files. Its scripts may only call this server, and the policy lists the
// hashes of its inline scripts. The page keeps the API key until the tab is closed. notFound handles other paths.
func docsPage(base string, notFound http.HandlerFunc) http.Handler {
	path := base + "/docs/"
	files := v5emb.NewHandlerWithConfig(swgui.Config{
		Title: "Recado API", SwaggerJSON: base + "/v1/openapi.json", BasePath: path,
		AppendHead: pageHead(base), PrependHTML: pageHeader(base, "/docs/") + "<main>", AppendHTML: "</main>",
		SettingsUI: map[string]string{
			"plugins":    "[SwaggerUIBundle.plugins.DownloadUrl, recadoKey]",
			"onComplete": "recadoReady",
			// Rendering all operations at once would block the browser for seconds.
			"docExpansion": `"none"`,
		},
	})
	index := newRecorder()
	files.ServeHTTP(index, &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}})
	page := index.body.String()
	policy := "default-src 'none'; connect-src 'self'; img-src 'self' data:; script-src 'self' " + inlineHashes(page, "script") +
		"; style-src 'self' " + inlineHashes(page, "style")
	look := http.StripPrefix(path, lookFiles())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protectPage(w.Header(), policy)
		w.Header().Set("Cache-Control", "no-cache")
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

// protectPage sets the security headers of a page. No other page may frame it, and it cannot submit forms.
func protectPage(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy+"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	protect(h)
}

// inlineHashes returns the hashes of the inline elements of a page for a content security policy.
func inlineHashes(page, element string) string {
	var hashes []string
	for _, match := range regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(page, -1) {
		sum := sha256.Sum256([]byte(match[1]))
		hashes = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	return strings.Join(hashes, " ")
}

// notFoundWriter drops a 404 response.
type notFoundWriter struct {
	http.ResponseWriter
	missing bool
}

// WriteHeader drops the status 404.
func (f *notFoundWriter) WriteHeader(status int) {
	if f.missing = status == http.StatusNotFound; !f.missing {
		f.ResponseWriter.WriteHeader(status)
	}
}

// Write drops the body of a 404 response.
func (f *notFoundWriter) Write(b []byte) (int, error) {
	if f.missing {
		return len(b), nil
	}
	return f.ResponseWriter.Write(b)
}
