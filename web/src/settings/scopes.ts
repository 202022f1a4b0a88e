/** scopeGroups lists the scopes of API keys in display order. */
export const scopeGroups = [
  {
    name: 'conversations',
    scopes: [
      'conversations:read',
      'conversations:write',
      'messages:read',
      'messages:send',
      'media:write',
      'notes:read',
      'notes:write',
    ],
  },
  {
    name: 'contacts',
    scopes: ['contacts:read', 'contacts:write', 'labels:write'],
  },
  {
    name: 'attendances',
    scopes: ['attendances:read', 'attendances:write', 'reports:read'],
  },
  { name: 'boards', scopes: ['read', 'write'] },
  { name: 'team', scopes: ['team:read', 'team:manage', 'replies:manage'] },
  { name: 'events', scopes: ['events:read', 'webhooks:manage'] },
  {
    name: 'administration',
    scopes: [
      'channels:manage',
      'company:manage',
      'keys:manage',
      'audit:read',
      'data:manage',
    ],
  },
] as const

type Underscored<S extends string> = S extends `${infer A}:${infer B}`
  ? `${A}_${B}`
  : S

/** scopeText returns the name of a scope in catalogue keys, where ":" separates namespaces. */
export const scopeText = <S extends string>(scope: S) =>
  scope.replace(':', '_') as Underscored<S>
