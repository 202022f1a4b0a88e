package media

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxFileNameBytes = 255

// SafeName returns a name that can be shown, stored and downloaded: the last part of a path, without control or
// invisible characters, direction marks, or characters that file systems forbid. If the ending does not match the
// type, the usual one is added. An empty name is derived from the type.
func SafeName(name, mimeType string) string {
	t, known := types[mimeType]
	name = cleanName(name)
	if name == "" {
		if !known {
			return "file"
		}
		return string(t.kind) + t.endings[0]
	}
	if reservedName(name) {
		name = "_" + name
	}
	ending := path.Ext(name)
	if known && !slices.Contains(t.endings, strings.ToLower(ending)) {
		ending = t.endings[0]
	} else {
		name = strings.TrimSuffix(name, ending)
	}
	if len(ending) > 32 {
		name, ending = name+ending, ""
	}
	return cut(name, maxFileNameBytes-len(ending)) + ending
}

func cleanName(name string) string {
	name = strings.ToValidUTF8(name, "")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co):
			return -1
		case strings.ContainsRune(`<>:"|?*`, r):
			return '_'
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, name)
	return strings.Trim(name, " .") // a leading dot hides a file, Windows drops a trailing one
}

// reservedName reports whether Windows treats a name as a device, with any ending.
func reservedName(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch stem = strings.TrimSpace(stem); stem {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(stem) == 4 && (strings.HasPrefix(stem, "COM") || strings.HasPrefix(stem, "LPT")) && stem[3] >= '0' && stem[3] <= '9'
}

// cut shortens s to at most n bytes without splitting a character or ending in a dot or space.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimRight(s[:n], " .")
}
