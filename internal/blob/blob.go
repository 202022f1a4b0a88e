// Package blob keeps the bytes of media, on disk or in S3. It knows nothing of messages.
package blob

import (
	"context"
	"errors"
	"io"

	"recado/internal/model"
)

// ErrTooLarge says that a reader had more bytes than were allowed.
var ErrTooLarge = errors.New("blob: too large")

// Info is what Put learned about the bytes it stored.
type Info struct {
	Size   int64
	SHA256 [32]byte
}

// Store keeps files under ids. A file is either there whole or not there at all.
type Store interface {
	// Put stores what r gives, durably, or nothing. More than limit bytes is ErrTooLarge.
	Put(ctx context.Context, id model.ID, r io.Reader, limit int64) (Info, error)
	Open(ctx context.Context, id model.ID) (file io.ReadSeekCloser, size int64, err error)
	Delete(ctx context.Context, id model.ID) error
}
