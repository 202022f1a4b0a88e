package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// answer keeps an HTTP answer in memory.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newAnswer() *answer { return &answer{header: http.Header{}, status: http.StatusOK} }

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) { a.status = status }

func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }

// result is the answer of an operation as the result of a tool: the same JSON, as text and in structured form. That must be
// an object, so a bare list gets the name data, which other lists have too; null has only the text.
func (a *answer) result() *sdk.CallToolResult {
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
