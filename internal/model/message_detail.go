package model

import (
	"slices"
	"time"
)

// The two sides that react to messages.
const (
	ByCustomer = "customer"
	ByTeam     = "team"
)

// Reaction is an emoji that a person put on a message.
type Reaction struct {
	Emoji string    `json:"emoji"`
	By    string    `json:"by" enum:"customer,team"`
	User  *Ref      `json:"user" doc:"The team member, where the reaction was made here."`
	At    time.Time `json:"at"`

	// Contact is the customer who reacted. It tells the members of a group apart.
	Contact *ID `json:"-"`
}

// Reactions are all that is known of the reactions to one message. One that was taken back stays in the
// list with an empty emoji, so that an earlier one of the same person that arrives late changes nothing.
type Reactions []Reaction

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

func sameID(a, b *ID) bool { return a == b || a != nil && b != nil && *a == *b }

// MessageAuthor is who wrote a message in a group.
type MessageAuthor struct {
	ID   *ID    `json:"id" doc:"The contact; null where the desk has none."`
	Name string `json:"name"`
}

// Referral is the ad or post that led a customer to write.
type Referral struct {
	SourceURL      *string `json:"source_url" doc:"Address of the ad or post."`
	SourceID       *string `json:"source_id" doc:"Meta's id of the ad or post."`
	SourceType     *string `json:"source_type" doc:"ad or post."`
	Headline       *string `json:"headline"`
	Body           *string `json:"body"`
	MediaType      *string `json:"media_type" doc:"image or video."`
	ImageURL       *string `json:"image_url"`
	VideoURL       *string `json:"video_url"`
	ThumbnailURL   *string `json:"thumbnail_url"`
	CTWAClickID    *string `json:"ctwa_clid" doc:"Meta's id of the click, for its conversions API."`
	WelcomeMessage *string `json:"welcome_message" doc:"The greeting that the ad showed."`
}

// Product is the catalogue item that a customer asks about.
type Product struct {
	CatalogID         string `json:"catalog_id"`
	ProductRetailerID string `json:"product_retailer_id"`
}
