import type { components, paths } from './schema'

export type Template = components['schemas']['ChannelTemplate']

/** has tells which features the server has got. A test fails when the API document says otherwise. */
export const has = {
  notes: true,
  drafts: true,
  messageSearch: true,
  reactions: true,
  templates: true,
  replies: true,
}

/** The path that stands for each feature in the API document. */
export const planned: Record<keyof typeof has, keyof paths> = {
  notes: '/conversations/{id}/notes',
  drafts: '/conversations/{id}/draft',
  messageSearch: '/messages',
  reactions: '/messages/{id}/reaction',
  templates: '/channels/{id}/templates',
  replies: '/replies',
}
