package linked_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/types"

	"recado/test/linkedtest"
	"recado/test/testkit"
)

// picturePath returns the path of the picture of a conversation, or "".
func (d *desk) picturePath(t *testing.T, id string) string {
	t.Helper()
	path, _ := d.A.Get(t, "/conversations/"+id).OK(200).At("picture").(string)
	return path
}

// pictureBecomes waits until the conversation has this picture, and returns its path.
func (d *desk) pictureBecomes(t *testing.T, id string, want []byte) (path string) {
	t.Helper()
	testkit.Eventually(t, "the group has the picture", func() bool {
		path = d.picturePath(t, id)
		return path != "" && bytes.Equal(d.A.Get(t, path).OK(200).Raw, want) && path == d.picturePath(t, id)
	})
	return path
}

// pictureEvents returns how many events report another picture.
func (d *desk) pictureEvents(t *testing.T) (n int) {
	t.Helper()
	d.SettleFeed(t)
	for _, e := range d.A.Get(t, "/events?limit=100&types=conversation.updated").OK(200).List() {
		changed, _ := e.(map[string]any)["data"].(map[string]any)["changed"].([]any)
		if slices.Contains(changed, any("picture")) {
			n++
		}
	}
	return n
}

func TestAGroupHasItsPicture(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		cake, balloons := []byte(png), []byte(png+"balloons")
		d.phone.SetGroup(theGroup("Party"))
		d.phone.SetPicture(party, cake)
		d.phone.SetPicture(types.NewJID("120363026666666666", types.GroupServer), cake) // nobody writes in it
		d.phone.Write(d.inGroup(maria, "G1"), linkedtest.Text("Who brings the cake?"))
		id := d.conversation(t)
		first := d.pictureBecomes(t, id, cake)
		got := d.A.Get(t, first).OK(200)
		for header, want := range map[string]string{
			"Content-Type": "image/png", "Cache-Control": "private, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff",
		} {
			if got.Header.Get(header) != want {
				t.Errorf("%s is %q, want %q", header, got.Header.Get(header), want)
			}
		}
		d.A.Do(t, "GET", first, nil, "If-None-Match", got.Header.Get("ETag")).OK(304)
		d.B.Get(t, first).Fails(404, "not_found")

		d.phone.SetGroup(theGroup("Big party")) // the device asks for the picture, and has it
		d.phone.SetPicture(party, balloons)
		if second := d.pictureBecomes(t, id, balloons); second == first {
			t.Errorf("the path of the new picture is still %s", second)
		}
		if cached := d.A.Get(t, first).OK(200).Header.Get("Cache-Control"); strings.Contains(cached, "immutable") {
			t.Errorf("the new picture may be cached at the old path: %s", cached)
		}
		if n := d.phone.Downloads(); n != 2 {
			t.Errorf("two pictures were downloaded %d times", n)
		}

		d.phone.SetPicture(party, nil)
		testkit.Eventually(t, "the group has no picture", func() bool { return d.picturePath(t, id) == "" })
		d.A.Get(t, first).Fails(404, "not_found")
		if n := d.pictureEvents(t); n != 3 {
			t.Errorf("%d events report three changes of the picture", n)
		}
		if all := d.A.Get(t, "/conversations").OK(200).List(); len(all) != 1 {
			t.Errorf("the picture of a group without messages opened a conversation: %v", all)
		}
	})
}

func TestAPictureThatCannotBeUsedIsIgnored(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.SetGroup(theGroup("Party"))
		d.phone.Write(d.inGroup(maria, "G1"), linkedtest.Text("Hello"))
		id := d.conversation(t)
		for i, image := range [][]byte{[]byte("<html>no picture</html>"), []byte(png + strings.Repeat("x", 256<<10))} {
			d.phone.SetPicture(party, image)
			testkit.Eventually(t, "the picture is downloaded", func() bool { return d.phone.Downloads() == i+1 })
		}
		d.phone.SetPicture(party, []byte(png))
		d.pictureBecomes(t, id, []byte(png))
		if n := d.pictureEvents(t); n != 1 {
			t.Errorf("%d events report the only picture", n)
		}
	})
}

func TestNoMessageWaitsForAPicture(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.SetGroup(theGroup("Party"))
		d.phone.SetPicture(party, []byte{}) // the download never ends
		d.phone.Write(d.inGroup(maria, "G1"), linkedtest.Text("Hello"))
		id := d.conversation(t)
		testkit.Eventually(t, "the download begins", func() bool { return d.phone.Downloads() == 1 })
		began := time.Now()
		d.phone.Write(d.inGroup(joao, "G2"), linkedtest.Text("Hi"))
		testkit.Eventually(t, "the next message", func() bool { return d.messages(t, id)["G2"] != nil })
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("a message waited %v for a picture", took)
		}
	})
}
