package kernel

import (
	"slices"
	"strings"
	"testing"
)

// Events of these tests; the second one is shown first.
var (
	eventMoved = RegisterEvent(EventInfo{Type: "thing.moved", Order: 2, Description: "A thing moved."})
	eventAdded = RegisterEvent(EventInfo{Type: "thing.added", Order: 1, Description: "A thing was added."})
	eventTried = RegisterEvent(EventInfo{Type: "thing.tried", Unlisted: true, Description: "A thing was tried."})
)

func TestParseEvents(t *testing.T) {
	tests := []struct {
		name    string
		in      []string
		want    []EventType
		unknown string
	}{
		{"nothing gives the empty set", nil, []EventType{}, ""},
		{"every event is accepted", strings.Fields(EveryEvent.Stored()), AllEvents, ""},
		{"an event given twice counts once", []string{"thing.added", "thing.added"}, []EventType{eventAdded}, ""},
		{"the list has one order", []string{"thing.moved", "thing.added"}, []EventType{eventAdded, eventMoved}, ""},
		{"an unknown event is named", []string{"thing.added", "thing.read"}, nil, `"thing.read"`},
		{"an unlisted event cannot be subscribed to", []string{"thing.tried"}, nil, `"thing.tried"`},
		{"there is no wildcard", []string{"*"}, nil, `"*"`},
		{"the empty name is no event", []string{""}, nil, `""`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set, err := ParseEvents("body.events", tt.in)
			if tt.unknown != "" {
				if err == nil || err.Code != CodeInvalidRequest || len(err.Fields) != 1 || err.Fields[0].Field != "body.events" {
					t.Fatalf("error %v", err)
				}
				if !strings.Contains(err.Message, tt.unknown) {
					t.Errorf("the message does not name %s: %s", tt.unknown, err.Message)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := set.List(); !slices.Equal(got, tt.want) {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestEventSet(t *testing.T) {
	if len(AllEvents) != 2 || len(EveryEvent.List()) != 2 {
		t.Errorf("%d events", len(AllEvents))
	}
	if EveryEvent.Has(eventTried) || EveryEvent.Has("") || !EveryEvent.Has(eventMoved) {
		t.Error("Has is wrong")
	}
	if EventSet(0).List() == nil {
		t.Error("an empty list must be a list, not null")
	}
	for _, e := range append([]EventType{eventTried}, AllEvents...) {
		if e.Description() == "" {
			t.Errorf("%s is not described", e)
		}
	}
	if EventType("x").Description() != "" {
		t.Error("an unknown event is described")
	}
}

func FuzzParseEvents(f *testing.F) {
	f.Add("thing.added,thing.moved")
	f.Add("\x00,\xff")
	f.Fuzz(func(t *testing.T, s string) {
		names := strings.Split(s, ",")
		set, err := ParseEvents("body.events", names)
		if err != nil {
			return
		}
		for _, name := range names {
			if !set.Has(EventType(name)) {
				t.Errorf("%q is lost", name)
			}
		}
	})
}
