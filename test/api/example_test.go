package api_test

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"recado/test/servertest"
)

func TestEveryJSONBodyHasValidExamples(t *testing.T) {
	w := servertest.Start(t, "")
	doc, err := openapi3.NewLoader().LoadFromData(w.A.Get(t, "/openapi.json").OK(200).Raw)
	if err != nil {
		t.Fatal(err)
	}
	check := func(t *testing.T, content openapi3.Content) {
		t.Helper()
		media := content["application/json"]
		if media == nil {
			return
		}
		examples := []any{}
		if media.Example != nil {
			examples = append(examples, media.Example)
		}
		for _, example := range media.Examples {
			examples = append(examples, example.Value.Value)
		}
		if len(examples) == 0 {
			t.Error("there is no example")
		}
		for _, example := range examples {
			if err := media.Schema.Value.VisitJSON(example); err != nil {
				t.Error(err)
			}
		}
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			t.Run(method+" "+path, func(t *testing.T) {
				if op.RequestBody != nil {
					check(t, op.RequestBody.Value.Content)
				}
				for _, response := range op.Responses.Map() {
					check(t, response.Value.Content)
				}
			})
		}
	}
}
