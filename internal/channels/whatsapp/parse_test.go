package whatsapp

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recado/internal/channels/provider"
	"recado/test/testkit"
)

var (
	noon = time.Unix(1790000000, 0).UTC()
	ana  = provider.Person{Phone: "+551188887777", WAID: "551188887777", UserID: "BR.1", Name: "Ana", Username: "ana.b"}
)

// callbackOf returns a callback of number 2000 with the elements of one array.
func callbackOf(field, array, elements string) []byte {
	return fmt.Appendf(nil, `{"object":"whatsapp_business_account","entry":[{"id":"WABA","changes":[{"field":%q,"value":{
		"messaging_product":"whatsapp","metadata":{"display_phone_number":"5511900000000","phone_number_id":"2000"},
		"contacts":[{"profile":{"name":"Ana","username":"ana.b"},"wa_id":"551188887777","user_id":"BR.1"}],
		%q:[%s]}}]}]}`, field, array, elements)
}

func parseOne(t *testing.T, body []byte) provider.Incoming {
	t.Helper()
	events, err := ParseCallback(body)
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != 1 {
		t.Fatalf("got %d events, want 1: %+v", len(events), events)
	}
	if events[0].WABAID != "WABA" {
		t.Errorf("account is %q", events[0].WABAID)
	}
	return events[0].Incoming
}

const common = `"from":"551188887777","from_user_id":"BR.1","id":"wamid.A","timestamp":"1790000000",`

func TestMessagesOfCustomers(t *testing.T) {
	for name, test := range map[string]struct {
		json string
		want provider.IncomingMessage
		raw  bool
	}{
		"text": {
			json: `"type":"text","text":{"body":"Ol\u00e1 \ud83d\ude00"}`,
			want: provider.IncomingMessage{Type: "text", Text: "Olá 😀"},
		},
		"a reply names what it quotes": {
			json: `"type":"text","text":{"body":"sim"},"context":{"from":"5511900000000","id":"wamid.Q"}`,
			want: provider.IncomingMessage{Type: "text", Text: "sim", ReplyTo: "wamid.Q"},
		},
		"a forwarded text quotes nothing": {
			json: `"type":"text","text":{"body":"sim"},"context":{"forwarded":true}`,
			want: provider.IncomingMessage{Type: "text", Text: "sim"},
		},
		"NUL and broken surrogates do not survive": {
			json: `"type":"text","text":{"body":"a\u0000b\ud800"}`,
			want: provider.IncomingMessage{Type: "text", Text: "ab�"},
		},
		"image with caption": {
			json: `"type":"image","image":{"id":123,"mime_type":"image/jpeg","sha256":"aGFzaA==","caption":"veja","url":"https://lookaside.fbsbx.com/x"}`,
			want: provider.IncomingMessage{Type: "image", Text: "veja", Media: &provider.IncomingMedia{ProviderID: "123", URL: "https://lookaside.fbsbx.com/x", MimeType: "image/jpeg", SHA256: "aGFzaA=="}},
		},
		"voice note": {
			json: `"type":"audio","audio":{"id":"5","mime_type":"audio/ogg; codecs=opus","sha256":"x","voice":true}`,
			want: provider.IncomingMessage{Type: "audio", Media: &provider.IncomingMedia{ProviderID: "5", MimeType: "audio/ogg; codecs=opus", SHA256: "x", Voice: true}},
		},
		"the old voice type": {
			json: `"type":"voice","voice":{"id":"5","mime_type":"audio/ogg"}`,
			want: provider.IncomingMessage{Type: "audio", Media: &provider.IncomingMedia{ProviderID: "5", MimeType: "audio/ogg", Voice: true}},
		},
		"document": {
			json: `"type":"document","document":{"id":"7","mime_type":"application/pdf","filename":"nota.pdf","sha256":"x"}`,
			want: provider.IncomingMessage{Type: "document", Media: &provider.IncomingMedia{ProviderID: "7", MimeType: "application/pdf", FileName: "nota.pdf", SHA256: "x"}},
		},
		"sticker": {
			json: `"type":"sticker","sticker":{"id":"8","mime_type":"image/webp","animated":false}`,
			want: provider.IncomingMessage{Type: "sticker", Media: &provider.IncomingMedia{ProviderID: "8", MimeType: "image/webp"}},
		},
		"location": {
			json: `"type":"location","location":{"latitude":-23.5,"longitude":"-46.6","name":"Loja","address":"Rua A, 1"}`,
			want: provider.IncomingMessage{Type: "location", Text: "Loja, Rua A, 1 (-23.5, -46.6)"},
			raw:  true,
		},
		"contacts": {
			json: `"type":"contacts","contacts":[{"name":{"formatted_name":"Rui"},"phones":[{"phone":"+55 11 9"},{"wa_id":"5511977776666"}],"emails":[{"email":"r@x.br"}]},{"name":{"first_name":"Bia","last_name":"Sá"}}]`,
			want: provider.IncomingMessage{Type: "contacts", Text: "Rui: +55 11 9, +5511977776666, r@x.br\nBia Sá"},
			raw:  true,
		},
		"button of a template": {
			json: `"type":"button","button":{"payload":"p","text":"Confirmar"},"context":{"id":"wamid.T"}`,
			want: provider.IncomingMessage{Type: "text", Text: "Confirmar", ReplyTo: "wamid.T", Choice: &provider.Choice{ID: "p", Title: "Confirmar"}, Payload: "p"},
			raw:  true,
		},
		"choice in a list": {
			json: `"type":"interactive","interactive":{"type":"list_reply","list_reply":{"id":"1","title":"Vendas","description":"Falar com vendas"}}`,
			want: provider.IncomingMessage{Type: "text", Text: "Vendas\nFalar com vendas", Choice: &provider.Choice{ID: "1", Title: "Vendas"}},
			raw:  true,
		},
		"a filled form": {
			json: `"type":"interactive","interactive":{"type":"nfm_reply","nfm_reply":{"name":"flow","body":"Sent","response_json":"{\"a\":1}"}}`,
			want: provider.IncomingMessage{Type: "text", Text: "Sent\na: 1", Form: &provider.Form{Name: "flow", Fields: []provider.FormField{{Name: "a", Label: "a", Value: "1"}}}},
			raw:  true,
		},
		"order": {
			json: `"type":"order","order":{"catalog_id":"1","text":"Para hoje","product_items":[{"product_retailer_id":"SKU1","quantity":2,"item_price":9.5,"currency":"BRL"}]}`,
			want: provider.IncomingMessage{Type: "text", Text: "Para hoje\n2 × SKU1 (BRL 9.5)"},
			raw:  true,
		},
		"group": {
			json: `"type":"text","group_id":"R3JvdXA=","text":{"body":"oi"}`,
			want: provider.IncomingMessage{Type: "text", Text: "oi", Group: &provider.IncomingGroup{ID: "R3JvdXA="}},
		},
		"unsupported": {
			json: `"type":"unsupported","unsupported":{"type":"poll_creation"},"errors":[{"code":131051,"title":"x"}]`,
			want: provider.IncomingMessage{Type: "unsupported", Text: "Poll", Notice: notice(provider.NoticePoll)},
			raw:  true,
		},
		"a type of tomorrow": {
			json: `"type":"hologram","hologram":{"id":"1"}`,
			want: provider.IncomingMessage{Type: "unsupported"},
			raw:  true,
		},
		"no type at all": {
			json: `"x":1`,
			want: provider.IncomingMessage{Type: "unsupported"},
			raw:  true,
		},
		"an image without a file": {
			json: `"type":"image","image":"lost"`,
			want: provider.IncomingMessage{Type: "unsupported", Text: "Image", Notice: notice(provider.NoticeImage)},
			raw:  true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := parseOne(t, callbackOf("messages", "messages", "{"+common+test.json+"}")).Message
			if got == nil {
				t.Fatal("not a message")
			}
			if (len(got.Raw) > 0) != test.raw {
				t.Errorf("raw kept: %t, want %t", len(got.Raw) > 0, test.raw)
			}
			got.Raw = nil
			test.want.ExternalID, test.want.Customer, test.want.At = "wamid.A", ana, noon
			testkit.Diff(t, "message", *got, test.want)
		})
	}
}

func TestIdentities(t *testing.T) {
	message := func(t *testing.T, json string) *provider.IncomingMessage {
		t.Helper()
		return parseOne(t, callbackOf("messages", "messages", json)).Message
	}
	t.Run("a customer who hides the number has only a user id", func(t *testing.T) {
		got := message(t, `{"from_user_id":"BR.9","id":"wamid.A","timestamp":1790000000,"type":"text","text":{"body":"oi"}}`)
		testkit.Diff(t, "customer", got.Customer, provider.Person{UserID: "BR.9"})
	})
	t.Run("a user id in the place of the number is recognised", func(t *testing.T) {
		got := message(t, `{"from":"BR.9","id":"wamid.A","timestamp":"1790000000123","type":"text","text":{"body":"oi"}}`)
		testkit.Diff(t, "customer", got.Customer, provider.Person{UserID: "BR.9"})
		if got.At.UnixMilli() != 1790000000123 {
			t.Errorf("milliseconds were read as %s", got.At)
		}
	})
	t.Run("the only contact is the sender", func(t *testing.T) {
		got := message(t, `{"from":"5511000000000","id":"wamid.A","type":"text","text":{"body":"oi"}}`)
		if got.Customer.Name != "Ana" || got.Customer.WAID != "5511000000000" {
			t.Errorf("got %+v", got.Customer)
		}
	})
	t.Run("the name comes from the sender's contact, in any form of the number", func(t *testing.T) {
		for from, contact := range map[string]string{
			"5511988887777": "551188887777", "551188887777": "5511988887777", "525512345678": "5215512345678", "541123456789": "5491123456789",
		} {
			body := strings.Replace(string(callbackOf("messages", "messages", `{"from":"`+from+`","id":"wamid.A","type":"text","text":{"body":"oi"}}`)),
				`"contacts":[{"profile":{"name":"Ana","username":"ana.b"},"wa_id":"551188887777","user_id":"BR.1"}]`,
				`"contacts":[{"profile":{"name":"Rui"},"wa_id":"351911111111"},{"profile":{"name":"Bia"},"wa_id":"`+contact+`"}]`, 1)
			if got := parseOne(t, []byte(body)).Message.Customer; got.Name != "Bia" || got.WAID != from {
				t.Errorf("%s beside %s: %+v", from, contact, got)
			}
		}
	})
	t.Run("the name is that of the sender, not of another contact", func(t *testing.T) {
		events, err := ParseCallback(callbackOf("messages", "messages",
			`{"from":"551188887777","id":"wamid.A","type":"text","text":{"body":"oi"}},{"from":"5511000000000","id":"wamid.B","type":"text","text":{"body":"oi"}}`))
		if err != nil {
			t.Fatalf("want err == nil; got %+v, %+v", err, len(events))
		}
		testkit.Equal(t, "number of events", len(events), 2)
		if a, b := events[0].Incoming.Message.Customer.Name, events[1].Incoming.Message.Customer.Name; a != "Ana" || b != "" {
			t.Errorf("got the names %q and %q", a, b)
		}
	})
	t.Run("a text that is not a number is no identity", func(t *testing.T) {
		for _, from := range []string{"bla", "55 11", "+", "5511x8887777"} {
			body := strings.Replace(string(callbackOf("messages", "messages", `{"from":"`+from+`","id":"wamid.A","type":"text","text":{"body":"oi"}}`)), `"contacts":[{`, `"people":[{`, 1)
			if got := parseOne(t, []byte(body)); got.Notice == nil {
				t.Errorf("parseOne(t, []byte(body)): want got.Notice != nil; got %+v, %+v", from, got.Message)
			}
		}
	})
	for name, test := range map[string]struct {
		json string
		want provider.Person
	}{
		"a changed number": {
			json: `{"from":"551188887777","id":"wamid.S","timestamp":"1790000000","type":"system","system":{"type":"user_changed_number","body":"x","wa_id":"5521977776666","user_id":"BR.2","previous_user_id":"BR.1"}}`,
			want: provider.Person{Phone: "+5521977776666", WAID: "5521977776666", UserID: "BR.2", PreviousWAID: "551188887777", PreviousUserID: "BR.1"},
		},
		"a changed number in the old form": {
			json: `{"from":"551188887777","id":"wamid.S","timestamp":"1790000000","type":"system","system":{"type":"user_changed_number","new_wa_id":"5521977776666"}}`,
			want: provider.Person{Phone: "+5521977776666", WAID: "5521977776666", PreviousWAID: "551188887777"},
		},
		"a changed number in the oldest form": {
			json: `{"from":"551188887777","id":"wamid.S","timestamp":"1790000000","type":"system","system":{"type":"customer_changed_number","body":"x","customer":"551188887777","new_wa_id":"5521977776666"}}`,
			want: provider.Person{Phone: "+5521977776666", WAID: "5521977776666", PreviousWAID: "551188887777"},
		},
		"a changed user id whose old one is in the text": {
			json: `{"id":"wamid.S","timestamp":"1790000000","type":"system","system":{"type":"user_changed_user_id","body":"User changed from BR.1 to BR.2.","user_id":"BR.2"}}`,
			want: provider.Person{UserID: "BR.2", PreviousUserID: "BR.1"},
		},
		"a changed user id": {
			json: `{"id":"wamid.S","timestamp":"1790000000","type":"system","system":{"type":"user_changed_user_id","user_id":"BR.2","previous_user_id":"BR.1"}}`,
			want: provider.Person{UserID: "BR.2", PreviousUserID: "BR.1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := parseOne(t, callbackOf("messages", "messages", test.json)).Identity
			testkit.Diff(t, "identity", got, &provider.IncomingIdentity{Person: test.want, At: noon})
		})
	}
	t.Run("a new security code is a notice", func(t *testing.T) {
		if parseOne(t, callbackOf("messages", "messages", `{"from":"551188887777","type":"system","system":{"type":"customer_identity_changed","body":"x"}}`)).Notice == nil {
			t.Error("not a notice")
		}
	})
	t.Run("names come from the phone's address book", func(t *testing.T) {
		got := parseOne(t, callbackOf("smb_app_state_sync", "state_sync", `{"type":"contact","action":"add","contact":{"full_name":"Ana Braga","phone_number":"+551188887777"},"metadata":{"timestamp":"1790000000"}}`)).Identity
		want := &provider.IncomingIdentity{Person: provider.Person{Phone: "+551188887777", WAID: "551188887777", Name: "Ana Braga"}, At: noon, AddressBook: true}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("an update of user ids", func(t *testing.T) {
		got := parseOne(t, callbackOf("user_id_update", "user_id_update", `{"wa_id":"551188887777","user_id":{"previous":"BR.1","current":"BR.2"},"timestamp":"1790000000"}`)).Identity
		want := &provider.IncomingIdentity{Person: provider.Person{Phone: "+551188887777", WAID: "551188887777", UserID: "BR.2", PreviousUserID: "BR.1"}, At: noon}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// batch returns a callback of n messages, as Meta sends after an outage.
func batch(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"object":"whatsapp_business_account","entry":[{"id":"WABA","changes":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"field":"messages","value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"5511900000000","phone_number_id":"2000"},"contacts":[{"profile":{"name":"Ana"},"wa_id":"5511%08d","user_id":"BR.%d"}],"messages":[{"from":"5511%08d","from_user_id":"BR.%d","id":"wamid.%d","timestamp":"1790000000","type":"text","text":{"body":"Ol\u00e1 %d, tudo bem com voc\u00eas?"}}]}}`, i, i, i, i, i, i)
	}
	b.WriteString(`]}]}`)
	return []byte(b.String())
}
