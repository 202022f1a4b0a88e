package httpserver

import (
	"net/http"
	"reflect"
	"slices"

	"recado/internal/kernel"
)

// Capability contains what a package adds to the API.
type Capability struct {
	Routes []*Route
	// Handlers handle requests that are not operations, by pattern below the base path. A pattern may begin with a method.
	Handlers map[string]http.Handler
	// Shared lists prefixes of the paths of handlers that pages of other origins may call.
	Shared []string
	Tags   []Tag
	// Schemas describe types that do not describe themselves.
	Schemas []Schema
	Events  []Event
	Tools   []OwnTool
	// Describe may change the OpenAPI document before its operations are described. It may be nil.
	Describe func(doc Document)
}

// Tag is a group of operations on the API page.
type Tag struct {
	Name        string
	Description string   // "": another capability describes it
	Words       []string // first segments of its paths, besides its name
}

// Schema describes a type by another one, which implements huma.SchemaProvider.
type Schema struct{ of, as reflect.Type }

// SchemaOf describes T by S.
func SchemaOf[T, S any]() Schema { return Schema{reflect.TypeFor[T](), reflect.TypeFor[S]()} }

// Event describes the data of a type of event.
type Event struct {
	Type kernel.EventType
	Data []EventPart
}

// EventPart is a field of the data of an event.
type EventPart struct {
	Name   string
	Schema map[string]any
}

// EventNoun returns a field with a schema of the document.
func EventNoun(name, schema string) EventPart {
	return EventPart{Name: name, Schema: map[string]any{"$ref": "#/components/schemas/" + schema}}
}

// tagApp is the tag of operations that do not accept API keys.
var tagApp = Tag{
	Name:        "app",
	Description: "Operations for the app: signing in, and actions that require a session. API keys cannot use them.",
}

// mergeTags returns the tags of all capabilities in the given order, followed by others, and the tag names by Words.
func mergeTags(capabilities []Capability, order []string) (tags []Tag, byWord map[string]string) {
	byWord = map[string]string{}
	for _, c := range capabilities {
		for _, tag := range c.Tags {
			if tag.Description != "" {
				tags = append(tags, tag)
			}
			for _, word := range tag.Words {
				byWord[word] = tag.Name
			}
		}
	}
	position := func(t Tag) int {
		if i := slices.Index(order, t.Name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(tags, func(a, b Tag) int { return position(a) - position(b) })
	return append(tags, tagApp), byWord
}
