package kernel

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
)

// CursorKey authenticates cursors. Every node of an installation has the same one.
type CursorKey [32]byte

const (
	macBytes   = 16
	maxPayload = 256 // the most a cursor may carry
)

// Seal turns a place in a list into text for the caller. The payload is not hidden, but it cannot be
// changed, nor used by another company or with another filter. The filter is any text that is equal
// when and only when the lists are: conventionally the route and its query without limit and cursor.
// A payload longer than 256 bytes is a defect of the server and panics.
func (k CursorKey) Seal(company ID, filter string, payload []byte) string {
	if len(payload) > maxPayload {
		panic("cursor: a's payload is too long")
	}
	raw := make([]byte, macBytes, macBytes+len(payload))
	raw = append(raw, payload...)
	mac := k.mac(company, filter, payload)
	copy(raw, mac[:macBytes])
	return base64.RawURLEncoding.EncodeToString(raw)
}

// Open gives back the payload of a cursor that Seal made for the same company and filter. Everything
// else is one error, so that nothing can be learned about cursors of others.
func (k CursorKey) Open(company ID, filter, cursor string) ([]byte, *Error) {
	if len(cursor) > base64.RawURLEncoding.EncodedLen(macBytes+maxPayload) || strings.ContainsAny(cursor, "\r\n") {
		return nil, invalid()
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < macBytes {
		return nil, invalid()
	}
	payload := raw[macBytes:]
	if mac := k.mac(company, filter, payload); !hmac.Equal(raw[:macBytes], mac[:macBytes]) {
		return nil, invalid()
	}
	return payload, nil
}

// mac covers company, length of the filter, filter and payload, so that no byte can move from one to the next.
func (k CursorKey) mac(company ID, filter string, payload []byte) [sha256.Size]byte {
	h := hmac.New(sha256.New, k[:])
	b := make([]byte, 0, len(company)+8+len(filter)+len(payload))
	b = append(b, company[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(len(filter)))
	b = append(b, filter...)
	b = append(b, payload...)
	h.Write(b)
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	return sum
}

func invalid() *Error {
	return Errorf(CodeInvalidCursor,
		"This cursor is not one of this list's. Send it exactly as the previous page gave it, with the same filters, or start again without a cursor.")
}

// Int is the payload of a list ordered by one number.
func Int(n int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(n))
}

// ReadInt reads what Int wrote.
func ReadInt(payload []byte) (int64, *Error) {
	if len(payload) != 8 {
		return 0, invalid()
	}
	return int64(binary.BigEndian.Uint64(payload)), nil
}

// IntID is the payload of a list ordered by a number and, where that is equal, by id.
func IntID(n int64, id ID) []byte {
	return append(Int(n), id[:]...)
}

// ReadIntID reads what IntID wrote.
func ReadIntID(payload []byte) (int64, ID, *Error) {
	if len(payload) != 8+len(ID{}) {
		return 0, ID{}, invalid()
	}
	return int64(binary.BigEndian.Uint64(payload)), ID(payload[8:]), nil
}
