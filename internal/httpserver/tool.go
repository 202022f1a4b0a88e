package httpserver

import (
	"context"

	"recado/internal/kernel"
)

// ArgumentKey is the argument of a tool for the idempotency key.
const ArgumentKey = "idempotency_key"

// Tool offers an operation to assistants.
type Tool struct {
	Name    string
	ID      string   // the argument for {id} in the path
	Needs   []string // arguments that are required although they are optional for the operation
	About   string   // added to the description of the operation
	Effect  Effect
	Reaches bool // has effects on people outside of the team
}

// Effect says what a tool changes.
type Effect uint8

// Effects of tools.
const (
	Reads   Effect = iota // nothing
	Adds                  // something new; a repeat with the same id adds nothing
	Changes               // something that exists, or what a customer sees
)

// OwnTool is a tool that is not an operation of the API. About describes it.
type OwnTool struct {
	Tool
	Title  string
	Verb   kernel.Verb
	Schema map[string]any // of the arguments
	// Call returns the result as a JSON object. The caller checks the permission of the verb.
	Call func(ctx context.Context, a *kernel.Principal, arguments []byte) ([]byte, error)
}

// AsTool offers an operation to assistants.
func AsTool(t Tool) option { return func(r *Route) { r.Tool = &t } }
