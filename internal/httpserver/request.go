package httpserver

import (
	"context"
	"net/http"
	"time"

	"recado/internal/kernel"
)

// RequestFrom returns the request of a context.
func RequestFrom(ctx context.Context) *http.Request { return callFrom(ctx).request }

// Visitor returns the sender of the request of a context.
func Visitor(ctx context.Context) kernel.Visitor {
	c := callFrom(ctx)
	site := c.server.site
	return kernel.Visitor{IP: site.Address(c.request), UserAgent: c.request.UserAgent(), Session: site.SessionToken(c.request)}
}

// IsLocal reports whether the request of a context comes from the machine of the server.
func IsLocal(ctx context.Context) bool {
	c := callFrom(ctx)
	return c.server.site.Local(c.request)
}

// SessionCookie returns the header value that sets the session cookie, or removes it if the token is empty.
func SessionCookie(ctx context.Context, token string, expires time.Time) string {
	c := callFrom(ctx)
	return c.server.site.SessionCookie(c.request, token, expires)
}

// PublicURL returns the public URL of the server with the base path.
func PublicURL(ctx context.Context) string { return callFrom(ctx).server.public }

// At returns the full path of a path below /v1.
func At(ctx context.Context, path string) string { return callFrom(ctx).server.base + "/v1" + path }

// Renewal returns a function that authenticates the request of a context again, because the key may have been revoked or the
// session may have ended. It can be called after the handler has returned.
func Renewal(ctx context.Context) func(ctx context.Context) (*kernel.Principal, error) {
	c := callFrom(ctx)
	server, r := c.server, c.request
	return func(ctx context.Context) (*kernel.Principal, error) { return server.authenticate(r.WithContext(ctx)) }
}

// WriteError responds with an error to a request that is not an operation.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	callFrom(r.Context()).server.Refuse(w, r, err)
}

// RefusalOf returns the status and code of the response to an error. It logs the error as a response would.
func RefusalOf(ctx context.Context, err error) (status int, code kernel.Code) {
	c := callFrom(ctx)
	p := c.server.problem(c.requestID, err)
	return p.status, p.Code
}
