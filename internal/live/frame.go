package live

import (
	"github.com/go-json-experiment/json"

	"recado/internal/kernel"
	"recado/internal/webhooks"
)

// comment keeps a connection alive and carries no data.
var comment = []byte(": \n\n")

// The data of signals.
type (
	conversation struct {
		Conversation kernel.ID `json:"conversation"`
	}
	typing struct {
		Conversation kernel.ID  `json:"conversation"`
		User         kernel.Ref `json:"user"`
	}
	viewing struct {
		Conversation kernel.ID    `json:"conversation"`
		Users        []kernel.Ref `json:"users"`
	}
	presence struct {
		User     kernel.Ref `json:"user"`
		Presence string     `json:"presence"`
	}
	board struct {
		Board kernel.ID `json:"board"`
	}
	notification struct {
		Kind         string    `json:"kind"` // "read" when some were read
		Conversation kernel.ID `json:"conversation,omitzero"`
	}
	state struct {
		State string `json:"state"`
	}
)

// eventFrame is an event of the feed as streams send it; its id is the cursor behind it.
func eventFrame(e *webhooks.LiveEvent) []byte {
	body := e.Body()
	b := make([]byte, 0, len(body)+len(e.Cursor)+len(e.Type())+32)
	b = append(b, "id: "...)
	b = append(b, e.Cursor...)
	b = append(b, "\nevent: "...)
	b = append(b, e.Type()...)
	b = append(b, "\ndata: "...)
	b = append(b, body...)
	return append(b, "\n\n"...)
}

// signalFrame is a signal as streams send it: it has no id.
func signalFrame(event string, data any) []byte {
	b := append([]byte("event: "), event...)
	b = append(b, "\ndata: "...)
	text, err := json.Marshal(data)
	if err != nil {
		panic("live: " + err.Error()) // the types of this file can be encoded
	}
	b = append(b, text...)
	return append(b, "\n\n"...)
}
