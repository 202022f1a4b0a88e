package powercut

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// sector is the unit that a disk writes completely or not at all.
const sector = 512

// disk is the state of a file at one moment: its durable content and the operations that are not durable yet.
type disk struct {
	durable []byte
	exists  bool
	pending []operation
	indexes []int // positions of the pending operations in the log
}

// disks replays a log.
func disks(log []operation) map[string]*disk {
	files := map[string]*disk{}
	for i, o := range log {
		if o.kind == acknowledge {
			continue
		}
		f := files[o.file]
		if f == nil {
			f = &disk{}
			files[o.file] = f
		}
		switch {
		case o.kind == sync_:
			f.sync(o.upTo)
			if o.folder {
				for _, other := range files {
					other.forget(o.upTo)
				}
			}
			continue
		case o.kind == remove && o.folder:
			*f = disk{}
			continue
		}
		f.pending = append(f.pending, o)
		f.indexes = append(f.indexes, i)
	}
	return files
}

// sync makes the operations before the start of the sync durable.
func (f *disk) sync(upTo int) {
	n := 0
	for n < len(f.pending) && f.indexes[n] < upTo {
		f.apply(f.pending[n], nil)
		n++
	}
	f.pending, f.indexes = f.pending[n:], f.indexes[n:]
	f.exists = f.exists || n > 0
}

// forget makes the removal of the file durable if it happened before the sync of the folder began.
func (f *disk) forget(upTo int) {
	for n := len(f.pending) - 1; n >= 0; n-- {
		if f.pending[n].kind == remove && f.indexes[n] < upTo {
			*f = disk{pending: f.pending[n+1:], indexes: f.indexes[n+1:]}
			return
		}
	}
}

// apply applies an operation. Of a write, it applies the sectors for which keep returns true.
func (f *disk) apply(o operation, keep func() bool) {
	switch o.kind {
	case remove:
		f.durable, f.exists = nil, false
	case truncate:
		f.exists = true
		f.grow(o.at)
		f.durable = f.durable[:o.at]
	case write:
		f.exists = true
		end := o.at + int64(len(o.data))
		for from := o.at; from < end; {
			to := min(end, (from/sector+1)*sector)
			if keep == nil || keep() {
				f.grow(to)
				copy(f.durable[from:to], o.data[from-o.at:to-o.at])
			}
			from = to
		}
	}
}

func (f *disk) grow(size int64) {
	if n := size - int64(len(f.durable)); n > 0 {
		f.durable = append(f.durable, make([]byte, n)...)
	}
}

// cut applies a random part of the pending operations: none, all, a prefix, or arbitrary sectors.
func (f *disk) cut(r *rand.Rand) {
	switch r.IntN(5) {
	case 0:
	case 1:
		for _, o := range f.pending {
			f.apply(o, nil)
		}
	case 2:
		for _, o := range f.pending[:r.IntN(len(f.pending)+1)] {
			f.apply(o, nil)
		}
	default:
		share := r.Float64()
		keep := func() bool { return r.Float64() < share }
		for _, o := range f.pending {
			if o.kind == write {
				f.apply(o, keep)
			} else if keep() {
				f.apply(o, nil)
			}
		}
	}
	f.pending, f.indexes = nil, nil
}

// afterCut writes the files that a power cut at the end of the log leaves behind to a folder.
func afterCut(t *testing.T, r *rand.Rand, log []operation, folder string) {
	t.Helper()
	for name, f := range disks(log) {
		f.cut(r)
		if !f.exists {
			continue
		}
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(name)), f.durable, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
