package httpserver

import (
	"net/http"
	"reflect"
	"slices"

	"recado/internal/kernel"
)

// Capability is what a part of the program adds to the API.
type Capability struct {
	Routes []*Route
	// Handlers answer at addresses that are no operations, by pattern below the base path. A pattern may begin with a method.
	Handlers map[string]http.Handler
	// Shared are the beginnings of the paths of handlers that pages of other origins may call too.
	Shared []string
	Tags   []Tag
	// Schemas describe types that do not describe themselves.
	Schemas []Schema
	Events  []Event
	Tools   []OwnTool
	// Describe finishes the OpenAPI document before its operations are described; nil: it is as the types say.
	Describe func(doc Document)
}

// Tag is a group of operations on the API page.
type Tag struct {
	Name        string
	Description string   // "": another capability describes it
	Words       []string // the first words of its paths, besides its name
}

// Schema has a type documented as another, which implements huma.SchemaProvider.
type Schema struct{ of, as reflect.Type }

// SchemaOf documents T as S.
func SchemaOf[T, S any]() Schema { return Schema{reflect.TypeFor[T](), reflect.TypeFor[S]()} }

// Event describes what the data of a type of event has.
type Event struct {
	Type kernel.EventType
	Data []EventPart
}

// EventPart is a member of the data of an event.
type EventPart struct {
	Name   string
	Schema map[string]any
}

// EventNoun is a member that has a schema of the document.
func EventNoun(name, schema string) EventPart {
	return EventPart{Name: name, Schema: map[string]any{"$ref": "#/components/schemas/" + schema}}
}

// tagApp is the group of the operations without an API key.
var tagApp = Tag{Name: "app", Description: "For the app: signing in, and what only people who are signed in may do. API keys cannot make these calls."}

// mergeTags returns the described tags of capabilities in an order by name, then the others, and the tag of each first word of a
// path that is not its name.
func mergeTags(capabilities []Capability, order []string) (tags []Tag, of map[string]string) {
	of = map[string]string{}
	for _, c := range capabilities {
		for _, tag := range c.Tags {
			if tag.Description != "" {
				tags = append(tags, tag)
			}
			for _, word := range tag.Words {
				of[word] = tag.Name
			}
		}
	}
	place := func(t Tag) int {
		if i := slices.Index(order, t.Name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(tags, func(a, b Tag) int { return place(a) - place(b) })
	return append(tags, tagApp), of
}
