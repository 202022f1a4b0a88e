package db

import (
	"encoding/binary"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"recado/internal/kernel/base"
)

// pgCells reads the wire format: binary for every type the schema uses.
type pgCells struct {
	fields []pgconn.FieldDescription
	values [][]byte
}

func (c *pgCells) null(i int) bool { return c.values[i] == nil }

func (c *pgCells) id(i int) (id base.ID, ok bool) {
	n := copy(id[:], c.values[i])
	return id, c.fields[i].DataTypeOID == pgtype.UUIDOID && n == len(id)
}

func (c *pgCells) text(i int) (string, bool) {
	switch c.fields[i].DataTypeOID {
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID:
		return string(c.values[i]), true
	}
	return "", false
}

func (c *pgCells) integer(i int) (int64, bool) {
	switch v := c.values[i]; c.fields[i].DataTypeOID {
	case pgtype.Int8OID:
		return int64(binary.BigEndian.Uint64(v)), true
	case pgtype.Int4OID:
		return int64(int32(binary.BigEndian.Uint32(v))), true
	case pgtype.Int2OID:
		return int64(int16(binary.BigEndian.Uint16(v))), true
	case pgtype.BoolOID:
		return int64(v[0]), true
	}
	return 0, false
}

func (c *pgCells) bytes(i int) ([]byte, bool) {
	switch c.fields[i].DataTypeOID {
	case pgtype.ByteaOID, pgtype.UUIDOID, pgtype.TextOID, pgtype.VarcharOID:
		return append([]byte{}, c.values[i]...), true
	}
	return nil, false
}
