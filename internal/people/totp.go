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
)

var totpOptions = hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}

var totpEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// newTOTPSecret returns a secret of 160 random bits in base32.
func newTOTPSecret() string {
	raw := make([]byte, 20)
	_, _ = rand.Read(raw)
	return totpEncoding.EncodeToString(raw)
}

// totpURL returns the otpauth URL of a secret for a QR code.
func totpURL(secret, email, company string) string {
	issuer := "Recado (" + company + ")"
	query := url.Values{"secret": {secret}, "issuer": {issuer}, "algorithm": {"SHA1"}, "digits": {"6"}, "period": {"30"}}
	return "otpauth://totp/" + url.PathEscape(issuer+":"+email) + "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
}

// totpStep returns the time step of a code, which may be one step early or late. It reports false for a wrong code.
func totpStep(secret, code string, now time.Time) (step int64, ok bool) {
	code = strings.ReplaceAll(code, " ", "")
	current := now.Unix() / totpPeriod
	for _, step := range []int64{current, current - totpTolerance, current + totpTolerance} {
		valid, err := hotp.ValidateCustom(code, uint64(step), secret, totpOptions)
		if err == nil && valid {
			return step, true
		}
	}
	return 0, false
}

// TOTPCode returns the code of a secret at a time.
func TOTPCode(secret string, at time.Time) (string, error) {
	return hotp.GenerateCodeCustom(secret, uint64(at.Unix()/totpPeriod), totpOptions)
}
