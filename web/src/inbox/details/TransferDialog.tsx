import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { IconSearch, IconUsersGroup } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSectors, useTeam } from '../../api/queries'
import { Avatar } from '../../ui/Avatar'
import { Dialog } from '../../ui/Dialog'
import { byMatch } from '../../ui/match'
import classes from './TransferDialog.module.css'

type Transfer = { user_id?: string | null; sector_id?: string; reason?: string }

type Target = {
  id: string
  name: string
  text: string
  presence?: 'online' | 'away' | 'offline'
  body: Transfer
}

const order = { online: 0, away: 1, offline: 2 }

/** useTargets lists the departments and then the people a case can be transferred to, people who are online first. */
function useTargets(): Target[] {
  const { t } = useTranslation()
  const sectors = useSectors().data ?? []
  const team = useTeam().data ?? []
  const waiting = (queues: { waiting: number }[]) =>
    queues.reduce((sum, queue) => sum + queue.waiting, 0)
  const online = (members: { id: string }[]) =>
    members.filter((member) =>
      team.some((one) => one.id === member.id && one.presence === 'online'),
    ).length
  return [
    ...sectors.map(({ id, name, members, queues }) => ({
      id,
      name,
      text: [
        t('transfer.online', { count: online(members) }),
        t('transfer.waiting', { count: waiting(queues) }),
      ].join(' · '),
      body: { sector_id: id },
    })),
    ...[...team]
      .sort(
        (a, b) =>
          order[a.presence] - order[b.presence] || a.name.localeCompare(b.name),
      )
      .map(({ id, name, presence, open_attendances, sectors: of }) => ({
        id,
        name,
        presence,
        text: [
          t(`presence.${presence}`),
          t('transfer.openCases', { count: open_attendances }),
          ...of.map((sector) => sector.name),
        ].join(' · '),
        body: { user_id: id },
      })),
  ]
}

/** TransferDialog transfers conversations to a department or person, or returns them to the queue. */
export function TransferDialog({
  onClose,
  onTransfer,
}: {
  onClose: () => void
  onTransfer: (body: Transfer) => Promise<boolean>
}) {
  const { t } = useTranslation()
  const list = useId()
  const targets = useTargets()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [chosen, setChosen] = useState<string | null>(null)
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const found = byMatch(targets, text, (one) => one.name)
  const current = Math.min(at, found.length - 1)
  const target =
    targets.find((one) => one.id === chosen) ??
    (text.trim() ? found[current] : undefined)
  const go = async (body: Transfer | undefined) => {
    if (!body || busy) return
    setBusy(true)
    const note = reason.trim()
    if (await onTransfer({ ...body, ...(note ? { reason: note } : {}) }))
      onClose()
    else setBusy(false)
  }
  const move = (next: number) => {
    const index = Math.max(0, Math.min(next, found.length - 1))
    setAt(index)
    setChosen(found[index]?.id ?? null)
    document
      .getElementById(`${list}-${index}`)
      ?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <Dialog title={t('transfer.title')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void go(target?.body)
        }}
      >
        <Stack gap="sm">
          <TextInput
            role="combobox"
            aria-label={t('transfer.to')}
            aria-expanded
            aria-controls={list}
            aria-activedescendant={
              found[current] ? `${list}-${current}` : undefined
            }
            autoComplete="off"
            placeholder={t('transfer.to')}
            data-autofocus
            leftSection={<IconSearch size={16} />}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value)
              setAt(0)
              setChosen(null)
            }}
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown')
                move(chosen || text.trim() ? current + 1 : 0)
              else if (event.key === 'ArrowUp') move(current - 1)
              else return
              event.preventDefault()
            }}
          />
          <div
            id={list}
            role="listbox"
            aria-label={t('transfer.targets')}
            className={classes.list}
          >
            {found.map((one, index) => (
              <div
                key={one.id}
                id={`${list}-${index}`}
                role="option"
                aria-selected={one.id === target?.id}
                className={classes.option}
                onClick={() => {
                  setAt(index)
                  setChosen(one.id)
                }}
                onDoubleClick={() => void go(one.body)}
              >
                {one.presence ? (
                  <span className={classes.who} data-presence={one.presence}>
                    <Avatar id={one.id} name={one.name} size={28} />
                  </span>
                ) : (
                  <span className={classes.group}>
                    <IconUsersGroup size={16} aria-hidden />
                  </span>
                )}
                <span className={classes.name}>
                  {one.name}
                  <small>{one.text}</small>
                </span>
              </div>
            ))}
            {found.length === 0 && (
              <p className={classes.nothing} role="status">
                {t('transfer.nothing')}
              </p>
            )}
          </div>
          <Textarea
            label={t('common.reason')}
            maxLength={500}
            autosize
            minRows={1}
            maxRows={5}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
                void go(target?.body)
            }}
          />
          <Group justify="space-between">
            <Button
              variant="default"
              disabled={busy}
              onClick={() => void go({ user_id: null })}
            >
              {t('transfer.back')}
            </Button>
            <Group gap="xs">
              <Button variant="default" disabled={busy} onClick={onClose}>
                {t('common.cancel')}
              </Button>
              <Button type="submit" loading={busy} disabled={!target}>
                {t('conversation.transfer')}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
