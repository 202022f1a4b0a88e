//go:build !nolinked

package server

import (
	"recado/internal/channels"
	"recado/internal/channels/linked"
	"recado/internal/talk"
)

// newLinked returns the provider of linked numbers.
var newLinked = func(s *Server) channels.Linked { return s.NewLinked(nil) }

// NewLinked returns a provider of linked numbers that uses other connections than those to WhatsApp's servers.
func (s *Server) NewLinked(client linked.NewClient) channels.Linked {
	m := &linked.Manager{
		Desk: s.Desk.Channels, Receive: s.Desk.Talk.Receive, PictureID: s.Desk.Talk.GroupPictureID, CustomerTypes: s.Desk.Talk.CustomerTypes,
		NewClient: client, Logger: s.config.Logger, Lease: s.config.Lease,
	}
	s.Desk.Talk.Observe(talk.Observer{Viewed: m.Viewed})
	return m
}
