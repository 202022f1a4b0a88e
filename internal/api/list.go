package api

import (
	"io"
	"strconv"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"recado/internal/desk"
	"recado/internal/input"
	"recado/internal/model"
)

// list is the form of every list without paging.
type list[T any] struct {
	Data []T `json:"data"`
}

// Page is the offset paging that lists without a cursor take.
type Page struct {
	Limit  int `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Offset int `query:"offset" minimum:"0" maximum:"1000000" default:"0" doc:"The number of entries to skip."`
}

// offsetList is the form of lists with offset paging.
type offsetList[T any] struct {
	Data    []T  `json:"data"`
	Limit   int  `json:"limit"`
	Offset  int  `json:"offset"`
	HasMore bool `json:"has_more"`
}

func offsetPage[T any](asked Page, page desk.Page[T]) offsetList[T] {
	return offsetList[T]{Data: page.Data, Limit: asked.Limit, Offset: asked.Offset, HasMore: page.More}
}

// cursorList is the form of lists with cursor paging.
type cursorList[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"next_cursor" doc:"Send it as cursor to get the next page; null on the last page."`
}

// cursorPage answers with a page; next is "" on the last one.
func cursorPage[T any](data []T, next string) *reply[cursorList[T]] {
	out := cursorList[T]{Data: data}
	if next != "" {
		out.NextCursor = &next
	}
	return &reply[cursorList[T]]{out}
}

// jsonFormat decodes strictly and encodes as package model does.
var jsonFormat = huma.Format{
	Marshal: func(w io.Writer, v any) error {
		buffer := buffers.Get().(*[]byte)
		defer buffers.Put(buffer)
		b, err := appendAnswer((*buffer)[:0], v)
		if err != nil {
			return err
		}
		if cap(b) <= maxBuffer {
			*buffer = b
		}
		_, err = w.Write(b)
		return err
	},
	Unmarshal: input.UnmarshalJSON,
}

// buffers keeps the memory of finished answers for the next ones, unless an answer was unusually large.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxBuffer = 256 << 10

// appendAnswer writes lists by hand around their elements, which may write themselves: reflection over
// a page of nouns costs more than everything else in the answer.
func appendAnswer(b []byte, v any) ([]byte, error) {
	if l, ok := v.(interface {
		appendJSON(b []byte) ([]byte, error)
	}); ok {
		return l.appendJSON(b)
	}
	return model.AppendJSON(b, v)
}

func (l list[T]) appendJSON(b []byte) ([]byte, error) {
	b, err := appendData(b, l.Data)
	return append(b, '}'), err
}

func (l offsetList[T]) appendJSON(b []byte) ([]byte, error) {
	b, err := appendData(b, l.Data)
	b = strconv.AppendInt(append(b, `,"limit":`...), int64(l.Limit), 10)
	b = strconv.AppendInt(append(b, `,"offset":`...), int64(l.Offset), 10)
	b = strconv.AppendBool(append(b, `,"has_more":`...), l.HasMore)
	return append(b, '}'), err
}

func (l cursorList[T]) appendJSON(b []byte) ([]byte, error) {
	b, err := appendData(b, l.Data)
	return append(appendCursor(b, l.NextCursor), '}'), err
}

func (l conversationList) appendJSON(b []byte) ([]byte, error) {
	b, err := offsetList[model.Conversation]{Data: l.Data, Limit: l.Limit, Offset: l.Offset, HasMore: l.HasMore}.appendJSON(b)
	return append(appendCursor(b[:len(b)-1], l.NextCursor), '}'), err
}

func appendCursor(b []byte, cursor *string) []byte {
	b = append(b, `,"next_cursor":`...)
	if cursor == nil {
		return append(b, "null"...)
	}
	return append(append(append(b, '"'), *cursor...), '"') // base64url: nothing to escape
}

func appendData[T any](b []byte, data []T) (_ []byte, err error) {
	b = append(b, `{"data":[`...)
	for i := range data {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = model.AppendJSON(b, &data[i]); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}
