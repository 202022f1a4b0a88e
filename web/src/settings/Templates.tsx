import { Alert, Badge, Button, Group, type MantineColor } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, Failure as ApiFailure, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { refusal } from '../api/refusal'
import type { Channel, Template } from '../api/types'
import { Failure, Loading } from '../ui/states'
import { Section } from '../ui/Layout'
import rows from '../ui/rows.module.css'
import { Saved } from '../ui/Saved'
import { useFresh } from './useFresh'
import classes from './Settings.module.css'

/** How long the list is polled after a sync was requested; the server fetches the templates in the background. */
const syncing = 8000

/** Templates lists a number's message templates. */
export function Templates({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [asked, setAsked] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const params = { path: { id: channel.id } }
  useFresh(keys.allTemplates(channel.id))
  const list = useInfiniteQuery({
    queryKey: keys.allTemplates(channel.id),
    initialPageParam: '',
    refetchInterval: asked ? 1000 : false,
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET('/channels/{id}/templates', {
          params: {
            ...params,
            query: { limit: 50, ...(pageParam ? { cursor: pageParam } : {}) },
          },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
  })
  useEffect(() => {
    if (!asked) return
    const timer = setTimeout(() => setAsked(false), syncing)
    return () => clearTimeout(timer)
  }, [asked])
  const sync = async () => {
    setProblem(null)
    try {
      await unwrap(api.POST('/channels/{id}/templates/sync', { params }))
      setAsked(true)
      void client.invalidateQueries({ queryKey: keys.templates(channel.id) })
    } catch (error) {
      const wait =
        error instanceof ApiFailure && error.status === 429
          ? Math.ceil(error.retryAfter ?? 60)
          : null
      setProblem(
        wait === null ? refusal(error, t) : t('templates.tooSoon', { n: wait }),
      )
    }
  }
  const templates = list.data?.pages.flatMap((page) => page.data)
  return (
    <Section title={t('templates.title')} text={t('templates.text')}>
      <Group gap="md" mb="md">
        <Button variant="default" onClick={() => void sync()}>
          {t('templates.sync')}
        </Button>
        <Saved shown={asked} text={t('templates.asked')} />
      </Group>
      {problem && (
        <Alert color="red" variant="light" mb="md">
          {problem}
        </Alert>
      )}
      {list.isError && !templates ? (
        <Failure
          message={refusal(list.error, t)}
          onRetry={() => void list.refetch()}
        />
      ) : !templates ? (
        <Loading rows={3} />
      ) : templates.length === 0 ? (
        <p className={rows.none}>{t('templates.none')}</p>
      ) : (
        <ul className={rows.rows} aria-label={t('templates.title')}>
          {templates.map((one) => (
            <Row key={one.id} template={one} />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <Button
          fullWidth
          variant="subtle"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {t('common.more')}
        </Button>
      )}
    </Section>
  )
}

const tones: Record<string, MantineColor> = {
  approved: 'green',
  pending: 'yellow',
  in_appeal: 'yellow',
  paused: 'yellow',
  rejected: 'red',
  disabled: 'red',
}

function Row({ template }: { template: Template }) {
  const { t, i18n } = useTranslation()
  const { name, status, category, language, header, body, footer, buttons } =
    template
  const words = (kind: 'status' | 'category', value: string) =>
    t(`templates.${kind}.${value}`, { defaultValue: value })
  return (
    <li className={rows.row}>
      <div className={rows.main}>
        <strong>{name}</strong>
        <span>
          {[
            languageName(language, i18n.language),
            words('category', category),
          ].join(' · ')}
        </span>
        <details className={classes.template}>
          <summary>{t('templates.preview')}</summary>
          {header && <strong>{header}</strong>}
          <p>{body}</p>
          {footer && <small>{footer}</small>}
          {buttons.length > 0 && (
            <span>{buttons.map((button) => button.text).join(' · ')}</span>
          )}
        </details>
      </div>
      <Badge variant="light" tt="none" color={tones[status] ?? 'gray'}>
        {words('status', status)}
      </Badge>
    </li>
  )
}

/** languageName returns the name of a language in another language: pt_BR is "Brazilian Portuguese". */
function languageName(code: string, shown: string): string {
  try {
    return (
      new Intl.DisplayNames(shown, { type: 'language' }).of(
        code.replace('_', '-'),
      ) ?? code
    )
  } catch {
    return code
  }
}
