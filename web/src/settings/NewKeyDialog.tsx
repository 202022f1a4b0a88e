import { Alert, Button, Group, MultiSelect, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { refusedField } from '../api/problem'
import { useBoards, useMe, useTeam } from '../api/queries'
import type { Role } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Dialog } from '../ui/Dialog'
import { ScopeChoice } from './ScopeChoice'

const ranks: Role[] = ['agent', 'manager', 'admin', 'owner']
const days = ['', '30', '90', '365', 'date'] as const

/** expiry is the moment when a key ends: after some days, at the end of a date, or never. */
function expiry(after: string, date: string): string | undefined {
  if (after === 'date') return date ? new Date(`${date}T23:59:59`).toISOString() : undefined
  return after ? new Date(Date.now() + Number(after) * 86_400_000).toISOString() : undefined
}

/** NewKeyDialog issues a key and hands over its secret. */
export function NewKeyDialog({ onIssued, onClose }: { onIssued: (secret: string) => void; onClose: () => void }) {
  const { t } = useTranslation()
  const { user } = useMe()
  const boards = (useBoards().data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const team = (useTeam().data ?? []).filter(({ role }) => ranks.indexOf(role) <= ranks.indexOf(user.role))
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<string[]>([])
  const [after, setAfter] = useState<string>('90')
  const [date, setDate] = useState('')
  const [limited, setLimited] = useState<string[]>([])
  const [actsAs, setActsAs] = useState(user.id)
  const { busy, problem, run } = useSubmit((error) => (refusedField(error, 'body.expires_at') ? t('apiKeys.past') : undefined))
  const issue = () =>
    run(async () => {
      const ends = expiry(after, date)
      const body = { name: name.trim(), scopes, user_id: actsAs, ...(ends ? { expires_at: ends } : {}), ...(limited.length > 0 ? { boards: limited } : {}) }
      onIssued((await answer(api.POST('/keys', { body }))).key)
    })
  return (
    <Dialog title={t('apiKeys.new')} size="lg" onClose={onClose} closeOnClickOutside={false}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void issue()
        }}
      >
        <Stack gap="md">
          {problem && <Alert color="red" variant="light">{problem}</Alert>}
          <TextInput label={t('apiKeys.name')} description={t('apiKeys.nameText')} data-autofocus required withAsterisk={false} maxLength={120} value={name} onChange={(event) => setName(event.currentTarget.value)} />
          <Group grow align="flex-start">
            <NativeSelect label={t('apiKeys.expires')} value={after} data={days.map((value) => ({ value, label: t(`apiKeys.after.${value || 'never'}`) }))} onChange={(event) => setAfter(event.currentTarget.value)} />
            {after === 'date' && <TextInput type="date" label={t('apiKeys.lastDay')} required withAsterisk={false} value={date} onChange={(event) => setDate(event.currentTarget.value)} />}
          </Group>
          <NativeSelect label={t('apiKeys.actsAs')} description={t('apiKeys.actsAsText')} value={actsAs} data={team.map((one) => ({ value: one.id, label: one.name }))} onChange={(event) => setActsAs(event.currentTarget.value)} />
          <MultiSelect label={t('apiKeys.boards')} description={t('apiKeys.boardsText')} placeholder={limited.length === 0 ? t('apiKeys.allBoards') : undefined} data={boards} value={limited} onChange={setLimited} searchable clearable />
          <ScopeChoice value={scopes} onChange={setScopes} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>{t('common.cancel')}</Button>
            <Button type="submit" loading={busy} disabled={scopes.length === 0}>{t('apiKeys.create')}</Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
