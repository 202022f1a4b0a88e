package talk

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/kernel"
)

// The two sides that react to messages.
const (
	ByCustomer = "customer"
	ByTeam     = "team"
)

// Reaction is an emoji that a person put on a message.
type Reaction struct {
	Emoji string      `json:"emoji"`
	By    string      `json:"by" enum:"customer,team"`
	User  *kernel.Ref `json:"user" doc:"The team member, where the reaction was made here."`
	At    time.Time   `json:"at"`

	// Contact is the customer who reacted. It tells the members of a group apart.
	Contact *kernel.ID `json:"-"`
}

// Reactions are all that is known of the reactions to one message. One that was taken back stays in the
// list with an empty emoji, so that an earlier one of the same person that arrives late changes nothing.
type Reactions []Reaction

// MarshalJSONTo writes the reactions that were not taken back.
func (rs Reactions) MarshalJSONTo(enc *jsontext.Encoder) error {
	shown := slices.DeleteFunc(slices.Clone([]Reaction(rs)), func(r Reaction) bool { return r.Emoji == "" })
	return json.MarshalEncode(enc, shown)
}

// maxReactions is how many people's reactions a message keeps.
const maxReactions = 256

// Set records a person's reaction, or its removal where the emoji is empty, and reports whether what is
// shown has changed. Of two reactions of the same person the later-made counts.
func (rs *Reactions) Set(r Reaction) bool {
	for i, was := range *rs {
		if was.By != r.By || r.By == ByCustomer && !sameID(was.Contact, r.Contact) {
			continue
		}
		if r.At.Before(was.At) || r.Emoji == was.Emoji && r.At.Equal(was.At) {
			return false
		}
		*rs = slices.Clone(*rs)
		(*rs)[i] = r
		return r.Emoji != was.Emoji
	}
	if len(*rs) >= maxReactions {
		return false
	}
	*rs = append(slices.Clip(*rs), r)
	return r.Emoji != ""
}

func sameID(a, b *kernel.ID) bool { return a == b || a != nil && b != nil && *a == *b }
