package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"recado/internal/kernel"
)

// listFlags are the flags of listings.
type listFlags struct {
	JSON bool `name:"json" help:"Print a JSON list instead of a table."`
}

// printList prints a list as JSON, or as a table with an optional header.
func printList[T any](e *env, f listFlags, header string, list []T, row func(w io.Writer, entry *T)) error {
	if f.JSON {
		if list == nil {
			list = []T{}
		}
		raw, err := kernel.AppendJSON(nil, list)
		if err == nil {
			_, err = fmt.Fprintf(e.stdout, "%s\n", raw)
		}
		return err
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	_, _ = io.WriteString(w, header)
	for i := range list {
		row(w, &list[i])
	}
	return w.Flush()
}
