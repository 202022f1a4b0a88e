package channels

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/jobs"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// The states of an import.
const (
	ImportRequested = "requested"
	ImportRunning   = "running"
	ImportDone      = "done"
	ImportDeclined  = "declined"
	ImportFailed    = "failed"
)

// Import is the import of the contacts and the history of the WhatsApp Business app. It happens once, after the number is
// connected.
type Import struct {
	State    string           `json:"state" enum:"requested,running,done,declined,failed" doc:"requested: nothing has arrived yet. declined: the business did not agree to share its history when it connected the number."`
	Progress int64            `json:"progress" minimum:"0" maximum:"100" doc:"The percentage of the history that has arrived."`
	Reason   *provider.Reason `json:"reason" doc:"The reason why the import failed; null in other states."`
}

// WakeImports is the name of the wakeup of the loop that requests imports.
const WakeImports = "imports"

// Meta accepts requests within a day after the number was connected. An import of which nothing arrives for importSilence has
// failed.
const (
	importWithin  = 24 * time.Hour
	importSilence = 7 * 24 * time.Hour
	importRetry   = 2 * time.Minute
	importPoll    = 10 * time.Second
)

// The steps of an import, in order.
const (
	stepContacts = "contacts"
	stepHistory  = "history"
	stepWait     = "wait" // for the first callback
)

// syncTypes are Meta's names of the steps.
var syncTypes = map[string]string{stepContacts: "smb_app_state_sync", stepHistory: "history"}

// beginImport makes the import of a connected number due that is used in the WhatsApp Business app too, unless it was made due
// before.
func (d *Channels) beginImport(tx *kernel.Tx, company, channel kernel.ID) {
	tx.Later(`
		UPDATE channels
		SET import_state = 'requested', import_step = 'contacts', import_began_at = $3, import_due_at = $3
		WHERE company = $1 AND id = $2 AND coexistence AND import_state IS NULL AND provider = 'whatsapp' AND status = 'connected'`,
		company, channel, tx.Now)
	tx.AfterCommit(d.Wakeup(WakeImports).Notify)
}

// forgetImport forgets an import that failed or was declined, or that of another number, so that a new one can begin when the
// channel is connected again.
func forgetImport(tx *kernel.Tx, company, channel kernel.ID, phoneNumberID string) {
	tx.Later(`
		UPDATE channels
		SET import_state = NULL, import_progress = 0, import_reason = NULL, import_began_at = NULL, import_step = NULL,
			import_tries = 0, import_due_at = NULL
		WHERE company = $1 AND id = $2 AND (phone_number_id <> $3 OR import_state IN ('failed', 'declined'))`, company, channel, phoneNumberID)
}

// channelImport returns the import of a channel that is used in the WhatsApp Business app. It is requested when the channel is
// connected.
func (d *Channels) channelImport(ctx context.Context, ch Channel) (*Import, error) {
	out := &Import{State: ImportRequested}
	err := d.Store.ReadOne(ctx, func(tx *kernel.Tx) error {
		_, err := tx.One(`
			SELECT import_state, import_progress, import_reason
			FROM channels
			WHERE company = $1 AND id = $2 AND import_state IS NOT NULL`, []any{ch.Company, ch.ID}, func(r db.Row) {
			out = &Import{
				State: r.Text("import_state"), Progress: r.Int("import_progress"),
				Reason: kernel.ReadJSON[provider.Reason](r, "import_reason"),
			}
		})
		return err
	})
	return out, err
}

// UpdateImport stores what the provider reports about an import. Reports may arrive in any order.
func UpdateImport(tx *kernel.Tx, ch *Channel, in *provider.IncomingImport) {
	if in.Declined {
		tx.Later(`
			UPDATE channels
			SET import_state = 'declined', import_reason = NULL
			WHERE company = $1 AND id = $2 AND coexistence AND (import_state IS NULL OR import_state IN ('requested', 'failed'))`,
			ch.Company, ch.ID)
		return
	}
	tx.Later(`
		UPDATE channels
		SET import_state = CASE WHEN $3 = 100 OR import_state = 'done' THEN 'done' ELSE 'running' END, import_reason = NULL,
			import_progress = CASE WHEN $3 > import_progress THEN $3 ELSE import_progress END,
			import_due_at = CASE WHEN import_step = 'wait' THEN $4 ELSE import_due_at END
		WHERE company = $1 AND id = $2 AND coexistence`, ch.Company, ch.ID, in.Progress, tx.Now.Add(importSilence))
}

// importClaim is a step of an import that this node does.
type importClaim struct {
	company, channel kernel.ID
	step, state      string
	tries            int64
	began            time.Time
	until            time.Time // when the step is due again
}

// claimImport returns a step that is due. It is due again after some minutes unless advanceImport or endImport follows. A number
// whose callbacks do not arrive here waits until it is too late, because Meta sends the data only once.
func (d *Channels) claimImport(ctx context.Context) (claim importClaim, found bool, err error) {
	err = d.Store.Write(ctx, func(tx *kernel.Tx) (err error) {
		found, err = tx.One(`
			SELECT /* all companies: due work */ company, id, import_step, import_state, import_tries, import_began_at
			FROM channels
			WHERE import_due_at <= $1 AND coexistence AND (
				import_began_at < $2 OR status = 'connected' AND (warning IS NULL OR warning NOT LIKE '%"no_callbacks"%'))
			ORDER BY import_due_at
			LIMIT 1`+tx.Dialect().Lock(` FOR UPDATE SKIP LOCKED`), []any{tx.Now, tx.Now.Add(-importWithin)}, func(r db.Row) {
			claim = importClaim{
				r.ID("company"), r.ID("id"), r.Text("import_step"), r.Text("import_state"), r.Int("import_tries") + 1,
				r.Time("import_began_at"), tx.Now.Add(importRetry),
			}
		})
		if err == nil && found {
			tx.Later(`UPDATE channels SET import_due_at = $3, import_tries = $4 WHERE company = $1 AND id = $2`,
				claim.company, claim.channel, claim.until, claim.tries)
		}
		return err
	})
	return claim, found, err
}

// advanceImport makes the step after a request due, unless the import began again meanwhile.
func (d *Channels) advanceImport(ctx context.Context, claim importClaim) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		next, due, running := stepHistory, tx.Now, tx.Now
		if claim.step == stepHistory {
			next, due, running = stepWait, tx.Now.Add(importWithin), tx.Now.Add(importSilence)
		}
		tx.Later(`
			UPDATE channels
			SET import_step = $4, import_tries = 0, import_due_at = CASE WHEN import_state = 'running' THEN CAST($6 AS BIGINT) ELSE $5 END
			WHERE company = $1 AND id = $2 AND import_step = $3 AND import_due_at = $7`,
			claim.company, claim.channel, claim.step, next, due, running, claim.until)
		return nil
	})
}

// endImport ends the requests of an import, unless it began again or something arrived meanwhile. Its state changes only if nothing
// has arrived, or nothing more for a long time.
func (d *Channels) endImport(ctx context.Context, claim importClaim, state string, reason *provider.Reason) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.Later(`
			UPDATE channels
			SET import_step = 'wait',
				import_due_at = CASE WHEN import_state = 'running' AND import_step <> 'wait' THEN CAST($6 AS BIGINT) END,
				import_reason = CASE WHEN import_state = 'requested' OR import_state = 'running' AND import_step = 'wait'
					THEN $4 ELSE import_reason END,
				import_state = CASE WHEN import_state = 'requested' OR import_state = 'running' AND import_step = 'wait'
					THEN $3 ELSE import_state END
			WHERE company = $1 AND id = $2 AND import_due_at = $5`,
			claim.company, claim.channel, state, kernel.WriteJSON(reason), claim.until, tx.Now.Add(importSilence))
		return nil
	})
}

// importFailures are the reasons of failed imports, with their messages.
var importFailures = map[string]string{
	"already_done": "The contacts and the history of this number were requested before, and WhatsApp sends them only once.",
	"too_late":     "WhatsApp sends contacts and history only within 24 hours after the number was connected.",
	"not_answered": "WhatsApp accepted the request but sent no history.",
	"stopped":      "WhatsApp stopped sending the history before it was complete.",
	"refused":      "WhatsApp did not accept the request for contacts and history.",
}

func importFailure(detail string, refused *provider.SendError) *provider.Reason {
	params := kernel.Params{}
	if refused != nil {
		params = refused.Params()
	}
	params["reason"] = detail
	return new(provider.NewReason("import_failed", importFailures[detail], params))
}

// Imports is the worker that requests the contacts and the history of numbers that are also used in the WhatsApp Business app.
type Imports struct {
	Desk   *Channels
	Graph  *Graph
	Logger *slog.Logger
}

// Run requests imports until ctx ends.
func (i *Imports) Run(ctx context.Context) {
	jobs.Repeat(ctx, i.Logger, "imports", i.Desk.Wakeup(WakeImports).C, importPoll, i.step)
}

// step does one step of one import. After a day Meta accepts no request, so none is made. The history is requested even if Meta
// refuses the contacts. If Meta says that it was done before and this is not the first try, an earlier try succeeded
// and its result was lost.
func (i *Imports) step(ctx context.Context) (more bool, err error) {
	claim, found, err := i.Desk.claimImport(ctx)
	if err != nil || !found {
		return false, err
	}
	switch {
	case claim.step == stepWait && claim.state == ImportRunning:
		return true, i.Desk.endImport(ctx, claim, ImportFailed, importFailure("stopped", nil))
	case claim.step == stepWait:
		return true, i.Desk.endImport(ctx, claim, ImportFailed, importFailure("not_answered", nil))
	case i.Desk.Now().Sub(claim.began) > importWithin:
		return true, i.Desk.endImport(ctx, claim, ImportFailed, importFailure("too_late", nil))
	}
	_, access, found, err := i.Desk.Access(ctx, claim.company, claim.channel)
	if err != nil || !found {
		return true, err
	}
	err = i.Graph.RequestImport(ctx, access, syncTypes[claim.step])
	refused, ok := errors.AsType[*provider.SendError](err)
	refusedForGood := ok && (refused.Code == "import_failed" || !refused.Retry && !refused.Disconnect && refused.ProviderCode != 0)
	switch {
	case err == nil:
		return true, i.Desk.advanceImport(ctx, claim)
	case !ok:
		return true, err
	case refused.Detail == "already_done" && claim.tries > 1:
		return true, i.Desk.advanceImport(ctx, claim)
	case refused.Detail == "declined":
		return true, i.Desk.endImport(ctx, claim, ImportDeclined, nil)
	case refusedForGood && refused.Detail != "too_late" && claim.step == stepContacts:
		return true, i.Desk.advanceImport(ctx, claim)
	case refused.Code == "import_failed":
		return true, i.Desk.endImport(ctx, claim, ImportFailed, importFailure(refused.Detail, refused))
	case refusedForGood:
		return true, i.Desk.endImport(ctx, claim, ImportFailed, importFailure("refused", refused))
	}
	i.Logger.Warn("cannot request the history of a channel",
		slog.String("channel", claim.channel.String()), slog.String("step", claim.step), slog.Any("error", err))
	return true, nil
}
