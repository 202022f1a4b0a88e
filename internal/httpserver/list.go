package httpserver

import (
	"io"

	"github.com/danielgtaylor/huma/v2"

	"recado/internal/kernel"
)

// List is a list without paging.
type List[T any] struct {
	Data []T `json:"data"`
}

// Page contains the query parameters of lists with offset paging.
type Page struct {
	Limit  int `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Offset int `query:"offset" minimum:"0" maximum:"1000000" default:"0" doc:"The number of entries to skip."`
}

// OffsetList is a page of a list with offset paging.
type OffsetList[T any] struct {
	Data    []T  `json:"data"`
	Limit   int  `json:"limit"`
	Offset  int  `json:"offset"`
	HasMore bool `json:"has_more"`
}

// OffsetPage returns the response with a page.
func OffsetPage[T any](in Page, page kernel.Page[T]) OffsetList[T] {
	return OffsetList[T]{Data: page.Data, Limit: in.Limit, Offset: in.Offset, HasMore: page.More}
}

// CursorList is a page of a list with cursor paging.
type CursorList[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"next_cursor" doc:"Pass it as cursor to get the next page; null on the last page."`
}

// CursorPage returns the response with a page. next is "" on the last one.
func CursorPage[T any](data []T, next string) *Reply[CursorList[T]] {
	return &Reply[CursorList[T]]{Body: CursorList[T]{Data: data, NextCursor: kernel.TextOrNil(next)}}
}

// jsonFormat decodes strictly and encodes with kernel.EncodeJSON.
var jsonFormat = huma.Format{
	Marshal: func(w io.Writer, v any) error {
		if response, ok := v.(*stored); ok {
			_, err := w.Write(response.Answer.Body)
			return err
		}
		if response, ok := v.(*csvBody); ok {
			response.stream.send(response.ctx, w)
			return nil
		}
		b, err := kernel.EncodeJSON(v)
		if err != nil {
			return err
		}
		_, err = w.Write(b)
		return err
	},
	Unmarshal: UnmarshalJSON,
}

// BoolOrNil parses a query parameter that is true, false or absent.
func BoolOrNil(text string) *bool {
	if text == "" {
		return nil
	}
	value := IsTrue(text)
	return &value
}

// IsTrue parses a query parameter that is true or false, or 1 or 0.
func IsTrue(text string) bool { return text == "true" || text == "1" }
