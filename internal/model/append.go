package model

import (
	"strconv"

	"recado/internal/jsonenc"
)

// The small parts of which the AppendJSON methods are made. Each writes what AppendJSON would.

func appendID(b []byte, id ID) []byte {
	return append(id.AppendText(append(b, '"')), '"')
}

func appendNullInt(b []byte, n *int64) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, *n, 10)
}

func appendNullFloat(b []byte, n *float64) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, *n, 'f', -1, 64)
}

func appendNullID(b []byte, id *ID) []byte {
	if id == nil {
		return append(b, "null"...)
	}
	return appendID(b, *id)
}

func appendIDs(b []byte, ids []ID) []byte {
	b = append(b, '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendID(b, id)
	}
	return append(b, ']')
}

func appendNullRef(b []byte, ref *Ref) []byte {
	if ref == nil {
		return append(b, "null"...)
	}
	b = appendID(append(b, `{"id":`...), ref.ID)
	b = jsonenc.AppendString(append(b, `,"name":`...), ref.Name)
	return append(b, '}')
}
