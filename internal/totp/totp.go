// Package totp makes and checks the codes of authenticator apps (RFC 6238: six digits, 30 seconds, SHA-1).
package totp

import (
	"crypto/rand"
	"encoding/base32"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
)

const (
	period    = 30 // seconds
	tolerance = 1  // steps before and after the present one
	issuer    = "Recado"
)

var encoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewSecret makes a secret of 160 random bits, in base32.
func NewSecret() string {
	raw := make([]byte, 20)
	_, _ = rand.Read(raw)
	return encoding.EncodeToString(raw)
}

// URL is the address of a secret that authenticator apps read from a QR code.
func URL(secret, email, company string) string {
	label := url.PathEscape(issuer + " (" + company + "):" + email)
	query := url.Values{"secret": {secret}, "issuer": {issuer + " (" + company + ")"}, "algorithm": {"SHA1"}, "digits": {"6"}, "period": {"30"}}
	return "otpauth://totp/" + label + "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
}

// Step finds the time step that a code belongs to, one before or after the present one at most, and reports false for
// a wrong code.
func Step(secret, code string, now time.Time) (step int64, ok bool) {
	code = strings.ReplaceAll(code, " ", "")
	present := now.Unix() / period
	for _, step := range []int64{present, present - tolerance, present + tolerance} {
		valid, err := hotp.ValidateCustom(code, uint64(step), secret, hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && valid {
			return step, true
		}
	}
	return 0, false
}

// Code is the code of a secret at a time.
func Code(secret string, at time.Time) (string, error) {
	return hotp.GenerateCodeCustom(secret, uint64(at.Unix()/period), hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
}
