import { lazy, type ComponentType, type LazyExoticComponent } from 'react'
import {
  IconAlarm,
  IconBrandWhatsapp,
  IconBuilding,
  IconClockHour4,
  IconCoins,
  IconDatabase,
  IconDoorEnter,
  IconFlagCheck,
  IconForms,
  IconGavel,
  IconHistory,
  IconKey,
  IconMessage2Bolt,
  IconSitemap,
  IconStar,
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
  group:
    | 'company'
    | 'team'
    | 'numbers'
    | 'cases'
    | 'automation'
    | 'integrations'
    | 'trust'
    | 'you'
  Icon: Icon
  may: (me: Session) => boolean
  Screen: LazyExoticComponent<ComponentType>
}

const needs = (scope: Scope) => (me: Session) => me.scopes.includes(scope)

/** mayIntegrate reports whether the user can connect other programs and therefore needs the API reference. */
export const mayIntegrate = (me: Session) =>
  needs('keys:manage')(me) || needs('webhooks:manage')(me)

/** pages lists the settings pages in navigation order, each with its group and who can open it. */
export const pages = [
  {
    path: 'company',
    group: 'company',
    Icon: IconBuilding,
    may: needs('company:manage'),
    Screen: lazy(() => import('./Company')),
  },
  {
    path: 'costs',
    group: 'company',
    Icon: IconCoins,
    may: needs('company:manage'),
    Screen: lazy(() =>
      withTexts('reception', withTexts('costs', import('./costs/Costs'))),
    ),
  },
  {
    path: 'team',
    group: 'team',
    Icon: IconUsers,
    may: needs('team:manage'),
    Screen: lazy(() => withTexts('hours', import('./Team'))),
  },
  {
    path: 'sectors',
    group: 'team',
    Icon: IconSitemap,
    may: needs('team:manage'),
    Screen: lazy(() => withTexts('hours', import('./Sectors'))),
  },
  {
    path: 'labels',
    group: 'team',
    Icon: IconTag,
    may: needs('labels:write'),
    Screen: lazy(() => import('./Labels')),
  },
  {
    path: 'replies',
    group: 'team',
    Icon: IconMessage2Bolt,
    may: () => true,
    Screen: lazy(() => import('./Replies')),
  },
  {
    path: 'channels',
    group: 'numbers',
    Icon: IconBrandWhatsapp,
    may: needs('channels:manage'),
    Screen: lazy(() => withTexts('hours', import('./Channels'))),
  },
  {
    path: 'reasons',
    group: 'cases',
    Icon: IconFlagCheck,
    may: needs('company:manage'),
    Screen: lazy(() => withTexts('cases', import('./cases/Reasons'))),
  },
  {
    path: 'fields',
    group: 'cases',
    Icon: IconForms,
    may: needs('company:manage'),
    Screen: lazy(() => withTexts('cases', import('./cases/Fields'))),
  },
  {
    path: 'hours',
    group: 'automation',
    Icon: IconClockHour4,
    may: needs('company:manage'),
    Screen: lazy(() => withTexts('hours', import('./hours/Hours'))),
  },
  {
    path: 'reception',
    group: 'automation',
    Icon: IconDoorEnter,
    may: needs('channels:manage'),
    Screen: lazy(() => withTexts('reception', import('./reception/Reception'))),
  },
  {
    path: 'rules',
    group: 'automation',
    Icon: IconGavel,
    may: needs('company:manage'),
    Screen: lazy(() => withTexts('hours', import('./Rules'))),
  },
  {
    path: 'levels',
    group: 'cases',
    Icon: IconAlarm,
    may: needs('company:manage'),
    Screen: lazy(() => withTexts('levels', import('./levels/Levels'))),
  },
  {
    path: 'survey',
    group: 'cases',
    Icon: IconStar,
    may: needs('company:manage'),
    Screen: lazy(() =>
      withTexts('reception', withTexts('levels', import('./survey/Survey'))),
    ),
  },
  {
    path: 'keys',
    group: 'integrations',
    Icon: IconKey,
    may: needs('keys:manage'),
    Screen: lazy(() => withTexts('integrations', import('./Keys'))),
  },
  {
    path: 'webhooks',
    group: 'integrations',
    Icon: IconWebhook,
    may: needs('webhooks:manage'),
    Screen: lazy(() => withTexts('integrations', import('./Webhooks'))),
  },
  {
    path: 'audit',
    group: 'trust',
    Icon: IconHistory,
    may: needs('audit:read'),
    Screen: lazy(() =>
      withTexts('jobs', withTexts('audit', import('./audit/Audit'))),
    ),
  },
  {
    path: 'data',
    group: 'trust',
    Icon: IconDatabase,
    may: needs('data:manage'),
    Screen: lazy(() =>
      withTexts('jobs', withTexts('data', import('./data/Data'))),
    ),
  },
  {
    path: 'profile',
    group: 'you',
    Icon: IconUser,
    may: () => true,
    Screen: lazy(() => withTexts('profile', import('../profile/Profile'))),
  },
] as const satisfies readonly Page[]
