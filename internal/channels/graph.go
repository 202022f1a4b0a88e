package channels

import (
	"context"
	"net/http"
	"strings"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/channels/whatsapp"
	"recado/internal/kernel"
)

// Graph is Meta's Cloud API for all channels of this installation. Tokens are sent to its address, so that only the operator
// can set it.
type Graph struct {
	BaseURL   string // "": Meta's
	PublicURL string // of this server with its base path, as Meta reaches it; "": unknown

	http *http.Client
}

// NewGraph returns a Graph with its own connections.
func NewGraph(baseURL string) *Graph {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	transport.IdleConnTimeout = 50 * time.Second // less than the server's, so that no request uses a closing connection
	return &Graph{BaseURL: baseURL, http: &http.Client{Transport: transport}}
}

// Close closes idle connections.
func (g *Graph) Close() { g.http.CloseIdleConnections() }

// Client returns a client for one number.
func (g *Graph) Client(access Access) *whatsapp.Client {
	return &whatsapp.Client{
		BaseURL: g.BaseURL, Version: access.APIVersion, PhoneNumberID: access.PhoneNumberID, Token: access.Token, HTTP: g.http,
	}
}

// Check returns the state of a number; see Numbers.
func (g *Graph) Check(ctx context.Context, access Access) (NumberState, error) {
	n, err := g.Client(access).Number(ctx)
	return NumberState{Phone: n.Phone(), VerifiedName: n.VerifiedName, Status: n.Status, Quality: n.Quality}, err
}

// Subscribe makes Meta send callbacks about the account of a number.
func (g *Graph) Subscribe(ctx context.Context, access Access) error {
	return g.Client(access).SubscribeApp(ctx, access.WABAID)
}

// Templates returns the templates of a number's account.
func (g *Graph) Templates(ctx context.Context, access Access) ([]provider.ChannelTemplate, error) {
	return g.Client(access).Templates(ctx, access.WABAID)
}

// CallHere sets the callback address of a number. Meta calls only public HTTPS addresses; the simulator calls any.
func (g *Graph) CallHere(ctx context.Context, access Access, channel kernel.ID) error {
	if g.PublicURL == "" || g.BaseURL == "" && !strings.HasPrefix(g.PublicURL, "https://") {
		return &provider.SendError{Code: "callback_unreachable", Detail: "not_public", Message: "It reaches only public addresses " +
			"with HTTPS: start this server with --public-url https://…, then connect the channel again."}
	}
	return g.Client(access).SetCallback(ctx, g.PublicURL+whatsapp.CallbackPath(channel), access.VerifyToken)
}
