package kernel

import (
	"context"
	"errors"
	"strings"
)

// Page is a part of a list.
type Page[T any] struct {
	Data []T
	More bool
	Next string // the cursor of the next page, in lists that have one; "" on the last page
}

// deepOffset is how many rows a list may skip without counting as a search.
const deepOffset = 1_000

// List reads a list in one of the company's slots for searches when it is asked for a text, or for a page that lies behind very
// many rows: both read far more than they answer. So does a list with several filters whose first rows do not fill the page: such
// a one is read near first, and returns ErrFar then.
func List[T any](ctx context.Context, d *Kernel, a *Principal, text string, offset int, from func(near bool) (T, error)) (T, error) {
	if strings.TrimSpace(text) == "" && offset <= deepOffset {
		if page, err := from(true); !errors.Is(err, ErrFar) {
			return page, err
		}
	}
	var none T
	release, err := d.Searches.Begin(ctx, a)
	if err != nil {
		return none, err
	}
	defer release()
	return from(false)
}
