package store

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"recado/internal/model"
)

const (
	maxGroup  = 256
	idleAfter = time.Second // without writes, before the log is folded back into the database
	idleAgain = time.Minute
)

var (
	errClosed = error(&model.Error{Code: model.CodeUnavailable, Message: "The server is stopping.", RetryAfter: 2 * time.Second})
	errExited = errors.New("store: the goroutine of a transaction was ended inside it")
	errLost   = errors.New("store: the database rolled back the whole group")
)

// The writer owns the one connection that changes a SQLite database. Callers queue closures; it runs
// all that are waiting, up to 256, in one durable transaction, each in a savepoint so that a failing
// one takes nothing of the others with it. It never waits for a group to fill: while one group is
// being committed the next one gathers by itself.
type writer struct {
	c     *liteConn
	now   func() time.Time
	queue chan *request
	done  chan struct{} // closed when the last one is answered
	idle  func()        // housekeeping on the connection, outside transactions
	busy  func()        // the same, between two groups

	door   sync.RWMutex // held to queue; taken whole to close the queue
	closed bool

	group   []*request
	next    int      // the first of the group that has not run
	current *request // the one running
}

type request struct {
	fn      func(tx *Tx) error
	claimed atomic.Bool // by the writer, to run it, or by a caller that gave up
	answer  chan error
	tx      Tx
	err     error
}

// answers are channels that have done their duty once and may do it again.
var answers = sync.Pool{New: func() any { return make(chan error, 1) }}

func newWriter(c *liteConn, now func() time.Time, busy, idle func()) *writer {
	w := &writer{
		c: c, now: now, busy: busy, idle: idle,
		queue: make(chan *request, maxGroup),
		done:  make(chan struct{}),
		group: make([]*request, 0, maxGroup),
	}
	go w.loop()
	return w
}

func (w *writer) write(ctx context.Context, fn func(tx *Tx) error) ([]func(), error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &request{fn: fn, answer: answers.Get().(chan error)}
	if err := w.enqueue(ctx, r); err != nil {
		return nil, err
	}
	var err error
	select {
	case err = <-r.answer:
	case <-ctx.Done():
		if r.claimed.CompareAndSwap(false, true) {
			return nil, ctx.Err()
		}
		err = <-r.answer
	}
	answers.Put(r.answer)
	if err != nil {
		return nil, err
	}
	return r.tx.after, nil
}

func (w *writer) enqueue(ctx context.Context, r *request) error {
	w.door.RLock()
	defer w.door.RUnlock()
	if w.closed {
		return errClosed
	}
	select {
	case w.queue <- r:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// loop answers requests until close. A closure may end its goroutine (a test's FailNow does): then
// it alone fails, and a new goroutine goes on with the rest of the group.
func (w *writer) loop() {
	ended := false
	defer func() {
		if ended {
			close(w.done)
			return
		}
		w.finish(w.current, errExited)
		go w.loop()
	}()
	for len(w.group) > 0 || w.collect() {
		w.runGroup()
	}
	ended = true
}

// collect waits for work and takes what is there. It reports false after close, once nothing waits.
func (w *writer) collect() bool {
	// Those just answered often have more to write: they get to run first, as long as the queue grows.
	for before := -1; before < len(w.queue) && len(w.queue) < maxGroup; {
		before = len(w.queue)
		runtime.Gosched()
	}
	w.group, w.next = w.group[:0], 0
	select {
	case r, more := <-w.queue:
		if !more {
			return false
		}
		w.take(r)
	default:
		if !w.wait() {
			return false
		}
	}
	for len(w.group) < maxGroup {
		select {
		case r, more := <-w.queue:
			if !more {
				return true
			}
			w.take(r)
		default:
			return true
		}
	}
	return true
}

func (w *writer) wait() bool {
	timer := time.NewTimer(idleAfter)
	defer timer.Stop()
	for {
		select {
		case r, more := <-w.queue:
			if more {
				w.take(r)
			}
			return more
		case <-timer.C:
			w.idle()
			timer.Reset(idleAgain)
		}
	}
}

func (w *writer) take(r *request) {
	if r.claimed.CompareAndSwap(false, true) {
		w.group = append(w.group, r)
	}
}

// runGroup runs what has not run of the group, commits, and answers.
func (w *writer) runGroup() {
	if len(w.group) == 0 {
		return
	}
	if w.c.conn.AutocommitEnabled() {
		if err := w.c.run("BEGIN IMMEDIATE"); err != nil {
			w.answer(err)
			return
		}
	}
	for w.next < len(w.group) {
		r := w.group[w.next]
		w.next++
		w.current = r
		if len(w.group) > 1 {
			if err := w.c.run("SAVEPOINT one"); err != nil {
				w.finish(r, err)
				continue
			}
		}
		r.tx.open(w.c, w.now(), true)
		w.finish(r, r.tx.run(r.fn))
		if w.c.conn.AutocommitEnabled() && w.next < len(w.group) {
			if err := w.c.run("BEGIN IMMEDIATE"); err != nil {
				w.answer(err)
				return
			}
		}
	}
	var err error
	if !w.c.conn.AutocommitEnabled() {
		err = w.commit()
	}
	w.answer(err)
	w.busy()
}

// finish ends one closure's part of the transaction.
func (w *writer) finish(r *request, err error) {
	w.current = nil
	alone := len(w.group) == 1
	switch {
	case err == nil && !alone:
		err = w.c.run("RELEASE one")
	case err != nil && alone:
		w.rollback()
	case err != nil:
		if undo := w.undo(); undo != nil {
			err = errors.Join(err, undo)
			w.rollback()
		}
	}
	r.err = liteError(err)
	if w.c.conn.AutocommitEnabled() { // a full disk, for one, rolls back everything
		for _, before := range w.group[:w.next] {
			if before.err == nil {
				before.err = liteError(errors.Join(errLost, err))
			}
		}
	}
}

func (w *writer) undo() error {
	if w.c.conn.AutocommitEnabled() {
		return errLost
	}
	if err := w.c.run("ROLLBACK TO one"); err != nil {
		return err
	}
	return w.c.run("RELEASE one")
}

func (w *writer) commit() error {
	err := w.c.run("COMMIT")
	if err != nil {
		w.rollback()
	}
	return err
}

func (w *writer) rollback() {
	if !w.c.conn.AutocommitEnabled() {
		_ = w.c.run("ROLLBACK") // the commit or statement that failed before is what gets reported
	}
}

// answer tells every caller of the group: its own failure, or else that of the commit.
func (w *writer) answer(commit error) {
	commit = liteError(commit)
	for i, r := range w.group {
		if r.err == nil {
			r.err = commit
		}
		r.answer <- r.err
		w.group[i] = nil
	}
	w.group, w.next = w.group[:0], 0
}

func (w *writer) close() {
	w.door.Lock()
	w.closed = true
	close(w.queue)
	w.door.Unlock()
	<-w.done
}
