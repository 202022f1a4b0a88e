import { Kbd, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, Failure, unwrap } from '../api/client'
import { useMe } from '../api/queries'
import { caseActions } from '../inbox/caseActions'
import { protocolIn, protocolOptions } from '../inbox/list/protocol'
import { pages } from '../settings/pages'
import { Dialog } from '../ui/Dialog'
import { phone } from '../ui/format'
import { byMatch } from '../ui/match'
import classes from './Palette.module.css'

type Option = {
  id: string
  group: string
  label: string
  text?: string
  hint?: string
  run: () => void
}

const nothing: Awaited<ReturnType<typeof find>> = {
  conversations: [],
  contacts: [],
  cards: [],
  cases: [],
}

/** find runs all searches in parallel and returns their results together, so that no result moves under the pointer. A refused search counts as empty. */
async function find(q: string) {
  const list = <T,>(call: Promise<{ data: T[] }>): Promise<T[]> =>
    call.then(
      ({ data }) => data,
      (error: unknown) => {
        if (error instanceof Failure && error.temporary) throw error // retry all of them
        return []
      },
    )
  const [conversations, contacts, cards, cases] = await Promise.all([
    list(
      unwrap(api.GET('/conversations', { params: { query: { q, limit: 6 } } })),
    ),
    list(unwrap(api.GET('/contacts', { params: { query: { q, limit: 5 } } }))),
    list(
      unwrap(
        api.GET('/kanban/cards', {
          params: { query: { q, limit: 5, status: 'all' } },
        }),
      ),
    ),
    protocolIn(q)
      ? list(
          unwrap(
            api.GET('/attendances', {
              params: { query: { protocol: protocolIn(q) ?? '', limit: 1 } },
            }),
          ),
        )
      : [],
  ])
  return { conversations, contacts, cards, cases }
}

/** best puts names that start with the text first. The server also finds people by phone and company, which come last. */
function best<T extends { name: string }>(all: T[], text: string): T[] {
  const named = byMatch(all, text, (one) => one.name)
  return [...named, ...all.filter((one) => !named.includes(one))]
}

const goKeys: Record<string, string> = {
  contacts: 'g c',
  boards: 'g b',
  report: 'g r',
}

/** Palette finds conversations, contacts, cards, protocols and commands. */
export default function Palette({
  onClose,
  onHelp,
  onSignOut,
}: {
  onClose: () => void
  onHelp: () => void
  onSignOut: () => void
}) {
  const { t } = useTranslation()
  const me = useMe()
  const navigate = useNavigate()
  const client = useQueryClient()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [wanted] = useDebouncedValue(text.trim(), 200)
  const enabled = wanted.length >= 2
  const results = useQuery({
    queryKey: ['palette', wanted],
    enabled,
    gcTime: 0,
    queryFn: () => find(wanted),
  }).data
  // Results of an earlier text are not offered: Enter would open one of them.
  const { conversations, contacts, cards, cases } =
    (wanted === text.trim() && results) || nothing
  const open = (id: string) =>
    void navigate({
      to: '/inbox/$view/$conversation',
      params: { view: 'open', conversation: id },
    })
  const views = (
    ['waiting', 'mine', 'open', 'unread', 'snoozed', 'closed'] as const
  ).map((view): Option => ({
    id: `view ${view}`,
    group: t('palette.commands'),
    label: t('palette.go', { place: t(`view.${view}`) }),
    run: () => void navigate({ to: '/inbox/$view', params: { view } }),
  }))
  const places = (['contacts', 'boards', 'now', 'report', 'settings'] as const)
    .filter(
      (place) =>
        (place !== 'now' && place !== 'report') ||
        me.scopes.includes('reports:read'),
    )
    .map((place): Option => ({
      id: `place ${place}`,
      group: t('palette.commands'),
      label: t('palette.go', { place: t(`shell.${place}`) }),
      hint: goKeys[place],
      run: () => void navigate({ to: `/${place}` }),
    }))
  const settings = pages
    .filter((page) => page.may(me))
    .map(({ path }): Option => ({
      id: `settings ${path}`,
      group: t('shell.settings'),
      label: t(`settings.page.${path}`),
      run: () => void navigate({ to: '/settings/$', params: { _splat: path } }),
    }))
  const [actions] = useState(() =>
    caseActions().map(({ key, ...action }): Option => ({
      id: `case ${key}`,
      group: t('palette.case'),
      ...action,
    })),
  )
  const commands: Option[] = [
    ...actions,
    ...views,
    ...places,
    ...settings,
    {
      id: 'help',
      group: t('palette.commands'),
      label: t('shell.shortcuts'),
      hint: '?',
      run: onHelp,
    },
    {
      id: 'out',
      group: t('palette.commands'),
      label: t('shell.signOut'),
      run: onSignOut,
    },
  ]
  const options: Option[] = [
    ...cases.map((one) => ({
      id: one.id,
      group: t('palette.protocols'),
      label: one.protocol,
      text: one.contact?.name,
      run: () => open(one.conversation),
    })),
    ...best(conversations, text).map((one) => ({
      id: one.id,
      group: t('palette.conversations'),
      label: one.name,
      text: phone(one.phone),
      run: () => open(one.id),
    })),
    ...best(contacts, text).map((one) => ({
      id: one.id,
      group: t('palette.contacts'),
      label: one.name,
      text: phone(one.phone),
      run: () =>
        void navigate({
          to: '/contacts/$contact',
          params: { contact: one.id },
        }),
    })),
    ...cards.map((one) => ({
      id: one.id,
      group: t('palette.cards'),
      label: one.title,
      run: () =>
        void navigate({
          to: '/boards/$board',
          params: { board: one.board_id },
          search: { card: one.id },
        }),
    })),
    ...byMatch(commands, text, (one) => one.label),
  ]
  const current = Math.min(at, options.length - 1)
  const run = (option: Option | undefined) => {
    if (!option) return
    onClose()
    option.run()
  }
  /** enter runs the selected option. A typed protocol number is opened without waiting for the search. */
  const enter = async () => {
    const protocol = at === 0 ? protocolIn(text) : null
    const found = protocol
      ? await client.fetchQuery(protocolOptions(protocol)).catch(() => null)
      : null
    run(
      found
        ? {
            id: found.id,
            group: '',
            label: '',
            run: () => open(found.conversation),
          }
        : options[current],
    )
  }
  return (
    <Dialog
      title={t('shell.search')}
      onClose={onClose}
      size="lg"
      yOffset="10vh"
      centered={false}
    >
      <TextInput
        id="palette-search"
        type="search"
        role="searchbox"
        aria-label={t('palette.search')}
        placeholder={t('palette.search')}
        data-autofocus
        leftSection={<IconSearch size={16} />}
        value={text}
        aria-controls="palette-options"
        aria-activedescendant={
          options[current] ? `palette-${current}` : undefined
        }
        onChange={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown')
            setAt(Math.min(current + 1, options.length - 1))
          else if (event.key === 'ArrowUp') setAt(Math.max(current - 1, 0))
          else if (event.key === 'Enter') void enter()
          else return
          event.preventDefault()
        }}
      />
      <div
        id="palette-options"
        role="listbox"
        aria-label={t('palette.results')}
        className={classes.options}
      >
        {options.map((option, index) => (
          <div
            key={`${option.group} ${option.id}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === current}
            className={classes.option}
            onClick={() => run(option)}
            onPointerMove={() => setAt(index)}
          >
            <span>{option.label}</span>
            {option.text && <small>{option.text}</small>}
            {option.hint && <Kbd size="xs">{option.hint}</Kbd>}
            <small className={classes.group}>{option.group}</small>
          </div>
        ))}
      </div>
    </Dialog>
  )
}
