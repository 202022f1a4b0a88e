package kernel

import (
	"slices"
	"strings"
	"testing"
)

func TestParseEvents(t *testing.T) {
	tests := []struct {
		name    string
		in      []string
		want    []EventType
		unknown string
	}{
		{"nothing gives the empty set", nil, []EventType{}, ""},
		{"all nine are known by their names", strings.Split(joined(AllEvents), ", "), AllEvents, ""},
		{"an event given twice counts once", []string{"message.sent", "message.sent"}, []EventType{EventMessageSent}, ""},
		{"the list has one order", []string{"kanban.card.moved", "message.received"}, []EventType{EventMessageReceived, EventCardMoved}, ""},
		{"an unknown event is named", []string{"message.sent", "message.read"}, nil, `"message.read"`},
		{"a test event cannot be subscribed to", []string{"webhook.test"}, nil, `"webhook.test"`},
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
	if len(AllEvents) != 10 || len(EveryEvent.List()) != 10 {
		t.Errorf("%d events", len(AllEvents))
	}
	if EveryEvent.Has(WebhookTest) || EveryEvent.Has("") || !EveryEvent.Has(EventCardCompleted) {
		t.Error("Has is wrong")
	}
	if EventSet(0).List() == nil {
		t.Error("an empty list must be a list, not null")
	}
	for _, e := range append([]EventType{WebhookTest}, AllEvents...) {
		if e.Description() == "" {
			t.Errorf("%s is not described", e)
		}
	}
	if EventType("x").Description() != "" {
		t.Error("what is no event is described")
	}
}

func FuzzParseEvents(f *testing.F) {
	f.Add("message.sent,kanban.card.moved")
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
