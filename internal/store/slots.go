package store

import (
	"context"
	"math"

	"recado/internal/model"
	"recado/internal/slots"
)

// companyKey is that of the company in a context.
type companyKey struct{}

// ForCompany says for whom Read and ReadOne are called with the context. Of the connections that read, one company
// has at most half at a time; its further reads wait in their order. Reads for no company are not limited. A read
// within a read would wait for itself.
func ForCompany(ctx context.Context, company model.ID) context.Context {
	return context.WithValue(ctx, companyKey{}, company)
}

// newReadSlots gives each company half of the connections.
func newReadSlots(connections int) *slots.Limiter[model.ID] {
	return slots.New[model.ID](int64(max(1, connections/2)), math.MaxInt64)
}

// readSlot waits for a slot of the context's company, if it names one.
func (s *Store) readSlot(ctx context.Context) (release func(), err error) {
	company, ok := ctx.Value(companyKey{}).(model.ID)
	if !ok {
		return func() {}, nil
	}
	return s.slots.Acquire(ctx, company)
}
