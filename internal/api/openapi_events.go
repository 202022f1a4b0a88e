package api

import (
	"recado/internal/model"
	"recado/internal/openapi"
)

// eventData is what the data of each event has, by the names of their schemas; "" is a schema of its own.
var eventData = map[model.EventType][][2]string{
	model.EventMessageReceived:     {{"sequence"}, {"message", "Message"}, {"conversation", "Conversation"}},
	model.EventMessageSent:         {{"sequence"}, {"message", "Message"}, {"conversation", "Conversation"}},
	model.EventMessageUpdated:      {{"sequence"}, {"message", "Message"}, {"conversation", "Conversation"}, {"changed"}},
	model.EventConversationUpdated: {{"sequence"}, {"conversation", "Conversation"}, {"changed"}},
	model.EventAttendanceOpened:    {{"sequence"}, {"attendance", "Attendance"}, {"conversation", "Conversation"}},
	model.EventAttendanceClosed:    {{"sequence"}, {"attendance", "Attendance"}, {"conversation", "Conversation"}},
	model.EventNoteCreated:         {{"sequence"}, {"note", "Note"}, {"conversation", "Conversation"}},
	model.EventCardCreated:         {{"card", "Card"}},
	model.EventCardMoved:           {{"card", "Card"}, {"from_stage_id"}, {"to_stage_id"}, {"moved_by"}},
	model.EventCardCompleted:       {{"card", "Card"}},
	model.WebhookTest:              {{"webhook"}},
}

// eventParts are the parts of events that are no nouns of the API.
var eventParts = map[string]map[string]any{
	"sequence":      {"type": "integer", "description": "Grows with every event of the conversation."},
	"changed":       {"type": "array", "items": map[string]any{"type": "string"}, "description": "The fields that are different."},
	"from_stage_id": {"type": "string", "format": "uuid"},
	"to_stage_id":   {"type": "string", "format": "uuid"},
	"moved_by": {
		"oneOf":       []any{map[string]any{"$ref": "#/components/schemas/Ref"}, map[string]any{"type": "null"}},
		"description": "null: the system moved it.",
	},
	"webhook": {"type": "object", "required": []any{"id", "name"}, "properties": map[string]any{
		"id": map[string]any{"type": "string", "format": "uuid"}, "name": map[string]any{"type": "string"},
	}},
}

// describeEvents documents what webhooks receive: one schema and one operation for every event.
func describeEvents(doc openapi.Document) {
	webhooks := map[string]any{}
	for _, kind := range append([]model.EventType{model.WebhookTest}, model.AllEvents...) {
		name := openapi.Camel(string(kind)) + "Event"
		doc.Schemas()[name] = eventSchema(kind)
		schema := map[string]any{"$ref": "#/components/schemas/" + name}
		webhooks[string(kind)] = map[string]any{"post": map[string]any{
			"operationId": "receive" + openapi.Camel(string(kind)),
			"summary":     kind.Description(),
			"description": "The server sends it to the registered address. The headers also have the names that --brand sets; see the guide Receiving events.",
			"tags":        []any{"webhooks"},
			"security":    []any{},
			"parameters":  signatureHeaders,
			"requestBody": map[string]any{
				"required": true, "content": map[string]any{"application/json": map[string]any{"schema": schema, "example": doc.Example(schema)}},
			},
			"responses": map[string]any{
				"2XX": map[string]any{"description": "Received. Every other answer, and none within the time limit, is a failed attempt, which is repeated."},
				"4XX": map[string]any{"description": "A failed attempt, which is repeated."},
			},
		}}
	}
	doc["webhooks"] = webhooks
}

func eventSchema(kind model.EventType) map[string]any {
	properties, required := map[string]any{}, []any{}
	for _, part := range eventData[kind] {
		schema := eventParts[part[0]]
		if part[1] != "" {
			schema = map[string]any{"$ref": "#/components/schemas/" + part[1]}
		}
		properties[part[0]] = schema
		required = append(required, part[0])
	}
	return map[string]any{
		"type": "object", "description": kind.Description(), "required": []any{"id", "type", "created_at", "tenant_id", "data"},
		"properties": map[string]any{
			"id":         map[string]any{"type": "string", "format": "uuid", "description": "The same in all deliveries of the event."},
			"type":       map[string]any{"type": "string", "enum": []any{string(kind)}},
			"created_at": map[string]any{"type": "string", "format": "date-time"},
			"tenant_id":  map[string]any{"type": "string", "format": "uuid", "description": "The company."},
			"data":       map[string]any{"type": "object", "required": required, "properties": properties},
		},
	}
}

// signatureHeaders are those of Standard Webhooks, which every delivery has.
var signatureHeaders = []any{
	signatureHeader("webhook-id", "The id of the event: ignore one that you have had."),
	signatureHeader("webhook-timestamp", "Unix seconds of this attempt."),
	signatureHeader("webhook-signature", "v1 and the base64 HMAC-SHA256 of id, timestamp and body, joined by dots; two of them for a day after a rotation."),
}

func signatureHeader(name, description string) map[string]any {
	return map[string]any{"name": name, "in": "header", "required": true, "description": description, "schema": map[string]any{"type": "string"}}
}
