package model

import "recado/internal/jsonenc"

// AppendJSON writes the identity as the API shows it.
func (i *Identity) AppendJSON(b []byte) []byte {
	b = i.Integration.AppendJSON(append(b, `{"integration":`...))
	b = appendID(append(b, `,"user":{"id":`...), i.User.ID)
	b = jsonenc.AppendString(append(b, `,"name":`...), i.User.Name)
	b = jsonenc.AppendString(append(b, `,"email":`...), i.User.Email)
	b = jsonenc.AppendString(append(b, `,"role":`...), string(i.User.Role))
	b = appendID(append(b, `},"company":{"id":`...), i.Company.ID)
	b = jsonenc.AppendString(append(b, `,"name":`...), i.Company.Name)
	b = jsonenc.AppendString(append(b, `,"timezone":`...), i.Company.Timezone)
	b = jsonenc.AppendString(append(b, `},"api_version":`...), i.APIVersion)
	return append(b, '}')
}

// AppendJSON writes the key, or null.
func (k *Integration) AppendJSON(b []byte) []byte {
	if k == nil {
		return append(b, "null"...)
	}
	b = appendID(append(b, `{"id":`...), k.ID)
	b = jsonenc.AppendString(append(b, `,"name":`...), k.Name)
	b = append(b, `,"scopes":[`...)
	for i, scope := range k.Scopes {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsonenc.AppendString(b, string(scope))
	}
	b = k.Boards.AppendJSON(append(b, `],"boards":`...))
	b = jsonenc.AppendTime(append(b, `,"created_at":`...), k.CreatedAt)
	b = jsonenc.AppendNullTime(append(b, `,"expires_at":`...), k.ExpiresAt)
	return append(b, '}')
}
