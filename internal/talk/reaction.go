package talk

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/kernel"
)

// The values of Reaction.By.
const (
	ByCustomer = "customer"
	ByTeam     = "team"
)

// Reaction is an emoji that a person put on a message.
type Reaction struct {
	Emoji string      `json:"emoji"`
	By    string      `json:"by" enum:"customer,team"`
	User  *kernel.Ref `json:"user" doc:"The team member who reacted; null if the reaction was not made in Recado."`
	At    time.Time   `json:"at"`

	Contact *kernel.ID `json:"-"` // the customer who reacted, perhaps one of a group
}

// Reactions are the reactions to one message. A removed reaction stays in the list with an empty emoji, so that an older
// one of the same person that arrives late is ignored.
type Reactions []Reaction

// MarshalJSONTo encodes the reactions that were not removed.
func (rs Reactions) MarshalJSONTo(enc *jsontext.Encoder) error {
	shown := slices.DeleteFunc(slices.Clone([]Reaction(rs)), func(r Reaction) bool { return r.Emoji == "" })
	return json.MarshalEncode(enc, shown)
}

const maxReactions = 256 // per message

// Set stores a person's reaction, or its removal if the emoji is empty, and reports whether the visible reactions changed. A
// reaction that is older than the stored one of the same person is ignored.
func (rs *Reactions) Set(r Reaction) bool {
	for i, old := range *rs {
		if old.By != r.By || r.By == ByCustomer && !kernel.Same(old.Contact, r.Contact) {
			continue
		}
		if r.At.Before(old.At) || r.Emoji == old.Emoji && r.At.Equal(old.At) {
			return false
		}
		*rs = slices.Clone(*rs)
		(*rs)[i] = r
		return r.Emoji != old.Emoji
	}
	if len(*rs) >= maxReactions {
		return false
	}
	*rs = append(slices.Clip(*rs), r)
	return r.Emoji != ""
}
