package talk

import (
	"testing"

	"recado/internal/kernel"
	"recado/test/testkit"
)

func TestANoteMentionsAtMostTwentyMembers(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		in := NewNote{ClientID: kernel.NewID(), Text: "Look at this."}
		for range MaxMentions {
			in.Mentions = append(in.Mentions, o.owner.User.ID)
		}
		conversation := o.customer(t, 1)
		note, _, err := o.nodes[0].CreateNote(t.Context(), o.owner, conversation, in)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Equal(t, "number of mentions", len(note.Mentions), 1)
		in.ClientID, in.Mentions = kernel.NewID(), append(in.Mentions, o.owner.User.ID)
		_, _, err = o.nodes[0].CreateNote(t.Context(), o.owner, conversation, in)
		testkit.Equal(t, "code of one mention more", kernel.CodeOf(err), kernel.CodeInvalidRequest)
	})
}
