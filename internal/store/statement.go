package store

import (
	"math/bits"
	"strconv"

	"recado/internal/db"
	"recado/internal/model"
)

type (
	statement = db.Statement
	subset    = db.Subset // by which a list may be read when its ids are few
)

func (tx *Tx) statement() *statement { return tx.on.Statement() }

// few is how many rows are read and sorted rather than looked for along the order of a list. At
// 200,000 rows both ways cost the same for about that many.
var few = 2000 // lower in tests

// isFew reports whether a subset has at most few rows. It never looks at many more.
func (tx *Tx) isFew(of subset) (bool, error) {
	s := tx.statement()
	ids := of(s)
	s.WriteString("SELECT COUNT(*) FROM (SELECT 1 AS one FROM (" + ids + ") ids LIMIT " + s.Arg(few+1) + ") counted")
	n := int64(0)
	_, err := tx.one(s.String(), s.Args, func(r Row) { n = r.Int(0) })
	return n <= int64(few), err
}

func (tx *Tx) fromSubset(ids, table, alias string) string {
	return tx.dialect().FromSubset(ids, table, alias)
}

// page adds the LIMIT of a page, one row more than it shows, and its OFFSET. A limit that
// must stand in the text is rounded up, so that few texts are prepared.
func (tx *Tx) page(s *statement, limit, offset int) {
	switch {
	case tx.dialect().LimitAsArgument():
		s.WriteString("\n\tLIMIT " + s.Arg(limit+1))
	case limit <= model.DefaultLimit:
		s.WriteString("\n\tLIMIT " + strconv.Itoa(model.DefaultLimit+1))
	case limit <= model.MaxLimit:
		s.WriteString("\n\tLIMIT " + strconv.Itoa(model.MaxLimit+1))
	default:
		s.WriteString("\n\tLIMIT " + strconv.Itoa(1<<bits.Len(uint(limit))))
	}
	if offset > 0 {
		s.WriteString(" OFFSET " + s.Arg(offset))
	}
}

// collect reads a page: at most limit rows, and whether there are more.
func collect[T any](tx *Tx, s *statement, limit int, scan func(r Row) T) (rows []T, more bool, err error) {
	rows = make([]T, 0, limit)
	err = tx.query(s.String(), s.Args, func(r Row) error {
		if len(rows) == limit {
			more = true
			return errEnough
		}
		rows = append(rows, scan(r))
		return nil
	})
	if err == errEnough {
		err = nil
	}
	return rows, more, err
}
