import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import type { Card } from '../api/types'
import { useAttempt } from '../api/useAttempt'
import { Dialog } from '../ui/Dialog'
import classes from './Board.module.css'

/** DeleteCard asks before a card is deleted for good. */
export function DeleteCard({ card, onClose, onDeleted }: { card: Card; onClose: () => void; onDeleted: () => void }) {
  const { t } = useTranslation()
  const attempt = useAttempt()
  const [busy, setBusy] = useState(false)
  const remove = async () => {
    setBusy(true)
    if (await attempt(() => answer(api.DELETE('/kanban/cards/{id}', { params: { path: { id: card.id } } })), t('boards.deleted'))) onDeleted()
    else onClose()
  }
  return (
    <Dialog role="alertdialog" title={t('boards.deleteTitle')} onClose={onClose}>
      <Stack gap="md">
        <p className={classes.text}>{t('boards.deleteText', { title: card.title })}</p>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>{t('common.cancel')}</Button>
          <Button color="red" loading={busy} onClick={() => void remove()}>{t('boards.delete')}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
