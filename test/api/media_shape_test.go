package api_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"testing"

	"recado/internal/kernel"
	"recado/test/servertest"
)

// picture is a JPEG file.
func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sound is an AMR file of that many frames of 20 milliseconds.
func sound(frames int) []byte {
	frame := append([]byte{0x04}, make([]byte, 12)...)
	return append([]byte("#!AMR\n"), bytes.Repeat(frame, frames)...)
}

func TestFilesTellTheirDimensionsAndDuration(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		photo := w.A.Upload(t, "photo.jpg", picture(t, 320, 200)).OK(201)
		want(t, "width", photo.At("width"), any(float64(320)))
		want(t, "height", photo.At("height"), any(float64(200)))
		want(t, "duration", photo.At("duration_seconds"), nil)
		voice := w.A.Upload(t, "voice.amr", sound(75)).OK(201)
		want(t, "duration", voice.At("duration_seconds"), any(1.5))
		want(t, "width", voice.At("width"), nil)
		text := w.A.Upload(t, "note.txt", []byte("plain text")).OK(201)
		want(t, "width", text.At("width"), nil)
		broken := w.A.Upload(t, "broken.jpg", picture(t, 8, 8)[:40]).OK(201)
		want(t, "a broken picture", broken.At("width"), nil)

		t.Run("in messages that are sent and received, and in pages of them", func(t *testing.T) {
			in := w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":%q,"media_id":%q}`, phoneNumber(1), photo.ID())).OK(201)
			want(t, "height", in.At("media", "height"), any(float64(200)))
			at := "/conversations/" + in.Text("conversation")
			w.A.Post(t, at+"/messages", fmt.Sprintf(`{"client_id":%q,"media_id":%q}`, kernel.NewID(), voice.ID())).OK(201)
			for _, page := range []string{"/messages", "/timeline"} {
				answer := w.A.Get(t, at+page).OK(200)
				for _, text := range []string{`"width":320,"height":200,"duration_seconds":null`, `"width":null,"height":null,"duration_seconds":1.5`} {
					if !bytes.Contains(answer.Raw, []byte(text)) {
						t.Errorf("%s: %s has no %s", page, answer.Raw, text)
					}
				}
			}
		})
	})
}

func TestTheFilesOfAConversation(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		var messages, files []string
		conversation := ""
		for n := range 5 {
			file := w.A.Upload(t, "photo.jpg", picture(t, 10+n, 10)).OK(201).ID()
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
				want(t, "height", page.At("data", i, "height"), any(float64(10)))
			}
			if page.At("next_cursor") == nil {
				break
			}
			cursor = "&cursor=" + page.Text("next_cursor")
		}
		want(t, "messages", got, messages)
		want(t, "files", found, files)
		w.B.Get(t, "/conversations/"+conversation+"/media").Fails(404, "not_found")
		w.A.Get(t, "/conversations/"+conversation+"/media?cursor=x").Fails(400, "invalid_cursor")
		own := addMember(t, w, "Ana", `"access_profile":"own"`)
		own.Get(t, "/conversations/"+conversation+"/media").Fails(404, "not_found")
	})
}
