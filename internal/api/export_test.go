package api

import (
	"testing"
	"time"
)

// ShortenStreams makes the servers that this test starts from now on send a heartbeat, and give up a
// slow client, sooner.
func ShortenStreams(t *testing.T, heartbeat, write time.Duration) {
	oldHeartbeat, oldWrite := streamHeartbeat, streamWrite
	streamHeartbeat, streamWrite = heartbeat, write
	t.Cleanup(func() { streamHeartbeat, streamWrite = oldHeartbeat, oldWrite })
}

// StatusOf shows the table of error codes to tests.
var StatusOf = statusOf
