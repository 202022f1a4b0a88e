package model_test

import (
	"testing"

	"recado/internal/model"
)

func TestMediaLimits(t *testing.T) {
	for kind, want := range map[model.MediaKind]int64{
		model.MediaImage: 5_242_880, model.MediaSticker: 512_000, model.MediaAudio: 16_777_216,
		model.MediaVideo: 16_777_216, model.MediaDocument: 104_857_600,
	} {
		if kind.Limit() != want || kind.Inline() == (kind == model.MediaDocument) {
			t.Errorf("want kind.Limit() == want and kind.Inline() != (kind == model.MediaDocument); got %+v, %+v, %+v", kind, kind.Limit(), kind.Inline())
		}
	}
}
