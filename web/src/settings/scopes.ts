/** scopeGroups are the scopes of keys in the order in which they are shown. */
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
    scopes: ['channels:manage', 'company:manage', 'keys:manage'],
  },
] as const

/** scopeText is the name of the text that says what a scope allows. */
export const scopeText = (scope: string) => scope.replace(':', '_')
