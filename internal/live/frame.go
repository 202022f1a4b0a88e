package live

import (
	"slices"

	"recado/internal/webhooks"
)

// comment keeps a connection alive and carries no data.
var comment = []byte(": \n\n")

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

// frame returns a signal as streams send it: it has no id.
func frame(event string, data []byte) []byte {
	return slices.Concat([]byte("event: "), []byte(event), []byte("\ndata: "), data, []byte("\n\n"))
}
