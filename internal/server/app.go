package server

import (
	"maps"
	"net/http"
	"sync"

	"recado/docs"
	"recado/internal/httpserver"
	app "recado/web"
)

// documents renders the guides once, because tests start many servers in a process.
var documents = sync.OnceValues(func() (*httpserver.Guides, error) { return httpserver.NewGuides(docs.Files) })

// pages returns the handlers of the embedded browser app and guides.
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
