package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
)

// component is a component in a CycloneDX document.
type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	URL     string `json:"purl"`
	Hashes  []sum  `json:"hashes,omitempty"`
}

type sum struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn,omitempty"`
}

// components returns the modules of a program, from its build info, as a CycloneDX 1.5 document.
func components(program, version string, at time.Time) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	main := component{Type: "application", Name: info.Main.Path, Version: version, URL: "pkg:golang/" + info.Main.Path + "@" + version}
	main.Ref = main.URL
	list := []component{{
		Type: "library", Name: "std", Version: info.GoVersion, URL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
	}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		one := component{Type: "library", Name: m.Path, Version: m.Version, URL: "pkg:golang/" + m.Path + "@" + m.Version}
		if raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(raw) == 32 {
			one.Hashes = []sum{{"SHA-256", hex.EncodeToString(raw)}} // the hash in go.sum
		}
		list = append(list, one)
	}
	dependencies := dependency{Ref: main.Ref}
	for i := range list {
		list[i].Ref = list[i].URL
		dependencies.On = append(dependencies.On, list[i].Ref)
	}
	return json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":     map[string]any{"timestamp": at.Format(time.RFC3339), "component": main},
		"components":   list,
		"dependencies": []dependency{dependencies},
	}, "", "  ")
}
