package httpserver

import (
	"context"

	"recado/internal/kernel"
)

// ArgumentKey names an idempotency key among the arguments of a tool.
const ArgumentKey = "idempotency_key"

// Tool says how assistants may call an operation.
type Tool struct {
	Name    string
	ID      string   // what {id} of the path is called among the arguments
	Needs   []string // arguments that are required though the operation also takes them in another way, or not at all
	About   string   // added to the description of the operation
	Effect  Effect
	Reaches bool // people outside of the team
}

// Effect is what a call of a tool changes.
type Effect uint8

// Effects of tools.
const (
	Reads   Effect = iota // nothing
	Adds                  // something new; a repeat with the same id adds nothing
	Changes               // something that exists, or what a customer sees
)

// OwnTool is a tool that is no operation of the API. About describes it.
type OwnTool struct {
	Tool
	Title  string
	Verb   kernel.Verb
	Schema map[string]any // of the arguments
	// Call returns the result, which is a JSON object. The permission of the verb has been checked.
	Call func(ctx context.Context, a *kernel.Principal, arguments []byte) ([]byte, error)
}

// AsTool offers an operation to assistants.
func AsTool(t Tool) option { return func(r *Route) { r.Tool = &t } }

// Tools are those that are no operations. The others are in the table of routes.
func (s *Server) Tools() []OwnTool { return s.tools }

// Instructions tell an assistant how to use the tools.
func (s *Server) Instructions() string { return s.instructions }
