package server

import (
	"net/http"

	"recado/internal/web"
	app "recado/web"
)

// appPages are the addresses of the browser app that is built into the binary.
func appPages(base string) (map[string]http.Handler, error) {
	files, err := app.Files()
	if err != nil {
		return nil, err
	}
	served, err := web.New(files, base)
	if err != nil {
		return nil, err
	}
	return served.Handlers(), nil
}
