package httpserver

import (
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
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
