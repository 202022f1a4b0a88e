package whatsapp

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/test/testkit"
)

func TestStatuses(t *testing.T) {
	for name, test := range map[string]struct {
		json string
		want provider.IncomingStatus
	}{
		"delivered contains our client id": {
			json: `{"id":"wamid.O","status":"delivered","timestamp":"1790000000","recipient_id":"551188887777","recipient_user_id":"BR.1","biz_opaque_callback_data":"c-1","pricing":{"billable":false}}`,
			want: provider.IncomingStatus{ClientID: "c-1", Status: "delivered", Recipient: provider.Person{Phone: "+551188887777", WAID: "551188887777", UserID: "BR.1"}},
		},
		"pricing says how the message is charged": {
			json: `{"id":"wamid.O","status":"sent","timestamp":"1790000000","recipient_user_id":"BR.1","pricing":{"billable":true,"pricing_model":"PMP","type":"regular","category":"marketing_lite"}}`,
			want: provider.IncomingStatus{
				Status: "sent", Recipient: provider.Person{UserID: "BR.1"},
				Pricing: &provider.Pricing{Category: "marketing_lite", Type: "regular", Billable: true},
			},
		},
		"pricing without billable depends on the type": {
			json: `{"id":"wamid.O","status":"sent","timestamp":"1790000000","recipient_user_id":"BR.1","pricing":{"type":"regular","category":"utility"}}`,
			want: provider.IncomingStatus{
				Status: "sent", Recipient: provider.Person{UserID: "BR.1"},
				Pricing: &provider.Pricing{Category: "utility", Type: "regular", Billable: true},
			},
		},
		"a voice message that was played was read": {
			json: `{"id":"wamid.O","status":"played","timestamp":"1790000000","recipient_user_id":"BR.1"}`,
			want: provider.IncomingStatus{Status: "read", Recipient: provider.Person{UserID: "BR.1"}},
		},
		"failed says why": {
			json: `{"id":"wamid.O","status":"failed","timestamp":"1790000000","recipient_id":"551188887777","errors":[{"code":"131047","title":"Re-engagement message"}]}`,
			want: provider.IncomingStatus{
				Status: "failed", Recipient: provider.Person{Phone: "+551188887777", WAID: "551188887777"},
				Error: new(provider.NewReason("service_window_closed", meanings[131047].message, kernel.Params{"provider_code": 131047, "provider_message": "Re-engagement message"})),
			},
		},
		"failed for a reason of tomorrow keeps Meta's words": {
			json: `{"id":"wamid.O","status":"failed","timestamp":"1790000000","recipient_id":"551188887777","errors":[{"code":999999,"title":"T","error_data":{"details":"The moon is full."}}]}`,
			want: provider.IncomingStatus{
				Status: "failed", Recipient: provider.Person{Phone: "+551188887777", WAID: "551188887777"},
				Error: new(provider.NewReason("not_delivered", "WhatsApp did not deliver the message: The moon is full (code 999999).", kernel.Params{"provider_code": 999999, "provider_message": "The moon is full."})),
			},
		},
		"failed after a fault at Meta is certain": {
			json: `{"id":"wamid.O","status":"failed","timestamp":"1790000000","recipient_id":"551188887777","errors":[{"code":131000,"title":"Something went wrong"}]}`,
			want: provider.IncomingStatus{
				Status: "failed", Recipient: provider.Person{Phone: "+551188887777", WAID: "551188887777"},
				Error: new(provider.NewReason("not_delivered", "WhatsApp did not deliver the message: Something went wrong (code 131000).", kernel.Params{"provider_code": 131000, "provider_message": "Something went wrong"})),
			},
		},
		"read by one member of a group": {
			json: `{"id":"wamid.O","status":"read","timestamp":"1790000000","recipient_type":"group","recipient_id":"R3JvdXA=","recipient_participant_id":"551188887777"}`,
			want: provider.IncomingStatus{Status: "read", GroupID: "R3JvdXA=", Recipient: provider.Person{Phone: "+551188887777", WAID: "551188887777"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := parseOne(t, callbackOf("messages", "statuses", test.json)).Status
			test.want.ExternalID, test.want.At = "wamid.O", noon
			testkit.Diff(t, "event", got, &test.want)
		})
	}
	t.Run("an unknown status is a notice", func(t *testing.T) {
		if parseOne(t, callbackOf("messages", "statuses", `{"id":"wamid.O","status":"deleted"}`)).Notice == nil {
			t.Error("not a notice")
		}
	})
}

func TestEditsAndDeletions(t *testing.T) {
	edit := parseOne(t, callbackOf("messages", "messages", `{`+common+`"type":"edit","edit":{"original_message_id":"wamid.X","message":{"type":"image","image":{"id":"1","caption":"agora sim"}}}}`)).Edit
	testkit.Diff(t, "edit", edit, &provider.IncomingEdit{ExternalID: "wamid.X", Text: "agora sim", Sender: provider.Sender{Customer: ana}, At: noon})
	revoke := parseOne(t, callbackOf("messages", "messages", `{`+common+`"type":"revoke","revoke":{"original_message_id":"wamid.X"}}`)).Revoke
	testkit.Diff(t, "revocation", revoke, &provider.IncomingRevoke{ExternalID: "wamid.X", Sender: provider.Sender{Customer: ana}, At: noon})
}

func TestMessagesTypedOnThePhone(t *testing.T) {
	events := parseFile(t, "echo.json")
	phone := provider.Sender{FromPhoneApp: true, Customer: provider.Person{Phone: "+551188887777", WAID: "551188887777", UserID: "BR.1", Username: "ana.b"}}
	want := []provider.Incoming{
		{Message: &provider.IncomingMessage{
			ExternalID: "wamid.E1", FromPhoneApp: true, Type: "text", Text: "respondi do celular", At: noon,
			Customer: provider.Person{Phone: "+551188887777", WAID: "551188887777", UserID: "BR.1", Username: "ana.b"},
		}},
		{Edit: &provider.IncomingEdit{ExternalID: "wamid.E1", Text: "corrigido", Sender: phone, At: noon}},
		{Revoke: &provider.IncomingRevoke{ExternalID: "wamid.E1", Sender: phone, At: noon}},
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("(-want +events):\n%s", diff)
	}
}

func TestHistory(t *testing.T) {
	customer := provider.Person{Phone: "+551188887777", WAID: "551188887777", UserID: "BR.1", Username: "ana.b"}
	want := []provider.Incoming{
		{Message: &provider.IncomingMessage{ExternalID: "wamid.H1", Customer: customer, Type: "text", Text: "bom dia", At: noon, History: true}},
		{Message: &provider.IncomingMessage{ExternalID: "wamid.H2", Customer: customer, FromPhoneApp: true, Type: "text", Text: "bom dia!", At: noon, History: true, Status: "read"}},
		{Message: &provider.IncomingMessage{ExternalID: "wamid.H3", Customer: customer, Type: "unsupported", Text: "File", Notice: notice(provider.NoticeFile), At: noon, History: true, Raw: []byte(`{"from":"551188887777","id":"wamid.H3","timestamp":"1790000000","type":"media_placeholder"}`)}},
		{Import: &provider.IncomingImport{Progress: 55, Notice: provider.IncomingNotice{Kind: "history", Text: "phase 1 is 55 % complete"}}},
		{Message: &provider.IncomingMessage{
			ExternalID: "wamid.H3", Type: "image", At: noon, History: true,
			Customer: provider.Person{Phone: "+551188887777", WAID: "551188887777"},
			Media:    &provider.IncomingMedia{ProviderID: "77", MimeType: "image/jpeg", SHA256: "x"},
		}},
		{Import: &provider.IncomingImport{Declined: true, Notice: provider.IncomingNotice{Kind: "history", Text: "code 2593109: declined"}}},
	}
	testkit.Diff(t, "history", parseFile(t, "history.json"), want)
}

func TestAccountCallbacksAreKept(t *testing.T) {
	var got []provider.IncomingNotice
	for _, in := range parseFile(t, "account.json") {
		if in.Account != nil {
			in.Notice = &in.Account.Notice
		}
		if in.Template != nil {
			in.Notice = &in.Template.Notice
		}
		if in.Notice == nil || len(in.Notice.Raw) == 0 && in.Notice.Kind != "error" {
			t.Fatalf("not a notice: %+v", in)
		}
		in.Notice.Raw = nil
		got = append(got, *in.Notice)
	}
	want := []provider.IncomingNotice{
		{Kind: "account_update", Text: "ACCOUNT_RESTRICTION"},
		{Kind: "message_template_status_update", Text: "REJECTED aviso INVALID_FORMAT"},
		{Kind: "error", Text: "code 130429: Rate limit hit"},
		{Kind: "group_lifecycle_update", Text: "group_create"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCallbacksOfUnknownShape(t *testing.T) {
	t.Run("what is not a callback is an error", func(t *testing.T) {
		for _, body := range []string{"", "{", "[]", "null", "7", `{"object":"page","entry":[]}`, `{"entry":[]}`} {
			if events, err := ParseCallback([]byte(body)); err == nil || len(events) > 0 {
				t.Errorf("%s: %d events, error %v", body, len(events), err)
			}
		}
	})
	t.Run("one odd element does not cost the others", func(t *testing.T) {
		events, err := ParseCallback(callbackOf("messages", "messages", `7,"x",{"id":[],"type":"text"},{`+common+`"type":"text","text":{"body":"oi"},"referral":{"a":[{}]}}`))
		if err != nil {
			t.Fatal(err)
		}
		if last := events[len(events)-1].Incoming.Message; last == nil || last.Text != "oi" {
			t.Errorf("the good message was lost: %+v", events)
		}
	})
	t.Run("a batch of 1,000 is read whole and in order", func(t *testing.T) {
		events, err := ParseCallback(batch(1000))
		if err != nil || len(events) != 1000 {
			t.Fatalf("%d events, error %v", len(events), err)
		}
		if first, last := events[0].Incoming.Message.ExternalID, events[999].Incoming.Message.ExternalID; first != "wamid.0" || last != "wamid.999" {
			t.Errorf("from %s to %s", first, last)
		}
	})
}

func parseFile(t *testing.T, name string) []provider.Incoming {
	t.Helper()
	body, err := os.ReadFile("testdata/callbacks/" + name)
	if err != nil {
		t.Fatal(err)
	}
	events, err := ParseCallback(body)
	if err != nil {
		t.Fatal(err)
	}
	var all []provider.Incoming
	for _, e := range events {
		all = append(all, e.Incoming)
	}
	return all
}
