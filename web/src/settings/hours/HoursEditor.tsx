import { Alert, Button, Stack, TextInput } from '@mantine/core'
import { IconChevronLeft } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useRef, useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useMe } from '../../api/queries'
import type { Hours } from '../../api/types'
import { useSubmit } from '../../api/useSubmit'
import { announce } from '../../ui/announce'
import { Page, Section } from '../../ui/Layout'
import { changed } from '../changed'
import { TimezoneSelect } from '../../ui/TimezoneSelect'
import { sortExceptions, todayIn } from './exceptions'
import { ExceptionList } from './ExceptionList'
import { Leaving } from './Leaving'
import { atExceptions, atWeek, wordsOf } from './refused'
import { WeekEditor } from './WeekEditor'
import {
  days,
  firstWeek,
  weeklyOf,
  weekOf,
  wrongOf,
  type Place,
  type Week,
} from './week'
import settings from '../Settings.module.css'
import classes from './Hours.module.css'

type Draft = {
  name: string
  timezone: string
  week: Week
  exceptions: Hours['exceptions']
}

/** bodyOf converts a draft to a request body. */
const bodyOf = (
  { name, timezone, week, exceptions }: Draft,
  today: string,
) => ({
  name: name.trim(),
  timezone,
  weekly: weeklyOf(week).weekly,
  exceptions: sortExceptions(exceptions, today),
})

/** HoursEditor creates or edits opening hours. Nothing is stored before the user saves. */
export function HoursEditor({ hours }: { hours: Hours | null }) {
  const { t } = useTranslation()
  const me = useMe()
  const client = useQueryClient()
  const navigate = useNavigate()
  const form = useRef<HTMLFormElement>(null)
  const saved = useRef(false)
  const [first] = useState<Draft>(() =>
    hours
      ? {
          name: hours.name,
          timezone: hours.timezone,
          week: weekOf(hours.weekly),
          exceptions: hours.exceptions,
        }
      : {
          name: '',
          timezone: me.company.timezone,
          week: firstWeek(),
          exceptions: [],
        },
  )
  const [draft, setDraft] = useState(first)
  const [checked, setChecked] = useState(false)
  const [sent, setSent] = useState<{
    places: Place[][]
    dates: string[]
  } | null>(null)
  const { busy, problem, wrong, run } = useSubmit({
    fields: ['name', 'timezone', ...atWeek.fields, ...atExceptions.fields],
    words: wordsOf,
  })
  const dirty = JSON.stringify(draft) !== JSON.stringify(first)
  const change = (part: Partial<Draft>) => {
    setSent(null)
    setDraft({ ...draft, ...part })
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    const today = todayIn(draft.timezone)
    const body = bodyOf(draft, today)
    const valid =
      draft.name.trim() !== '' &&
      days.every((day) => wrongOf(draft.week[day]).every((one) => one === null))
    if (valid) {
      setSent({
        places: weeklyOf(draft.week).places,
        dates: body.exceptions.map((one) => one.date),
      })
      const done = await run(async () => {
        await (hours
          ? unwrap(
              api.PATCH('/hours/{id}', {
                params: { path: { id: hours.id } },
                body: changed(bodyOf(first, today), body),
              }),
            )
          : unwrap(api.POST('/hours', { body })))
        saved.current = true
        await Promise.all(
          [keys.hours, keys.hoursStatuses].map((queryKey) =>
            client.invalidateQueries({ queryKey }),
          ),
        )
      })
      if (done) {
        announce(t('details.saved'))
        return void navigate({ to: '/settings/$', params: { _splat: 'hours' } })
      }
    }
    requestAnimationFrame(() =>
      form.current
        ?.querySelector<HTMLElement>('[aria-invalid="true"]')
        ?.focus(),
    )
  }
  const nameWrong =
    checked && !draft.name.trim()
      ? t('wrong.required')
      : sent
        ? wrong.name
        : undefined
  return (
    <Page
      title={hours ? hours.name : t('hours.new')}
      text={t('hours.editText')}
      action={
        <Link
          to="/settings/$"
          params={{ _splat: 'hours' }}
          className={settings.link}
        >
          <IconChevronLeft size={16} aria-hidden />
          {t('hours.title')}
        </Link>
      }
    >
      <form ref={form} noValidate onSubmit={(event) => void submit(event)}>
        <Section title={t('hours.about')}>
          <Stack gap="md">
            <TextInput
              label={t('settings.name')}
              description={t('hours.nameText')}
              required
              withAsterisk={false}
              maxLength={120}
              value={draft.name}
              error={nameWrong}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
            <TimezoneSelect
              description={t('hours.timezoneText')}
              value={draft.timezone}
              error={sent ? wrong.timezone : undefined}
              onChange={(timezone) => change({ timezone })}
            />
          </Stack>
        </Section>
        <WeekEditor
          week={draft.week}
          checked={checked}
          refused={sent ? atWeek.place(wrong, sent.places) : []}
          problem={sent ? wrong.weekly : undefined}
          onChange={(week) => change({ week })}
        />
        <ExceptionList
          exceptions={draft.exceptions}
          timezone={draft.timezone}
          problem={sent ? atExceptions.place(wrong, sent.dates) : undefined}
          onChange={(exceptions) => change({ exceptions })}
        />
        <div className={classes.footer}>
          {problem && sent && (
            <Alert color="red" variant="light" className={classes.refusal}>
              {problem}
            </Alert>
          )}
          <span role="status" className={classes.unsaved}>
            {dirty && t('hours.unsaved')}
          </span>
          <Button type="submit" loading={busy}>
            {t('common.save')}
          </Button>
        </div>
      </form>
      <Leaving dirty={() => dirty && !saved.current} />
    </Page>
  )
}
