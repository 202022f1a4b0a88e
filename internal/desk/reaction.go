package desk

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"recado/internal/emoji"
	"recado/internal/model"
	"recado/internal/retry"
	"recado/internal/store"
)

// React puts the team's reaction on a message, in place of an earlier one, and sends it to the provider.
func (d *Desk) React(ctx context.Context, a *Principal, id model.ID, with string) (*model.Message, error) {
	if err := a.May(VerbReact); err != nil {
		return nil, err
	}
	if !emoji.IsOne(with) {
		return nil, model.Invalid("body.emoji", "must be one emoji")
	}
	return d.setReaction(ctx, a, id, with)
}

// RemoveReaction takes the team's reaction to a message back, at the provider too.
func (d *Desk) RemoveReaction(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbRemoveReaction); err != nil {
		return err
	}
	_, err := d.setReaction(ctx, a, id, "")
	return err
}

func (d *Desk) setReaction(ctx context.Context, a *Principal, id model.ID, with string) (*model.Message, error) {
	return write(ctx, d, func(tx *store.Tx) (*model.Message, error) {
		m, visibility, found, err := tx.Message(a.Company.ID, id)
		if err != nil || !found || !a.MaySeeBy(&visibility) {
			return nil, errOr(err, model.NotFound("message"))
		}
		o, found, err := tx.LockOutbox(a.Company.ID, m.Conversation, model.ID{}, a.User.ID)
		if err != nil || !found || !a.MaySee(&o.Conversation) {
			return nil, errOr(err, model.NotFound("message"))
		}
		if m, _, _, err = tx.Message(a.Company.ID, id); err != nil { // as it is now that its conversation is locked
			return nil, err
		}
		t := d.locked(tx, o.Conversation)
		if err := maySend(t, a, &o, &NewMessage{}); err != nil {
			return nil, err
		}
		if m.ExternalID == nil || m.RevokedAt != nil {
			return nil, model.Errorf(model.CodeMessageNotSent, "This message was not sent or was deleted, so it takes no reaction.")
		}
		return &m, t.react(&m, model.Reaction{Emoji: with, By: model.ByTeam, User: &model.Ref{ID: a.User.ID, Name: a.User.Name}, At: tx.Now}, o.Provider)
	})
}

// react records the team's reaction and sends it on where it differs from the one before.
func (t *lockedConversation) react(m *model.Message, r model.Reaction, provider string) error {
	before := teamReaction(m)
	shown := m.Reactions.Set(r)
	if !shown && (r.Emoji == "" || before.User != nil && *before.User == *r.User) {
		return nil
	}
	t.tx.SaveReactions(m)
	if shown && provider != model.ProviderSandbox {
		t.tx.InsertReaction(model.NewID(), t.next(), m, r.Emoji)
		t.tx.AfterCommit(t.d.notifySend)
	}
	err := t.emitUpdated(m, fieldReactions)
	t.saveProgress()
	return err
}

// teamReaction gives the team's reaction to a message; a zero one where there is none.
func teamReaction(m *model.Message) model.Reaction {
	if i := slices.IndexFunc(m.Reactions, func(r model.Reaction) bool { return r.By == model.ByTeam }); i >= 0 {
		return m.Reactions[i]
	}
	return model.Reaction{}
}

// reactionPrefix begins the client id under which a provider gets a reaction.
const reactionPrefix = "reaction."

// reactionClientID names the message that a reaction is on, and the reaction itself.
func reactionClientID(on, reaction model.ID) string {
	return reactionPrefix + on.String() + "." + reaction.String()
}

// reactionDone settles a reaction that was being sent. One that the provider refuses is taken back here.
func (in *inboundBatch) reactionDone(t *batchConversation, lease Lease, job store.Queued, cause error) error {
	if cause == nil {
		in.tx.DeleteSend(job.Message)
		return nil
	}
	if cause != errLeftInTheMiddle {
		if mine, err := in.tx.StillSending(lease, job.Message); err != nil || !mine {
			return err
		}
	}
	now := in.tx.Now
	switch next := retry.Reaction(cause, int(job.Attempts)+1, now.Sub(job.Message.Time())); next.Decision {
	case retry.Again:
		in.tx.RequeueSend(job.Message, now.Add(next.Wait))
		return nil
	case retry.Held:
		in.disconnectFor(cause)
		in.tx.RequeueSend(job.Message, now)
		return nil
	}
	in.tx.DeleteSend(job.Message)
	return in.reactionRefused(t, *job.ReactsTo)
}

// reactionStatus takes a provider's report about a reaction. It reports false when the report is about a message.
func (in *inboundBatch) reactionStatus(s *model.IncomingStatus) (bool, error) {
	rest, isReaction := strings.CutPrefix(s.ClientID, reactionPrefix)
	on, _, _ := strings.Cut(rest, ".")
	id, ok := model.ParseID(on)
	if !isReaction || !ok || s.Status != model.StatusFailed {
		return isReaction, nil
	}
	conversation, found, err := in.tx.ConversationOfMessage(in.channel.ID, id)
	if err != nil || !found {
		return true, err
	}
	t, err := in.locked(conversation)
	if err != nil || t == nil {
		return true, err
	}
	return true, in.reactionRefused(t, id)
}

// reactionRefused takes the team's reaction to a message back, because the customer does not see it.
func (in *inboundBatch) reactionRefused(t *batchConversation, message model.ID) error {
	m, _, found, err := in.tx.Message(in.channel.Company, message)
	if err != nil || !found || !m.Reactions.Set(model.Reaction{By: model.ByTeam, At: in.tx.Now}) {
		return err
	}
	in.tx.AfterCommit(func() {
		in.d.log.Warn("the provider refused a reaction", slog.String("channel", in.channel.ID.String()), slog.String("message", message.String()))
	})
	t.silent = false
	return in.messageChanged(t, &m, fieldReactions)
}
