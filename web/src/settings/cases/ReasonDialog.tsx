import { MultiSelect, Stack, Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useSectors } from '../../api/queries'
import type { ClosingReason } from '../../api/types'
import { useSubmit } from '../../api/useSubmit'
import { Dialog } from '../../ui/Dialog'
import { FormFooter } from '../../ui/FormFooter'
import { changed } from '../changed'

/** ReasonDialog creates a closing reason, or edits its name, departments and whether it needs a note. */
export function ReasonDialog({
  reason,
  onClose,
}: {
  reason: ClosingReason | null
  onClose: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const sectors = useSectors().data ?? []
  const [value, setValue] = useState({
    name: reason?.name ?? '',
    sector_ids: reason?.sector_ids ?? [],
    require_note: reason?.require_note ?? false,
  })
  const change = (part: Partial<typeof value>) =>
    setValue({ ...value, ...part })
  const { busy, problem, wrong, run } = useSubmit({
    fields: ['name', 'sector_ids'],
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = { ...value, name: value.name.trim() }
    const done = await run(async () => {
      await (reason
        ? unwrap(
            api.PATCH('/closing-reasons/{id}', {
              params: { path: { id: reason.id } },
              body: changed(reason, body),
            }),
          )
        : unwrap(api.POST('/closing-reasons', { body })))
      await client.invalidateQueries({ queryKey: keys.reasons })
    })
    if (done) onClose()
  }
  return (
    <Dialog
      title={t(reason ? 'reasons.editTitle' : 'reasons.new')}
      onClose={onClose}
    >
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <TextInput
            label={t('settings.name')}
            data-autofocus
            required
            withAsterisk={false}
            maxLength={60}
            value={value.name}
            error={wrong.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          {sectors.length > 0 && (
            <MultiSelect
              label={t('replies.sectors')}
              placeholder={
                value.sector_ids.length === 0
                  ? t('replies.allSectors')
                  : undefined
              }
              searchable
              hidePickedOptions
              value={value.sector_ids}
              error={wrong.sector_ids}
              data={sectors.map(({ id, name }) => ({ value: id, label: name }))}
              onChange={(sector_ids) => change({ sector_ids })}
            />
          )}
          <Switch
            label={t('reasons.requireNote')}
            checked={value.require_note}
            onChange={(event) =>
              change({ require_note: event.currentTarget.checked })
            }
          />
          <FormFooter busy={busy} problem={problem} submit={t('common.save')} />
        </Stack>
      </form>
    </Dialog>
  )
}
