package whatsapp

import (
	"testing"

	"recado/internal/channels/provider"
	"recado/test/testkit"
)

func TestWordsForMessagesWithoutText(t *testing.T) {
	for name, test := range map[string]struct{ json, want, kind string }{
		"calls are allowed":           {`"type":"interactive","interactive":{"type":"call_permission_reply","call_permission_reply":{"response":"accept"}}`, "The customer allows calls.", "text"},
		"calls are not allowed":       {`"type":"interactive","interactive":{"type":"call_permission_reply","call_permission_reply":{"response":"reject"}}`, "The customer does not allow calls.", "text"},
		"a way to pay":                {`"type":"interactive","interactive":{"type":"payment_method","payment_method":{"payment_method":"credit_card","reference_id":"order 7"}}`, "Payment method chosen: credit card, order 7", "text"},
		"a file too large":            {`"type":"unsupported","errors":[{"code":131052,"title":"x"}]`, "The customer sent a file that WhatsApp could not hand over.", "unsupported"},
		"a message on the phone only": {`"type":"unsupported","errors":[{"code":"131060"}]`, "This message is not available here. It can be read on the phone.", "unsupported"},
		"a poll":                      {`"type":"poll_creation"`, "Poll", "unsupported"},
		"a button with a payload":     {`"type":"button","button":{"payload":"yes"}`, "yes", "text"},
		"a choice with an id":         {`"type":"interactive","interactive":{"type":"list_reply","list_reply":{"id":"row-2"}}`, "row-2", "text"},
		"a form without its token": {
			`"type":"interactive","interactive":{"type":"nfm_reply","nfm_reply":{"body":"Sent","response_json":"{\"flow_token\":\"s3cret\",\"name\":\"Ana\",\"days\":[\"mon\",\"tue\"],\"guests\":2,\"none\":null}"}}`,
			"Sent\nname: Ana\ndays: mon, tue\nguests: 2", "text",
		},
		"a form that is no JSON": {`"type":"interactive","interactive":{"type":"nfm_reply","nfm_reply":{"body":"Sent","response_json":"{\"flow_token\":\"s3cret"}}`, "Sent", "text"},
		"a card with company and address": {
			`"type":"contacts","contacts":[{"name":{"formatted_name":"Rui"},"phones":[{"phone":"+351 9"}],"org":{"company":"Padaria","title":"Baker"},"addresses":[{"street":"Rua A, 1","city":"Porto","country":"Portugal"}]}]`,
			"Rui: +351 9, Baker, Padaria, Rua A, 1, Porto, Portugal", "contacts",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := parseOne(t, callbackOf("messages", "messages", "{"+common+test.json+"}")).Message
			if got == nil || got.Text != test.want || got.Type != test.kind {
				t.Errorf("got %+v, want %s %q", got, test.kind, test.want)
			}
		})
	}
}

func TestWordsForWhatThePhoneSent(t *testing.T) {
	for name, test := range map[string]struct{ json, want string }{
		"a template": {`"type":"template","template":{"name":"order_ready","language":{"code":"pt_BR"},"components":[{"type":"body","parameters":[{"type":"text","text":"Ana"}]}]}`, "order_ready: Ana"},
		"buttons":    {`"type":"interactive","interactive":{"type":"button","body":{"text":"Open today?"},"action":{"buttons":[{"type":"reply","reply":{"id":"1","title":"Yes"}},{"reply":{"title":"No"}}]}}`, "Open today?\n- Yes\n- No"},
	} {
		t.Run(name, func(t *testing.T) {
			echo := `{"from":"5511900000000","to":"551188887777","id":"wamid.E","timestamp":"1790000000",` + test.json + `}`
			if got := parseOne(t, callbackOf("smb_message_echoes", "message_echoes", echo)).Message; got.Text != test.want || got.Type != "text" || !got.FromPhoneApp {
				t.Errorf("got %+v, want %q", got, test.want)
			}
		})
	}
}

func TestCallsOfCustomers(t *testing.T) {
	call := `{"id":"wacid.A","from":"551188887777","to":"5511900000000","event":"terminate","direction":"USER_INITIATED","timestamp":"1790000000",`
	lasted := func(code provider.NoticeCode, seconds int64) *provider.MessageNotice {
		return &provider.MessageNotice{Code: code, Params: map[string]any{"duration_seconds": seconds}}
	}
	for more, want := range map[string]struct {
		text   string
		notice *provider.MessageNotice
	}{
		`"status":"FAILED"}`:                                        {"Missed voice call", notice(provider.NoticeMissedVoiceCall)},
		`"status":"FAILED","media_type":"video"}`:                   {"Missed video call", notice(provider.NoticeMissedVideoCall)},
		`"status":"COMPLETED","duration":90}`:                       {"Voice call (1m30s)", lasted(provider.NoticeVoiceCall, 90)},
		`"status":"COMPLETED","duration":"7","media_type":"video"}`: {"Video call (7s)", lasted(provider.NoticeVideoCall, 7)},
		`"status":["FAILED"]}`:                                      {"Missed voice call", notice(provider.NoticeMissedVoiceCall)},
		`"status":"COMPLETED"}`:                                     {"Voice call", notice(provider.NoticeVoiceCall)},
		`"start_time":"1790000000","duration":5}`:                   {"Voice call (5s)", lasted(provider.NoticeVoiceCall, 5)},
	} {
		got := parseOne(t, callbackOf("calls", "calls", call+more)).Message
		testkit.Diff(t, "message", got, &provider.IncomingMessage{ExternalID: "wacid.A", Customer: ana, Type: "unsupported", Text: want.text, Notice: want.notice, At: noon})
	}
	for _, other := range []string{
		`{"id":"wacid.A","from":"551188887777","event":"connect","direction":"USER_INITIATED"}`,
		`{"id":"wacid.A","from":"5511900000000","event":"terminate","direction":"BUSINESS_INITIATED"}`,
	} {
		if parseOne(t, callbackOf("calls", "calls", other)).Notice == nil {
			t.Errorf("not a notice: %s", other)
		}
	}
}

func TestReactions(t *testing.T) {
	for emoji, want := range map[string]string{`,"emoji":"\ud83d\udc4d"`: "👍", "": "", `,"emoji":""`: ""} {
		got := parseOne(t, callbackOf("messages", "messages", `{`+common+`"type":"reaction","reaction":{"message_id":"wamid.R"`+emoji+`}}`)).Reaction
		testkit.Diff(t, "reaction", got, &provider.IncomingReaction{ExternalID: "wamid.R", Emoji: want, Sender: provider.Sender{Customer: ana}, At: noon})
	}
}

func TestAFailureWithoutAUsableCodeIsNotDelivered(t *testing.T) {
	for _, errors := range []string{``, `,"errors":[]`, `,"errors":[{"code":"not a number","title":"Something"}]`, `,"errors":[{}]`, `,"errors":null`} {
		s := parseOne(t, callbackOf("messages", "statuses", `{"id":"wamid.O","status":"failed","timestamp":"1790000000"`+errors+`}`)).Status
		if s.Error == nil || s.Error.Code != "not_delivered" {
			t.Errorf(`want s.Error != nil and s.Error.Code == "not_delivered"; got %+v, %+v`, errors, s.Error)
		}
	}
}

func TestReferralsAndProducts(t *testing.T) {
	m := parseOne(t, callbackOf("messages", "messages", `{`+common+`"type":"text","text":{"body":"oi"},
		"referral":{"source_url":"https://fb.me/1","source_id":"77","source_type":"ad","headline":"Bread","body":"Fresh","media_type":"image","image_url":"https://x/i","ctwa_clid":"Aff","welcome_message":{"text":"Hi"}},
		"context":{"referred_product":{"catalog_id":"9","product_retailer_id":"SKU"}}}`)).Message
	url, id, kind, head, body, media, image, click, hi := "https://fb.me/1", "77", "ad", "Bread", "Fresh", "image", "https://x/i", "Aff", "Hi"
	want := &provider.Referral{SourceURL: &url, SourceID: &id, SourceType: &kind, Headline: &head, Body: &body, MediaType: &media, ImageURL: &image, CTWAClickID: &click, WelcomeMessage: &hi}
	testkit.Diff(t, "referral", m.Referral, want)
	testkit.Diff(t, "product", m.Product, &provider.Product{CatalogID: "9", ProductRetailerID: "SKU"})
}
