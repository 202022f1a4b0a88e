package api

import "time"

// ShortenStreams makes the server send a heartbeat, and give up a slow client, sooner. It is called before the first
// stream.
func (s *Server) ShortenStreams(heartbeat, write time.Duration) {
	s.streams.heartbeat, s.streams.write = heartbeat, write
}

// StatusOf shows the table of error codes to tests.
var StatusOf = statusOf
