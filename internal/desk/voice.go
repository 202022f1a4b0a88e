package desk

import (
	"bytes"
	"io"
	"path"
	"strings"

	"recado/internal/filetype"
	"recado/internal/model"
	"recado/internal/voice"
)

// repackaged turns a WebM file with nothing but a track of Opus, as browsers record it, into Ogg, which WhatsApp takes. Any
// other file is given back as it is.
func repackaged(head []byte, rest io.Reader, fileName string) ([]byte, io.Reader, string, error) {
	most := model.MediaAudio.Limit()
	file, err := io.ReadAll(io.LimitReader(io.MultiReader(bytes.NewReader(head), rest), most+1))
	if err != nil {
		return nil, nil, "", errUploadCut(err)
	}
	if int64(len(file)) > most {
		return nil, nil, "", errMediaTooLarge(model.MediaAudio)
	}
	if ogg, ok := voice.FromWebM(file); ok {
		file, fileName = ogg, strings.TrimSuffix(fileName, path.Ext(fileName))+".ogg"
	}
	head = file[:min(len(file), filetype.Bytes)]
	return head, bytes.NewReader(file[len(head):]), fileName, nil
}
