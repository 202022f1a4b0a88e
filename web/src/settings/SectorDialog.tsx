import { MultiSelect, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import { useTeam } from '../api/queries'
import type { Sector } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Dialog } from '../ui/Dialog'
import { FormFooter } from '../ui/FormFooter'
import { DistributionFields, newDistribution } from './DistributionFields'
import { HoursSelect } from './HoursSelect'

/** SectorDialog creates a sector, or changes one: its name, members, opening hours and distribution. */
export function SectorDialog({ sector, onClose }: { sector: Sector | null; onClose: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const team = useTeam().data ?? sector?.members ?? []
  const [name, setName] = useState(sector?.name ?? '')
  const [members, setMembers] = useState(() => sector?.members.map((member) => member.id) ?? [])
  const [hours, setHours] = useState(sector?.hours_id ?? null)
  const [distribution, setDistribution] = useState(sector?.distribution ?? newDistribution)
  const { busy, problem, wrong, run } = useSubmit({ fields: ['name', 'member_ids', 'hours_id', 'distribution.mode', 'distribution.capacity', 'distribution.return_after_minutes'] })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = { name: name.trim(), member_ids: members, hours_id: hours, distribution }
    const done = await run(async () => {
      await (sector ? answer(api.PATCH('/sectors/{id}', { params: { path: { id: sector.id } }, body })) : answer(api.POST('/sectors', { body })))
      await Promise.all([keys.sectors, keys.team, keys.counts].map((queryKey) => client.invalidateQueries({ queryKey })))
    })
    if (done) onClose()
  }
  return (
    <Dialog title={t(sector ? 'sectors.editTitle' : 'sectors.new')} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <TextInput label={t('settings.name')} data-autofocus required withAsterisk={false} maxLength={120} value={name} error={wrong.name} onChange={(event) => setName(event.currentTarget.value)} />
          <MultiSelect
            label={t('sectors.members')} placeholder={members.length === 0 ? t('sectors.choose') : undefined} searchable clearable={false} hidePickedOptions value={members} error={wrong.member_ids} onChange={setMembers}
            data={team.map((member) => ({ value: member.id, label: member.name }))}
          />
          <HoursSelect value={hours} none={t('hours.ofChannel')} description={t('hours.sectorText')} error={wrong.hours_id} onChange={setHours} />
          <DistributionFields value={distribution} problems={wrong} onChange={setDistribution} />
          <FormFooter busy={busy} problem={problem} submit={t('common.save')} />
        </Stack>
      </form>
    </Dialog>
  )
}
