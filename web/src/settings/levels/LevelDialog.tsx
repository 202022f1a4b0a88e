import '@mantine/core/styles/NumberInput.layer.css'
import '@mantine/core/styles/Radio.layer.css'
import {
  MultiSelect,
  NativeSelect,
  NumberInput,
  Radio,
  Stack,
  TextInput,
} from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import type { Policy, Sector } from '../../api/types'
import { useSubmit } from '../../api/useSubmit'
import { Dialog } from '../../ui/Dialog'
import { FormFooter } from '../../ui/FormFooter'
import { DurationField } from './DurationField'
import {
  bodyOf,
  conflictsOf,
  draftOf,
  missingOf,
  restOf,
  type LevelDraft,
} from './levelForm'
import { refreshLevels } from './refreshLevels'
import classes from './Levels.module.css'

const fields = [
  'name',
  'sector_ids',
  'first_response_minutes',
  'next_response_minutes',
  'resolution_minutes',
  'clock',
  'warn_percent',
] as const

/** LevelDialog creates or edits a service level. */
export function LevelDialog({
  policy,
  policies,
  sectors,
  onClose,
}: {
  policy: Policy | null
  policies: Policy[]
  sectors: Sector[]
  onClose: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const targetsProblem = useId()
  const [draft, setDraft] = useState(() => draftOf(policy, policies, sectors))
  const [refused, setRefused] = useState(0)
  const change = (part: Partial<LevelDraft>) => setDraft({ ...draft, ...part })
  const { busy, problem, wrong, run } = useSubmit({ fields })
  useEffect(() => {
    if (refused > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [refused])
  const conflicts = conflictsOf(draft, policies, policy, sectors, t)
  const missing = refused > 0 ? missingOf(draft, t) : {}
  const rest = restOf(policies, policy)
  // The server says only that something is taken; which field it is follows from the other policies.
  const nameProblem =
    conflicts.name ?? (conflicts.sectors ? undefined : wrong.name)
  const sectorProblem = conflicts.sectors ?? missing.sectors ?? wrong.sector_ids
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const open = { ...conflicts, ...missingOf(draft, t) }
    if (conflicts.sectors || Object.values(open).some(Boolean))
      return setRefused((n) => n + 1)
    const done = await run(async () => {
      try {
        await (policy
          ? unwrap(
              api.PATCH('/sla-policies/{id}', {
                params: { path: { id: policy.id } },
                body: bodyOf(draft),
              }),
            )
          : unwrap(api.POST('/sla-policies', { body: bodyOf(draft) })))
      } finally {
        await refreshLevels(client)
      }
    })
    if (done) onClose()
    else setRefused((n) => n + 1)
  }
  return (
    <Dialog
      title={t(policy ? 'levels.editTitle' : 'levels.new')}
      onClose={onClose}
    >
      <form ref={form} noValidate onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <TextInput
            label={t('settings.name')}
            data-autofocus
            maxLength={120}
            value={draft.name}
            error={nameProblem}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <Radio.Group
            label={t('levels.applies')}
            value={draft.all ? 'all' : 'some'}
            error={draft.all ? sectorProblem : undefined}
            onChange={(value) => change({ all: value === 'all' })}
          >
            <Stack gap="xs" mt="xs">
              <Radio
                value="all"
                label={t('levels.all')}
                description={
                  rest
                    ? t('levels.restTaken', { policy: rest.name })
                    : t('levels.allText')
                }
                disabled={rest !== null}
              />
              <Radio
                value="some"
                label={t('levels.some')}
                disabled={sectors.length === 0}
              />
            </Stack>
          </Radio.Group>
          {!draft.all && (
            <MultiSelect
              label={t('levels.sectors')}
              placeholder={
                draft.sectors.length === 0 ? t('levels.choose') : undefined
              }
              searchable
              clearable={false}
              hidePickedOptions
              value={draft.sectors}
              error={sectorProblem}
              onChange={(next) => change({ sectors: next })}
              data={sectors.map(({ id, name }) => ({ value: id, label: name }))}
            />
          )}
          <fieldset
            className={classes.targets}
            aria-describedby={missing.targets ? targetsProblem : undefined}
          >
            <legend>{t('levels.targets')}</legend>
            <DurationField
              label={t('sla.first')}
              description={t('levels.firstText')}
              value={draft.first}
              error={wrong.first_response_minutes}
              onChange={(first) => change({ first })}
            />
            <DurationField
              label={t('sla.next')}
              description={t('levels.nextText')}
              value={draft.next}
              error={wrong.next_response_minutes}
              onChange={(next) => change({ next })}
            />
            <DurationField
              label={t('sla.resolution')}
              description={t('levels.resolutionText')}
              value={draft.resolution}
              error={wrong.resolution_minutes}
              onChange={(resolution) => change({ resolution })}
            />
            {missing.targets && (
              <p id={targetsProblem} role="alert" className={classes.problem}>
                {missing.targets}
              </p>
            )}
          </fieldset>
          <div className={classes.pair}>
            <NativeSelect
              label={t('levels.clock')}
              value={draft.clock}
              error={wrong.clock}
              data={(['hours', 'always'] as const).map((one) => ({
                value: one,
                label: t(`levels.clocks.${one}`),
              }))}
              onChange={(event) =>
                change({ clock: event.currentTarget.value as Policy['clock'] })
              }
            />
            <NumberInput
              label={t('levels.warn')}
              suffix=" %"
              min={50}
              max={95}
              allowDecimal={false}
              allowNegative={false}
              value={draft.warn ?? ''}
              error={wrong.warn_percent}
              onChange={(value) =>
                change({ warn: value === '' ? null : Number(value) })
              }
            />
          </div>
          <FormFooter
            busy={busy}
            problem={problem}
            submit={t('common.save')}
            disabled={!draft.name.trim()}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
