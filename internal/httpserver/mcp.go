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

// Path is the path of the tools below the base path.
const Path = "/mcp"

const (
	methodCall   = "tools/call"
	methodList   = "tools/list"
	methodListen = "subscriptions/listen"

	headerRequestID = "X-Request-Id"
)

// Handler serves the tools for assistants.
type Handler struct {
	api     *Server
	log     *slog.Logger
	version string

	ready func() (*toolServer, error) // generates the tools on first use
}

type toolServer struct {
	tools map[string]*tool
	http  http.Handler
}

// NewMCP returns a handler of tools for the operations of the API. version is the version of the program.
func NewMCP(s *Server, version string, log *slog.Logger) *Handler {
	h := &Handler{api: s, log: log, version: version}
	h.ready = sync.OnceValues(h.prepare)
	return h
}

func (h *Handler) prepare() (*toolServer, error) {
	tools, err := h.tools()
	if err != nil {
		return nil, fmt.Errorf("generating the tools: %w", err)
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "recado", Title: "Recado", Version: h.version}, &sdk.ServerOptions{
		Instructions: h.api.options.Instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		// The list of tools depends on the key.
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
	})
	for _, t := range tools {
		server.AddTool(t.described, h.run(t))
	}
	server.AddReceivingMiddleware(onlyAllowed(tools))
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: kernel.MaxBody,
		DisableLocalhostProtection: true, // every request has a key, which pages of other sites do not have
	})
	return &toolServer{tools, handler}, nil
}

// incoming is the HTTP request of a call.
type incoming struct {
	request *http.Request
	holder  *kernel.Principal           // of the key
	rate    atomic.Pointer[http.Header] // contains the RateLimit headers of the operation; nil: no operation was called
}

var rateHeaders = []string{"Ratelimit-Limit", "Ratelimit-Remaining", "Ratelimit-Reset"}

// keepRate stores the RateLimit headers of an operation.
func (f *incoming) keepRate(h http.Header) {
	if h[rateHeaders[0]] != nil {
		f.rate.Store(&h)
	}
}

// showRate copies the RateLimit headers of the operation to the response. It returns false if no operation was called.
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

// Serve handles a request with a key.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, holder *kernel.Principal) {
	ready, err := h.ready()
	if err != nil {
		h.api.Refuse(w, r, err)
		return
	}
	body, message, invalid := readMessage(r)
	if invalid != nil {
		h.api.Refuse(w, r, invalid)
		return
	}
	// Operations take the calls of tools from the rate of the key.
	calls := ready.calls(message)
	if !calls && !h.api.Spend(w, r, holder) {
		return
	}
	switch {
	case message.Method == methodListen:
		notFound(w, message.ID, "this server has no subscriptions")
		return
	case message.Method == methodCall && !message.IsCall():
		h.api.Refuse(w, r, kernel.Errorf(kernel.CodeInvalidRequest, "A tool call must have an id."))
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.Header.Set(headerRequestID, w.Header().Get(headerRequestID)) // the operation uses the same id
	out, from := newRecorder(), &incoming{request: r, holder: holder}
	ready.http.ServeHTTP(out, r.WithContext(context.WithValue(r.Context(), incomingKey{}, from)))
	if !from.showRate(w.Header()) && calls && !h.api.Spend(w, r, holder) {
		return
	}
	if out.status >= 400 && !strings.HasPrefix(out.header.Get("Content-Type"), "application/json") {
		if message.IsCall() && !slices.Contains(methods, message.Method) {
			notFound(w, message.ID, "this server has no such method")
			return
		}
		h.api.Refuse(w, r, kernel.Errorf(kernel.CodeInvalidRequest,
			"This is not a Model Context Protocol request: %s.", printable(strings.TrimSpace(out.body.String()))))
		return
	}
	if kind := out.header.Get("Content-Type"); kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	w.WriteHeader(out.status)
	_, _ = w.Write(out.body.Bytes())
}

// readMessage returns the body of a request and its message. Batches, which existed only in version 2025-03-26 of the protocol,
// are refused, so that the limits on requests apply to each message.
func readMessage(r *http.Request) ([]byte, *jsonrpc.Request, *kernel.Error) {
	if invalid := checkContentType(r); invalid != nil {
		return nil, nil, invalid
	}
	body, invalid := readBody(r)
	if invalid != nil {
		return nil, nil, invalid
	}
	decoded, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		return nil, nil, kernel.Errorf(kernel.CodeInvalidJSON, "The body must be a single JSON-RPC 2.0 message.")
	}
	message, ok := decoded.(*jsonrpc.Request)
	if !ok {
		return nil, nil, kernel.Errorf(kernel.CodeInvalidRequest,
			"The body must be a request or a notification; this server sends no requests to clients.")
	}
	return body, message, nil
}

// calls reports whether a message calls an existing tool.
func (s *toolServer) calls(message *jsonrpc.Request) bool {
	var params map[string]json.RawMessage // not a struct, whose fields match in any case
	var name string
	return message.Method == methodCall && message.IsCall() && json.Unmarshal(message.Params, &params) == nil &&
		json.Unmarshal(params["name"], &name) == nil && s.tools[name] != nil
}

// methods lists the methods of this server.
var methods = []string{"initialize", "ping", methodList, methodCall}

// notFound responds to a request for an unknown method. The protocol requires the status 404.
func notFound(w http.ResponseWriter, id jsonrpc.ID, text string) {
	body, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: text}})
	if err != nil {
		body = nil
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write(body)
}

// onlyAllowed removes tools from the list that the key may not call. The operations check the permission too.
func onlyAllowed(tools map[string]*tool) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			result, err := next(ctx, method, r)
			listed, ok := result.(*sdk.ListToolsResult)
			if err != nil || method != methodList || !ok {
				return result, err
			}
			from, _ := ctx.Value(incomingKey{}).(*incoming)
			listed.Tools = slices.DeleteFunc(slices.Clone(listed.Tools), func(t *sdk.Tool) bool {
				return from == nil || from.holder.May(tools[t.Name].verb) != nil
			})
			return listed, nil
		}
	}
}

// run returns the handler of a tool. It recovers panics, because the SDK calls it in another goroutine.
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
		out := newRecorder()
		arguments, invalid := readArguments(call.Params.Arguments)
		if invalid != nil {
			h.api.Refuse(out, from.request, invalid)
			return out.result(), nil
		}
		t.serve(out, from, arguments)
		from.keepRate(out.header)
		return out.result(), nil
	}
}

// recorder is an http.ResponseWriter in memory.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newRecorder() *recorder { return &recorder{header: http.Header{}, status: http.StatusOK} }

func (a *recorder) Header() http.Header { return a.header }

func (a *recorder) WriteHeader(status int) { a.status = status }

func (a *recorder) Write(b []byte) (int, error) { return a.body.Write(b) }

// result converts the response of an operation to the result of a tool, as text and in structured form. The structured form must
// be an object, so a list becomes the field data, and null has only the text.
func (a *recorder) result() *sdk.CallToolResult {
	body := bytes.TrimSpace(a.body.Bytes())
	switch {
	case len(body) == 0: // 204
		body = []byte("{}")
	case body[0] == '[':
		body = fmt.Appendf(nil, `{"data":%s}`, body)
	}
	r := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(body)}}, IsError: a.status >= 400}
	if body[0] == '{' {
		r.StructuredContent = json.RawMessage(body)
	}
	return r
}
