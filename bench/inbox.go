package main

import (
	"context"

	"recado/bench/load"
	"recado/internal/kernel"
	"recado/internal/talk"
)

// openTalks is how many conversations of the inbox scenario are open, however many there are: what an inbox shows may
// cost as much as there are of these, and not more where others are closed.
const openTalks = 300

var (
	littleInbox = talkCorpus{conversations: 1_000, messages: 2_000, open: openTalks}
	muchInbox   = talkCorpus{conversations: 200_000, messages: 400_000, open: openTalks}
)

// runInbox compares what the app asks for all the time at much data and at little.
func runInbox(ctx context.Context, b *bench) error {
	var talks [2]*talking
	var servers [2]*servedBy
	for i, size := range []talkCorpus{muchInbox, littleInbox} {
		var err error
		if talks[i], err = b.serveTalk(ctx, size); err != nil {
			return err
		}
		servers[i] = talks[i].servedBy
	}
	for _, question := range []struct {
		name string
		ask  func(s *talking) asking
	}{
		{"conversations, status=waiting", func(s *talking) asking { return s.get("/v1/conversations?status=waiting") }},
		{"conversations, the longest waiting first", func(s *talking) asking {
			return s.get("/v1/conversations?status=waiting&sort=oldest_waiting")
		}},
		{"inbox/counts", func(s *talking) asking { return s.get("/v1/inbox/counts") }},
		{"timeline", func(s *talking) asking { return s.timeline }},
	} {
		err := b.contrast(ctx, leastOfSmall, question.name, servers, func(i int) asking { return question.ask(talks[i]) })
		if err != nil {
			return err
		}
	}
	return nil
}

// timeline asks for the timelines of many conversations.
func (s *talking) timeline(_, i int, r *load.Request) {
	r.Path = "/v1/conversations/" + s.thread(i) + "/timeline"
	r.Set("Authorization", s.bearer())
}

// wait gives a conversation an open attendance in which the customer waits.
func (w *talkWriter) wait(c *talk.Conversation) {
	since := c.LastMessage.CreatedAt
	c.Attendance = &talk.OpenAttendance{ID: kernel.NewID(), Number: int64(1_000_000 + c.Sequence), OpenedAt: since, WaitingSince: &since}
	c.UnreadCount = 1
}
