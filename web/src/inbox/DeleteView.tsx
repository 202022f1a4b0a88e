import { ActionIcon, Button, Group, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import type { SavedView } from '../api/types'
import { Dialog } from '../ui/Dialog'
import { useActions } from './actions'
import classes from './Views.module.css'

/** DeleteView removes a saved view after a question. */
export function DeleteView({ view, open }: { view: SavedView; open: boolean }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { attempt } = useActions()
  const [asking, setAsking] = useState(false)
  const remove = async () => {
    const done = await attempt(async () => {
      await answer(api.DELETE('/views/{id}', { params: { path: { id: view.id } } }))
      await client.invalidateQueries({ queryKey: keys.views })
    })
    setAsking(false)
    if (done && open) void navigate({ to: '/inbox/$view', params: { view: 'open' } })
  }
  const label = t('inbox.deleteView', { name: view.name })
  return (
    <>
      <ActionIcon className={classes.remove} variant="subtle" color="gray" size={24} aria-label={label} title={label} onClick={() => setAsking(true)}><IconX size={14} /></ActionIcon>
      {asking && (
        <Dialog role="alertdialog" title={t('inbox.deleteTitle')} onClose={() => setAsking(false)}>
          <Text size="sm" mb="md">{t('inbox.deleteText', { name: view.name })} {view.shared && t('inbox.deleteShared')}</Text>
          <Group justify="flex-end">
            <Button variant="default" data-autofocus onClick={() => setAsking(false)}>{t('common.cancel')}</Button>
            <Button color="red" onClick={() => void remove()}>{t('inbox.delete')}</Button>
          </Group>
        </Dialog>
      )}
    </>
  )
}
