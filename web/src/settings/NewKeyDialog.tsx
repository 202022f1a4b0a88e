import '@mantine/core/styles/NumberInput.layer.css'
import {
  Button,
  Group,
  MultiSelect,
  NativeSelect,
  NumberInput,
  Stack,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { useBoards, useMe, useTeam } from '../api/queries'
import type { Key, Role, Scope } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Dialog } from '../ui/Dialog'
import { FormFooter } from '../ui/FormFooter'
import { ScopeChoice } from './ScopeChoice'
import { SendsAs } from './SendsAs'

const ranks: Role[] = ['agent', 'manager', 'admin', 'owner']
const days = ['', '30', '90', '365', 'date'] as const

/** expiry returns when a key expires: after some days, at the end of a date, or never. */
function expiry(after: string, date: string): string | undefined {
  if (after === 'date')
    return date ? new Date(`${date}T23:59:59`).toISOString() : undefined
  return after
    ? new Date(Date.now() + Number(after) * 86_400_000).toISOString()
    : undefined
}

/** NewKeyDialog creates a key and passes on its secret. */
export function NewKeyDialog({
  onIssued,
  onClose,
}: {
  onIssued: (secret: string) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { user } = useMe()
  const boards = (useBoards().data ?? []).map(({ id, name }) => ({
    value: id,
    label: name,
  }))
  const team = (useTeam().data ?? []).filter(
    ({ role }) => ranks.indexOf(role) <= ranks.indexOf(user.role),
  )
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<Scope[]>([])
  const [after, setAfter] = useState<string>('90')
  const [date, setDate] = useState('')
  const [limited, setLimited] = useState<string[]>([])
  const [person, setPerson] = useState(user.id)
  const [actsAs, setActsAs] = useState<Key['acts_as']>('person')
  const [rate, setRate] = useState<number | ''>('')
  const [burst, setBurst] = useState<number | ''>('')
  const { busy, problem, wrong, run } = useSubmit({
    fields: [
      'name',
      'expires_at',
      'user_id',
      'boards',
      'rate',
      'rate.per_second',
      'rate.burst',
    ],
  })
  const issue = () =>
    run(async () => {
      const ends = expiry(after, date)
      const body = {
        name: name.trim(),
        scopes,
        user_id: person,
        acts_as: actsAs,
        ...(ends ? { expires_at: ends } : {}),
        ...(limited.length > 0 ? { boards: limited } : {}),
        ...(rate
          ? { rate: { per_second: rate, burst: burst || 2 * rate } }
          : {}),
      }
      onIssued((await unwrap(api.POST('/keys', { body }))).key ?? '')
    })
  return (
    <Dialog
      title={t('apiKeys.new')}
      size="lg"
      onClose={onClose}
      closeOnClickOutside={false}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void issue()
        }}
      >
        <Stack gap="md">
          <TextInput
            label={t('apiKeys.name')}
            description={t('apiKeys.nameText')}
            data-autofocus
            required
            withAsterisk={false}
            maxLength={120}
            value={name}
            error={wrong.name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Group grow align="flex-start">
            <NativeSelect
              label={t('apiKeys.expires')}
              value={after}
              data={days.map((value) => ({
                value,
                label: t(`apiKeys.after.${value || 'never'}`),
              }))}
              onChange={(event) => setAfter(event.currentTarget.value)}
            />
            {after === 'date' && (
              <TextInput
                type="date"
                label={t('apiKeys.lastDay')}
                required
                withAsterisk={false}
                value={date}
                error={wrong.expires_at && t('apiKeys.past')}
                onChange={(event) => setDate(event.currentTarget.value)}
              />
            )}
          </Group>
          <NativeSelect
            label={t('apiKeys.actsAs')}
            description={t('apiKeys.actsAsText')}
            value={person}
            error={wrong.user_id}
            data={team.map((one) => ({ value: one.id, label: one.name }))}
            onChange={(event) => setPerson(event.currentTarget.value)}
          />
          <SendsAs value={actsAs} onChange={setActsAs} />
          <MultiSelect
            label={t('apiKeys.boards')}
            description={t('apiKeys.boardsText')}
            placeholder={
              limited.length === 0 ? t('apiKeys.allBoards') : undefined
            }
            data={boards}
            value={limited}
            error={wrong.boards}
            onChange={setLimited}
            searchable
            clearable
          />
          <Group grow align="flex-start">
            <NumberInput
              label={t('apiKeys.rate')}
              description={t('apiKeys.rateText')}
              min={1}
              allowDecimal={false}
              allowNegative={false}
              hideControls
              value={rate}
              error={wrong['rate.per_second'] ?? wrong.rate}
              onChange={(value) => setRate(Number(value) || '')}
            />
            <NumberInput
              label={t('apiKeys.burst')}
              description={t('apiKeys.burstText')}
              min={1}
              allowDecimal={false}
              allowNegative={false}
              hideControls
              disabled={rate === ''}
              placeholder={rate === '' ? undefined : String(2 * rate)}
              value={burst}
              error={wrong['rate.burst']}
              onChange={(value) => setBurst(Number(value) || '')}
            />
          </Group>
          <ScopeChoice value={scopes} onChange={setScopes} />
          <FormFooter
            busy={busy}
            problem={problem}
            submit={t('apiKeys.create')}
            disabled={scopes.length === 0}
          >
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
          </FormFooter>
        </Stack>
      </form>
    </Dialog>
  )
}
