package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

const (
	variablePrefix = "RECADO_"
	debugVariable  = variablePrefix + "DEBUG"
)

// unknownVariables warns about variables that look like settings but do not exist, and suggests similar ones. It does not show
// values.
func unknownVariables(environ []string, commands *kong.Node) []string {
	known := map[string]bool{debugVariable: true}
	addVariables(known, commands)
	var warnings []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, variablePrefix) || known[name] {
			continue
		}
		warning := "the variable " + name + " is not a setting of Recado and has no effect"
		if near := nearest(name, known); near != "" {
			warning += "; did you mean " + near + "?"
		}
		warnings = append(warnings, warning)
	}
	slices.Sort(warnings)
	return warnings
}

// addVariables adds the variables of all flags.
func addVariables(known map[string]bool, node *kong.Node) {
	for _, flag := range node.Flags {
		if flag.Name != "help" && !flag.Tag.Has("noenv") {
			known[variable(flag.Name)] = true
		}
	}
	for _, child := range node.Children {
		addVariables(known, child)
	}
}

// nearest returns the most similar known name, or "" if there is none.
func nearest(name string, known map[string]bool) string {
	best, least := "", 4
	for candidate := range known {
		if d := distance(name, candidate); d < least || d == least && candidate < best {
			best, least = candidate, d
		}
	}
	if least > 3 {
		return ""
	}
	return best
}

// distance returns the edit distance of two names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
