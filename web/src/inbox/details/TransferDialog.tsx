import { Button, Group, Select, Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSectors, useTeam } from '../../api/queries'
import type { Member } from '../../api/types'
import { Dialog } from '../../ui/Dialog'

type Transfer = { user_id?: string | null; sector_id?: string; reason?: string }

/** TransferDialog transfers conversations to a department or person, or returns them to the queue. */
export function TransferDialog({
  onClose,
  onTransfer,
}: {
  onClose: () => void
  onTransfer: (body: Transfer) => Promise<boolean>
}) {
  const { t } = useTranslation()
  const sectors = useSectors().data ?? []
  const team: Member[] = useTeam().data ?? []
  const [sector, setSector] = useState<string | null>(null)
  const [person, setPerson] = useState<string | null>(null)
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const members = sector
    ? sectors.find((one) => one.id === sector)?.members.map((one) => one.id)
    : undefined
  const people = team.filter((one) => !members || members.includes(one.id))
  const describe = (one: Member) => {
    const parts = [t(`presence.${one.presence}`)]
    parts.push(t('transfer.openCases', { count: one.open_attendances }))
    return `${one.name} (${parts.join(', ')})`
  }
  const go = async (body: Transfer) => {
    setBusy(true)
    if (
      await onTransfer({
        ...body,
        ...(reason.trim() ? { reason: reason.trim() } : {}),
      })
    )
      onClose()
    else setBusy(false)
  }
  return (
    <Dialog title={t('transfer.title')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void go({
            ...(person ? { user_id: person } : {}),
            ...(sector ? { sector_id: sector } : {}),
          })
        }}
      >
        <Stack gap="md">
          <Select
            label={t('filters.sector')}
            data-autofocus
            placeholder={t('transfer.anySector')}
            data={sectors.map(({ id, name }) => ({ value: id, label: name }))}
            value={sector}
            clearable
            searchable
            onChange={(value) => {
              setSector(value)
              setPerson(null)
            }}
          />
          <Select
            label={t('filters.person')}
            placeholder={t('transfer.anybody')}
            data={people.map((one) => ({
              value: one.id,
              label: describe(one),
            }))}
            value={person}
            clearable
            searchable
            onChange={setPerson}
          />
          <Textarea
            label={t('common.reason')}
            maxLength={500}
            autosize
            minRows={2}
            maxRows={5}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <Group justify="space-between">
            <Button
              variant="default"
              disabled={busy}
              onClick={() => void go({ user_id: null })}
            >
              {t('transfer.back')}
            </Button>
            <Button type="submit" loading={busy} disabled={!sector && !person}>
              {t('conversation.transfer')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
