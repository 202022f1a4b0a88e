package talk

import (
	"slices"
	"time"
	"unicode"

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

// IsOne reports whether s is exactly one emoji, which may be a sequence with variation selectors, skin tones, a keycap, tags,
// the second letter of a flag, and further emoji after a joiner.
func IsOne(s string) bool {
	runes := []rune(s)
	n, ok := one(runes)
	return ok && n == len(runes)
}

const (
	emojiJoiner = '\u200d'
	textStyle   = '\ufe0e'
	emojiStyle  = '\ufe0f'
	keycap      = '\u20e3'
	firstLetter = '\U0001F1E6' // regional indicators
	lastLetter  = '\U0001F1FF'
)

// one returns the length of the emoji at the beginning of s.
func one(s []rune) (n int, ok bool) {
	if len(s) == 0 {
		return 0, false
	}
	switch r := s[0]; {
	case isLetter(r):
		return 2, len(s) > 1 && isLetter(s[1])
	case r >= '0' && r <= '9' || r == '#' || r == '*':
		n = 1
		if n < len(s) && s[n] == emojiStyle {
			n++
		}
		return n + 1, n < len(s) && s[n] == keycap
	case !isBase(r):
		return 0, false
	}
	for n = 1; n < len(s) && isModifier(s[n]); {
		n++
	}
	if n < len(s) && s[n] == emojiJoiner {
		more, ok := one(s[n+1:])
		return n + 1 + more, ok
	}
	return n, true
}

func isLetter(r rune) bool { return r >= firstLetter && r <= lastLetter }

// isBase reports whether an emoji can begin with r. The listed punctuation has an emoji form.
func isBase(r rune) bool {
	switch r {
	case '\u203c', '\u2049', '\u2139', '\u3030', '\u303d':
		return true
	}
	return r > unicode.MaxASCII && unicode.IsSymbol(r) && !unicode.Is(unicode.Sk, r) && !unicode.Is(unicode.Sc, r)
}

// isModifier reports whether r modifies the preceding emoji: a style, a skin tone, a tag or an enclosing mark.
func isModifier(r rune) bool {
	return r == textStyle || r == emojiStyle || r == keycap || r >= '\U0001F3FB' && r <= '\U0001F3FF' || r >= '\U000E0020' && r <= '\U000E007F'
}
