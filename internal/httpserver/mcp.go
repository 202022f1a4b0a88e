package httpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"recado/internal/kernel"
)

// Path is where the tools are served, below the base path.
const Path = "/mcp"

const (
	methodCall   = "tools/call"
	methodList   = "tools/list"
	methodListen = "subscriptions/listen"

	headerRequestID = "X-Request-Id"
)

// Handler serves the tools.
type Handler struct {
	api     *Server
	log     *slog.Logger
	version string

	ready func() (*served, error)
}

// served is what is made of the OpenAPI document, at the first request.
type served struct {
	tools map[string]*tool
	http  http.Handler
}

// NewMCP makes the tools from the operations of the API. Version is that of the program.
func NewMCP(s *Server, version string, log *slog.Logger) *Handler {
	h := &Handler{api: s, log: log, version: version}
	h.ready = sync.OnceValues(h.prepare)
	return h
}

func (h *Handler) prepare() (*served, error) {
	tools, err := h.tools()
	if err != nil {
		return nil, fmt.Errorf("the tools cannot be made: %w", err)
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "recado", Title: "Recado", Version: h.version}, &sdk.ServerOptions{
		Instructions: h.api.Instructions(),
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		// A list of tools is that of a key.
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
	})
	for _, t := range tools {
		server.AddTool(t.described, h.run(t))
	}
	server.AddReceivingMiddleware(onlyAllowed(tools))
	return &served{tools: tools, http: sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: kernel.MaxBody,
		DisableLocalhostProtection: true, // every request has a key, which a page that another site made does not know
	})}, nil
}

// incoming is the HTTP request of a call, and whose key it has.
type incoming struct {
	request *http.Request
	holder  *kernel.Principal
	rate    atomic.Pointer[http.Header] // has the RateLimit headers of the operation; nil: no operation took the call from the rate
}

// rateHeaders are what an operation tells about the rate of the key.
var rateHeaders = []string{"Ratelimit-Limit", "Ratelimit-Remaining", "Ratelimit-Reset"}

// keepRate remembers the rate of the answer of an operation. An answer without one was given before the operation.
func (f *incoming) keepRate(h http.Header) {
	if h[rateHeaders[0]] != nil {
		f.rate.Store(&h)
	}
}

// showRate puts the rate that the operation told into the answer to the request, if there was one.
func (f *incoming) showRate(h http.Header) bool {
	from := f.rate.Load()
	if from == nil {
		return false
	}
	for _, name := range rateHeaders {
		h[name] = (*from)[name]
	}
	return true
}

type incomingKey struct{}

// Serve answers a request of the holder of a key.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, holder *kernel.Principal) {
	ready, err := h.ready()
	if err != nil {
		h.api.Refuse(w, r, err)
		return
	}
	body, message, refused := read(r)
	if refused != nil {
		h.api.Refuse(w, r, refused)
		return
	}
	// The operation takes the call of a tool from the rate of the key. Everything else is taken here.
	calls := ready.calls(message)
	if !calls && !h.api.Spend(w, r, holder) {
		return
	}
	switch {
	case message.Method == methodListen:
		notFound(w, message.ID, "this server has no subscriptions")
		return
	case message.Method == methodCall && !message.IsCall():
		h.api.Refuse(w, r, kernel.Errorf(kernel.CodeInvalidRequest, "A call of a tool needs an id, so that it has an answer."))
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.Header.Set(headerRequestID, w.Header().Get(headerRequestID)) // one id for both answers
	answer, from := newAnswer(), &incoming{request: r, holder: holder}
	ready.http.ServeHTTP(answer, r.WithContext(context.WithValue(r.Context(), incomingKey{}, from)))
	if !from.showRate(w.Header()) && calls && !h.api.Spend(w, r, holder) {
		return
	}
	if answer.status >= 400 && !strings.HasPrefix(answer.header.Get("Content-Type"), "application/json") {
		if message.IsCall() && !slices.Contains(methods, message.Method) {
			notFound(w, message.ID, "this server has no such method")
			return
		}
		h.api.Refuse(w, r, kernel.Errorf(kernel.CodeInvalidRequest, "This is not a request of the Model Context Protocol: %s.", Printable(strings.TrimSpace(answer.body.String()))))
		return
	}
	if kind := answer.header.Get("Content-Type"); kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	w.WriteHeader(answer.status)
	_, _ = w.Write(answer.body.Bytes())
}

// read gives the body of a request and the one message in it. Several messages at once were a part of the protocol
// only in its version 2025-03-26; here each takes a request, so that the limits of requests hold for each.
func read(r *http.Request) ([]byte, *jsonrpc.Request, *kernel.Error) {
	if refused := CheckContentType(r); refused != nil {
		return nil, nil, refused
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, kernel.MaxBody+1))
	switch {
	case len(body) > kernel.MaxBody:
		return nil, nil, ErrBodyTooLarge()
	case err != nil:
		return nil, nil, kernel.Errorf(kernel.CodeInvalidRequest, "The request body ended early. Send it again.")
	}
	decoded, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		return nil, nil, kernel.Errorf(kernel.CodeInvalidJSON, "The body must be one message of JSON-RPC 2.0.")
	}
	message, ok := decoded.(*jsonrpc.Request)
	if !ok {
		return nil, nil, kernel.Errorf(kernel.CodeInvalidRequest, "The body must be a request or a notification; this server asks nothing of its clients.")
	}
	return body, message, nil
}

// calls reports whether a message calls a tool that exists.
func (s *served) calls(message *jsonrpc.Request) bool {
	var params map[string]json.RawMessage // the fields of a struct would match whatever their case is
	var name string
	return message.Method == methodCall && message.IsCall() && json.Unmarshal(message.Params, &params) == nil &&
		json.Unmarshal(params["name"], &name) == nil && s.tools[name] != nil
}

// methods are the methods that this server has.
var methods = []string{"initialize", "ping", methodList, methodCall}

// notFound answers a request for a method that does not exist. The protocol wants the status 404.
func notFound(w http.ResponseWriter, id jsonrpc.ID, text string) {
	body, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: text}})
	if err != nil {
		body = nil
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write(body)
}

// onlyAllowed leaves out of the list what the key may not call. The call itself is refused by the operation.
func onlyAllowed(tools map[string]*tool) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			result, err := next(ctx, method, r)
			listed, ok := result.(*sdk.ListToolsResult)
			if err != nil || method != methodList || !ok {
				return result, err
			}
			from, _ := ctx.Value(incomingKey{}).(*incoming)
			allowed := []*sdk.Tool{}
			for _, t := range listed.Tools {
				if from != nil && from.holder.May(tools[t.Name].verb) == nil {
					allowed = append(allowed, t)
				}
			}
			listed.Tools = allowed
			return listed, nil
		}
	}
}

// run makes a tool's handler. It runs in a goroutine of the SDK, where a panic would end the process.
func (h *Handler) run(t *tool) sdk.ToolHandler {
	return func(ctx context.Context, call *sdk.CallToolRequest) (result *sdk.CallToolResult, err error) {
		defer func() {
			if p := recover(); p != nil {
				h.log.Error("panic", slog.String("tool", t.name), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the tool failed"}
			}
		}()
		from, ok := ctx.Value(incomingKey{}).(*incoming)
		if !ok {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the call has no request"}
		}
		answer := newAnswer()
		arguments, invalid := readArguments(call.Params.Arguments)
		if invalid != nil {
			h.api.Refuse(answer, from.request, invalid)
			return answer.result(), nil
		}
		t.serve(answer, from, arguments)
		from.keepRate(answer.header)
		return answer.result(), nil
	}
}
