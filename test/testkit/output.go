package testkit

import (
	"bytes"
	"sync"
)

// Output collects what a process or a goroutine prints, while the test reads it.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write adds to the text.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// String is the text so far.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
