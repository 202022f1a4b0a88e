package httpserver

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

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
