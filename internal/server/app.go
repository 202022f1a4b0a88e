package server

import (
	"maps"
	"net/http"

	"recado/docs"
	"recado/internal/guides"
	"recado/internal/web"
	app "recado/web"
)

// pages are the addresses of the browser app and of the guides that are built into the binary.
func pages(base string) (map[string]http.Handler, error) {
	files, err := app.Files()
	if err != nil {
		return nil, err
	}
	served, err := web.New(files, base)
	if err != nil {
		return nil, err
	}
	documents, err := guides.New(docs.Files, base)
	if err != nil {
		return nil, err
	}
	handlers := served.Handlers()
	maps.Copy(handlers, documents.Handlers())
	return handlers, nil
}
