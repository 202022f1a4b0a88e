package server

import (
	"maps"
	"net/http"
	"sync"

	"recado/docs"
	"recado/internal/httpserver"
	app "recado/web"
)

// documents are rendered once, also in a process that starts many servers, as tests do.
var documents = sync.OnceValues(func() (*httpserver.Guides, error) { return httpserver.NewGuides(docs.Files) })

// pages are the addresses of the browser app and of the guides that are built into the binary.
func pages(base string) (map[string]http.Handler, error) {
	files, err := app.Files()
	if err != nil {
		return nil, err
	}
	served, err := httpserver.NewApp(files, base)
	if err != nil {
		return nil, err
	}
	documents, err := documents()
	if err != nil {
		return nil, err
	}
	handlers := served.Handlers()
	maps.Copy(handlers, documents.Handlers(base))
	return handlers, nil
}
