// Package model holds the nouns and rules of the desk: types, validation, scopes, event names,
// error codes, schedules. It is pure: no database, no HTTP, no clock of its own.
package model
