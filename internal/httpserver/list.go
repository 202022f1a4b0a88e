package httpserver

import (
	"io"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"recado/internal/kernel"
)

// List is the form of every list without paging.
type List[T any] struct {
	Data []T `json:"data"`
}

// Page is the offset paging that lists without a cursor take.
type Page struct {
	Limit  int `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Offset int `query:"offset" minimum:"0" maximum:"1000000" default:"0" doc:"The number of entries to skip."`
}

// OffsetList is the form of lists with offset paging.
type OffsetList[T any] struct {
	Data    []T  `json:"data"`
	Limit   int  `json:"limit"`
	Offset  int  `json:"offset"`
	HasMore bool `json:"has_more"`
}

// OffsetPage returns the response for a page that was asked for by its offset.
func OffsetPage[T any](asked Page, page kernel.Page[T]) OffsetList[T] {
	return OffsetList[T]{Data: page.Data, Limit: asked.Limit, Offset: asked.Offset, HasMore: page.More}
}

// CursorList is the form of lists with cursor paging.
type CursorList[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"next_cursor" doc:"Send it as cursor to get the next page; null on the last page."`
}

// CursorPage answers with a page; next is "" on the last one.
func CursorPage[T any](data []T, next string) *Reply[CursorList[T]] {
	out := CursorList[T]{Data: data}
	if next != "" {
		out.NextCursor = &next
	}
	return &Reply[CursorList[T]]{Body: out}
}

// jsonFormat decodes strictly and encodes as package kernel does.
var jsonFormat = huma.Format{
	Marshal: func(w io.Writer, v any) error {
		if answer, ok := v.(*stored); ok {
			_, err := w.Write(answer.Answer.Body)
			return err
		}
		buffer := buffers.Get().(*[]byte)
		defer buffers.Put(buffer)
		b, err := kernel.AppendJSON((*buffer)[:0], v)
		if err != nil {
			return err
		}
		if cap(b) <= maxBuffer {
			*buffer = b
		}
		_, err = w.Write(b)
		return err
	},
	Unmarshal: UnmarshalJSON,
}

// buffers keeps the memory of finished answers for the next ones, unless an answer was unusually large.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxBuffer = 256 << 10

// BoolOrNil reads a query parameter that is true, false or absent.
func BoolOrNil(text string) *bool {
	if text == "" {
		return nil
	}
	value := IsTrue(text)
	return &value
}

// IsTrue reads a query parameter that is true or false, or 1 or 0.
func IsTrue(text string) bool { return text == "true" || text == "1" }
