package webhooks

import (
	"time"
)

const (
	deliverEach     = 8           // requests under way to one address
	deliverSlowEach = 2           // to one address that answers slowly
	deliverSlow     = time.Second // an answer that takes longer makes an address slow
)

// deliverLimit is how many requests to one address may be under way.
type deliverLimit struct {
	requests int
	proven   bool // the last request went well
	slow     bool // the last request took long
}

// newDeliverLimit is the limit of an address that has not been tried: one.
func newDeliverLimit() deliverLimit { return deliverLimit{requests: 1} }

// after is the limit after a request: it doubles with each success up to eight, is two while the address
// answers slowly, and one after a failure.
func (l deliverLimit) after(ok bool, took time.Duration) deliverLimit {
	switch {
	case ok && took >= deliverSlow:
		return deliverLimit{requests: deliverSlowEach, proven: true, slow: true}
	case ok:
		return deliverLimit{requests: min(2*l.requests, deliverEach), proven: true}
	}
	return deliverLimit{requests: 1, slow: l.slow}
}

// unproven reports whether the last answer of the address was not both a success and quick.
func (l deliverLimit) unproven() bool { return !l.proven || l.slow }
