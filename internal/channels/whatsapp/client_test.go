package whatsapp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"

	"recado/internal/channels/provider"
	"recado/internal/channels/simulator"
	"recado/internal/channels/whatsapp"
	"recado/test/testkit"
)

const customer = "551188887777"

// connect serves a simulator on loopback and returns a client of its first number. The customer has just written, so the service
// window is open.
func connect(t *testing.T, options simulator.Options) (*simulator.Simulator, *whatsapp.Client) {
	t.Helper()
	sim := simulator.New(options)
	server := testkit.Serve(t, sim)
	t.Cleanup(sim.Close) // first: it ends the requests that the server waits for
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	if _, err := sim.Receive(simulator.Inbound{Customer: customer, Text: "oi"}); err != nil {
		t.Fatal(err)
	}
	return sim, &whatsapp.Client{
		BaseURL:       server,
		PhoneNumberID: simulator.DefaultNumberID,
		Token:         simulator.DefaultToken,
		HTTP:          &http.Client{Transport: transport},
	}
}

func hello(clientID string) provider.Outgoing {
	return provider.Outgoing{ClientID: clientID, To: provider.Person{WAID: customer}, Text: "Olá"}
}

func fileOf(kind, mimeType, name string, content []byte) *provider.OutgoingMedia {
	return &provider.OutgoingMedia{
		Kind: kind, MimeType: mimeType, FileName: name, Size: int64(len(content)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
	}
}

func TestSend(t *testing.T) {
	to := provider.Person{WAID: customer}
	content := bytes.Repeat([]byte("0123456789abcdef"), 5000)
	for name, test := range map[string]struct {
		out  provider.Outgoing
		want string // the message as Meta gets it, but for the id of a file
	}{
		"text": {
			provider.Outgoing{ClientID: "c1", To: to, Text: "Olá 😀"},
			`{"biz_opaque_callback_data":"c1","messaging_product":"whatsapp","recipient_type":"individual","text":{"body":"Olá 😀","preview_url":false},"to":"+551188887777","type":"text"}`,
		},
		"reply": {
			provider.Outgoing{To: to, Text: "veja https://x.br", ReplyTo: "wamid.Q"},
			`{"context":{"message_id":"wamid.Q"},"messaging_product":"whatsapp","recipient_type":"individual","text":{"body":"veja https://x.br","preview_url":true},"to":"+551188887777","type":"text"}`,
		},
		"a phone number is used while the address is unknown": {
			provider.Outgoing{To: provider.Person{Phone: "+551188887777", UserID: "BR.1"}, Text: "a"},
			`{"messaging_product":"whatsapp","recipient_type":"individual","text":{"body":"a","preview_url":false},"to":"+551188887777","type":"text"}`,
		},
		"image with caption": {
			provider.Outgoing{To: to, Text: "veja", Media: fileOf("image", "image/jpeg", "a.jpg", content)},
			`{"image":{"caption":"veja","id":"ID"},"messaging_product":"whatsapp","recipient_type":"individual","to":"+551188887777","type":"image"}`,
		},
		"voice message": {
			provider.Outgoing{To: to, Media: &provider.OutgoingMedia{Kind: "audio", MimeType: "audio/ogg; codecs=opus", Voice: true, Open: fileOf("", "", "", content).Open}},
			`{"audio":{"id":"ID","voice":true},"messaging_product":"whatsapp","recipient_type":"individual","to":"+551188887777","type":"audio"}`,
		},
		"video": {
			provider.Outgoing{To: to, Media: fileOf("video", "video/mp4", "v.mp4", content)},
			`{"messaging_product":"whatsapp","recipient_type":"individual","to":"+551188887777","type":"video","video":{"id":"ID"}}`,
		},
		"document with a hostile name": {
			provider.Outgoing{To: to, Media: fileOf("document", "application/pdf", "nota \"1\"\r\n.pdf", content)},
			`{"document":{"filename":"nota \"1\"\r\n.pdf","id":"ID"},"messaging_product":"whatsapp","recipient_type":"individual","to":"+551188887777","type":"document"}`,
		},
		"sticker": {
			provider.Outgoing{To: to, Media: fileOf("sticker", "image/webp", "", content)},
			`{"messaging_product":"whatsapp","recipient_type":"individual","sticker":{"id":"ID"},"to":"+551188887777","type":"sticker"}`,
		},
		"template with numbered gaps": {
			provider.Outgoing{To: to, Template: &provider.Template{Name: "aviso", Language: "pt_BR", Parameters: []provider.TemplateParameter{{Text: "Ana"}, {Text: "9"}}}},
			`{"messaging_product":"whatsapp","recipient_type":"individual","template":{"components":[{"parameters":[{"text":"Ana","type":"text"},{"text":"9","type":"text"}],"type":"body"}],"language":{"code":"pt_BR","policy":"deterministic"},"name":"aviso"},"to":"+551188887777","type":"template"}`,
		},
		"template with named gaps": {
			provider.Outgoing{To: to, Template: &provider.Template{Name: "nomes", Language: "pt_BR", Parameters: []provider.TemplateParameter{{Name: "nome", Text: "Ana"}}}},
			`{"messaging_product":"whatsapp","recipient_type":"individual","template":{"components":[{"parameters":[{"parameter_name":"nome","text":"Ana","type":"text"}],"type":"body"}],"language":{"code":"pt_BR","policy":"deterministic"},"name":"nomes"},"to":"+551188887777","type":"template"}`,
		},
		"group": {
			provider.Outgoing{GroupID: "R3JvdXA=", Text: "a"},
			`{"messaging_product":"whatsapp","recipient_type":"group","text":{"body":"a","preview_url":false},"to":"R3JvdXA=","type":"text"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			sim, client := connect(t, simulator.Options{Templates: []simulator.Template{
				{Name: "aviso", Language: "pt_BR", Body: "Oi {{1}}, pedido {{2}}"}, {Name: "nomes", Language: "pt_BR", Body: "Oi {{nome}}"},
			}})
			if _, err := sim.Receive(simulator.Inbound{Customer: customer, Text: "oi", Group: "R3JvdXA="}); err != nil {
				t.Fatal(err)
			}
			result, err := client.Send(t.Context(), test.out)
			if err != nil {
				t.Fatal(err)
			}
			ledger := sim.Ledger("")
			if len(ledger) != 1 || ledger[0].ID != result.ExternalID {
				t.Fatalf("accepted %+v, answered %+v", ledger, result)
			}
			if test.out.GroupID == "" && result.WAID != customer {
				t.Errorf("address learned is %q", result.WAID)
			}
			body := string(ledger[0].Body)
			if test.out.Media != nil {
				stored, mimeType, _ := sim.File(result.MediaID)
				if !bytes.Equal(stored, content) || mimeType != test.out.Media.MimeType {
					t.Errorf("the file arrived as %d bytes of %s", len(stored), mimeType)
				}
				body = strings.ReplaceAll(body, result.MediaID, "ID")
			}
			testkit.Diff(t, "body", canonical(t, body), canonical(t, test.want))
		})
	}
	t.Run("a hidden number is reached by user id", func(t *testing.T) {
		sim, client := connect(t, simulator.Options{})
		person := sim.SetCustomer(customer, func(c *simulator.Customer) { c.HidePhone = true })
		result, err := client.Send(t.Context(), provider.Outgoing{To: provider.Person{UserID: person.UserID}, Text: "a"})
		if err != nil || result.UserID != person.UserID || result.WAID != "" {
			t.Errorf(`want err == nil and result.UserID == person.UserID and result.WAID == ""; got %+v, %+v`, result, err)
		}
	})
	t.Run("a Brazilian number resolves to the address without its ninth digit", func(t *testing.T) {
		_, client := connect(t, simulator.Options{Brazil: "drop", Window: "off"})
		result, err := client.Send(t.Context(), provider.Outgoing{To: provider.Person{Phone: "+5511988887777"}, Text: "a"})
		if err != nil || result.WAID != customer {
			t.Errorf("want err == nil and result.WAID == customer; got %+v, %+v", result, err)
		}
	})
	t.Run("a file that was uploaded before is not uploaded again", func(t *testing.T) {
		sim, client := connect(t, simulator.Options{})
		first, err := client.Send(t.Context(), provider.Outgoing{To: to, Media: fileOf("image", "image/png", "", content)})
		if err != nil {
			t.Fatal(err)
		}
		again := &provider.OutgoingMedia{Kind: "image", ProviderID: first.MediaID}
		if second, err := client.Send(t.Context(), provider.Outgoing{To: to, Media: again}); err != nil || second.MediaID != first.MediaID {
			t.Fatalf("want err == nil and second.MediaID == first.MediaID; got %+v, %+v", second, err)
		}
		if n := sim.Calls("upload"); n != 1 {
			t.Errorf("%d uploads", n)
		}
	})
}

func sendError(t *testing.T, err error) *provider.SendError {
	t.Helper()
	e, ok := errors.AsType[*provider.SendError](err)
	if !ok {
		t.Fatalf("not a SendError: %v", err)
	}
	return e
}

func canonical(t *testing.T, s string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

func TestAnExpiredMessageIsNotSent(t *testing.T) {
	sim, client := connect(t, simulator.Options{})
	out := hello("late")
	asked, connected := 0, false
	out.Expired = func() bool { asked++; return connected }
	_, err := client.Send(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }}), out)
	refused, ok := errors.AsType[*provider.SendError](err)
	if !ok || !refused.Retry || refused.Fate == provider.Uncertain || asked != 1 {
		t.Fatalf("%v, asked %d times", err, asked)
	}
	if len(sim.Ledger("")) != 0 || sim.Calls("messages") != 0 {
		t.Fatal("it was sent")
	}
}
