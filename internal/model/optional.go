package model

import "github.com/go-json-experiment/json"

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
