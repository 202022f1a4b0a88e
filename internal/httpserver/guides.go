package httpserver

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// order lists the guides in display order. Other documents come last.
var order = []group{
	{"Using Recado", []string{"answering", "managing", "people", "whatsapp", "linked", "reports", "importing", "data-protection"}},
	{"Using the API", []string{"api", "conversations", "messages", "attendances", "team-talk", "reception", "kanban", "webhooks", "clients", "assistants"}},
	{"Running Recado", []string{"install", "operating", "chatwoot", "upgrading", "security", "scaling"}},
	{"Inside", []string{"architecture", "app", "decisions", "contributing"}},
}

type group struct {
	name   string
	guides []string
}

// Guide is a document as a page.
type Guide struct {
	Name, Title string
	Content     template.HTML
}

// Section is a group of guides under a heading.
type Section struct {
	Name   string
	Guides []*Guide
}

// Guides serves the documents.
type Guides struct {
	sections []Section
	byName   map[string]*Guide
}

// NewGuides reads the documents, which are Markdown files at the root of files. Links between them lead to their pages.
func NewGuides(files fs.FS) (*Guides, error) {
	names, err := fs.Glob(files, "*.md")
	if err != nil {
		return nil, fmt.Errorf("reading the guides: %w", err)
	}
	g := &Guides{byName: map[string]*Guide{}}
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, path.Ext(name))
		g.byName[names[i]] = nil
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name+".md")
		if err != nil {
			return nil, fmt.Errorf("reading the guides: %w", err)
		}
		title, content, err := render(text, func(other string) bool { _, known := g.byName[other]; return known })
		if err != nil {
			return nil, fmt.Errorf("rendering the guide %s: %w", name, err)
		}
		g.byName[name] = &Guide{Name: name, Title: title, Content: template.HTML(content)}
	}
	g.arrange(names)
	return g, nil
}

// arrange groups the guides into sections.
func (g *Guides) arrange(names []string) {
	rest := slices.Clone(names)
	for i, one := range order {
		section := Section{Name: one.name}
		for _, name := range one.guides {
			if guide := g.byName[name]; guide != nil {
				section.Guides = append(section.Guides, guide)
				rest = slices.DeleteFunc(rest, func(other string) bool { return other == name })
			}
		}
		if i == len(order)-1 {
			for _, name := range rest {
				section.Guides = append(section.Guides, g.byName[name])
			}
		}
		g.sections = append(g.sections, section)
	}
}

// Handlers returns the handlers of GET requests by pattern below the base path.
func (g *Guides) Handlers(base string) map[string]http.Handler {
	handlers := map[string]http.Handler{
		"/docs/guides":     http.RedirectHandler(base+"/docs/guides/", http.StatusMovedPermanently),
		"/docs/guides/{$}": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { g.show(w, base, nil) }),
	}
	for name, guide := range g.byName {
		handlers["/docs/guides/"+name] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { g.show(w, base, guide) })
	}
	return handlers
}

var page = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8">{{.Head}}<title>{{with .Guide}}{{.Title}} · {{end}}Recado guides</title></head>
<body>
{{.Header}}
<div class="recado-columns">
<nav aria-label="Guides" class="recado-side">{{range .Sections}}<p>{{.Name}}</p><ul>{{range .Guides}}<li><a href="{{$.Base}}/docs/guides/{{.Name}}"{{if eq . $.Guide}} aria-current="page"{{end}}>{{.Title}}</a></li>{{end}}</ul>{{end}}</nav>
<main class="recado-text">{{with .Guide}}{{.Content}}{{else}}<h1>Guides</h1>{{range .Sections}}<h2>{{.Name}}</h2><ul class="recado-index">{{range .Guides}}<li><a href="{{$.Base}}/docs/guides/{{.Name}}">{{.Title}}</a></li>{{end}}</ul>{{end}}{{end}}</main>
</div>
</body>
</html>
`))

// show serves a guide, or the list of guides for nil.
func (g *Guides) show(w http.ResponseWriter, base string, guide *Guide) {
	var b bytes.Buffer
	err := page.Execute(&b, struct {
		Base         string
		Head, Header template.HTML
		Sections     []Section
		Guide        *Guide
	}{base, pageHead(base), pageHeader(base, "/docs/guides/"), g.sections, guide})
	if err != nil {
		panic(err) // the template is in this file
	}
	protectPage(w.Header(), "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(b.Bytes())
}

// markdown supports tables and heading ids. It omits raw HTML.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

var toDocument = regexp.MustCompile(`^(?:\./)?([\w-]+)\.md(#.*)?$`)

// render returns the first heading of a document and its HTML. Links to known documents lead to their pages; links to other
// files become plain text.
func render(source []byte, known func(name string) bool) (title, html string, err error) {
	root := markdown.Parser().Parse(text.NewReader(source))
	var dead []*ast.Link
	err = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := node.(type) {
		case *ast.Heading:
			if title == "" {
				title = plain(n, source)
			}
		case *ast.Link:
			to := string(n.Destination)
			match := toDocument.FindStringSubmatch(to)
			switch {
			case match != nil && known(match[1]):
				n.Destination = []byte(match[1] + match[2])
			case !strings.HasPrefix(to, "#") && !strings.Contains(to, "://"):
				dead = append(dead, n)
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", "", err
	}
	for _, link := range dead {
		unlink(link)
	}
	var b bytes.Buffer
	err = markdown.Renderer().Render(&b, source, root)
	return title, focusable.Replace(b.String()), err
}

// focusable lets users scroll wide elements with the keyboard.
var focusable = strings.NewReplacer("<pre>", `<pre tabindex="0">`,
	"<table>", `<div class="recado-wide" tabindex="0"><table>`, "</table>", "</table></div>")

// unlink replaces a link by its text.
func unlink(link *ast.Link) {
	parent := link.Parent()
	for child := link.FirstChild(); child != nil; child = link.FirstChild() {
		parent.InsertBefore(parent, link, child)
	}
	parent.RemoveChild(parent, link)
}

// plain returns the text of a node.
func plain(node ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
