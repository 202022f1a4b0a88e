import { MultiSelect, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useTeam } from '../api/queries'
import type { Sector } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Dialog } from '../ui/Dialog'
import { FormFooter } from '../ui/FormFooter'
import { DistributionFields } from './DistributionFields'
import { HoursSelect } from './HoursSelect'
import { bodyOf, changesOf, draftOf, type SectorDraft } from './sectorForm'

/** SectorDialog creates or edits a department: name, members, opening hours and distribution. */
export function SectorDialog({
  sector,
  onClose,
}: {
  sector: Sector | null
  onClose: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const team = useTeam().data ?? sector?.members ?? []
  const [first] = useState(() => draftOf(sector))
  const [draft, setDraft] = useState(first)
  const { name, members, hours, distribution } = draft
  const change = (part: Partial<SectorDraft>) => setDraft({ ...draft, ...part })
  const { busy, problem, wrong, run } = useSubmit({
    fields: [
      'name',
      'member_ids',
      'hours_id',
      'distribution.mode',
      'distribution.capacity',
      'distribution.return_after_minutes',
    ],
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const done = await run(async () => {
      await (sector
        ? unwrap(
            api.PATCH('/sectors/{id}', {
              params: { path: { id: sector.id } },
              body: changesOf(first, draft),
            }),
          )
        : unwrap(api.POST('/sectors', { body: bodyOf(draft) })))
      await Promise.all(
        [keys.sectors, keys.team, keys.counts].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      )
    })
    if (done) onClose()
  }
  return (
    <Dialog
      title={t(sector ? 'sectors.editTitle' : 'sectors.new')}
      onClose={onClose}
    >
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <TextInput
            label={t('settings.name')}
            data-autofocus
            required
            withAsterisk={false}
            maxLength={120}
            value={name}
            error={wrong.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <MultiSelect
            label={t('sectors.members')}
            placeholder={members.length === 0 ? t('sectors.choose') : undefined}
            searchable
            clearable={false}
            hidePickedOptions
            value={members}
            error={wrong.member_ids}
            onChange={(next) => change({ members: next })}
            data={team.map((member) => ({
              value: member.id,
              label: member.name,
            }))}
          />
          <HoursSelect
            value={hours}
            none={t('hours.ofChannel')}
            description={t('hours.sectorText')}
            error={wrong.hours_id}
            onChange={(next) => change({ hours: next })}
          />
          <DistributionFields
            value={distribution}
            problems={wrong}
            onChange={(next) => change({ distribution: next })}
          />
          <FormFooter busy={busy} problem={problem} submit={t('common.save')} />
        </Stack>
      </form>
    </Dialog>
  )
}
