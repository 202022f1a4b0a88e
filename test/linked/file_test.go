package linked_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"

	"recado/internal/channels/linked"
	"recado/internal/kernel"
	"recado/test/linkedtest"
	"recado/test/testkit"
)

// oggVoice returns an Opus recording of three seconds.
func oggVoice() string {
	page := func(position uint64, body string) string {
		return "OggS\x00\x00" + string(binary.LittleEndian.AppendUint64(nil, position)) + strings.Repeat("\x00", 12) + "\x01" + string(rune(len(body))) + body
	}
	return page(0, "OpusHead\x01\x01\x38\x01\x80\xbb\x00\x00\x00\x00\x00") + page(3*48_000+312, "sound")
}

// mp4Video returns a video of 640 by 360 pixels and 2.6 seconds.
func mp4Video() string {
	box := func(name string, content ...string) string {
		all := strings.Join(content, "")
		return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(all)))) + name + all
	}
	number := func(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }
	header := strings.Repeat("\x00", 12) + number(1000) + number(2600) + strings.Repeat("\x00", 80)
	track := strings.Repeat("\x00", 40) + number(0x10000) + strings.Repeat("\x00", 32) + number(640<<16) + number(360<<16)
	handler := strings.Repeat("\x00", 8) + "vide" + strings.Repeat("\x00", 13)
	return box("ftyp", "isom\x00\x00\x02\x00isom") + box("moov", box("mvhd", header), box("trak", box("tkhd", track), box("mdia", box("hdlr", handler)))) + box("mdat", "frames")
}

// webpSticker is a picture of 512 by 512 pixels.
const webpSticker = "RIFF\x16\x00\x00\x00WEBPVP8 \x0a\x00\x00\x00\x00\x00\x00\x9d\x01\x2a\x00\x02\x00\x02"

func TestTextsDoNotWaitForFilesThatAreUploaded(t *testing.T) {
	t.Parallel()
	d := startWith(t, func(m *linked.Manager) { m.FileMemory = int64(2 * len(png)) })
	d.hurry(t)
	d.link(t)
	var uploading atomic.Int64
	goOn := make(chan struct{})
	d.phone.OnUpload(func(n int) {
		uploading.Store(max(uploading.Load(), int64(n)))
		<-goOn
	})
	post := func(number int, body string) {
		to := d.A.Post(t, "/conversations", fmt.Sprintf(`{"channel_id": %q, "phone": "+551195555%04d"}`, d.channel, number)).OK(201).ID()
		d.A.Post(t, "/conversations/"+to+"/messages", fmt.Sprintf(`{"client_id": %q, %s}`, kernel.NewID(), body)).OK(201)
	}
	const files = 4
	for i := range files {
		post(i, fmt.Sprintf(`"media_id": %q`, d.A.Upload(t, "photo.png", []byte(png)).OK(201).ID()))
	}
	post(files, `"text": "Olá"`)
	testkit.Eventually(t, "the text is sent", func() bool { return len(d.phone.Sent()) == 1 })
	testkit.Eventually(t, "two files are uploaded", func() bool { return uploading.Load() == 2 })
	close(goOn)
	testkit.Eventually(t, "the files are sent", func() bool {
		d.Clock.Advance(time.Second)
		return len(d.phone.Sent()) == files+1
	})
	testkit.Equal(t, "files that were uploaded at a time", uploading.Load(), 2)
}

func TestEveryKindOfFileIsSent(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		id := d.conversation(t)
		for _, c := range []struct {
			name, content, fields string
			kind                  whatsmeow.MediaType
			read                  func(m *waE2E.Message) (whatsmeow.DownloadableMessage, []any)
			want                  []any
		}{
			{
				"photo.png", png, `, "text": "Here"`, whatsmeow.MediaImage,
				func(m *waE2E.Message) (whatsmeow.DownloadableMessage, []any) {
					f := m.GetImageMessage()
					return f, []any{f.GetMimetype(), f.GetCaption(), f.GetWidth(), f.GetHeight()}
				},
				[]any{"image/png", "Here", uint32(1), uint32(1)},
			},
			{
				"voice.ogg", oggVoice(), `, "voice": true`, whatsmeow.MediaAudio,
				func(m *waE2E.Message) (whatsmeow.DownloadableMessage, []any) {
					f := m.GetAudioMessage()
					return f, []any{f.GetMimetype(), f.GetPTT(), f.GetSeconds()}
				},
				[]any{"audio/ogg; codecs=opus", true, uint32(3)},
			},
			{
				"song.ogg", oggVoice(), ``, whatsmeow.MediaAudio,
				func(m *waE2E.Message) (whatsmeow.DownloadableMessage, []any) {
					f := m.GetAudioMessage()
					return f, []any{f.GetMimetype(), f.GetPTT(), f.GetSeconds()}
				},
				[]any{"audio/ogg; codecs=opus", false, uint32(3)},
			},
			{
				"film.mp4", mp4Video(), `, "text": "Look"`, whatsmeow.MediaVideo,
				func(m *waE2E.Message) (whatsmeow.DownloadableMessage, []any) {
					f := m.GetVideoMessage()
					return f, []any{f.GetMimetype(), f.GetCaption(), f.GetWidth(), f.GetHeight(), f.GetSeconds()}
				},
				[]any{"video/mp4", "Look", uint32(640), uint32(360), uint32(3)},
			},
			{
				"wave.webp", webpSticker, ``, whatsmeow.MediaImage,
				func(m *waE2E.Message) (whatsmeow.DownloadableMessage, []any) {
					f := m.GetStickerMessage()
					return f, []any{f.GetMimetype(), f.GetWidth(), f.GetHeight()}
				},
				[]any{"image/webp", uint32(512), uint32(512)},
			},
			{
				"bill.pdf", "%PDF-1.4\n%%EOF\n", ``, whatsmeow.MediaDocument,
				func(m *waE2E.Message) (whatsmeow.DownloadableMessage, []any) {
					f := m.GetDocumentMessage()
					return f, []any{f.GetMimetype(), f.GetFileName(), f.Caption == nil}
				},
				[]any{"application/pdf", "bill.pdf", true},
			},
			{ // phones show the caption of a document only in this form
				"offer.pdf", "%PDF-1.4\n%%EOF\n", `, "text": "Our offer"`, whatsmeow.MediaDocument,
				func(m *waE2E.Message) (whatsmeow.DownloadableMessage, []any) {
					f := m.GetDocumentWithCaptionMessage().GetMessage().GetDocumentMessage()
					return f, []any{f.GetMimetype(), f.GetFileName(), f.GetCaption()}
				},
				[]any{"application/pdf", "offer.pdf", "Our offer"},
			},
		} {
			file := d.A.Upload(t, c.name, []byte(c.content)).OK(201).ID()
			_, sent := d.send(t, id, fmt.Sprintf(`"media_id": %q`, file)+c.fields)
			m, got := c.read(sent.Message)
			testkit.Diff(t, c.name, got, c.want)
			testkit.Diff(t, "the uploaded "+c.name, d.phone.FileOf(m), linkedtest.File{Data: []byte(c.content), Kind: c.kind})
		}
	})
}
