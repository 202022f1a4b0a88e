package whatsapp_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/channels/simulator"
	"recado/internal/channels/whatsapp"
	"recado/test/testkit"
)

// TestSendFaults checks for every failure of Meta whether the message may be retried.
func TestSendFaults(t *testing.T) {
	type verdict struct {
		Code       string
		Fate       provider.SendFate
		Retry      bool
		Disconnect bool
		Accepted   int // what the customer really has
	}
	doubt := func(accepted int) verdict { return verdict{"uncertain", provider.Uncertain, false, false, accepted} }
	wait := verdict{"rate_limited", provider.NotSent, true, false, 0}
	for preset, want := range map[string]verdict{
		"timeout_after_accept":      doubt(1),
		"timeout_before_accept":     doubt(0),
		"reset_after_accept":        doubt(1),
		"reset_before_accept":       doubt(0),
		"html_502":                  doubt(0),
		"html_502_after_accept":     doubt(1),
		"unknown_500":               doubt(0),
		"unknown_500_after_accept":  doubt(1),
		"overloaded_503":            doubt(0),
		"went_wrong_500":            doubt(0),
		"went_wrong_after_accept":   doubt(1),
		"unavailable_500":           doubt(0),
		"answer_cut_after_accept":   doubt(1),
		"empty_answer_after_accept": doubt(1),
		"throttled_400":             wait,
		"throttled_429":             wait,
		"pair_limited":              wait,
		"app_limited":               wait,
		"account_limited":           wait,
		"maintenance":               wait,
		"token_rejected":            {"token_rejected", provider.NotSent, false, true, 0},
		"token_expired":             {"token_rejected", provider.NotSent, false, true, 0},
		"permission_missing":        {"permission_missing", provider.NotSent, false, true, 0},
		"payment_problem":           {"payment_required", provider.NotSent, false, true, 0},
		"window_closed":             {"service_window_closed", provider.NotSent, false, false, 0},
		"not_on_whatsapp":           {"not_on_whatsapp", provider.NotSent, false, false, 0},
		"media_rejected":            {"media_rejected", provider.NotSent, false, false, 0},
	} {
		t.Run(preset, func(t *testing.T) {
			sim, client := connect(t, simulator.Options{})
			if err := sim.AddFault(simulator.Fault{Preset: preset, Next: 1}); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(preset, "timeout") {
				client.HTTP.Timeout = 2 * time.Second
			}
			_, err := client.Send(t.Context(), hello("c1"))
			got := sendError(t, err)
			accepted := len(sim.Ledger(customer))
			testkit.Diff(t, "verdict", verdict{got.Code, got.Fate, got.Retry, got.Disconnect, accepted}, want)
			if got.Retry && got.RetryAfter == 0 {
				t.Error("no word on how long to wait")
			}
			if got.Message == "" || strings.Contains(got.Message, "(#") {
				t.Errorf("not a sentence: %q", got.Message)
			}
			// The client retries nothing by itself.
			if n := sim.Calls("messages"); n != 1 {
				t.Errorf("%d calls", n)
			}
		})
	}
	t.Run("every preset is judged above", func(t *testing.T) {
		if n := len(simulator.Presets()); n != 27 {
			t.Errorf("there are %d presets", n)
		}
	})
	t.Run("nothing listens there", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listener.Close()
		client := whatsapp.Client{BaseURL: "http://" + listener.Addr().String(), PhoneNumberID: "1", Token: "t"}
		_, err = client.Send(t.Context(), hello("c1"))
		if got := sendError(t, err); got.Fate != provider.NotSent || !got.Retry || got.Code != "unavailable" {
			t.Errorf(`sendError(t, err): want got.Fate == model.NotSent and got.Retry and got.Code == "unavailable"; got %+v`, got)
		}
	})
	t.Run("a proxy's refusal is not Meta's", func(t *testing.T) {
		server := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/elsewhere", http.StatusTemporaryRedirect))
		defer server.Close()
		client := whatsapp.Client{BaseURL: server.URL, PhoneNumberID: "1", Token: "t"}
		_, err := client.Send(t.Context(), hello("c1"))
		if got := sendError(t, err); got.Fate != provider.NotSent || got.Retry || got.Disconnect {
			t.Errorf("sendError(t, err): want got.Fate == model.NotSent and !got.Retry and !got.Disconnect; got %+v", got)
		}
	})
	t.Run("an upload that fails leaves no message in doubt", func(t *testing.T) {
		for _, preset := range []string{"reset_after_accept", "unknown_500", "html_502", "throttled_429"} {
			sim, client := connect(t, simulator.Options{})
			if err := sim.AddFault(simulator.Fault{Preset: preset, Target: "upload", Always: true}); err != nil {
				t.Fatal(err)
			}
			_, err := client.Send(t.Context(), provider.Outgoing{To: provider.Person{WAID: customer}, Media: fileOf("image", "image/png", "", []byte("x"))})
			if got := sendError(t, err); got.Fate != provider.NotSent || !got.Retry {
				t.Errorf("sendError(t, err): want got.Fate == model.NotSent and got.Retry; got %+v, %+v", preset, got)
			}
		}
	})
}

// TestSendRules checks the messages that Meta rejects because of their content.
func TestSendRules(t *testing.T) {
	to := provider.Person{WAID: customer}
	for name, test := range map[string]struct {
		out  provider.Outgoing
		code string
	}{
		"outside the window":       {provider.Outgoing{To: provider.Person{WAID: "5521900000000"}, Text: "a"}, "service_window_closed"},
		"to itself":                {provider.Outgoing{To: provider.Person{WAID: simulator.DefaultBusinessPhone}, Text: "a"}, "recipient_is_sender"},
		"without a recipient":      {provider.Outgoing{Text: "a"}, "invalid_request"},
		"an unknown group":         {provider.Outgoing{GroupID: "x", Text: "a"}, "group_unknown"},
		"nothing":                  {provider.Outgoing{To: to, Text: " "}, "invalid_request"},
		"a text too long":          {provider.Outgoing{To: to, Text: strings.Repeat("á", 4097)}, "text_too_long"},
		"a caption under audio":    {provider.Outgoing{To: to, Text: "a", Media: fileOf("audio", "audio/ogg", "", nil)}, "caption_not_allowed"},
		"a kind that is none":      {provider.Outgoing{To: to, Media: fileOf("hologram", "x/y", "", nil)}, "type_not_supported"},
		"a file of the wrong kind": {provider.Outgoing{To: to, Media: fileOf("image", "image/tiff", "", []byte("x"))}, "media_rejected"},
		"a file that is gone":      {provider.Outgoing{To: to, Media: &provider.OutgoingMedia{Kind: "image", Open: func() (io.ReadCloser, error) { return nil, errors.New("gone") }}}, "media_unavailable"},
		"an unknown template":      {provider.Outgoing{To: to, Template: &provider.Template{Name: "x", Language: "pt_BR"}}, "template_not_found"},
		"a quote of nothing":       {provider.Outgoing{To: to, Text: "a", ReplyTo: "x"}, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			sim, client := connect(t, simulator.Options{})
			_, err := client.Send(t.Context(), test.out)
			if got := sendError(t, err); got.Code != test.code || got.Fate != provider.NotSent || got.Retry || got.Disconnect {
				t.Errorf("sendError(t, err): want got.Code == test.code and got.Fate == model.NotSent and !got.Retry and !got.Disconnect; got %+v", got)
			}
			if len(sim.Ledger("")) != 0 {
				t.Error("it was accepted all the same")
			}
		})
	}
	t.Run("an id with a path in it goes nowhere", func(t *testing.T) {
		for _, id := range []string{"", ".", "..", "1/messages", `1\2`, "a\x00"} {
			sim, client := connect(t, simulator.Options{})
			client.PhoneNumberID = id
			if _, err := client.Send(t.Context(), hello("c")); sendError(t, err).Code != "invalid_request" {
				t.Errorf(`want sendError(t, err).Code == "invalid_request"; got %+v, %+v`, id, err)
			}
			if _, err := client.MediaURL(t.Context(), id); err == nil {
				t.Errorf("%q was looked up", id)
			}
			if len(sim.Ledger("")) != 0 {
				t.Errorf("%q was sent", id)
			}
		}
	})
}
