import { Alert, Button, Group, Loader, Progress, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { Confirm } from '../api/Confirm'
import { keys } from '../api/keys'
import type { Channel, Link } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Fact } from '../contact/Section'
import { CopyField } from '../ui/CopyField'
import { dateAndTime, phone } from '../ui/format'
import { Section } from '../ui/Layout'
import { QrCode } from '../ui/QrCode'
import { channelText } from './channelText'
import { LinkWarning } from './LinkNumber'
import { PairByPhone } from './PairByPhone'
import { useLink } from './useLink'
import classes from './LinkSection.module.css'

/** LinkSection links a number to WhatsApp, shows how the link is doing, and unlinks it. */
export function LinkSection({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const { link, active, checking, start } = useLink(channel)
  if (link?.state === 'linked') return <Linked channel={channel} link={link} />
  if (checking)
    return (
      <Section title={t('channels.status')}>
        <Waiting title={t('link.looking')} />
      </Section>
    )
  return (
    <>
      {!channel.phone && <LinkWarning />}
      <Section title={t('link.title')}>
        {active ? (
          <Linking channel={channel} link={link} onStart={start} />
        ) : (
          <Ended channel={channel} onStart={start} />
        )}
      </Section>
    </>
  )
}

/** Ended says why a number is not linked any more and what to do. */
function Ended({
  channel,
  onStart,
}: {
  channel: Channel
  onStart: () => void
}) {
  const { t } = useTranslation()
  const reason = channel.status_reason
  return (
    <Stack gap="md">
      <Alert
        color="red"
        variant="light"
        role="status"
        title={t('channels.disconnected')}
      >
        {reason && channelText(reason, t)} {t('link.endedText')}
      </Alert>
      {reason?.code !== 'links_unavailable' && (
        <Group>
          <Button onClick={onStart}>{t('link.again')}</Button>
        </Group>
      )}
    </Stack>
  )
}

/** Linking shows the code to scan or to type, and what became of it. */
function Linking({
  channel,
  link,
  onStart,
}: {
  channel: Channel
  link: Link | null
  onStart: () => void
}) {
  const { t } = useTranslation()
  const [byPhone, setByPhone] = useState(false)
  const [asked, setAsked] = useState(false)
  const { busy, problem, run } = useSubmit()
  /** dropPhone replaces the pairing code of a phone number by a QR code. */
  const dropPhone = () =>
    run(async () => {
      await unwrap(
        api.DELETE('/channels/{id}/link', {
          params: { path: { id: channel.id } },
        }),
      )
      onStart()
    })
  if (link?.state === 'scanned')
    return <Waiting title={t('link.scanned')} text={t('link.scannedText')} />
  if (link?.state === 'failed')
    return (
      <Stack gap="md">
        <Alert
          color="red"
          variant="light"
          role="alert"
          title={t('link.failed')}
        >
          {link.error && channelText(link.error, t)}
        </Alert>
        <Group>
          <Button
            onClick={() => {
              setAsked(false)
              onStart()
            }}
          >
            {t('link.tryAgain')}
          </Button>
        </Group>
      </Stack>
    )
  const typed = link?.pairing_code
  return (
    <Stack gap="md">
      <div className={classes.linking}>
        <Steps last={t(typed || byPhone ? 'link.stepType' : 'link.stepScan')} />
        {typed ? (
          <div className={classes.typed}>
            <p>{t('link.code')}</p>
            <CopyField value={typed} />
          </div>
        ) : byPhone && !asked ? (
          <PairByPhone channel={channel} onAsked={() => setAsked(true)} />
        ) : (
          <div className={classes.code}>
            {link?.qr && !asked ? (
              <QrCode text={link.qr} label={t('link.qr')} width={264} />
            ) : (
              <NoCode />
            )}
          </div>
        )}
      </div>
      {problem && (
        <Alert color="red" variant="light">
          {problem}
        </Alert>
      )}
      <Group>
        <Button
          variant="default"
          loading={busy}
          onClick={() => {
            if (typed || asked) void dropPhone()
            setByPhone(!typed && !byPhone)
            setAsked(false)
          }}
        >
          {t(typed || byPhone ? 'link.byCode' : 'link.byPhone')}
        </Button>
      </Group>
    </Stack>
  )
}

/** Steps says where to find the scanner on the phone. */
function Steps({ last }: { last: string }) {
  const { t } = useTranslation()
  return (
    <ol className={classes.steps}>
      <li>{t('link.stepOpen')}</li>
      <li>{t('link.stepMenu')}</li>
      <li>{t('link.stepLink')}</li>
      <li>{last}</li>
    </ol>
  )
}

/** How long a code may take before its absence is explained. */
const slow = 15_000

/** NoCode stands where the code will be. */
function NoCode() {
  const { t } = useTranslation()
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), slow)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Waiting
      title={t('link.waiting')}
      text={late ? t('link.late') : undefined}
    />
  )
}

function Waiting({ title, text }: { title: string; text?: string }) {
  return (
    <div role="status" className={classes.waiting}>
      <Loader size="sm" />
      <strong>{title}</strong>
      {text && <p>{text}</p>}
    </div>
  )
}

/** Linked shows how the link is doing. */
function Linked({ channel, link }: { channel: Channel; link: Link }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const unlink = async () => {
    await unwrap(
      api.DELETE('/channels/{id}/link', {
        params: { path: { id: channel.id } },
      }),
    )
    await client.invalidateQueries({ queryKey: keys.channels })
  }
  return (
    <Section title={t('channels.status')}>
      <Stack gap="md">
        <Alert
          color={link.online ? 'green' : 'yellow'}
          variant="light"
          role="status"
          title={t(link.online ? 'link.online' : 'link.offline')}
        >
          {t(link.online ? 'channels.worksText' : 'link.offlineText')}
        </Alert>
        <dl className={classes.facts}>
          <Fact label={t('channels.phone')}>{phone(link.phone)}</Fact>
          {link.seen_at && (
            <Fact label={t('link.seen')}>{dateAndTime(link.seen_at)}</Fact>
          )}
        </dl>
        {link.history !== null && <History percent={link.history} />}
        <Group>
          <Button variant="default" onClick={() => setAsking(true)}>
            {t('link.unlink')}
          </Button>
        </Group>
      </Stack>
      {asking && (
        <Confirm
          title={t('link.unlinkTitle', { name: channel.name })}
          text={t('link.unlinkText')}
          action={t('link.unlink')}
          onClose={() => setAsking(false)}
          task={unlink}
        />
      )}
    </Section>
  )
}

/** History shows how much of the phone's history was imported. */
function History({ percent }: { percent: number }) {
  const { t } = useTranslation()
  if (percent >= 100)
    return <p className={classes.text}>{t('link.historyDone')}</p>
  const text = t('link.history', { n: percent })
  return (
    <div>
      <p className={classes.text}>{text}</p>
      <Progress value={percent} mt={6} aria-label={text} />
    </div>
  )
}
