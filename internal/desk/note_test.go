package desk

import (
	"testing"

	"recado/internal/model"
	"recado/internal/testkit"
)

func TestANoteMentionsAtMostTwentyMembers(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		in := NewNote{ClientID: model.NewID(), Text: "Look at this."}
		for range model.MaxMentions {
			in.Mentions = append(in.Mentions, o.owner.User.ID)
		}
		conversation := o.customer(t, 1)
		note, _, err := o.nodes[0].CreateNote(t.Context(), o.owner, conversation, in)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Equal(t, "number of mentions", len(note.Mentions), 1)
		in.ClientID, in.Mentions = model.NewID(), append(in.Mentions, o.owner.User.ID)
		_, _, err = o.nodes[0].CreateNote(t.Context(), o.owner, conversation, in)
		testkit.Equal(t, "code of one mention more", model.CodeOf(err), model.CodeInvalidRequest)
	})
}
