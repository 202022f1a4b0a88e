// Package blob stores the content of media files by id, on disk or in an S3 bucket. Their names, types and owners are
// in the database.
package blob

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"recado/internal/kernel"
)

var (
	// ErrTooLarge is returned for a file over the limit. Nothing was stored.
	ErrTooLarge = errors.New("blob: the file is larger than allowed")

	// ErrNotFound is returned for an id without a file.
	ErrNotFound = errors.New("blob: there is no such file")
)

// Store stores files atomically: a file is visible only after all of it has reached the disk or the bucket. It is
// safe for concurrent use.
type Store interface {
	// Put stores the content of r and replaces the previous file. If r fails or has more than limit bytes (then
	// ErrTooLarge), the previous file stays.
	Put(ctx context.Context, id kernel.ID, r io.Reader, limit int64) (Info, error)

	// Open returns a file and its size, or ErrNotFound. The file is readable until ctx is done.
	Open(ctx context.Context, id kernel.ID) (io.ReadSeekCloser, int64, error)

	// Delete removes a file. A missing file is not an error.
	Delete(ctx context.Context, id kernel.ID) error
}

// Info describes a stored file.
type Info struct {
	Size   int64
	SHA256 [32]byte
}

// copyAll copies src to dst and returns the size and the hash.
func copyAll(ctx context.Context, dst io.Writer, src io.Reader, limit int64) (Info, error) {
	hash := sha256.New()
	size, err := io.Copy(io.MultiWriter(dst, hash), io.LimitReader(&cancellable{ctx, src}, limit+1))
	if err != nil {
		return Info{}, fmt.Errorf("blob: %w", err)
	}
	if size > limit {
		return Info{}, ErrTooLarge
	}
	return Info{Size: size, SHA256: [32]byte(hash.Sum(nil))}, nil
}

type cancellable struct {
	ctx context.Context
	r   io.Reader
}

func (c *cancellable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
