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
	idleAfter = time.Second // without writes, before idle is called
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
	done  chan struct{} // closed when no request is left
	idle  func()        // called when there is nothing to do
	busy  func()        // called after each group

	closing sync.RWMutex // locked to close the queue
	closed  bool

	group   []*request
	next    int  // the next request of the group
	careful bool // the group runs again with savepoints
}

type request struct {
	fn      func(tx *Tx) error
	claimed atomic.Bool // by the writer, or by a caller that gave up
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

// loop runs requests until close. A closure that ends the goroutine with runtime.Goexit, as FailNow of a test does, ends the
// writer, and all later writes fail.
func (w *writer) loop() {
	defer w.end()
	for w.collect() {
		w.runGroup()
	}
}

// end fails the requests that are left. After close there are none.
func (w *writer) end() {
	w.rollback()
	w.answer(errExited)
	go w.refuse() // waits for callers that are adding to the queue, which is emptied meanwhile
	for r := range w.queue {
		if r.claimed.CompareAndSwap(false, true) {
			r.answer <- errExited
		}
	}
	close(w.done)
}

// collect waits for requests and takes those that are queued. It returns false after close, when the queue is empty.
func (w *writer) collect() bool {
	// Callers that just got their response often have more to write: let them run first, as long as the queue grows.
	for before := -1; before < len(w.queue) && len(w.queue) < maxGroup; {
		before = len(w.queue)
		runtime.Gosched()
	}
	w.group, w.next = w.group[:0], 0
	r, open := w.wait()
	for open {
		if r.claimed.CompareAndSwap(false, true) {
			w.group = append(w.group, r)
		}
		if len(w.group) == maxGroup {
			return true
		}
		select {
		case r, open = <-w.queue:
		default:
			return true
		}
	}
	return len(w.group) > 0
}

// wait returns the next request, and false after close, when the queue is empty.
func (w *writer) wait() (r *request, open bool) {
	timer := time.NewTimer(idleAfter)
	defer timer.Stop()
	for {
		select {
		case r, open = <-w.queue:
			return r, open
		case <-timer.C:
			w.idle()
			timer.Reset(idleAgain)
		}
	}
}

// runGroup runs the requests of the group and commits them.
func (w *writer) runGroup() {
	if len(w.group) == 0 { // all callers gave up
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

// finish ends a request of the group.
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
	if w.c.conn.AutocommitEnabled() { // SQLite has rolled back everything, because the disk is full for example
		for _, before := range w.group[:w.next] {
			if before.err == nil {
				before.err = liteError(errors.Join(errLost, err))
			}
		}
	}
}

// again makes the group run again, each request in a savepoint.
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
		_ = w.c.run("ROLLBACK") // the error before it is reported
	}
}

// answer returns its own error or that of the commit to each caller of the group.
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

// refuse closes the queue.
func (w *writer) refuse() {
	w.closing.Lock()
	defer w.closing.Unlock()
	if !w.closed {
		w.closed = true
		close(w.queue)
	}
}
