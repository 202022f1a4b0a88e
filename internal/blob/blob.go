// Package blob stores the content of media files by id, on disk or in an S3 bucket. Their names, types and owners are
// in the database.
package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"time"

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
	size, err := io.Copy(io.MultiWriter(dst, hash), io.LimitReader(UntilDone(ctx, src), limit+1))
	if err != nil {
		return Info{}, fmt.Errorf("blob: %w", err)
	}
	if size > limit {
		return Info{}, ErrTooLarge
	}
	return Info{Size: size, SHA256: [32]byte(hash.Sum(nil))}, nil
}

// UntilDone returns a reader that fails when ctx ends.
func UntilDone(ctx context.Context, r io.Reader) io.Reader { return &cancellable{ctx, r} }

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

const (
	unfinished = "unfinished" // folder of files being written

	// staleAfter is the age at which an unfinished file counts as left by a crash. Other nodes may be writing to
	// the same folder.
	staleAfter = time.Hour
)

// Disk stores files below one folder. It never opens anything outside it.
type Disk struct {
	root *os.Root
}

var _ Store = (*Disk)(nil)

// NewDisk opens or creates the folder dir and removes the files of crashed uploads.
func NewDisk(dir string) (*Disk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	d := &Disk{root: root}
	err = d.makeFolder(unfinished)
	if err == nil {
		err = d.sweep(time.Now().Add(-staleAfter))
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return d, nil
}

// ReadDisk opens an existing folder for reading. It changes nothing.
func ReadDisk(dir string) (*Disk, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	return &Disk{root: root}, nil
}

// Put writes a temporary file, syncs it and renames it.
func (d *Disk) Put(ctx context.Context, id kernel.ID, r io.Reader, limit int64) (Info, error) {
	temp := path.Join(unfinished, id.String()+"."+rand.Text())
	info, err := d.write(ctx, temp, r, limit)
	if err == nil {
		err = d.publish(temp, id)
	}
	if err != nil {
		_ = d.root.Remove(temp)
		if isFull(err) {
			err = fmt.Errorf("%w (%w)", kernel.StorageFull(), err)
		}
		return Info{}, err
	}
	return info, nil
}

// Open returns the file.
func (d *Disk) Open(ctx context.Context, id kernel.ID) (io.ReadSeekCloser, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	f, err := d.root.Open(pathOf(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, ErrNotFound
	}
	if err != nil {
		return nil, 0, fmt.Errorf("blob: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("blob: %w", err), f.Close())
	}
	return f, info.Size(), nil
}

// Delete removes a file.
func (d *Disk) Delete(ctx context.Context, id kernel.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.root.Remove(pathOf(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("blob: %w", err)
	}
	return nil
}

// Close closes the folder. Open files stay readable.
func (d *Disk) Close() error { return d.root.Close() }

// pathOf distributes files over 256 folders by the last byte of the id. The first bytes are a time and would fill one
// folder after the other.
func pathOf(id kernel.ID) string {
	name := id.String()
	return path.Join(name[len(name)-2:], name)
}

func (d *Disk) write(ctx context.Context, name string, r io.Reader, limit int64) (Info, error) {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Info{}, fmt.Errorf("blob: %w", err)
	}
	info, err := copyAll(ctx, f, r, limit)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return info, err
}

func (d *Disk) publish(temp string, id kernel.ID) error {
	name := pathOf(id)
	folder := path.Dir(name)
	if err := d.makeFolder(folder); err != nil {
		return err
	}
	if err := d.root.Rename(temp, name); err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	return d.sync(folder)
}

func (d *Disk) makeFolder(name string) error {
	switch err := d.root.Mkdir(name, 0o700); {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return fmt.Errorf("blob: %w", err)
	}
	return d.sync(".")
}

// sync makes new names in a folder survive a power loss.
func (d *Disk) sync(folder string) error {
	f, err := d.root.Open(folder)
	if err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil && runtime.GOOS != "windows" {
		return fmt.Errorf("blob: %w", err)
	}
	return nil
}

// sweep removes unfinished files last written before the given time.
func (d *Disk) sweep(before time.Time) error {
	entries, err := fs.ReadDir(d.root.FS(), unfinished)
	if err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.ModTime().Before(before) {
			continue // finished meanwhile, or still being written
		}
		if err := d.root.Remove(path.Join(unfinished, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("blob: %w", err)
		}
	}
	return nil
}
