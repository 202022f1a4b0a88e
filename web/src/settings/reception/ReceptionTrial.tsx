import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconRefresh, IconSend } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useRowNames } from '../../api/queries'
import { problemsOf } from '../../api/refusal'
import type { Channel, ReceptionOutcome, ReceptionReply } from '../../api/types'
import { causeText } from '../../contact/history'
import { announce } from '../../ui/announce'
import { instant, localTime } from '../../ui/format'
import { RichText } from '../../ui/RichText'
import { Offered, type Pressing } from './Offered'
import { bodyOf, incomplete, receptionWords, type Draft } from './receptionForm'
import classes from './Reception.module.css'

const times = ['now', 'open', 'closed', 'at'] as const
type When = (typeof times)[number]

/** How many customer messages the server simulates at most. */
const mostTexts = 20

type Trial = {
  channel: string
  draft: Draft
  texts: string[]
  when: When
  at: string
}

/** useTrial asks the server what it would reply to a customer, shortly after the last change. Nothing is stored or sent. */
function useTrial({ channel, draft, texts, when, at }: Trial) {
  const [settled] = useDebouncedValue(draft, 300)
  const body = {
    reception: bodyOf({ ...settled, enabled: true }),
    texts,
    ...(when === 'at' && at ? { at: instant(at).toISOString() } : {}),
    ...(when === 'open' || when === 'closed' ? { open: when === 'open' } : {}),
  }
  const ready = !settled.withMenu || !incomplete(settled.menu)
  const query = useQuery<ReceptionReply[]>({
    queryKey: keys.receptionTrial(channel, body),
    enabled: ready,
    retry: false,
    gcTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      unwrap(
        api.POST('/channels/{id}/reception/try', {
          params: { path: { id: channel } },
          body,
          signal,
        }),
      ).then((page) => page.data),
  })
  // Keep the last preview while the form is incomplete or rejected.
  const shown = useRef<ReceptionReply[]>([])
  if (query.data) shown.current = query.data
  return {
    replies: shown.current,
    error: ready ? query.error : null,
    ready,
    fresh:
      ready && settled === draft && query.isSuccess && !query.isPlaceholderData,
  }
}

/** ReceptionTrial shows what the customer sees and lets the user write as the customer. */
export function ReceptionTrial({
  channel,
  draft,
}: {
  channel: Channel
  draft: Draft
}) {
  const { t } = useTranslation()
  const outcome = useOutcomeText()
  const [said, setSaid] = useState<string[]>([])
  const [text, setText] = useState('')
  const [when, setWhen] = useState<When>('now')
  const [at, setAt] = useState(() => localTime(new Date()))
  const { replies, error, ready, fresh } = useTrial({
    channel: channel.id,
    draft,
    texts: [t('reception.hello'), ...said],
    when,
    at,
  })
  const ended = replies.some((reply) => reply.outcome)
  const playing = ready && !ended && said.length + 1 < mostTexts
  const last = replies.at(-1)
  const seen = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!fresh || !last || said.length === 0) return
    if (seen.current) seen.current.scrollTop = seen.current.scrollHeight
    announce(
      [last.text, last.outcome && outcome(last.outcome)]
        .filter(Boolean)
        .join(' '),
    )
  }, [fresh, last, said.length, outcome])
  const say = (next: string) => playing && setSaid([...said, next])
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!text.trim()) return
    say(text.trim())
    setText('')
  }
  const refused = error
    ? problemsOf(error, t, { words: receptionWords }).other
    : null
  return (
    <section className={classes.trial} aria-label={t('reception.try')}>
      <header>
        <h2>{t('reception.try')}</h2>
        <p>{t('reception.tryText')}</p>
      </header>
      <div className={classes.when}>
        <NativeSelect
          label={t('reception.when')}
          value={when}
          data={times.map((one) => ({
            value: one,
            label: t(`reception.times.${one}`),
          }))}
          onChange={(event) => setWhen(event.currentTarget.value as When)}
        />
        {when === 'at' && (
          <TextInput
            type="datetime-local"
            label={t('snooze.date')}
            value={at}
            onChange={(event) => setAt(event.currentTarget.value)}
          />
        )}
      </div>
      {!draft.enabled && <p className={classes.hint}>{t('reception.isOff')}</p>}
      <div
        ref={seen}
        className={classes.phone}
        role="log"
        aria-live="off"
        aria-label={t('reception.sees')}
        tabIndex={0}
        data-old={!ready || refused !== null || undefined}
      >
        {replies.map((reply, index) => (
          <Exchange
            key={index}
            reply={reply}
            waiting={!fresh}
            onPress={playing ? say : undefined}
          />
        ))}
        {ready &&
          last &&
          last.text === null &&
          last.outcome?.kind === 'none' &&
          said.length === 0 && (
            <p className={classes.outcome}>{t('reception.silent')}</p>
          )}
      </div>
      {(!ready || refused) && (
        <p className={classes.hint} role="status">
          {refused ?? t('reception.incomplete')}
        </p>
      )}
      <form className={classes.say} onSubmit={send}>
        <TextInput
          aria-label={t('reception.write')}
          placeholder={t('reception.write')}
          value={text}
          disabled={!playing}
          maxLength={1024}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button
          type="submit"
          variant="default"
          disabled={!playing}
          aria-label={t('reception.send')}
          title={t('reception.send')}
        >
          <IconSend size={18} />
        </Button>
        <Button
          variant={ended ? 'filled' : 'default'}
          disabled={said.length === 0}
          leftSection={<IconRefresh size={16} />}
          onClick={() => setSaid([])}
        >
          {t('reception.again')}
        </Button>
      </form>
    </section>
  )
}

/** Exchange is a customer message with the replies to it. */
function Exchange({
  reply,
  ...pressing
}: { reply: ReceptionReply } & Pressing) {
  const outcome = useOutcomeText()
  return (
    <>
      <p className={classes.bubble} data-side="customer">
        {reply.customer}
      </p>
      {reply.interactive ? (
        <Offered offer={reply.interactive} {...pressing} />
      ) : (
        reply.text !== null && (
          <p className={classes.bubble}>
            <RichText text={reply.text} />
          </p>
        )
      )}
      {reply.outcome && (
        <p className={classes.outcome}>{outcome(reply.outcome)}</p>
      )}
    </>
  )
}

/** useOutcomeText returns a function that says where a case would go. */
function useOutcomeText(): (outcome: ReceptionOutcome) => string {
  const { t } = useTranslation()
  const names = useRowNames()
  return useCallback(
    ({ kind, sector, user, cause }) => {
      if (kind === 'none') return t('reception.outcome.none')
      const name = kind === 'user' ? names.person(user) : names.sector(sector)
      const where =
        kind === 'close'
          ? t('reception.outcome.close')
          : kind === 'user'
            ? t('reception.outcome.user', { name })
            : sector
              ? t('reception.outcome.sector', { name })
              : t('reception.outcome.queue')
      return kind === 'people' && cause
        ? `${causeText(cause, t)} → ${where}`
        : where
    },
    [t, names],
  )
}
