package db

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"recado/internal/kernel/base"
)

const (
	maxGroup  = 256
	idleAfter = time.Second // without writes, before the log is folded back into the database
	idleAgain = time.Minute
)

var (
	errClosed = error(&base.Error{Code: base.CodeUnavailable, Message: "The server is stopping. Try again.", RetryAfter: 2 * time.Second})
	errExited = errors.New("db: a transaction ended the goroutine of the writer; nothing is written any more")
	errLost   = errors.New("db: the database rolled back the whole group")
)

// The writer owns the one connection that changes a SQLite database. Callers queue closures, and the writer runs up to 256 of
// them in one durable transaction. If one fails after it has written something, the group is rolled back and runs
// again with a savepoint around each closure, so that a failure affects no other closure. The writer never waits for a
// group to fill: while one group is committed, the next one gathers in the queue.
type writer struct {
	c     *liteConn
	now   func() time.Time
	queue chan *request
	done  chan struct{} // closed when the last one is answered
	idle  func()        // housekeeping on the connection, outside transactions
	busy  func()        // the same, between two groups

	closing sync.RWMutex // held to queue; taken whole to close the queue
	closed  bool

	group   []*request
	next    int  // the first of the group that has not run
	careful bool // the group runs again, in savepoints
}

type request struct {
	fn      func(tx *Tx) error
	claimed atomic.Bool // by the writer, to run it, or by a caller that gave up
	answer  chan error
	tx      Tx
	err     error
}

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
	r := &request{fn: fn, answer: make(chan error, 1)}
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
	if err != nil {
		return nil, err
	}
	return r.tx.after, nil
}

func (w *writer) enqueue(ctx context.Context, r *request) error {
	w.closing.RLock()
	defer w.closing.RUnlock()
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

// loop answers requests until close. A closure must return: one that ends the goroutine with runtime.Goexit, as a test's
// FailNow does, ends the writer, and every write from then on gets an error.
func (w *writer) loop() {
	defer w.end()
	for w.collect() {
		w.runGroup()
	}
}

// end answers all that still wait, which after close is nothing.
func (w *writer) end() {
	w.rollback()
	w.answer(errExited)
	go w.refuse() // it waits for callers that are adding to the queue, which is emptied meanwhile
	for r := range w.queue {
		if r.claimed.CompareAndSwap(false, true) {
			r.answer <- errExited
		}
	}
	close(w.done)
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
	if len(w.group) == 0 { // all gave up
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
		if w.careful {
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
	switch {
	case err == nil && w.careful:
		err = w.c.run("RELEASE one")
	case err == nil || !r.tx.wrote && !w.careful:
	case len(w.group) == 1:
		w.rollback()
	case w.careful:
		if undo := w.undo(); undo != nil {
			err = errors.Join(err, undo)
			w.rollback()
		}
	case !w.c.conn.AutocommitEnabled():
		r.err = liteError(err)
		w.again()
		return
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

// again lets the group run from its beginning, each in a savepoint.
func (w *writer) again() {
	w.rollback()
	w.next, w.careful = 0, true
	for _, r := range w.group {
		r.tx, r.err = Tx{}, nil
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

// answer returns to every caller of the group its own error, or else that of the commit.
func (w *writer) answer(commit error) {
	commit = liteError(commit)
	for i, r := range w.group {
		if r.err == nil {
			r.err = commit
		}
		r.answer <- r.err
		w.group[i] = nil
	}
	w.group, w.next, w.careful = w.group[:0], 0, false
}

func (w *writer) close() {
	w.refuse()
	<-w.done
}

// refuse takes no more requests.
func (w *writer) refuse() {
	w.closing.Lock()
	defer w.closing.Unlock()
	if !w.closed {
		w.closed = true
		close(w.queue)
	}
}
