package model

import (
	"bytes"
	"fmt"
)

// IdempotencyKey reads the Idempotency-Key lines of a request: exactly one, of 8 to 128 visible ASCII
// characters.
func IdempotencyKey(lines []string) (string, *Error) {
	if len(lines) == 0 || len(lines) == 1 && lines[0] == "" {
		return "", keyError(CodeIdempotencyRequired, "is required: choose a new one for each operation, and repeat it when repeating the call.")
	}
	if len(lines) > 1 {
		return "", keyError(CodeIdempotencyInvalid, "must be sent once.")
	}
	key := lines[0]
	visible := true
	for i := range len(key) {
		visible = visible && key[i] > ' ' && key[i] < 0x7f
	}
	if !visible || len(key) < MinIdempotencyKey || len(key) > MaxIdempotencyKey {
		return "", keyError(CodeIdempotencyInvalid, fmt.Sprintf("must have %d to %d visible ASCII characters.", MinIdempotencyKey, MaxIdempotencyKey))
	}
	return key, nil
}

func keyError(code Code, message string) *Error {
	const field = "header.Idempotency-Key"
	return &Error{Code: code, Message: field + ": " + message, Fields: []FieldError{{Field: field, Message: message}}}
}

// Answer is an answer to a call, byte for byte, as it is kept for repeats of the call.
type Answer struct {
	Status  int
	Headers string // "Name: value" lines
	Body    []byte
	Subject Subject // what it shows, for the check before it is repeated
}

// Equal reports whether two answers are the same.
func (a Answer) Equal(b Answer) bool {
	return a.Status == b.Status && a.Headers == b.Headers && bytes.Equal(a.Body, b.Body)
}
