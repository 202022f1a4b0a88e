// Package fields implements custom fields: their definitions, and the values of contacts, attendances and cards.
package fields

// Values are the values of the custom fields of a contact, an attendance or a card, by the key of the field.
type Values map[string]any
