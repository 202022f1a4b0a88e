import { Alert, MultiSelect, Stack, Switch } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { Confirm } from '../api/Confirm'
import { keys } from '../api/keys'
import { useMe, useTeam } from '../api/queries'
import type { Viewer } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { FormFooter } from '../ui/FormFooter'
import { toast } from '../ui/toast'
import { PendingViewers } from './PendingViewers'

type Props = {
  channel: string
  viewers: Viewer[] | undefined
  canOpen?: boolean
  onSaved?: () => void
}

/** Viewers edits who can see a number: the whole team or chosen people. canOpen allows switching between the two, with a confirmation before a number becomes public. */
export function Viewers({ channel, viewers, canOpen = false, onSaved }: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const me = useMe()
  const team = useTeam().data ?? viewers ?? []
  const [isPrivate, setPrivate] = useState(viewers !== undefined)
  const [chosen, setChosen] = useState(
    () => viewers?.map((viewer) => viewer.id) ?? [me.user.id],
  )
  const { busy, done, problem, wrong, run, touch } = useSubmit({
    fields: ['private', 'viewers'],
  })
  const [asking, setAsking] = useState(false)
  const opens = viewers !== undefined && !isPrivate
  const change = async (body: {
    private?: boolean
    confirm?: boolean
    viewers?: string[]
  }) => {
    await unwrap(
      api.PATCH('/channels/{id}', { params: { path: { id: channel } }, body }),
    )
    await Promise.all(
      [keys.channels, keys.privateChannels].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    )
  }
  const save = async (body: { private?: boolean; viewers?: string[] }) => {
    if (await run(() => change(body))) onSaved?.()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (opens) return setAsking(true)
    void save(
      isPrivate
        ? {
            viewers: chosen,
            ...(viewers === undefined ? { private: true } : {}),
          }
        : {},
    )
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {canOpen && (
          <Switch
            label={t('channels.privateNumber')}
            description={t('channels.privateText')}
            checked={isPrivate}
            error={wrong.private}
            onChange={(event) => {
              touch()
              setPrivate(event.currentTarget.checked)
            }}
          />
        )}
        {isPrivate && viewers && (
          <PendingViewers
            viewers={viewers}
            busy={busy}
            onConfirm={() =>
              void save({ viewers: viewers.map((one) => one.id) })
            }
          />
        )}
        {isPrivate && (
          <MultiSelect
            label={t('channels.viewers')}
            description={t('channels.viewersText')}
            searchable
            hidePickedOptions
            value={chosen}
            error={
              chosen.length === 0 ? t('channels.viewerNeeded') : wrong.viewers
            }
            data={team.map((member) => ({
              value: member.id,
              label: member.name,
            }))}
            onChange={(value) => {
              touch()
              setChosen(value)
            }}
          />
        )}
        {isPrivate && viewers === undefined && (
          <Alert color="yellow" variant="light" role="status">
            {t('channels.madePrivate')}
          </Alert>
        )}
        <FormFooter
          busy={busy}
          saved={done}
          problem={problem}
          submit={t('common.save')}
          disabled={isPrivate && chosen.length === 0}
        />
      </Stack>
      {asking && (
        <Confirm
          title={t('channels.publicTitle')}
          text={t('channels.publicText')}
          action={t('channels.publicConfirm')}
          onClose={() => setAsking(false)}
          onDone={() => toast(t('details.saved'))}
          task={() => change({ private: false, confirm: true })}
        />
      )}
    </form>
  )
}
