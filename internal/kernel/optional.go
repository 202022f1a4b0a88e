package kernel

import (
	"time"

	"github.com/go-json-experiment/json"
)

// Optional is a field of a request that distinguishes absent, null and a value.
type Optional[T any] struct {
	Set   bool // the field is present
	Null  bool
	Value T
}

// UnmarshalJSON is only called if the field is present.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	o.Set = true
	if string(data) == "null" {
		o.Null = true
		return nil
	}
	return json.Unmarshal(data, &o.Value)
}

// Pointer returns nil if the field is null or absent.
func (o Optional[T]) Pointer() *T {
	if !o.Set || o.Null {
		return nil
	}
	return &o.Value
}

// TextOrNil returns nil for an empty text.
func TextOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// TimeOrNil returns nil for the zero time.
func TimeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// IDOrNil returns nil for the zero id.
func IDOrNil(id ID) *ID {
	if id.IsZero() {
		return nil
	}
	return &id
}

// Set sets a field unless the new value is nil.
func Set[T any](field, to *T) {
	if to != nil {
		*field = *to
	}
}

// Same reports whether two pointers are both nil or point to equal values.
func Same[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}
