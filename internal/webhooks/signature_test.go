package webhooks

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"
)

// A delivery whose signatures were computed with another implementation. The secret is the base64 of the bytes 0 to 31.
const (
	signedSecret    = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	signedID        = "0198a7c2-1111-7000-8000-000000000001"
	signedBody      = `{"id":"1","data":{"text":"olá"}}`
	signedAt        = 1793750214
	signedAtText    = "1793750214"
	signedService   = "sha256=cb8070f326664aaf7215030332ce39923dce86488a4d998ed25a33f22ae047a6"
	signedStandard  = "v1,Mn0xXswlYVcp8KG66xvhKfzCDKjFm06GgxaQuoZ21FA="
	anotherStandard = "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
)

func TestSignatures(t *testing.T) {
	if got := SignService(signedSecret, signedAt, []byte(signedBody)); got != signedService {
		t.Errorf("the service signature is %s", got)
	}
	if got := SignStandard(signedSecret, signedID, signedAt, []byte(signedBody)); got != signedStandard {
		t.Errorf("the standard signature is %s", got)
	}
	if !strings.HasPrefix(SignStandard("whsec_not base64", "x", 1, nil), "v1,") {
		t.Error("a secret that is not base64 does not sign")
	}
}

func TestNewSecret(t *testing.T) {
	secret := NewSigningSecret()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) != 32 || !strings.HasPrefix(secret, "whsec_") {
		t.Errorf("%d bytes, %v", len(key), err)
	}
	if secret == NewSigningSecret() {
		t.Error("two secrets are equal")
	}
}

func TestVerify(t *testing.T) {
	now := time.Unix(signedAt, 0)
	tests := []struct {
		name, secret, timestamp, body string
		now                           time.Time
		want                          error
	}{
		{"a right one", signedSecret, signedAtText, signedBody, now, nil},
		{"five minutes old", signedSecret, signedAtText, signedBody, now.Add(5 * time.Minute), nil},
		{"older", signedSecret, signedAtText, signedBody, now.Add(5*time.Minute + time.Second), ErrTimestamp},
		{"five minutes ahead", signedSecret, signedAtText, signedBody, now.Add(-5 * time.Minute), nil},
		{"further ahead", signedSecret, signedAtText, signedBody, now.Add(-5*time.Minute - time.Second), ErrTimestamp},
		{"another timestamp", signedSecret, "1793750215", signedBody, now, ErrSignature},
		{"a changed body", signedSecret, signedAtText, signedBody + " ", now, ErrSignature},
		{"another secret", signedSecret + "x", signedAtText, signedBody, now, ErrSignature},
		{"no timestamp", signedSecret, "", signedBody, now, ErrTimestamp},
		{"a timestamp with a zero before it", signedSecret, "0" + signedAtText, signedBody, now, ErrTimestamp},
		{"a negative timestamp", signedSecret, "-" + signedAtText, signedBody, now, ErrTimestamp},
		{"a timestamp with a fraction", signedSecret, signedAtText + ".0", signedBody, now, ErrTimestamp},
		{"a timestamp beyond all bounds", signedSecret, "99999999999999999999", signedBody, now, ErrTimestamp},
		{"the largest timestamp", signedSecret, "9223372036854775807", signedBody, now, ErrTimestamp},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := VerifyService(tt.secret, signedService, tt.timestamp, []byte(tt.body), tt.now); !errors.Is(err, tt.want) {
				t.Errorf("service: %v, want %v", err, tt.want)
			}
			if err := VerifyStandard(tt.secret, signedID, signedStandard, tt.timestamp, []byte(tt.body), tt.now); !errors.Is(err, tt.want) {
				t.Errorf("standard: %v, want %v", err, tt.want)
			}
		})
	}
	for _, header := range []string{"", "sha256=", signedService[7:], strings.ToUpper(signedService), signedService + " "} {
		if err := VerifyService(signedSecret, header, signedAtText, []byte(signedBody), now); !errors.Is(err, ErrSignature) {
			t.Errorf("the header %q: got error %v", header, err)
		}
	}
	t.Run("one right signature of two is enough", func(t *testing.T) {
		for _, header := range []string{anotherStandard + " " + signedStandard, signedStandard + " " + anotherStandard} {
			if err := VerifyStandard(signedSecret, signedID, header, signedAtText, []byte(signedBody), now); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("the standard signature covers the id", func(t *testing.T) {
		if err := VerifyStandard(signedSecret, "x", signedStandard, signedAtText, []byte(signedBody), now); !errors.Is(err, ErrSignature) {
			t.Error(err)
		}
	})
}

func FuzzVerify(f *testing.F) {
	f.Add(signedService, signedStandard, signedAtText)
	f.Add("", "v1, ", "0")
	now := time.Unix(signedAt, 0)
	f.Fuzz(func(t *testing.T, service, standard, timestamp string) {
		if VerifyService(signedSecret, service, timestamp, []byte(signedBody), now) == nil && (service != signedService || timestamp != signedAtText) {
			t.Errorf("accepted %q at %q", service, timestamp)
		}
		if VerifyStandard(signedSecret, signedID, standard, timestamp, []byte(signedBody), now) == nil && !strings.Contains(standard, signedStandard) {
			t.Errorf("accepted %q at %q", standard, timestamp)
		}
	})
}

func BenchmarkSignatures(b *testing.B) {
	body := make([]byte, 2048)
	b.ReportAllocs()
	for b.Loop() {
		SignService(signedSecret, signedAt, body)
		SignStandard(signedSecret, signedID, signedAt, body)
	}
}
