package db

import (
	"fmt"
	"slices"
	"time"
)

// columns finds the columns of a result by their names. Columns that are read in the order of the statement are found at once.
type columns struct {
	names []string
	next  int
	err   error
}

// at returns the index of a column, or false after it has recorded an error. The only column of a result may be called "".
func (c *columns) at(name string) (int, bool) {
	if name == "" && len(c.names) == 1 {
		return 0, true
	}
	for range c.names {
		if c.next >= len(c.names) {
			c.next = 0
		}
		i := c.next
		c.next++
		if c.names[i] == name {
			return i, true
		}
	}
	c.fail(fmt.Errorf("the statement has no column %q", name))
	return 0, false
}

func (c *columns) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// again makes the next search begin with the column at i, which is read once more.
func (c *columns) again(i int) { c.next = i }

// nullable returns nil for NULL, and what read returns otherwise.
func nullable[T any](r Row, column string, read func(column string) T) *T {
	if r.Null(column) {
		return nil
	}
	v := read(column)
	return &v
}

func rowTime(r Row, column string) time.Time {
	if r.Null(column) {
		return time.Time{}
	}
	return time.UnixMilli(r.Int(column)).UTC()
}

func rowBytes(r Row, column string) []byte {
	if r.Null(column) {
		return nil
	}
	return r.AppendBytes([]byte{}, column)
}

// checkNames returns an error if two columns have the same name, which makes one of them unreadable. Tests call it; see CheckStatement.
func checkNames(names []string) error {
	if CheckStatement == nil {
		return nil
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("two columns are named %q", name)
		}
	}
	return nil
}
