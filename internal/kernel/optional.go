package kernel

import (
	"time"

	"github.com/go-json-experiment/json"
)

// Optional is a field of a request that tells absent, null and a value apart.
type Optional[T any] struct {
	Set   bool // the field was there
	Null  bool // and was null
	Value T    // else its value
}

// UnmarshalJSON is only called when the field is present.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	o.Set = true
	if string(data) == "null" {
		o.Null = true
		return nil
	}
	return json.Unmarshal(data, &o.Value)
}

// Pointer gives nil for null (or absent) and the value otherwise.
func (o Optional[T]) Pointer() *T {
	if !o.Set || o.Null {
		return nil
	}
	return &o.Value
}

// TextOrNil gives nil for an empty text.
func TextOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// TimeOrNil is nil for no time.
func TimeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// IDOrNil is nil for no id.
func IDOrNil(id ID) *ID {
	if id.IsZero() {
		return nil
	}
	return &id
}

// Set changes a field if there is something to change it to.
func Set[T any](field, to *T) {
	if to != nil {
		*field = *to
	}
}

// Same compares what two pointers point at.
func Same[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}
