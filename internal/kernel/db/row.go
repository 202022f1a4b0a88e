package db

import (
	"fmt"
	"time"
)

// columns finds the columns of a result by their names. Columns that are read in the order of the statement are found at once.
type columns struct {
	names []string
	next  int
	err   error
}

// at returns the index of a column, or false after it has recorded an error.
func (c *columns) at(column any) (int, bool) {
	if i, ok := column.(int); ok {
		return i, true
	}
	name := column.(string)
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
func nullable[T any](r Row, column any, read func(column any) T) *T {
	if r.Null(column) {
		return nil
	}
	v := read(column)
	return &v
}

func rowTime(r Row, column any) time.Time {
	if r.Null(column) {
		return time.Time{}
	}
	return time.UnixMilli(r.Int(column)).UTC()
}

func rowBytes(r Row, column any) []byte {
	if r.Null(column) {
		return nil
	}
	return r.AppendBytes([]byte{}, column)
}
