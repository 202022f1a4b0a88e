// Package powercut tests SQLite databases after simulated power cuts. It logs all file operations of SQLite in order, and
// reconstructs the files that a power cut at any moment could leave behind: everything that was synced is there, and each
// sector written since then may or may not be. In every case the database must be undamaged and contain all acknowledged
// writes.
package powercut

import (
	"strings"
	"sync"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

type kind int

const (
	write kind = iota
	truncate
	sync_
	remove
	acknowledge
)

// operation is one entry of the log.
type operation struct {
	kind kind
	file string
	at   int64  // the offset of a write, or the size after a truncation
	data []byte // the content of a write
	upTo int    // the length of the log when a sync began; later operations are not guaranteed to be synced
	n    int    // the acknowledged number

	folder bool // a removal or sync also synced the folder
}

// record logs the operations on the files in one folder.
var record struct {
	sync.Mutex
	folder string
	log    []operation
	names  map[uintptr]string // paths of open files
	fresh  map[uintptr]bool   // journals and write-ahead logs that have not been synced since they were opened
}

func note(o operation) {
	record.Lock()
	defer record.Unlock()
	record.log = append(record.log, o)
}

// acknowledged logs that a caller was told that write n succeeded.
func acknowledged(n int) { note(operation{kind: acknowledge, n: n}) }

// recorded runs body and returns the operations on the files in folder.
func recorded(t *testing.T, folder string, body func()) []operation {
	t.Helper()
	install.Do(installRecorder)
	record.Lock()
	record.folder, record.log, record.names, record.fresh = folder, nil, map[uintptr]string{}, map[uintptr]bool{}
	record.Unlock()
	body()
	record.Lock()
	defer record.Unlock()
	record.folder = ""
	return record.log
}

var install sync.Once

// The recorder is a VFS that wraps SQLite's own: it replaces the method tables of files with copies whose writing methods
// also log what they did.
var (
	original sqlite3.Tsqlite3_vfs
	methods  sync.Map // the original method table -> its wrapper
	behind   sync.Map // the wrapper -> the original method table
)

func installRecorder() {
	tls := libc.NewTLS()
	sqlite3.Xsqlite3_initialize(tls)
	original = *at[sqlite3.Tsqlite3_vfs](sqlite3.Xsqlite3_vfs_find(tls, 0))
	name, err := libc.CString("recorder")
	if err != nil {
		panic(err)
	}
	p := sqlite3.Xsqlite3_malloc(tls, int32(unsafe.Sizeof(original)))
	front := at[sqlite3.Tsqlite3_vfs](p)
	*front = original
	front.FpNext, front.FzName = 0, name
	front.FxOpen = pointer(openFile)
	front.FxDelete = pointer(deleteFile)
	if sqlite3.Xsqlite3_vfs_register(tls, p, 1) != sqlite3.SQLITE_OK {
		panic("SQLite did not accept the recorder")
	}
}

// at returns the C struct at an address.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// pointer converts a Go function to a C function pointer; function converts it back.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&p)) }

type (
	openFunc     = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32
	deleteFunc   = func(tls *libc.TLS, vfs, name uintptr, syncDir int32) int32
	writeFunc    = func(tls *libc.TLS, file, data uintptr, n int32, at int64) int32
	truncateFunc = func(tls *libc.TLS, file uintptr, size int64) int32
	syncFunc     = func(tls *libc.TLS, file uintptr, flags int32) int32
)

func openFile(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	rc := function[openFunc](original.FxOpen)(tls, vfs, name, file, flags, out)
	if rc != sqlite3.SQLITE_OK || name == 0 {
		return rc
	}
	path := libc.GoString(name)
	record.Lock()
	mine := record.folder != "" && strings.HasPrefix(path, record.folder)
	if mine {
		record.names[file] = path
		record.fresh[file] = flags&sqlite3.SQLITE_OPEN_CREATE != 0 && flags&(sqlite3.SQLITE_OPEN_MAIN_JOURNAL|sqlite3.SQLITE_OPEN_WAL) != 0
	}
	record.Unlock()
	if f := at[sqlite3.Tsqlite3_file](file); mine && f.FpMethods != 0 {
		f.FpMethods = wrapper(tls, f.FpMethods)
	}
	return rc
}

// wrapper returns the method table that wraps another one.
func wrapper(tls *libc.TLS, table uintptr) uintptr {
	if known, ok := methods.Load(table); ok {
		return known.(uintptr)
	}
	p := sqlite3.Xsqlite3_malloc(tls, int32(unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{})))
	front := at[sqlite3.Tsqlite3_io_methods](p)
	*front = *at[sqlite3.Tsqlite3_io_methods](table)
	front.FxWrite, front.FxTruncate, front.FxSync = pointer(writeFile), pointer(truncateFile), pointer(syncFile)
	behind.Store(p, table)
	methods.Store(table, p)
	return p
}

// its returns the original methods of a file and its name.
func its(file uintptr) (*sqlite3.Tsqlite3_io_methods, string) {
	table, _ := behind.Load(at[sqlite3.Tsqlite3_file](file).FpMethods)
	record.Lock()
	defer record.Unlock()
	return at[sqlite3.Tsqlite3_io_methods](table.(uintptr)), record.names[file]
}

func writeFile(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32 {
	m, name := its(file)
	rc := function[writeFunc](m.FxWrite)(tls, file, data, n, offset)
	if rc == sqlite3.SQLITE_OK {
		note(operation{kind: write, file: name, at: offset, data: append([]byte(nil), unsafe.Slice(at[byte](data), n)...)})
	}
	return rc
}

func truncateFile(tls *libc.TLS, file uintptr, size int64) int32 {
	m, name := its(file)
	rc := function[truncateFunc](m.FxTruncate)(tls, file, size)
	if rc == sqlite3.SQLITE_OK {
		note(operation{kind: truncate, file: name, at: size})
	}
	return rc
}

// syncFile also logs that SQLite syncs the folder, which it does with the first sync of a journal or write-ahead log that it
// may have created.
func syncFile(tls *libc.TLS, file uintptr, flags int32) int32 {
	m, name := its(file)
	record.Lock()
	began, fresh := len(record.log), record.fresh[file]
	record.fresh[file] = false
	record.Unlock()
	rc := function[syncFunc](m.FxSync)(tls, file, flags)
	if rc == sqlite3.SQLITE_OK {
		note(operation{kind: sync_, file: name, upTo: began, folder: fresh})
	}
	return rc
}

func deleteFile(tls *libc.TLS, vfs, name uintptr, syncDir int32) int32 {
	rc := function[deleteFunc](original.FxDelete)(tls, vfs, name, syncDir)
	path := libc.GoString(name)
	record.Lock()
	mine := record.folder != "" && strings.HasPrefix(path, record.folder)
	record.Unlock()
	if rc == sqlite3.SQLITE_OK && mine {
		note(operation{kind: remove, file: path, folder: syncDir != 0})
	}
	return rc
}
