package channels

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/go-json-experiment/json"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

func (s *handlers) linkRoutes() []*httpserver.Route {
	return []*httpserver.Route{
		httpserver.Get("/channels/{id}/link", VerbLink, "Stream the link of a channel", s.followLink,
			httpserver.Streams, httpserver.Answers("text/event-stream"), httpserver.Named("followLink"), httpserver.Fails(kernel.CodeChannelArchived),
			httpserver.About("Only for channels with the provider linked. Returns server-sent events whose data is the state of the link: first the present state, then every change. "+
				"Unless the number is linked, this starts linking: show `qr` as a QR code, and let somebody scan it under Linked devices in WhatsApp. "+
				"A code is offered as long as there is a stream. The stream ends after five minutes; open it again. "+
				"This way of connecting a number is not offered by WhatsApp for businesses, which may ban the number.")),
		httpserver.Post("/channels/{id}/link", VerbPairByPhone, "Ask for a pairing code", s.pairByPhone,
			httpserver.Subject(SubjectChannel), httpserver.Secret("qr", "pairing_code"), httpserver.Fails(kernel.CodeChannelArchived, kernel.CodeAlreadyLinked, kernel.CodeUnavailable),
			httpserver.Example(`{"phone": "+5511912345678"}`),
			httpserver.About("Instead of scanning a QR code, somebody enters the code on the phone: Linked devices, Link a device, Link with phone number instead.")),
		httpserver.Del("/channels/{id}/link", VerbUnlink, "Unlink a channel", httpserver.DeleteByID(s.verbs.Unlink), httpserver.Named("unlinkChannel"),
			httpserver.Fails(kernel.CodeChannelArchived),
			httpserver.About("Logs out at WhatsApp and deletes the keys. Conversations stay, and messages that wait are sent when the same number is linked again.")),
	}
}

const (
	linkPoll     = 500 * time.Millisecond
	linkComment  = 15 * time.Second
	linkStream   = 5 * time.Minute
	linkWrite    = 10 * time.Second
	pairingCodes = 10 * time.Second // how long a request for a pairing code waits for it, and for the end of the link before
)

// followLink streams the state of a link. The state is in the database, because another node may hold the connection.
func (s *handlers) followLink(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.StreamReply, error) {
	id := kernel.ID(in.ID)
	l, err := s.verbs.Link(ctx, a, id)
	renew := httpserver.Renewal(ctx)
	return &httpserver.StreamReply{Body: func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("X-Accel-Buffering", "no")
		if r.Method != http.MethodHead {
			s.streamLink(r.Context(), http.NewResponseController(w), w, renew, id, l)
		}
	}}, err
}

func (s *handlers) streamLink(
	ctx context.Context, control *http.ResponseController, w http.ResponseWriter,
	renew func(context.Context) (*kernel.Principal, error), id kernel.ID, l Link,
) {
	write := func(text []byte) bool {
		_ = control.SetWriteDeadline(time.Now().Add(linkWrite))
		_, err := w.Write(text)
		return err == nil && control.Flush() == nil
	}
	frame := func(l Link) []byte {
		data, _ := json.Marshal(l.public()) // it always encodes
		return append(append([]byte("data: "), data...), "\n\n"...)
	}
	if !write(frame(l)) {
		return
	}
	poll := time.NewTicker(linkPoll)
	defer poll.Stop()
	begun, wanted, wrote := time.Now(), time.Now(), time.Now()
	for time.Since(begun) < linkStream {
		select {
		case <-ctx.Done():
			return
		case <-s.verbs.streams:
			return
		case <-poll.C:
		}
		a, err := renew(ctx)
		if err != nil || a.May(VerbLink) != nil {
			return
		}
		read := s.verbs.readLink
		if l.State == LinkNone || l.State != LinkLinked && time.Since(wanted) > linkWanted/3 {
			read, wanted = s.verbs.keepLink, time.Now()
		}
		now, err := read(ctx, a, id)
		if err != nil {
			return
		}
		now.beat, now.owner = l.beat, l.owner
		text := []byte(": \n\n")
		switch {
		case !reflect.DeepEqual(now, l):
			text = frame(now)
		case time.Since(wrote) < linkComment:
			continue
		}
		if !write(text) {
			return
		}
		l, wrote = now, time.Now()
	}
}

// readLink returns the present state of a link.
func (d *Channels) readLink(ctx context.Context, a *kernel.Principal, id kernel.ID) (Link, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Link, error) {
		_, l, err := d.knownLink(tx, a, id, "")
		return l, err
	})
}

// EndStreams ends the streams of links, so that the server can stop.
func (d *Channels) EndStreams() { d.endStreams() }

type pairInput struct {
	httpserver.AtID
	Body struct {
		Phone string `json:"phone" minLength:"1" maxLength:"64" doc:"The phone number to link." example:"+5511912345678"`
	}
}

// pairByPhone asks for a pairing code and waits for it.
func (s *handlers) pairByPhone(ctx context.Context, a *kernel.Principal, in *pairInput) (*httpserver.Reply[Link], error) {
	id := kernel.ID(in.ID)
	end := time.Now().Add(pairingCodes)
	wait := func() bool {
		select {
		case <-ctx.Done():
		case <-s.verbs.streams:
		case <-time.After(linkPoll):
			return time.Now().Before(end)
		}
		return false
	}
	asked, err := s.verbs.PairByPhone(ctx, a, id, in.Body.Phone)
	for kernel.CodeOf(err) == kernel.CodeUnavailable && wait() { // it is being unlinked
		asked, err = s.verbs.PairByPhone(ctx, a, id, in.Body.Phone)
	}
	if err != nil {
		return nil, err
	}
	for {
		l, err := s.verbs.readLink(ctx, a, id)
		if err != nil || l.Generation != asked.Generation || l.PairingCode != nil || l.State != LinkWaiting || !wait() {
			return &httpserver.Reply[Link]{Body: l.public()}, err
		}
	}
}
