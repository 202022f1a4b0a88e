package api_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"testing"

	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

// jpegFile returns a JPEG file.
func jpegFile(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// amrFile returns an AMR file with frames of 20 milliseconds.
func amrFile(frames int) []byte {
	frame := append([]byte{0x04}, make([]byte, 12)...)
	return append([]byte("#!AMR\n"), bytes.Repeat(frame, frames)...)
}

func TestFilesHaveDimensionsAndDuration(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		photo := w.A.Upload(t, "photo.jpg", jpegFile(t, 320, 200)).OK(201)
		testkit.Diff(t, "width", photo.At("width"), float64(320))
		testkit.Diff(t, "height", photo.At("height"), float64(200))
		testkit.Diff(t, "duration", photo.At("duration_seconds"), nil)
		voice := w.A.Upload(t, "voice.amr", amrFile(75)).OK(201)
		testkit.Diff(t, "duration", voice.At("duration_seconds"), 1.5)
		testkit.Diff(t, "width", voice.At("width"), nil)
		text := w.A.Upload(t, "note.txt", []byte("plain text")).OK(201)
		testkit.Diff(t, "width", text.At("width"), nil)
		broken := w.A.Upload(t, "broken.jpg", jpegFile(t, 8, 8)[:40]).OK(201)
		testkit.Diff(t, "width of a broken picture", broken.At("width"), nil)

		t.Run("sent and received messages and their pages have them too", func(t *testing.T) {
			in := w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":%q,"media_id":%q}`, phoneNumber(1), photo.ID())).OK(201)
			testkit.Diff(t, "height", in.At("media", "height"), float64(200))
			at := "/conversations/" + in.Text("conversation")
			w.A.Post(t, at+"/messages", fmt.Sprintf(`{"client_id":%q,"media_id":%q}`, kernel.NewID(), voice.ID())).OK(201)
			for _, page := range []string{"/messages", "/timeline"} {
				response := w.A.Get(t, at+page).OK(200)
				for _, text := range []string{`"width":320,"height":200,"duration_seconds":null`, `"width":null,"height":null,"duration_seconds":1.5`} {
					testkit.Contains(t, page, response.Raw, text)
				}
			}
		})
	})
}

func TestTheFilesOfAConversationAreListed(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		var messages, files []string
		conversation := ""
		for n := range 5 {
			file := w.A.Upload(t, "photo.jpg", jpegFile(t, 10+n, 10)).OK(201).ID()
			m := w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":%q,"media_id":%q}`, phoneNumber(1), file)).OK(201)
			w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":%q,"text":"no file"}`, phoneNumber(1))).OK(201)
			conversation = m.Text("conversation")
			messages, files = append([]string{m.ID()}, messages...), append([]string{file}, files...)
		}
		path, got, found := "/conversations/"+conversation+"/media?limit=2", []string{}, []string{}
		for cursor := ""; ; {
			page := w.A.Get(t, path+cursor).OK(200)
			for i := range page.List() {
				got, found = append(got, page.Text("data", i, "message")), append(found, page.Text("data", i, "id"))
				testkit.Diff(t, "height", page.At("data", i, "height"), float64(10))
			}
			if page.At("next_cursor") == nil {
				break
			}
			cursor = "&cursor=" + page.Text("next_cursor")
		}
		testkit.Diff(t, "messages", got, messages)
		testkit.Diff(t, "files", found, files)
		w.B.Get(t, "/conversations/"+conversation+"/media").Fails(404, "not_found")
		w.A.Get(t, "/conversations/"+conversation+"/media?cursor=x").Fails(400, "invalid_cursor")
		own := addMember(t, w, "Ana", `"access_profile":"own"`)
		own.Get(t, "/conversations/"+conversation+"/media").Fails(404, "not_found")
	})
}
