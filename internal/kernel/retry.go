package kernel

import (
	"fmt"
	"strings"
	"time"
)

// Retries contains the delay after each failed attempt.
type Retries []time.Duration

// DefaultRetries is the documented schedule of webhook deliveries.
var DefaultRetries = Retries{30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour}

const (
	maxRetries = 20
	maxRetry   = 7 * 24 * time.Hour
)

// ParseRetries parses a schedule such as "30s,2m,10m": up to twenty delays of up to a week each.
func ParseRetries(s string) (Retries, error) {
	parts := strings.Split(s, ",")
	if len(parts) > maxRetries {
		return nil, fmt.Errorf("%d retries are too many: at most %d are allowed", len(parts), maxRetries)
	}
	retries := make(Retries, 0, len(parts))
	for _, part := range parts {
		wait, err := time.ParseDuration(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("%s is not a duration: use a list such as %v", Quoted(part), DefaultRetries)
		}
		if wait <= 0 || wait > maxRetry {
			return nil, fmt.Errorf("the duration %v is out of range: it must be more than 0 and at most %v", wait, maxRetry)
		}
		retries = append(retries, wait)
	}
	return retries, nil
}

// Next returns the delay after the given number of failed attempts, and false if there are no more retries.
func (r Retries) Next(attempts int) (time.Duration, bool) {
	if attempts < 1 || attempts > len(r) {
		return 0, false
	}
	return r[attempts-1], true
}

// String returns the form that ParseRetries accepts.
func (r Retries) String() string {
	parts := make([]string, len(r))
	for i, wait := range r {
		parts[i] = shortDuration(wait)
	}
	return strings.Join(parts, ",")
}

// UnmarshalText implements encoding.TextUnmarshaler for flags.
func (r *Retries) UnmarshalText(text []byte) error {
	parsed, err := ParseRetries(string(text))
	if err == nil {
		*r = parsed
	}
	return err
}

// shortDuration formats a duration without trailing zero units: "2m", not "2m0s".
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
