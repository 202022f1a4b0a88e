package webhooks

import "time"

const (
	deliverEach     = 8           // concurrent requests to one webhook
	deliverSlowEach = 2           // to one webhook that responds slowly
	deliverSlow     = time.Second // a response that takes longer is slow
)

// deliverLimit is the maximum number of concurrent requests to one webhook.
type deliverLimit struct {
	requests int
	proven   bool // the last request succeeded
	slow     bool // the last request was slow
}

// newDeliverLimit returns the limit of a webhook before its first request.
func newDeliverLimit() deliverLimit { return deliverLimit{requests: 1} }

// after returns the limit after a request. It doubles with each success up to eight, is two while the webhook responds slowly,
// and one after a failure.
func (l deliverLimit) after(ok bool, took time.Duration) deliverLimit {
	switch {
	case ok && took >= deliverSlow:
		return deliverLimit{requests: deliverSlowEach, proven: true, slow: true}
	case ok:
		return deliverLimit{requests: min(2*l.requests, deliverEach), proven: true}
	}
	return deliverLimit{requests: 1, slow: l.slow}
}

// unproven reports whether the last request was slow or failed.
func (l deliverLimit) unproven() bool { return !l.proven || l.slow }
