import { Stack, Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useMe } from '../../api/queries'
import type { SavedView } from '../../api/types'
import { useSubmit } from '../../api/useSubmit'
import { Dialog } from '../../ui/Dialog'
import { FormFooter } from '../../ui/FormFooter'

/** EditView renames a saved view and changes whether it is shared. */
export function EditView({
  view,
  onClose,
}: {
  view: SavedView
  onClose: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const manages = useMe().user.role !== 'agent'
  const [name, setName] = useState(view.name)
  const [shared, setShared] = useState(view.shared)
  const { busy, problem, wrong, run } = useSubmit({ fields: ['name'] })
  const save = async () => {
    const saved = await run(async () => {
      await unwrap(
        api.PATCH('/views/{id}', {
          params: { path: { id: view.id } },
          body: {
            name: name.trim(),
            ...(shared === view.shared ? {} : { shared }),
          },
        }),
      )
      await client.invalidateQueries({ queryKey: keys.views })
    })
    if (saved) onClose()
  }
  return (
    <Dialog title={t('inbox.editTitle')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Stack gap="md">
          <TextInput
            label={t('filters.name')}
            data-autofocus
            required
            withAsterisk={false}
            maxLength={120}
            value={name}
            error={wrong.name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {manages && (
            <Switch
              label={t('filters.shared')}
              checked={shared}
              onChange={(event) => setShared(event.currentTarget.checked)}
            />
          )}
          <FormFooter
            busy={busy}
            problem={problem}
            submit={t('common.save')}
            disabled={!name.trim()}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
