package httpserver

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"
)

//go:embed look
var look embed.FS

// lookFiles serves the shared files of the documentation pages, and the templates for oapi-codegen.
func lookFiles() http.Handler {
	files, err := fs.Sub(look, "look")
	if err != nil {
		panic(err) // the directory is embedded
	}
	return http.FileServerFS(files)
}

// isLook reports whether lookFiles serves a name.
func isLook(name string) bool {
	_, err := fs.Stat(look, "look/"+name)
	return err == nil && name != "" && !strings.Contains(name, "/")
}

var parts = template.Must(template.New("").Parse(`
{{- define "head"}}<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" type="image/svg+xml" href="{{.Base}}/docs/logo.svg"><link rel="stylesheet" href="{{.Base}}/docs/recado.css"><script src="{{.Base}}/docs/recado.js"></script>{{end}}
{{- define "link"}}<a href="{{.Base}}{{.To}}"{{if .Here}} aria-current="page"{{end}}>{{.Text}}</a>{{end}}
{{- define "header"}}<header class="recado-head">
<a class="recado-brand" href="{{.Base}}/"><img src="{{.Base}}/docs/logo.svg" alt="" width="28" height="28">Recado</a>
<nav aria-label="Documentation">{{range .Links}}{{template "link" .}}{{end}}<a href="{{.Base}}/v1/openapi.json" download="recado-openapi.json">Download OpenAPI document</a><a href="{{.Base}}/">Open the app</a></nav>
</header>{{end}}`))

type link struct {
	Base, To, Text string
	Here           bool
}

// pageHead returns the head elements of the documentation pages.
func pageHead(base string) template.HTML { return execute("head", link{Base: base}) }

// pageHeader returns the header of the documentation pages. section is the path of the current section.
func pageHeader(base, section string) template.HTML {
	return execute("header", struct {
		Base  string
		Links []link
	}{base, []link{
		{base, "/docs/", "API reference", section == "/docs/"},
		{base, "/docs/guides/", "Guides", section == "/docs/guides/"},
	}})
}

func execute(name string, data any) template.HTML {
	var b strings.Builder
	if err := parts.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // the templates and their data are in this file
	}
	return template.HTML(b.String())
}

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
