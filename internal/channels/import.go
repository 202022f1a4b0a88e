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

// Meta accepts requests within a day after the number was connected.
const (
	importWithin = 24 * time.Hour
	importRetry  = 2 * time.Minute
	importPoll   = 10 * time.Second
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

// channelImport returns the import of a channel, or nil.
func (d *Channels) channelImport(ctx context.Context, ch Channel) (out *Import, err error) {
	err = d.Store.ReadOne(ctx, func(tx *kernel.Tx) error {
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
			import_progress = CASE WHEN $3 > import_progress THEN $3 ELSE import_progress END
		WHERE company = $1 AND id = $2 AND coexistence`, ch.Company, ch.ID, in.Progress)
}

// importClaim is a step of an import that this node does.
type importClaim struct {
	company, channel kernel.ID
	step, state      string
	tries            int64
	began            time.Time
}

// claimImport returns a step that is due. It is due again after some minutes unless finishImport follows. A number whose callbacks
// do not arrive here waits, because Meta sends the data only once.
func (d *Channels) claimImport(ctx context.Context) (claim importClaim, found bool, err error) {
	err = d.Store.Write(ctx, func(tx *kernel.Tx) (err error) {
		found, err = tx.One(`
			SELECT /* all companies: due work */ company, id, import_step, import_state, import_tries, import_began_at
			FROM channels
			WHERE import_due_at <= $1 AND status = 'connected' AND coexistence
				AND (warning IS NULL OR warning NOT LIKE '%"no_callbacks"%')
			ORDER BY import_due_at
			LIMIT 1`+tx.Dialect().Lock(` FOR UPDATE SKIP LOCKED`), []any{tx.Now}, func(r db.Row) {
			claim = importClaim{
				r.ID("company"), r.ID("id"), r.Text("import_step"), r.Text("import_state"), r.Int("import_tries") + 1,
				r.Time("import_began_at"),
			}
		})
		if err == nil && found {
			tx.Later(`UPDATE channels SET import_due_at = $3, import_tries = $4 WHERE company = $1 AND id = $2`,
				claim.company, claim.channel, tx.Now.Add(importRetry), claim.tries)
		}
		return err
	})
	return claim, found, err
}

// advanceImport makes the step after a request that Meta accepted due.
func (d *Channels) advanceImport(ctx context.Context, claim importClaim) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		next, due := stepHistory, tx.Now
		if claim.step == stepHistory {
			next, due = stepWait, tx.Now.Add(importWithin)
		}
		tx.Later(`
			UPDATE channels
			SET import_step = $4, import_tries = 0, import_due_at = $5
			WHERE company = $1 AND id = $2 AND import_step = $3`, claim.company, claim.channel, claim.step, next, due)
		return nil
	})
}

// endImport ends the requests of an import. Its state changes only if nothing has arrived.
func (d *Channels) endImport(ctx context.Context, claim importClaim, state string, reason *provider.Reason) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.Later(`
			UPDATE channels
			SET import_step = 'wait', import_due_at = NULL,
				import_reason = CASE WHEN import_state = 'requested' THEN $4 ELSE import_reason END,
				import_state = CASE WHEN import_state = 'requested' THEN $3 ELSE import_state END
			WHERE company = $1 AND id = $2`, claim.company, claim.channel, state, kernel.WriteJSON(reason))
		return nil
	})
}

// importFailures are the reasons of failed imports, with their messages.
var importFailures = map[string]string{
	"already_done": "The contacts and the history of this number were requested before, and WhatsApp sends them only once.",
	"too_late":     "WhatsApp sends contacts and history only within 24 hours after the number was connected.",
	"not_answered": "WhatsApp accepted the request but sent no history.",
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

// step does one step of one import. If Meta says that it was done before and this is not the first try, an earlier try succeeded
// and its result was lost.
func (i *Imports) step(ctx context.Context) (more bool, err error) {
	claim, found, err := i.Desk.claimImport(ctx)
	if err != nil || !found {
		return false, err
	}
	if claim.step == stepWait {
		return true, i.Desk.endImport(ctx, claim, ImportFailed, importFailure("not_answered", nil))
	}
	_, access, found, err := i.Desk.Access(ctx, claim.company, claim.channel)
	if err != nil || !found {
		return true, err
	}
	err = i.Graph.RequestImport(ctx, access, syncTypes[claim.step])
	refused, ok := errors.AsType[*provider.SendError](err)
	late := i.Desk.Now().Sub(claim.began) > importWithin
	switch {
	case err == nil:
		return true, i.Desk.advanceImport(ctx, claim)
	case !ok:
		return true, err
	case refused.Detail == "already_done" && (claim.tries > 1 || claim.step == stepContacts):
		return true, i.Desk.advanceImport(ctx, claim)
	case refused.Detail == "declined":
		return true, i.Desk.endImport(ctx, claim, ImportDeclined, nil)
	case refused.Code == "import_failed":
		return true, i.Desk.endImport(ctx, claim, ImportFailed, importFailure(refused.Detail, refused))
	case late:
		return true, i.Desk.endImport(ctx, claim, ImportFailed, importFailure("too_late", refused))
	case !refused.Retry && !refused.Disconnect && refused.ProviderCode != 0:
		return true, i.Desk.endImport(ctx, claim, ImportFailed, importFailure("refused", refused))
	}
	i.Logger.Warn("cannot request the history of a channel",
		slog.String("channel", claim.channel.String()), slog.String("step", claim.step), slog.Any("error", err))
	return true, nil
}
