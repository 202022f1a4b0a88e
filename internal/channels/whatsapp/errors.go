package whatsapp

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"recado/internal/channels/provider"
)

// graphError is the error object of a response or, with a title instead of user texts, of a callback.
type graphError struct {
	Code      number                  `json:"code"`
	Subcode   number                  `json:"error_subcode"`
	Message   text                    `json:"message"`
	Title     text                    `json:"title"`
	UserText  text                    `json:"error_user_msg"`
	Transient lenient[bool]           `json:"is_transient"`
	Data      lenient[graphErrorData] `json:"error_data"`
}

type graphErrorData struct {
	Details text `json:"details"`
}

// words returns Meta's own text, the most specific one first.
func (g graphError) words() string {
	return clip(string(cmp.Or(g.Data.value.Details, g.UserText, g.Message, g.Title)), 500)
}

// reason returns the reason of a failed status.
func (g graphError) reason() *provider.Reason {
	e := provider.SendError{Code: "not_delivered", Message: refusal(g), ProviderCode: int(g.Code), ProviderText: g.words()}
	// A missing code is 0, which in a response means a rejected token.
	if m, ok := meaningOf(int(g.Code)); ok && g.Code != 0 && m.class != doubtful {
		e.Code, e.Message, e.Detail = m.code, m.message, details[int(g.Code)]
	}
	return new(e.Reason())
}

func refusal(g graphError) string {
	message := "WhatsApp did not deliver the message"
	if words := g.words(); words != "" {
		message += ": " + strings.TrimRight(words, ".")
	}
	if g.Code == 0 {
		return message + "."
	}
	return message + " (code " + strconv.Itoa(int(g.Code)) + ")."
}

// judgeResponse returns nil for a success, or the error of the response. sends reports whether the request sends a message, so
// that its fate can be uncertain.
func judgeResponse(resp *http.Response, body []byte, sends bool) *provider.SendError {
	var envelope struct {
		Error *graphError `json:"error"`
	}
	if decode(body, &envelope) == nil && envelope.Error != nil {
		e := judge(*envelope.Error, resp.StatusCode >= 500, sends)
		if e.Retry {
			e.RetryAfter = max(e.RetryAfter, retryAfter(resp.Header))
		}
		return e
	}
	if resp.StatusCode/100 == 2 {
		return nil
	}
	cause := errors.New("HTTP " + resp.Status + ": " + clip(strings.TrimSpace(string(body)), 200))
	if resp.StatusCode == http.StatusRequestTimeout || resp.StatusCode >= 500 {
		return noResponse(cause, sends)
	}
	// A proxy rejected the request before Meta got it.
	return refuse("unavailable", "The server at the address of the WhatsApp API is not WhatsApp.", cause)
}

// judge converts an error of Meta.
func judge(g graphError, serverFault, sends bool) *provider.SendError {
	code := int(g.Code)
	e := &provider.SendError{ProviderCode: code, ProviderText: g.words()}
	m, known := meaningOf(code)
	switch {
	case !known && (serverFault || g.Transient.value):
		m = meaning{"uncertain", doubt, doubtful, 0}
	case !known:
		m = meaning{"provider_refused", refusal(g), permanent, 0}
	}
	e.Code, e.Message, e.Detail = m.code, m.message, details[code]
	switch m.class {
	case permanent:
		e.Retry = g.Transient.value
	case passing:
		e.Retry, e.RetryAfter = true, m.wait
	case doubtful:
		if sends {
			e.Fate = provider.Uncertain
			break
		}
		e.Code, e.Message, e.Retry = "unavailable", unavailable, true
	case operator:
		e.Disconnect = true
	}
	return e
}

const unavailable = "WhatsApp cannot be reached at the moment."

// noResponse returns the error of a request without a usable response.
func noResponse(cause error, inDoubt bool) *provider.SendError {
	if inDoubt {
		return &provider.SendError{Code: "uncertain", Message: doubt, Fate: provider.Uncertain, Cause: cause}
	}
	e := &provider.SendError{Code: provider.CodeSendUnavailable, Message: unavailable, Retry: true, Cause: cause}
	if errors.Is(cause, context.Canceled) {
		e.Message = "Sending was interrupted before it began."
	}
	return e
}

// unreadable returns the error of a successful response without the expected content.
func unreadable(cause error, sends bool) *provider.SendError {
	if sends {
		return &provider.SendError{
			Code: "uncertain", Fate: provider.Uncertain, Cause: cause,
			Message: "WhatsApp accepted the message but returned no id.",
		}
	}
	return refuse("unavailable", "WhatsApp's response could not be read.", cause)
}

// retryAfter returns how long to wait before a retry: from Retry-After in seconds, or from Meta's usage header in minutes.
func retryAfter(h http.Header) time.Duration {
	var wait time.Duration
	if s, err := strconv.Atoi(h.Get("Retry-After")); err == nil && s > 0 {
		wait = time.Duration(min(s, 24*3600)) * time.Second
	}
	var usage map[string][]struct {
		Minutes number `json:"estimated_time_to_regain_access"`
	}
	if decode([]byte(h.Get("X-Business-Use-Case-Usage")), &usage) == nil {
		for _, entries := range usage {
			for _, entry := range entries {
				wait = max(wait, time.Duration(min(max(entry.Minutes, 0), 24*60))*time.Minute)
			}
		}
	}
	return wait
}
