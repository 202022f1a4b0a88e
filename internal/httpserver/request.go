package httpserver

import (
	"context"
	"net/http"
	"time"

	"recado/internal/kernel"
)

// RequestFrom returns the request that a context belongs to.
func RequestFrom(ctx context.Context) *http.Request { return callFrom(ctx).request }

// Visitor says where the request of a context comes from.
func Visitor(ctx context.Context) kernel.Visitor {
	c := callFrom(ctx)
	return kernel.Visitor{IP: c.server.site.Address(c.request), UserAgent: c.request.UserAgent(), Session: c.server.site.SessionToken(c.request)}
}

// IsLocal reports whether the request of a context was made on the machine of the server.
func IsLocal(ctx context.Context) bool {
	c := callFrom(ctx)
	return c.server.site.Local(c.request)
}

// SessionCookie returns the header that sets the cookie of a session, or removes it when the token is empty.
func SessionCookie(ctx context.Context, token string, expires time.Time) string {
	c := callFrom(ctx)
	return c.server.site.SessionCookie(c.request, token, expires)
}

// PublicURL returns the address under which others reach the server, with the base path.
func PublicURL(ctx context.Context) string { return callFrom(ctx).server.public }

// At returns the address of something below /v1, without the host.
func At(ctx context.Context, path string) string { return callFrom(ctx).server.base + "/v1" + path }

// Reauthenticate finds the principal of a long request again: its key may have been revoked, or its session ended.
func Reauthenticate(r *http.Request) (*kernel.Principal, error) {
	return callFrom(r.Context()).server.authenticate(r)
}

// WriteError answers a request that is no operation with the Error object of an error.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	callFrom(r.Context()).server.Refuse(w, r, err)
}

// RefusalOf returns the status and the code that an error has in an answer. It logs the error as an answer would.
func RefusalOf(ctx context.Context, err error) (status int, code kernel.Code) {
	c := callFrom(ctx)
	p := c.server.problem(c.requestID, err)
	return p.status, p.Code
}
