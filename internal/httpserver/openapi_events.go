package httpserver

// describeEvents adds a schema and a webhook operation for every event.
func describeEvents(doc Document, events []Event) {
	webhooks := map[string]any{}
	for _, event := range events {
		kind := event.Type
		name := camelCase(string(kind)) + "Event"
		doc.Schemas()[name] = eventSchema(event)
		schema := map[string]any{"$ref": "#/components/schemas/" + name}
		webhooks[string(kind)] = map[string]any{"post": map[string]any{
			"operationId": "receive" + camelCase(string(kind)),
			"summary":     kind.Description(),
			"description": "The server sends this request to the registered address. The headers are also sent with the names set by --brand; see the guide Receiving events.",
			"tags":        []any{"webhooks"},
			"security":    []any{},
			"parameters":  signatureHeaders,
			"requestBody": map[string]any{
				"required": true, "content": map[string]any{"application/json": map[string]any{"schema": schema, "example": doc.Example(schema)}},
			},
			"responses": map[string]any{
				"2XX": map[string]any{"description": "Received. Any other response, or none within the time limit, is a failed attempt, which is retried."},
				"4XX": map[string]any{"description": "A failed attempt, which is retried."},
			},
		}}
	}
	doc["webhooks"] = webhooks
}

func eventSchema(event Event) map[string]any {
	properties, required := map[string]any{}, []any{}
	for _, part := range event.Data {
		properties[part.Name] = part.Schema
		required = append(required, part.Name)
	}
	return map[string]any{
		"type": "object", "description": event.Type.Description(), "required": []any{"id", "type", "created_at", "tenant_id", "data"},
		"properties": map[string]any{
			"id":         map[string]any{"type": "string", "format": "uuid", "description": "The id of the event, the same in all its deliveries."},
			"type":       map[string]any{"type": "string", "enum": []any{string(event.Type)}},
			"created_at": map[string]any{"type": "string", "format": "date-time"},
			"tenant_id":  map[string]any{"type": "string", "format": "uuid", "description": "The company."},
			"data":       map[string]any{"type": "object", "required": required, "properties": properties},
		},
	}
}

// signatureHeaders describes the headers of Standard Webhooks.
var signatureHeaders = []any{
	signatureHeader("webhook-id", "The id of the event. Ignore events that you have already received."),
	signatureHeader("webhook-timestamp", "The time of this attempt, in Unix seconds."),
	signatureHeader("webhook-signature", "v1 and the base64-encoded HMAC-SHA256 of id, timestamp and body, joined by dots. For a day after a rotation, there are two signatures."),
}

func signatureHeader(name, description string) map[string]any {
	return map[string]any{"name": name, "in": "header", "required": true, "description": description, "schema": map[string]any{"type": "string"}}
}
