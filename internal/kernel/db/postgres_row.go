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
	columns
	fields []pgconn.FieldDescription
	values [][]byte
}

// value returns the value of a column and its type.
func (r *pgRow) value(column string) ([]byte, uint32) {
	i, ok := r.at(column)
	if !ok {
		return nil, 0
	}
	return r.values[i], r.fields[i].DataTypeOID
}

func (r *pgRow) ID(column string) (id base.ID) {
	switch v, oid := r.value(column); {
	case v == nil:
	case oid == pgtype.UUIDOID && len(v) == len(id):
		copy(id[:], v)
	default:
		r.wrongType(column, oid, "an id")
	}
	return id
}

func (r *pgRow) Text(column string) string {
	v, oid := r.value(column)
	switch oid {
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID:
		return string(v)
	}
	r.wrongType(column, oid, "a text")
	return ""
}

func (r *pgRow) Int(column string) int64 {
	switch v, oid := r.value(column); {
	case v == nil:
	case oid == pgtype.Int8OID && len(v) == 8:
		return int64(binary.BigEndian.Uint64(v))
	case oid == pgtype.Int4OID && len(v) == 4:
		return int64(int32(binary.BigEndian.Uint32(v)))
	case oid == pgtype.Int2OID && len(v) == 2:
		return int64(int16(binary.BigEndian.Uint16(v)))
	default:
		r.wrongType(column, oid, "a whole number")
	}
	return 0
}

func (r *pgRow) Bool(column string) bool {
	i, ok := r.at(column)
	if ok && r.fields[i].DataTypeOID == pgtype.BoolOID {
		v := r.values[i]
		return len(v) == 1 && v[0] != 0
	}
	r.again(i)
	return ok && r.Int(column) != 0
}

func (r *pgRow) AppendBytes(b []byte, column string) []byte {
	v, oid := r.value(column)
	switch oid {
	case pgtype.ByteaOID, pgtype.UUIDOID, pgtype.TextOID, pgtype.VarcharOID:
		return append(b, v...)
	}
	r.wrongType(column, oid, "bytes")
	return b
}

func (r *pgRow) Float(column string) float64 {
	switch v, oid := r.value(column); {
	case v == nil:
	case oid == pgtype.Float8OID && len(v) == 8:
		return math.Float64frombits(binary.BigEndian.Uint64(v))
	case oid == pgtype.Float4OID && len(v) == 4:
		return float64(math.Float32frombits(binary.BigEndian.Uint32(v)))
	default:
		r.wrongType(column, oid, "a number")
	}
	return 0
}

func (r *pgRow) Null(column string) bool {
	i, ok := r.at(column)
	r.again(i)
	return !ok || r.values[i] == nil
}

func (r *pgRow) NullID(column string) *base.ID     { return nullable(r, column, r.ID) }
func (r *pgRow) NullText(column string) *string    { return nullable(r, column, r.Text) }
func (r *pgRow) NullInt(column string) *int64      { return nullable(r, column, r.Int) }
func (r *pgRow) Time(column string) time.Time      { return rowTime(r, column) }
func (r *pgRow) NullTime(column string) *time.Time { return nullable(r, column, r.Time) }
func (r *pgRow) Bytes(column string) []byte        { return rowBytes(r, column) }

// wrongType records a column whose type the caller did not expect. Sums and averages of BIGINT are NUMERIC in
// PostgreSQL: a statement casts them.
func (r *pgRow) wrongType(column string, oid uint32, want string) {
	r.fail(fmt.Errorf("column %v (type %d) is not %s", column, oid, want))
}
