// Package blob keeps the bytes of media files under ids that the caller gives, on a disk or in an S3 bucket. It
// knows neither names, types nor owners: those are rows in the database.
package blob

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"

	"recado/internal/kernel"
)

var (
	// ErrTooLarge is for a file longer than the limit. Nothing of it was kept.
	ErrTooLarge = errors.New("blob: the file is larger than allowed")

	// ErrNotFound is for an id that holds no file.
	ErrNotFound = errors.New("blob: there is no such file")
)

// Store keeps files whole or not at all: an id names a file only after every byte of it has reached
// the disk or the bucket. Its methods may be called at once.
type Store interface {
	// Put reads r to its end and keeps it under id, in place of what was there. When r fails, or
	// has more than limit bytes (then ErrTooLarge), what was there stays.
	Put(ctx context.Context, id kernel.ID, r io.Reader, limit int64) (Info, error)

	// Open gives a file and its size, or ErrNotFound. The file reads as long as ctx lasts.
	Open(ctx context.Context, id kernel.ID) (io.ReadSeekCloser, int64, error)

	// Delete removes a file. One that is not there is no error.
	Delete(ctx context.Context, id kernel.ID) error
}

// Info describes a file that was put.
type Info struct {
	Size   int64
	SHA256 [32]byte
}

var copyBuffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// copyAll copies src to dst through one small buffer, counting and hashing on the way.
func copyAll(ctx context.Context, dst io.Writer, src io.Reader, limit int64) (Info, error) {
	buf := copyBuffers.Get().(*[32 << 10]byte)
	defer copyBuffers.Put(buf)

	hash := sha256.New()
	var size int64
	for {
		if err := ctx.Err(); err != nil {
			return Info{}, err
		}
		n, err := src.Read(buf[:])
		if size += int64(n); size > limit {
			return Info{}, ErrTooLarge
		}
		hash.Write(buf[:n])
		if _, err := dst.Write(buf[:n]); err != nil {
			return Info{}, fmt.Errorf("blob: %w", err)
		}
		if err == io.EOF {
			return Info{Size: size, SHA256: [32]byte(hash.Sum(nil))}, nil
		}
		if err != nil {
			return Info{}, fmt.Errorf("blob: reading the upload: %w", err)
		}
	}
}
