package httpserver

import (
	"io"
	"strconv"
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
	Unmarshal: UnmarshalJSON,
}

// buffers keeps the memory of finished answers for the next ones, unless an answer was unusually large.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxBuffer = 256 << 10

// appendAnswer writes lists by hand around their elements, which may write themselves: reflection over
// a page of nouns costs more than everything else in the answer.
func appendAnswer(b []byte, v any) ([]byte, error) {
	if l, ok := v.(interface {
		AppendBody(b []byte) ([]byte, error)
	}); ok {
		return l.AppendBody(b)
	}
	return kernel.AppendJSON(b, v)
}

// AppendBody writes the list.
func (l List[T]) AppendBody(b []byte) ([]byte, error) {
	b, err := appendData(b, l.Data)
	return append(b, '}'), err
}

// AppendBody writes the list.
func (l OffsetList[T]) AppendBody(b []byte) ([]byte, error) {
	b, err := appendData(b, l.Data)
	b = strconv.AppendInt(append(b, `,"limit":`...), int64(l.Limit), 10)
	b = strconv.AppendInt(append(b, `,"offset":`...), int64(l.Offset), 10)
	b = strconv.AppendBool(append(b, `,"has_more":`...), l.HasMore)
	return append(b, '}'), err
}

// AppendBody writes the list.
func (l CursorList[T]) AppendBody(b []byte) ([]byte, error) {
	b, err := appendData(b, l.Data)
	return append(AppendCursor(b, l.NextCursor), '}'), err
}

// AppendCursor writes the member next_cursor.
func AppendCursor(b []byte, cursor *string) []byte {
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
		if b, err = kernel.AppendJSON(b, &data[i]); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

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
