package desk

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/model"
	"recado/internal/store"
)

// SendJob is a message that is marked as being sent: it is handed to its provider once, and what came
// of it is reported with SendStep.
type SendJob struct {
	Out model.Outgoing

	queued store.Queued
	media  *model.ID
}

// JobID is the id of the message.
func (j SendJob) JobID() model.ID { return j.queued.Message }

// providerMediaLife is how long a file once uploaded to a provider is counted on; WhatsApp keeps it for 30 days.
const providerMediaLife = 25 * 24 * time.Hour

// sendJob says what a provider has to be told.
func (d *Desk) sendJob(tx *store.Tx, j store.Job) SendJob {
	out := model.Outgoing{ClientID: j.Message.String(), To: receiver(j)}
	if j.GroupID != nil {
		out.GroupID, out.To = *j.GroupID, model.Person{}
	}
	if j.Text != nil {
		out.Text = *j.Text
	}
	if j.ReplyTo != nil {
		out.ReplyTo = *j.ReplyTo
	}
	if j.Template != nil {
		out.Template = &model.Template{}
		if err := json.Unmarshal([]byte(*j.Template), out.Template); err != nil {
			d.log.Error("a stored template cannot be read", slog.String("message", j.Message.String()), slog.Any("error", err))
		}
		out.Text = ""
	}
	job := SendJob{Out: out, queued: j.Queued}
	if m := j.Media; m != nil {
		job.media = &m.ID
		job.Out.Media = &model.OutgoingMedia{
			Kind: string(m.Kind), MimeType: m.MimeType, FileName: m.FileName, Size: m.Size,
			Open: func() (io.ReadCloser, error) {
				file, _, err := d.blob.Open(context.Background(), m.ID)
				return file, err
			},
		}
		if at := m.Provider.At; at != nil && tx.Now.Sub(*at) < providerMediaLife {
			job.Out.Media.ProviderID = m.Provider.ID
		}
	}
	return job
}

// receiver prefers the id under which the provider knows the contact's present number.
func receiver(j store.Job) model.Person {
	var p model.Person
	if j.Phone != nil {
		p.Phone = *j.Phone
	}
	for _, id := range j.WAIDs {
		if j.Phone == nil || model.PhoneKey(id) == model.PhoneKey(*j.Phone) {
			p.WAID = id
		}
	}
	if len(j.UserIDs) > 0 {
		p.UserID = j.UserIDs[len(j.UserIDs)-1]
	}
	return p
}
