import { lazy, type ComponentType, type LazyExoticComponent } from 'react'
import { IconBrandWhatsapp, type Icon } from '@tabler/icons-react'
import type { Session } from '../api/types'

type Page = { path: string; Icon: Icon; may: (me: Session) => boolean; Screen: LazyExoticComponent<ComponentType> }

/** pages are the pages of the settings in the order of their navigation, each with who may open it. */
export const pages = [
  { path: 'channels', Icon: IconBrandWhatsapp, may: (me) => me.scopes.includes('channels:read'), Screen: lazy(() => import('./Channels')) },
] as const satisfies readonly Page[]
