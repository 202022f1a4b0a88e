import { lazy, type ComponentType, type LazyExoticComponent } from 'react'
import {
  IconBrandWhatsapp,
  IconBuilding,
  IconClockHour4,
  IconDoorEnter,
  IconGavel,
  IconKey,
  IconMessage2Bolt,
  IconSitemap,
  IconTag,
  IconUser,
  IconUsers,
  IconWebhook,
  type Icon,
} from '@tabler/icons-react'
import type { Scope, Session } from '../api/types'
import { withTexts } from '../ui/i18n'

type Page = {
  path: string
  Icon: Icon
  may: (me: Session) => boolean
  Screen: LazyExoticComponent<ComponentType>
}

const needs = (scope: Scope) => (me: Session) => me.scopes.includes(scope)

/** mayIntegrate reports whether the user can connect other programs and therefore needs the API reference. */
export const mayIntegrate = (me: Session) =>
  needs('keys:manage')(me) || needs('webhooks:manage')(me)

/** pages lists the settings pages in navigation order, each with who can open it. */
export const pages = [
  {
    path: 'company',
    Icon: IconBuilding,
    may: needs('company:manage'),
    Screen: lazy(() => import('./Company')),
  },
  {
    path: 'channels',
    Icon: IconBrandWhatsapp,
    may: needs('channels:manage'),
    Screen: lazy(() => withTexts('hours', import('./Channels'))),
  },
  {
    path: 'team',
    Icon: IconUsers,
    may: needs('team:manage'),
    Screen: lazy(() => withTexts('hours', import('./Team'))),
  },
  {
    path: 'sectors',
    Icon: IconSitemap,
    may: needs('team:manage'),
    Screen: lazy(() => withTexts('hours', import('./Sectors'))),
  },
  {
    path: 'labels',
    Icon: IconTag,
    may: needs('labels:write'),
    Screen: lazy(() => import('./Labels')),
  },
  {
    path: 'rules',
    Icon: IconGavel,
    may: needs('company:manage'),
    Screen: lazy(() => withTexts('hours', import('./Rules'))),
  },
  {
    path: 'replies',
    Icon: IconMessage2Bolt,
    may: () => true,
    Screen: lazy(() => import('./Replies')),
  },
  {
    path: 'hours',
    Icon: IconClockHour4,
    may: needs('company:manage'),
    Screen: lazy(() => withTexts('hours', import('./hours/Hours'))),
  },
  {
    path: 'reception',
    Icon: IconDoorEnter,
    may: needs('channels:manage'),
    Screen: lazy(() => withTexts('reception', import('./reception/Reception'))),
  },
  {
    path: 'keys',
    Icon: IconKey,
    may: needs('keys:manage'),
    Screen: lazy(() => withTexts('integrations', import('./Keys'))),
  },
  {
    path: 'webhooks',
    Icon: IconWebhook,
    may: needs('webhooks:manage'),
    Screen: lazy(() => withTexts('integrations', import('./Webhooks'))),
  },
  {
    path: 'profile',
    Icon: IconUser,
    may: () => true,
    Screen: lazy(() => withTexts('profile', import('../profile/Profile'))),
  },
] as const satisfies readonly Page[]
