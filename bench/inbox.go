package main

import (
	"context"

	"recado/bench/load"
	"recado/internal/kernel"
	"recado/internal/talk"
)

// openTalks is the number of open conversations in both sizes: the cost of an inbox must not depend on the closed ones.
const openTalks = 300

var (
	smallInbox = talkSize{conversations: 1_000, messages: 2_000, open: openTalks}
	largeInbox = talkSize{conversations: 200_000, messages: 400_000, open: openTalks}
)

// runInbox compares the frequent requests of the app with much and little data.
func runInbox(ctx context.Context, b *bench) error {
	talks, servers, err := b.serveTalks(ctx, largeInbox, smallInbox)
	if err != nil {
		return err
	}
	for _, question := range []struct {
		name string
		ask  func(s *talkServer) requestFunc
	}{
		{"conversations, status=waiting", func(s *talkServer) requestFunc { return s.get("/v1/conversations?status=waiting") }},
		{"conversations, the longest waiting first", func(s *talkServer) requestFunc {
			return s.get("/v1/conversations?status=waiting&sort=oldest_waiting")
		}},
		{"inbox/counts", func(s *talkServer) requestFunc { return s.get("/v1/inbox/counts") }},
		{"timeline", func(s *talkServer) requestFunc { return s.timeline }},
	} {
		err := b.compareServers(ctx, minOfSmall, question.name, servers, func(i int) requestFunc { return question.ask(talks[i]) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *talkServer) timeline(_, i int, r *load.Request) {
	r.Path = "/v1/conversations/" + s.thread(i) + "/timeline"
	r.Set("Authorization", s.bearer())
}

// wait adds an open attendance in which the customer is waiting.
func (w *talkWriter) wait(c *talk.Conversation) {
	since := c.LastMessage.CreatedAt
	c.Attendance = &talk.OpenAttendance{
		ID: kernel.NewID(), Number: int64(1_000_000 + c.Sequence), OpenedAt: since, WaitingSince: &since,
	}
	c.UnreadCount = 1
}
