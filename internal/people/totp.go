package people

import (
	"crypto/rand"
	"encoding/base32"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
)

// Codes of authenticator apps follow RFC 6238: six digits, 30 seconds, SHA-1.
const (
	totpPeriod    = 30 // seconds
	totpTolerance = 1  // steps before and after the current one
	totpIssuer    = "Recado"
)

var totpEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// newTOTPSecret returns a secret of 160 random bits in base32.
func newTOTPSecret() string {
	raw := make([]byte, 20)
	_, _ = rand.Read(raw)
	return totpEncoding.EncodeToString(raw)
}

// totpURL returns the otpauth URL of a secret, which authenticator apps read from a QR code.
func totpURL(secret, email, company string) string {
	label := url.PathEscape(totpIssuer + " (" + company + "):" + email)
	query := url.Values{"secret": {secret}, "issuer": {totpIssuer + " (" + company + ")"}, "algorithm": {"SHA1"}, "digits": {"6"}, "period": {"30"}}
	return "otpauth://totp/" + label + "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
}

// totpStep returns the time step of a code: the current one, the one before or the one after. It reports false for a wrong code.
func totpStep(secret, code string, now time.Time) (step int64, ok bool) {
	code = strings.ReplaceAll(code, " ", "")
	present := now.Unix() / totpPeriod
	for _, step := range []int64{present, present - totpTolerance, present + totpTolerance} {
		valid, err := hotp.ValidateCustom(code, uint64(step), secret, hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && valid {
			return step, true
		}
	}
	return 0, false
}

// TOTPCode returns the code of a secret at a time.
func TOTPCode(secret string, at time.Time) (string, error) {
	return hotp.GenerateCodeCustom(secret, uint64(at.Unix()/totpPeriod), hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
}
