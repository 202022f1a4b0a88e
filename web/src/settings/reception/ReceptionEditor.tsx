import { Button, Stack, Switch } from '@mantine/core'
import { IconChevronLeft } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { keys } from '../../api/keys'
import { useSectors, useTeam } from '../../api/queries'
import type { Channel } from '../../api/types'
import { useSubmit } from '../../api/useSubmit'
import { FormFooter } from '../../ui/FormFooter'
import { Section } from '../../ui/Layout'
import { CountedField } from './CountedField'
import { LeaveDialog } from './LeaveDialog'
import { MenuEditor } from './MenuEditor'
import {
  bodyOf,
  draftOf,
  fieldsOf,
  most,
  receptionWords,
  same,
  type Draft,
} from './receptionForm'
import { ReceptionTrial } from './ReceptionTrial'
import { conflicts, saveReception, type Stored } from './stored'
import classes from './Reception.module.css'
import settings from '../Settings.module.css'

/** BackToReception links to the list of numbers. */
export function BackToReception() {
  const { t } = useTranslation()
  return (
    <Link
      to="/settings/$"
      params={{ _splat: 'reception' }}
      className={settings.link}
    >
      <IconChevronLeft size={16} aria-hidden />
      {t('reception.title')}
    </Link>
  )
}

/**
 * ReceptionEditor edits a number's automatic replies next to a preview of what the customer sees. If a colleague saved changes
 * in the meantime, the user chooses between the two versions; onReload shows the colleague's, which is then in the cache.
 */
export function ReceptionEditor({
  channel,
  reception,
  onReload,
}: {
  channel: Channel
  reception: Stored
  onReload: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const sectors = useSectors().data ?? []
  const team = useTeam().data ?? []
  const form = useRef<HTMLFormElement>(null)
  const [draft, setDraft] = useState(() => draftOf(reception))
  const [saved, setSaved] = useState(draft)
  const [version, setVersion] = useState(reception.version)
  const [conflict, setConflict] = useState(false)
  const [refused, setRefused] = useState(0)
  useEffect(() => {
    if (refused > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [refused])
  const { busy, done, problem, wrong, run, touch } = useSubmit({
    fields: fieldsOf(draft),
    words: receptionWords,
    reason: (error) => (conflicts(error) ? t('reception.conflict') : undefined),
  })
  const changed = !same(draft, saved)
  const change = (part: Partial<Draft>) => {
    touch()
    setDraft({ ...draft, ...part })
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setConflict(false)
    const kept = await run(async () => {
      const { stored, conflict } = await saveReception(
        channel.id,
        bodyOf(draft),
        version,
      )
      client.setQueryData(keys.reception(channel.id), stored)
      setVersion(stored.version)
      setSaved(draftOf(stored))
      if (!conflict || same(draftOf(stored), draft)) return // already stored; only the response was lost
      setConflict(true)
      throw conflict
    })
    if (kept) setSaved(draft)
    else setRefused((n) => n + 1)
  }
  return (
    <div className={classes.columns}>
      <form ref={form} noValidate onSubmit={(event) => void submit(event)}>
        <Section title={t('reception.messages')}>
          <Stack gap="md">
            <Switch
              label={t('reception.enabled')}
              description={t('reception.enabledText')}
              checked={draft.enabled}
              onChange={(event) =>
                change({ enabled: event.currentTarget.checked })
              }
            />
            <CountedField
              long
              label={t('reception.greeting')}
              description={t('reception.greetingText')}
              most={most.text}
              value={draft.greeting}
              error={wrong.greeting}
              onChange={(greeting) => change({ greeting })}
            />
            <CountedField
              long
              label={t('reception.away')}
              description={t('reception.awayText')}
              most={most.text}
              value={draft.away}
              error={wrong.away}
              onChange={(away) => change({ away })}
            />
          </Stack>
        </Section>
        <Section
          title={t('reception.menu')}
          text={t('reception.menuText')}
          action={
            <Switch
              aria-label={t('reception.menu')}
              checked={draft.withMenu}
              onChange={(event) =>
                change({ withMenu: event.currentTarget.checked })
              }
            />
          }
        >
          {draft.withMenu && (
            <MenuEditor
              menu={draft.menu}
              at="menu"
              number=""
              depth={1}
              shared={{ sectors, team, wrong }}
              onChange={(menu) => change({ menu })}
            />
          )}
        </Section>
        <div className={classes.footer} data-sticky={changed || undefined}>
          <FormFooter
            busy={busy}
            saved={done && !changed}
            problem={
              problem ??
              (Object.keys(wrong).length > 0 ? t('reception.look') : null)
            }
            submit={t('common.save')}
            disabled={!changed}
          >
            {changed && (
              <span className={classes.changed}>{t('reception.changed')}</span>
            )}
            {conflict && (
              <Button variant="default" onClick={onReload}>
                {t('reception.theirs')}
              </Button>
            )}
          </FormFooter>
        </div>
      </form>
      <ReceptionTrial channel={channel} draft={draft} />
      <LeaveDialog active={changed} />
    </div>
  )
}
