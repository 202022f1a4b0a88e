// Package model holds the nouns and rules of the desk: types, validation, scopes, event names,
// and error codes. It uses no database and no network. Only NewID reads the clock and random bytes.
package model
