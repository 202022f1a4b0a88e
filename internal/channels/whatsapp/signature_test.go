package whatsapp

import (
	"net/url"
	"strings"
	"testing"
)

func TestSignature(t *testing.T) {
	const (
		compact = `{"object":"whatsapp_business_account","entry":[]}`
		spaced  = `{"object": "whatsapp_business_account", "entry": []}`
		signed  = "sha256=dec6a680679a968e7e0319355b23599cbfc54502c0784668e9618baa0c633756"
	)
	secrets := []string{"another_secret", "test_app_secret"}
	for name, test := range map[string]struct {
		secrets []string
		header  string
		body    string
		want    bool
	}{
		"the bytes as they came":               {secrets, signed, compact, true},
		"the same JSON in other bytes":         {secrets, "sha256=56cbbaf4961c6cfdae48b7f116c047e5eb513d2c931baae63a2bc1afd26f803a", spaced, true},
		"other bytes under the same signature": {secrets, signed, spaced, false},
		"another app's secret":                 {[]string{"another_secret"}, signed, compact, false},
		"no secret at all":                     {nil, signed, compact, false},
		"no header":                            {secrets, "", compact, false},
		"no prefix":                            {secrets, strings.TrimPrefix(signed, "sha256="), compact, false},
		"too short":                            {secrets, signed[:70], compact, false},
		"not hex":                              {secrets, "sha256=" + strings.Repeat("z", 64), compact, false},
		"the old hash":                         {secrets, "sha1=" + strings.Repeat("0", 40), compact, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := VerifySignature(test.secrets, test.header, []byte(test.body)); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
	t.Run("an empty secret never matches", func(t *testing.T) {
		// The HMAC of the compact body under the empty key.
		for _, secrets := range [][]string{{""}, {"", ""}} {
			if VerifySignature(secrets, "sha256="+strings.Repeat("0", 64), []byte(compact)) {
				t.Error("accepted")
			}
		}
	})
}

func TestHandshake(t *testing.T) {
	good := url.Values{"hub.mode": {"subscribe"}, "hub.challenge": {"1158201444"}, "hub.verify_token": {"secret"}}
	if challenge, ok := VerifyHandshake(good, "secret"); !ok || challenge != "1158201444" {
		t.Errorf("got %q, %t", challenge, ok)
	}
	for name, change := range map[string]func(url.Values){
		"another token": func(q url.Values) { q.Set("hub.verify_token", "guess") },
		"no token":      func(q url.Values) { q.Del("hub.verify_token") },
		"another mode":  func(q url.Values) { q.Set("hub.mode", "unsubscribe") },
		"no challenge":  func(q url.Values) { q.Del("hub.challenge") },
	} {
		t.Run(name, func(t *testing.T) {
			query := url.Values{}
			for k, v := range good {
				query[k] = v
			}
			change(query)
			if challenge, ok := VerifyHandshake(query, "secret"); ok || challenge != "" {
				t.Errorf("got %q, %t", challenge, ok)
			}
		})
	}
	t.Run("a channel without a token accepts nothing", func(t *testing.T) {
		if _, ok := VerifyHandshake(url.Values{"hub.mode": {"subscribe"}, "hub.challenge": {"1"}, "hub.verify_token": {""}}, ""); ok {
			t.Error("accepted")
		}
	})
}
