package matrix

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// company creates the objects of one company through its API.
type company struct {
	*servertest.Company
	w        *servertest.World
	receiver string
	n        int                // counter for unique phones and words
	kept     map[string]string  // by noun: ids that are reused between requests
	session  *servertest.Client // of the owner; nil if it has ended
}

// password is the password of every member.
const password = "correct horse battery"

func newCompany(t *testing.T, w *servertest.World, c *servertest.Company, number int, receiver string) *company {
	t.Helper()
	o := &company{Company: c, w: w, receiver: receiver, n: number * 1_000_000, kept: map[string]string{}}
	o.kept["channel"] = c.Post(t, "/channels", fmt.Sprintf(`{"name":"Main","phone":%q,"provider":"sandbox"}`, o.phone())).OK(201).ID()
	o.kept["user"] = c.Post(t, "/team", fmt.Sprintf(`{"name":"Agent","email":"%s@x.example"}`, o.word())).OK(201).ID()
	o.kept["sector"] = c.Post(t, "/sectors", fmt.Sprintf(`{"name":%q,"member_ids":[%q]}`, o.word(), o.kept["user"])).OK(201).ID()
	o.kept["me"] = c.Owner.ID.String()
	o.kept["email"], o.kept["company"] = c.Owner.Email, c.ID.String()
	c.Enter(t, c.Owner.ID.String(), password)
	return o
}

// caller returns the client for a route: the company's key, the owner's session if keys are refused, or a visitor if the
// route needs no authentication.
func (o *company) caller(t *testing.T, route *httpserver.Route) *servertest.Client {
	t.Helper()
	switch {
	case route.Open:
		return o.Visitor()
	case !route.Verb.SessionOnly:
		return o.Client
	}
	if o.session == nil || o.session.Get(t, "/session").Status != http.StatusOK {
		o.session = o.SignIn(t, o.Owner.Email, password)
	}
	return o.session
}

func (o *company) phone() string {
	o.n++
	return fmt.Sprintf("+55119%08d", 10_000_000+o.n)
}

func (o *company) tomorrow() string { return o.w.Clock.Now().Add(24 * time.Hour).Format(time.RFC3339) }

func (o *company) word() string {
	o.n++
	return fmt.Sprintf("word%d", o.n)
}

// id returns a value for a slot. Nouns of a conversation come from talk. Others are created once and reused, unless fresh
// is set.
func (o *company) id(t *testing.T, noun string, talk *talk, fresh bool) string {
	t.Helper()
	switch noun {
	case "":
		return ""
	case "phone":
		return o.phone()
	case "word":
		return o.word()
	case "tomorrow":
		return o.tomorrow()
	case "new":
		return kernel.NewID().String()
	case "receiver":
		return o.receiver
	case "password":
		return password
	case "token":
		_, token, _ := strings.Cut(o.invite(t).Text("url"), "token=")
		return token
	}
	if id, ok := talk.id(noun); ok {
		return id
	}
	if id, ok := o.kept[noun]; ok && !fresh {
		return id
	}
	id := o.make(t, noun)
	if !fresh {
		o.kept[noun] = id
	}
	return id
}

func (o *company) make(t *testing.T, noun string) string {
	t.Helper()
	post := func(path, body string) *servertest.Answer {
		t.Helper()
		return o.Post(t, path, body, "Idempotency-Key", kernel.NewID().String()).OK(201)
	}
	switch noun {
	case "channel":
		return post("/channels", fmt.Sprintf(`{"name":%q,"phone":%q,"provider":"sandbox"}`, o.word(), o.phone())).ID()
	case "key":
		return post("/keys", `{"name":"k","scopes":["read"]}`).ID()
	case "job":
		id := o.Post(t, "/contacts/"+o.id(t, "contact", nil, false)+"/export", nil).OK(202).ID()
		testkit.Eventually(t, "the job has ended", func() bool { return o.Get(t, "/jobs/"+id).OK(200).Text("status") == "done" })
		return id
	case "closing reason":
		return post("/closing-reasons", fmt.Sprintf(`{"name":%q}`, o.word())).ID()
	case "label":
		return post("/labels", fmt.Sprintf(`{"name":%q}`, o.word())).ID()
	case "field":
		return post("/fields", fmt.Sprintf(`{"entity":"card","key":%q,"name":"n","type":"text"}`, o.word())).ID()
	case "contact", "free contact":
		return post("/contacts", fmt.Sprintf(`{"name":%q,"phone":%q}`, o.word(), o.phone())).ID()
	case "user":
		return post("/team", fmt.Sprintf(`{"name":"n","email":"%s@x.example"}`, o.word())).ID()
	case "sector", "free sector":
		return post("/sectors", fmt.Sprintf(`{"name":%q}`, o.word())).ID()
	case "webhook":
		return post("/integrations/webhooks", fmt.Sprintf(`{"name":"n","url":%q,"events":["attendance.closed"]}`, o.receiver)).ID()
	case "delivery":
		return o.Post(t, "/integrations/webhooks/"+o.id(t, "webhook", nil, false)+"/test", nil).OK(200).ID()
	case "board":
		board := post("/kanban/boards", fmt.Sprintf(`{"name":%q}`, o.word()))
		o.kept["stage"] = board.Text("stages", 0, "id")
		return board.ID()
	case "stage":
		board := o.id(t, "board", nil, false)
		return post("/kanban/boards/"+board+"/stages", fmt.Sprintf(`{"name":%q}`, o.word())).ID()
	case "card", "other card":
		board := o.id(t, "board", nil, false)
		return post("/kanban/cards", fmt.Sprintf(`{"title":%q,"board_id":%q,"stage_id":%q}`, o.word(), board, o.kept["stage"])).ID()
	case "media":
		return o.Upload(t, "pixel.png", pixel).OK(201).ID()
	case "session":
		return o.SignIn(t, o.Owner.Email, password).Get(t, "/sessions").OK(200).Text("data", 0, "id")
	case "push subscription":
		return o.SignIn(t, o.Owner.Email, password).Post(t, "/me/push-subscriptions", fmt.Sprintf(
			`{"endpoint":"%s/%s","keys":{"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}`,
			o.receiver, o.word())).OK(201).ID()
	case "invitation":
		return o.invite(t).ID()
	case "reply":
		return post("/replies", fmt.Sprintf(`{"shortcut":%q,"title":"t","text":"x","owner":null}`, o.word())).ID()
	case "hours", "free hours":
		return post("/hours", `{"name":"n"}`).ID()
	case "sla policy":
		return post("/sla-policies", fmt.Sprintf(`{"name":%q,"sector_ids":[%q]}`, o.word(), o.make(t, "sector"))).ID()
	case "view":
		return post("/views", `{"name":"n","query":{"status":"open"}}`).ID()
	}
	t.Fatalf("the fixture cannot create a %s", noun)
	return ""
}

func (o *company) invite(t *testing.T) *servertest.Answer {
	t.Helper()
	return o.Post(t, "/team/invitations", fmt.Sprintf(`{"email":"%s@x.example","name":"n","role":"agent"}`, o.word())).OK(201)
}

// pixel is a PNG of one pixel.
var pixel, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

// talk is a conversation with one of everything that belongs to it. Its texts and names contain mark.
type talk struct {
	mark string
	ids  map[string]string
}

func (k *talk) id(noun string) (string, bool) {
	if k == nil {
		return "", false
	}
	id, ok := k.ids[noun]
	return id, ok
}

// talk creates a conversation with a customer's picture and a reply.
func (o *company) talk(t *testing.T, mark string) *talk {
	t.Helper()
	phone := o.phone()
	k := &talk{mark: mark, ids: map[string]string{"phone of conversation": phone}}
	simulate := "/channels/" + o.kept["channel"] + "/simulate"
	picture := o.Upload(t, "pixel.png", pixel).OK(201).ID()
	in := o.Post(t, simulate, fmt.Sprintf(`{"from":%q,"name":%q,"text":%q,"media_id":%q}`, phone, mark, mark+" asks", picture)).OK(201)
	k.ids["message"], k.ids["external"], k.ids["media"] = in.ID(), in.Text("external_id"), picture
	k.ids["conversation"] = in.Text("conversation")
	at := "/conversations/" + k.ids["conversation"]
	out := o.Post(t, at+"/messages", fmt.Sprintf(`{"client_id":%q,"text":%q}`, kernel.NewID(), mark+" is answered")).OK(201)
	k.ids["external sent"] = o.externalID(t, out)
	attendance := o.Get(t, at+"/attendance").OK(200)
	k.ids["attendance"], k.ids["protocol"] = attendance.ID(), attendance.Text("protocol")
	k.ids["note"] = o.Post(t, at+"/notes", fmt.Sprintf(`{"client_id":%q,"text":%q}`, kernel.NewID(), mark+" is noted")).OK(201).ID()
	k.ids["scheduled"] = o.Post(t, at+"/scheduled", fmt.Sprintf(`{"client_id":%q,"send_at":%q,"text":%q}`, kernel.NewID(), o.tomorrow(), mark+" is told later")).OK(201).ID()
	k.ids["card"] = o.Post(t, "/kanban/cards", fmt.Sprintf(`{"title":%q,"board_id":%q,"stage_id":%q,"conversation":%q}`,
		mark, o.id(t, "board", nil, false), o.id(t, "stage", nil, false), k.ids["conversation"]), "Idempotency-Key", kernel.NewID().String()).OK(201).ID()
	o.setPictures(t)
	return k
}

// setPictures gives the conversations of the company a picture, which otherwise only groups of linked numbers have.
func (o *company) setPictures(t *testing.T) {
	t.Helper()
	kerneltest.Write(t, o.w.Desk.Talk.Store, func(tx *kernel.Tx) error {
		tx.Later(`UPDATE conversations SET picture_id = '1', picture = $2 WHERE company = $1`, o.ID, pixel)
		return nil
	})
}

// externalID waits for the provider's id of a sent message and returns it.
func (o *company) externalID(t *testing.T, sent *servertest.Answer) string {
	t.Helper()
	testkit.Eventually(t, "the message has an external id", func() bool {
		sent = o.Get(t, "/messages/"+sent.ID()).OK(200)
		return sent.Text("external_id") != ""
	})
	return sent.Text("external_id")
}

// privateTalk creates a conversation on a private channel, which no key may see.
func (o *company) privateTalk(t *testing.T, mark string, peek func(query string) []string) *talk {
	t.Helper()
	ctx := context.Background()
	operator, err := o.w.Desk.People.Operator(ctx, o.ID)
	if err != nil {
		t.Fatal(err)
	}
	channel, err := o.w.Desk.Channels.CreateChannel(ctx, operator, channels.NewChannel{Name: mark, Phone: o.phone(), Provider: channels.ProviderSandbox, Private: true})
	if err != nil {
		t.Fatal(err)
	}
	phone, external := o.phone(), "private."+kernel.NewID().String()
	err = o.w.Desk.Talk.Receive(ctx, o.ID, channel.ID, []provider.Incoming{{Message: &provider.IncomingMessage{
		ExternalID: external, Type: provider.TypeImage, Text: mark + " asks",
		Customer: provider.Person{Phone: phone, WAID: phone[1:], Name: mark},
		Media:    &provider.IncomingMedia{ProviderID: "1", MimeType: "image/png"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	k := &talk{mark: mark, ids: map[string]string{"channel": channel.ID.String(), "phone of conversation": phone, "external": external}}
	for noun, query := range map[string]string{
		"conversation": `SELECT id FROM conversations WHERE private`,
		"message":      `SELECT id FROM messages WHERE private`,
		"media":        `SELECT id FROM media WHERE private`,
		"attendance":   `SELECT id FROM attendances WHERE private`,
		"contact":      `SELECT id FROM contacts WHERE pool <> company`,
		"card":         `SELECT id FROM cards WHERE hidden`,
	} {
		ids := peek(query)
		if len(ids) != 1 {
			t.Fatalf("%s: got %d rows, want 1", query, len(ids))
		}
		k.ids[noun] = ids[0]
	}
	k.ids["other card"] = k.ids["card"]
	o.setPictures(t)
	return k
}

// fill replaces the slots in a text.
func fill(text string, id func(noun string) string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		noun, after, closed := strings.Cut(rest, "}")
		if !found || !closed || strings.ContainsAny(noun, `"{:`) || noun == " " { // a brace of JSON, not a slot
			if !found {
				out.WriteString(text)
				return out.String()
			}
			out.WriteString(before + "{")
			text = rest
			continue
		}
		out.WriteString(before + id(noun))
		text = after
	}
}

// slots returns the nouns of the slots in a text.
func slots(text string) []string {
	var nouns []string
	fill(text, func(noun string) string { nouns = append(nouns, noun); return "" })
	return nouns
}
