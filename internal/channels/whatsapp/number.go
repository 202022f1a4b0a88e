package whatsapp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"recado/internal/channels/provider"
)

// Number is the state of a WhatsApp number at Meta.
type Number struct {
	ID           string
	DisplayPhone string // as Meta formats it: +55 11 91234-5678
	VerifiedName string
	Status       string // CONNECTED: it can send and receive
	Quality      string // GREEN YELLOW RED NA UNKNOWN
	Throughput   string // STANDARD HIGH
	Verification string // VERIFIED: the owner verified the number
}

// Phone returns the number in E.164, or "" if it is unknown.
func (n Number) Phone() string { return e164(n.DisplayPhone) }

// Number returns the state of the number. It also verifies the credentials: for a token that Meta rejects it returns an error
// with Disconnect set and Meta's own text in ProviderText.
func (c *Client) Number(ctx context.Context) (Number, error) {
	var result struct {
		ID           text `json:"id"`
		DisplayPhone text `json:"display_phone_number"`
		VerifiedName text `json:"verified_name"`
		Status       text `json:"status"`
		Quality      text `json:"quality_rating"`
		Verification text `json:"code_verification_status"`
		Throughput   lenient[struct {
			Level text `json:"level"`
		}] `json:"throughput"`
	}
	err := c.callJSON(ctx, call{
		method: http.MethodGet,
		path:   []string{c.PhoneNumberID},
		query: url.Values{
			"fields": {"id,display_phone_number,verified_name,status,quality_rating,code_verification_status,throughput"},
		},
	}, nil, &result)
	if e, ok := errors.AsType[*provider.SendError](err); ok && (e.ProviderCode == 100 || e.ProviderCode == 803) {
		e.Code, e.Message = "number_unknown", "Meta does not know this phone number id, or the access token has no access to it."
	}
	return Number{
		ID:           string(result.ID),
		DisplayPhone: string(result.DisplayPhone),
		VerifiedName: string(result.VerifiedName),
		Status:       string(result.Status),
		Quality:      string(result.Quality),
		Throughput:   string(result.Throughput.value.Level),
		Verification: string(result.Verification),
	}, err
}

// SubscribeApp makes Meta send the callbacks of an account to the app of the token. It removes an address that is set for the
// whole account, so call it before SetCallback.
func (c *Client) SubscribeApp(ctx context.Context, wabaID string) error {
	return c.callJSON(ctx, call{method: http.MethodPost, path: []string{wabaID, "subscribed_apps"}}, nil, nil)
}

// SetCallback sets the address of the callbacks of this number; "" removes it. Meta makes the handshake with that address
// before this call returns.
func (c *Client) SetCallback(ctx context.Context, address, verifyToken string) error {
	config := map[string]any{"override_callback_uri": address}
	if address != "" {
		config["verify_token"] = verifyToken
	}
	return c.callJSON(ctx, call{method: http.MethodPost, path: []string{c.PhoneNumberID}},
		map[string]any{"webhook_configuration": config}, nil)
}

// e164 returns an international phone number in E.164, or "".
func e164(s string) string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
	if len(digits) < 7 || len(digits) > 15 {
		return ""
	}
	return "+" + digits
}
