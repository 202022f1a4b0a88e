// Package base declares ids and errors for the kernel and for the packages below it. Other packages use them through
// package kernel.
package base

import (
	"encoding/hex"
	"time"

	"github.com/google/uuid"
)

// ID is a UUID. New ones are version 7: their order is the order in which this process made them.
// The zero ID stands for "none" and is never stored as an id of its own.
type ID [16]byte

// MaxID is the highest ID. It stands for "no responsible person" and "no sector" where a database key needs a value. NewID
// never makes it.
var MaxID = ID{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// IsZero reports whether the id is absent.
func (id ID) IsZero() bool { return id == ID{} }

// String gives the canonical lower-case form.
func (id ID) String() string { return string(id.AppendText(make([]byte, 0, 36))) }

// AppendText appends the canonical form to b.
func (id ID) AppendText(b []byte) []byte {
	var text [36]byte
	hex.Encode(text[0:8], id[0:4])
	text[8] = '-'
	hex.Encode(text[9:13], id[4:6])
	text[13] = '-'
	hex.Encode(text[14:18], id[6:8])
	text[18] = '-'
	hex.Encode(text[19:23], id[8:10])
	text[23] = '-'
	hex.Encode(text[24:36], id[10:16])
	return append(b, text[:]...)
}

// MarshalText lets encoders write the canonical form.
func (id ID) MarshalText() ([]byte, error) { return id.AppendText(make([]byte, 0, 36)), nil }

// UnmarshalText accepts the canonical form alone: no braces, no urn, no missing dashes. Upper-case
// digits are accepted and folded.
func (id *ID) UnmarshalText(text []byte) error {
	parsed, ok := ParseID(string(text))
	if !ok {
		return notUUID()
	}
	*id = parsed
	return nil
}

// ParseID reads the canonical form of a UUID and reports whether it was one.
func ParseID(s string) (ID, bool) {
	if len(s) != len("00000000-0000-0000-0000-000000000000") {
		return ID{}, false
	}
	id, err := uuid.Parse(s)
	return ID(id), err == nil
}

// NewID makes a version 7 UUID. Ids of one process grow strictly, also within a millisecond.
func NewID() ID { return ID(uuid.Must(uuid.NewV7())) } // never fails: crypto/rand aborts the process instead

// NewIDAt makes an ID that stands among others as if it had been made at t. Ids of one millisecond are in no order.
func NewIDAt(t time.Time) ID {
	id, at := NewID(), FirstIDOf(t)
	copy(id[:6], at[:6])
	return id
}

// Time gives the moment a version 7 id was made, to the millisecond.
func (id ID) Time() time.Time {
	var ms int64
	for i := range 6 {
		ms = ms<<8 | int64(id[i])
	}
	return time.UnixMilli(ms).UTC()
}

// FirstIDOf gives an id that is smaller than every version 7 id made in the millisecond of t or later, and greater than
// those made before.
func FirstIDOf(t time.Time) ID {
	var id ID
	for i, ms := 0, t.UnixMilli(); i < 6; i++ {
		id[i] = byte(ms >> (40 - 8*i))
	}
	return id
}

// notUUID returns the error of a text that breaks the rule "malformed" of package kernel. The caller names the field.
func notUUID() *Error {
	const message = "must be a UUID"
	return &Error{
		Code: CodeInvalidRequest, Message: message,
		Fields: []FieldError{{Code: "malformed", Params: Params{"format": "uuid"}, Message: message}},
	}
}
