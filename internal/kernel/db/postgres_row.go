package db

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"recado/internal/kernel/base"
)

// pgRow reads the wire format: binary for every type the schema uses.
type pgRow struct {
	fields []pgconn.FieldDescription
	values [][]byte
	err    error
}

func (r *pgRow) ID(i int) (id base.ID) {
	v := r.values[i]
	switch {
	case v == nil:
	case r.fields[i].DataTypeOID == pgtype.UUIDOID && len(v) == len(id):
		copy(id[:], v)
	default:
		r.fail(i, "an id")
	}
	return id
}

func (r *pgRow) NullID(i int) *base.ID {
	if r.Null(i) {
		return nil
	}
	id := r.ID(i)
	return &id
}

func (r *pgRow) Text(i int) string {
	switch r.fields[i].DataTypeOID {
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID:
		return string(r.values[i])
	}
	r.fail(i, "a text")
	return ""
}

func (r *pgRow) NullText(i int) *string {
	if r.Null(i) {
		return nil
	}
	text := r.Text(i)
	return &text
}

func (r *pgRow) Int(i int) int64 {
	v := r.values[i]
	if v == nil {
		return 0
	}
	switch oid := r.fields[i].DataTypeOID; {
	case oid == pgtype.Int8OID && len(v) == 8:
		return int64(binary.BigEndian.Uint64(v))
	case oid == pgtype.Int4OID && len(v) == 4:
		return int64(int32(binary.BigEndian.Uint32(v)))
	case oid == pgtype.Int2OID && len(v) == 2:
		return int64(int16(binary.BigEndian.Uint16(v)))
	}
	r.fail(i, "a whole number")
	return 0
}

func (r *pgRow) NullInt(i int) *int64 {
	if r.Null(i) {
		return nil
	}
	n := r.Int(i)
	return &n
}

func (r *pgRow) Bool(i int) bool {
	v := r.values[i]
	if r.fields[i].DataTypeOID == pgtype.BoolOID {
		return len(v) == 1 && v[0] != 0
	}
	return r.Int(i) != 0
}

func (r *pgRow) Time(i int) time.Time {
	if r.Null(i) {
		return time.Time{}
	}
	return time.UnixMilli(r.Int(i)).UTC()
}

func (r *pgRow) NullTime(i int) *time.Time {
	if r.Null(i) {
		return nil
	}
	t := r.Time(i)
	return &t
}

func (r *pgRow) Bytes(i int) []byte {
	v := r.values[i]
	if v == nil {
		return nil
	}
	return r.AppendBytes(make([]byte, 0, len(v)), i)
}

func (r *pgRow) AppendBytes(b []byte, i int) []byte {
	switch r.fields[i].DataTypeOID {
	case pgtype.ByteaOID, pgtype.UUIDOID, pgtype.TextOID, pgtype.VarcharOID:
		return append(b, r.values[i]...)
	}
	r.fail(i, "bytes")
	return b
}

func (r *pgRow) Float(i int) float64 {
	v := r.values[i]
	switch oid := r.fields[i].DataTypeOID; {
	case oid == pgtype.Float8OID && len(v) == 8:
		return math.Float64frombits(binary.BigEndian.Uint64(v))
	case oid == pgtype.Float4OID && len(v) == 4:
		return float64(math.Float32frombits(binary.BigEndian.Uint32(v)))
	case oid == pgtype.Float8OID || oid == pgtype.Float4OID:
		return 0
	}
	return float64(r.Int(i))
}

func (r *pgRow) Null(i int) bool { return r.values[i] == nil }

// fail reports a column whose type the caller did not expect. Sums and averages of BIGINT are NUMERIC
// in PostgreSQL: a statement casts them.
func (r *pgRow) fail(i int, what string) {
	if r.err == nil {
		r.err = fmt.Errorf("column %q (type %d) is not %s", r.fields[i].Name, r.fields[i].DataTypeOID, what)
	}
}
