package kernel

import (
	"context"
	"errors"
	"strings"
)

// Page is a page of a list.
type Page[T any] struct {
	Data []T
	More bool
	Next string // the cursor of the next page, in lists that have one; "" on the last page
}

// maxOffset is the number of rows that a list may skip without counting as a search.
const maxOffset = 1_000

// List reads a list. It takes one of the company's slots for searches if the list filters by text or skips many rows,
// because both read far more rows than they return. Otherwise it calls read with near first, which returns ErrFar
// if the first rows do not fill the page; then it takes a slot too.
func List[T any](
	ctx context.Context, d *Kernel, a *Principal, text string, offset int, read func(near bool) (T, error),
) (T, error) {
	if strings.TrimSpace(text) == "" && offset <= maxOffset {
		if page, err := read(true); !errors.Is(err, ErrFar) {
			return page, err
		}
	}
	release, err := d.Searches.Begin(ctx, a)
	if err != nil {
		var zero T
		return zero, err
	}
	defer release()
	return read(false)
}
