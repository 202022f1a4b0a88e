import { Button, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import type { Key } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Dialog } from '../ui/Dialog'
import { FormFooter } from '../ui/FormFooter'
import { SendsAs } from './SendsAs'

/** EditKeyDialog edits a key's name and who its messages are sent as. */
export function EditKeyDialog({
  apiKey,
  onClose,
}: {
  apiKey: Key
  onClose: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [name, setName] = useState(apiKey.name)
  const [actsAs, setActsAs] = useState(apiKey.acts_as)
  const { busy, problem, wrong, run } = useSubmit({ fields: ['name'] })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const done = await run(async () => {
      await unwrap(
        api.PATCH('/keys/{id}', {
          params: { path: { id: apiKey.id } },
          body: { name: name.trim(), acts_as: actsAs },
        }),
      )
      await client.invalidateQueries({ queryKey: keys.apiKeys })
    })
    if (done) onClose()
  }
  return (
    <Dialog
      title={t('apiKeys.editNamed', { name: apiKey.name })}
      onClose={onClose}
    >
      <form onSubmit={(event) => void submit(event)}>
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
          <SendsAs value={actsAs} onChange={setActsAs} />
          <FormFooter busy={busy} problem={problem} submit={t('common.save')}>
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
          </FormFooter>
        </Stack>
      </form>
    </Dialog>
  )
}
