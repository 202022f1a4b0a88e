// Package base declares ids and errors for the kernel and the packages below it. Other packages use them through package
// kernel.
package base

import (
	"encoding/hex"
	"time"

	"github.com/google/uuid"
)

// ID is a UUID. New ids are version 7 and sort by creation time. The zero ID means "none" and is stored as NULL.
type ID [16]byte

// MaxID is the highest ID. It means "no responsible person" or "no sector" where a database key needs a value. NewID
// never returns it.
var MaxID = ID{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// IsZero reports whether the id is zero.
func (id ID) IsZero() bool { return id == ID{} }

// String returns the canonical lower-case form.
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

// MarshalText returns the canonical form.
func (id ID) MarshalText() ([]byte, error) { return id.AppendText(make([]byte, 0, 36)), nil }

// UnmarshalText parses an id as ParseID does. The error has no field name; the caller sets it.
func (id *ID) UnmarshalText(text []byte) error {
	parsed, ok := ParseID(string(text))
	if !ok {
		const message = "must be a UUID"
		return &Error{
			Code: CodeInvalidRequest, Message: message,
			Fields: []FieldError{{Code: "malformed", Params: Params{"format": "uuid"}, Message: message}},
		}
	}
	*id = parsed
	return nil
}

// ParseID parses the canonical form of a UUID, in lower or upper case. It accepts no braces, no URN and no missing dashes.
func ParseID(s string) (ID, bool) {
	if len(s) != len("00000000-0000-0000-0000-000000000000") {
		return ID{}, false
	}
	id, err := uuid.Parse(s)
	return ID(id), err == nil
}

// NewID returns a new version 7 UUID. Ids of a process increase strictly, even within a millisecond.
func NewID() ID { return ID(uuid.Must(uuid.NewV7())) } // never fails: crypto/rand aborts the process instead

// NewIDAt returns a new id that sorts as if it had been created at t. Ids of the same millisecond are in no order.
func NewIDAt(t time.Time) ID {
	id, at := NewID(), FirstIDOf(t)
	copy(id[:6], at[:6])
	return id
}

// Time returns the creation time of a version 7 id, with milliseconds.
func (id ID) Time() time.Time {
	var ms int64
	for i := range 6 {
		ms = ms<<8 | int64(id[i])
	}
	return time.UnixMilli(ms).UTC()
}

// FirstIDOf returns an id that is smaller than all version 7 ids created in the millisecond of t or later, and greater than
// those created before.
func FirstIDOf(t time.Time) ID {
	var id ID
	for i, ms := 0, t.UnixMilli(); i < 6; i++ {
		id[i] = byte(ms >> (40 - 8*i))
	}
	return id
}
