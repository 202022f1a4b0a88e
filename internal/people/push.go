package people

import (
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// The kinds of notifications that are sent to devices.
const (
	PushMessage  = "message"  // a customer wrote in a conversation for which the member is responsible
	PushAssigned = "assigned" // another person made the member responsible
	PushMention  = "mention"  // a note names the member
	PushQueue    = "queue"    // a conversation entered the queue of one of the member's sectors
	PushFailed   = "failed"   // a message of the member could not be sent
	PushSLA      = "sla"      // a target of the service level is nearly due or was missed
)

// AllPushKinds lists the kinds of notifications.
var AllPushKinds = []string{PushMessage, PushAssigned, PushMention, PushQueue, PushFailed, PushSLA}

// PushPreferences say which notifications are sent to the devices of a person, and when none are.
type PushPreferences struct {
	Kinds []string    `json:"kinds" enum:"message,assigned,mention,queue,failed,sla" doc:"The kinds of notifications that are sent. message: a customer wrote in a conversation for which the person is responsible."`
	Quiet *QuietHours `json:"quiet" doc:"The hours in which nothing is sent; null if there are none."`
}

// QuietHours are the hours of every day in which nothing is sent. They may include midnight.
type QuietHours struct {
	From string `json:"from" doc:"The beginning as HH:MM, in the company's time zone." example:"22:00"`
	To   string `json:"to" doc:"The end as HH:MM, on the next day if it is earlier than from." example:"07:00"`
}

// Include reports whether a time, in the company's time zone, is within the quiet hours. It returns false for nil.
func (q *QuietHours) Include(now time.Time) bool {
	if q == nil {
		return false
	}
	from, ok := minuteOfDay(q.From)
	to, ok2 := minuteOfDay(q.To)
	if !ok || !ok2 {
		return false
	}
	at := now.Hour()*60 + now.Minute()
	if from < to {
		return from <= at && at < to
	}
	return at >= from || at < to
}

// minuteOfDay parses HH:MM, up to 23:59.
func minuteOfDay(s string) (int, bool) {
	if len(s) != 5 || s[2] != ':' {
		return 0, false
	}
	hour, err := strconv.ParseUint(s[:2], 10, 8)
	minute, err2 := strconv.ParseUint(s[3:], 10, 8)
	return int(hour*60 + minute), err == nil && err2 == nil && hour < 24 && minute < 60
}

// PushChange lists the preferences to change; absent fields stay as they are.
type PushChange struct {
	Kinds *[]string                   `json:"kinds,omitempty" maxItems:"100" enum:"message,assigned,mention,queue,failed,sla" doc:"Replaces all kinds."`
	Quiet kernel.Optional[QuietHours] `json:"quiet,omitempty" required:"false" doc:"The hours in which nothing is sent; null removes them."`
}

// apply validates a change and makes it.
func (in *PushChange) apply(p *PushPreferences) error {
	if in.Kinds != nil {
		p.Kinds = []string{}
		for _, kind := range AllPushKinds {
			if slices.Contains(*in.Kinds, kind) {
				p.Kinds = append(p.Kinds, kind)
			}
		}
	}
	if !in.Quiet.Set {
		return nil
	}
	p.Quiet = in.Quiet.Pointer()
	if p.Quiet == nil {
		return nil
	}
	if _, ok := minuteOfDay(p.Quiet.From); !ok {
		return kernel.Malformed("body.push.quiet.from", "clock")
	}
	if _, ok := minuteOfDay(p.Quiet.To); !ok {
		return kernel.Malformed("body.push.quiet.to", "clock")
	}
	if p.Quiet.From == p.Quiet.To {
		return kernel.Invalid("body.push.quiet.to", kernel.RuleWrongOrder, "must not be the same as from")
	}
	return nil
}

// quietSchema is the schema of quiet hours that may be null.
type quietSchema struct{}

// Schema implements huma.SchemaProvider.
func (quietSchema) Schema(r huma.Registry) *huma.Schema {
	quiet := *r.SchemaFromRef(r.Schema(reflect.TypeFor[QuietHours](), true, "").Ref)
	quiet.Nullable = true
	return &quiet
}

// PushRecipient is the holder of a session to which a notification may be sent.
type PushRecipient struct {
	Principal   *kernel.Principal
	Preferences Preferences
	Now         time.Time // in the company's time zone
	Texts       bool      // the company allows texts of messages in notifications
}

// FindPushRecipient returns the holder of a session, or nil if the session has ended.
func (d *People) FindPushRecipient(tx *kernel.Tx, company, session kernel.ID) (*PushRecipient, error) {
	h, err := findSession(tx, company, session)
	if err != nil || h == nil || h.expired(tx.Now) {
		return nil, err
	}
	r := &PushRecipient{Principal: d.sessionPrincipal(h)}
	if r.Preferences, err = MemberPreferences(tx, company, h.Member.ID); err != nil {
		return nil, err
	}
	zone, invalid := kernel.LoadZone("timezone", h.Company.Timezone)
	if invalid != nil {
		return nil, invalid
	}
	r.Now = tx.Now.In(zone)
	r.Texts, err = pushTexts(tx, company)
	return r, err
}

func pushTexts(tx *kernel.Tx, company kernel.ID) (texts bool, err error) {
	_, err = tx.One(`SELECT push_texts FROM companies WHERE id = $1`, []any{company}, func(r db.Row) { texts = r.Bool("push_texts") })
	return texts, err
}
