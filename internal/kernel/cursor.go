package kernel

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
)

// CursorKey authenticates cursors. All nodes of an installation use the same key.
type CursorKey [32]byte

const (
	macBytes   = 16
	maxPayload = 256
)

// Seal encodes a position in a list as text for the client. The payload is not encrypted, but it cannot be
// changed, nor used by another company or with another filter. The filter identifies the list:
// conventionally the route and its query without limit and cursor.
// Seal panics if the payload is longer than 256 bytes.
func (k CursorKey) Seal(company ID, filter string, payload []byte) string {
	if len(payload) > maxPayload {
		panic("cursor: the payload is too long")
	}
	return base64.RawURLEncoding.EncodeToString(append(k.mac(company, filter, payload), payload...))
}

// Open returns the payload of a cursor that Seal created for the same company and filter. It returns the same
// error in all other cases, which reveals nothing about cursors of other companies.
func (k CursorKey) Open(company ID, filter, cursor string) ([]byte, *Error) {
	if len(cursor) > base64.RawURLEncoding.EncodedLen(macBytes+maxPayload) || strings.ContainsAny(cursor, "\r\n") {
		return nil, invalid()
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < macBytes {
		return nil, invalid()
	}
	payload := raw[macBytes:]
	if !hmac.Equal(raw[:macBytes], k.mac(company, filter, payload)) {
		return nil, invalid()
	}
	return payload, nil
}

// mac includes the length of the filter, so that no byte can move from the filter to the payload.
func (k CursorKey) mac(company ID, filter string, payload []byte) []byte {
	h := hmac.New(sha256.New, k[:])
	h.Write(binary.BigEndian.AppendUint64(company[:], uint64(len(filter))))
	h.Write([]byte(filter))
	h.Write(payload)
	return h.Sum(nil)[:macBytes]
}

func invalid() *Error {
	return Errorf(CodeInvalidCursor,
		"This cursor does not belong to this list. Send it exactly as returned with the previous page, with the same filters, "+
			"or start again without a cursor.")
}

// Int encodes the payload of a list ordered by one number.
func Int(n int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(n))
}

// ReadInt decodes the payload that Int encoded.
func ReadInt(payload []byte) (int64, *Error) {
	if len(payload) != 8 {
		return 0, invalid()
	}
	return int64(binary.BigEndian.Uint64(payload)), nil
}

// IntID encodes the payload of a list ordered by a number, then by id.
func IntID(n int64, id ID) []byte {
	return append(Int(n), id[:]...)
}

// ReadIntID decodes the payload that IntID encoded.
func ReadIntID(payload []byte) (int64, ID, *Error) {
	if len(payload) != 8+len(ID{}) {
		return 0, ID{}, invalid()
	}
	return int64(binary.BigEndian.Uint64(payload)), ID(payload[8:]), nil
}
