package kerneltest

import (
	"reflect"
	"time"

	"pgregory.net/rapid"

	"recado/internal/kernel"
)

// SameAsReflection fails when a noun's AppendJSON differs from what its tags say.
func SameAsReflection(t *rapid.T, noun kernel.JSONAppender) {
	t.Helper()
	want, err := kernel.AppendJSON(nil, withoutMethods(reflect.ValueOf(noun)).Interface())
	if err != nil {
		t.Fatal(err)
	}
	if got := string(noun.AppendJSON(nil)); got != string(want) {
		t.Fatalf("\n got %s\nwant %s", got, want)
	}
}

// withoutMethods gives a pointer to a struct as one whose types have no AppendJSON.
func withoutMethods(v reflect.Value) reflect.Value {
	bare := reflect.New(bareType(v.Type().Elem()))
	for i := range bare.Elem().NumField() {
		from, to := v.Elem().Field(i), bare.Elem().Field(i)
		switch {
		case from.Type() == to.Type():
			to.Set(from)
		case !from.IsNil():
			to.Set(withoutMethods(from))
		}
	}
	return bare
}

func bareType(t reflect.Type) reflect.Type {
	fields := make([]reflect.StructField, t.NumField())
	for i := range fields {
		f := t.Field(i)
		if f.Type.Kind() == reflect.Pointer && f.Type.Implements(reflect.TypeFor[kernel.JSONAppender]()) {
			f.Type = reflect.PointerTo(bareType(f.Type.Elem()))
		}
		fields[i] = reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag}
	}
	return reflect.StructOf(fields)
}

// What nouns are made of.
var (
	IDs     = rapid.Custom(AnyID)
	Moments = rapid.Custom(func(t *rapid.T) time.Time {
		at := time.UnixMilli(rapid.Int64Range(-62135596800000, 253402300799999).Draw(t, "ms")).Add(time.Duration(rapid.Int64Range(0, 999_999).Draw(t, "ns")))
		return at.In(time.FixedZone("", rapid.IntRange(-12, 14).Draw(t, "zone")*3600))
	})
)

// AnyID draws an id.
func AnyID(t *rapid.T) kernel.ID {
	return kernel.ID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
}

// Maybe draws a value, or nil.
func Maybe[T any](t *rapid.T, of *rapid.Generator[T]) *T { return rapid.Ptr(of, true).Draw(t, "maybe") }
