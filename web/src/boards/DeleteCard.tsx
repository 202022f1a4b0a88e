import { Button, Group, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { refreshBoard } from '../api/cards'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import type { Card } from '../api/types'
import { useAttempt } from '../api/useAttempt'
import { Dialog } from '../ui/Dialog'
import classes from './Board.module.css'

/** DeleteCard deletes a card after a confirmation. If a colleague changed the card in the meantime, its current state is shown. */
export function DeleteCard({
  card,
  onClose,
  onDeleted,
}: {
  card: Card
  onClose: () => void
  onDeleted: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const [busy, setBusy] = useState(false)
  const remove = async () => {
    setBusy(true)
    const params = {
      path: { id: card.id },
      header: { 'If-Match': `"${card.version}"` },
    }
    if (
      await attempt(
        () => unwrap(api.DELETE('/kanban/cards/{id}', { params })),
        t('boards.deleted'),
      )
    )
      return onDeleted()
    onClose()
    void client.invalidateQueries({ queryKey: keys.card(card.id) })
    refreshBoard(client, card.board_id)
  }
  return (
    <Dialog
      role="alertdialog"
      title={t('boards.deleteTitle')}
      onClose={onClose}
    >
      <Stack gap="md">
        <p className={classes.text}>
          {t('boards.deleteText', { title: card.title })}
        </p>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button color="red" loading={busy} onClick={() => void remove()}>
            {t('boards.delete')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
