package talk

import "testing"

func TestEveryKindOfMediaHasALimit(t *testing.T) {
	for kind, want := range map[MediaKind]int64{
		MediaImage: 5_242_880, MediaSticker: 512_000, MediaAudio: 16_777_216,
		MediaVideo: 16_777_216, MediaDocument: 104_857_600,
	} {
		if kind.Limit() != want || kind.Inline() == (kind == MediaDocument) {
			t.Errorf("%s: limit %d, inline %t; want limit %d, inline %t", kind, kind.Limit(), kind.Inline(), want, kind != MediaDocument)
		}
	}
}
