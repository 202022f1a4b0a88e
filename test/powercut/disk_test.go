package powercut

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// sector is what a disk writes whole or not at all.
const sector = 512

// disk is what is known of a file at one moment: what is durable, and what is on its way.
type disk struct {
	durable []byte
	exists  bool
	pending []operation
	indexes []int // of the pending ones in the record
}

// disks replays a record.
func disks(log []operation) map[string]*disk {
	files := map[string]*disk{}
	for i, o := range log {
		if o.kind == answer {
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

// sync makes durable what was written before the sync began.
func (f *disk) sync(upTo int) {
	n := 0
	for n < len(f.pending) && f.indexes[n] < upTo {
		f.apply(f.pending[n], nil)
		n++
	}
	f.pending, f.indexes = f.pending[n:], f.indexes[n:]
	f.exists = f.exists || n > 0
}

// forget makes durable that the file was removed, if it was before the folder's sync began.
func (f *disk) forget(upTo int) {
	for n := len(f.pending) - 1; n >= 0; n-- {
		if f.pending[n].kind == remove && f.indexes[n] < upTo {
			*f = disk{pending: f.pending[n+1:], indexes: f.indexes[n+1:]}
			return
		}
	}
}

// apply does an operation; of a write only the sectors that keep wants.
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

// cut decides what becomes of what is on its way: nothing of it arrives, all, the first so many, or any
// sectors at all.
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

// afterCut writes the files that a power cut behind the given record leaves into a folder.
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
