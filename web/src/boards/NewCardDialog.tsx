import { Alert, Button, Group, NativeSelect } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { putCard, refreshBoard } from '../api/cards'
import { api, Failure, unwrap } from '../api/client'
import { useMe } from '../api/queries'
import { refusal } from '../api/refusal'
import type { Board } from '../api/types'
import { useFieldForm } from '../fields/useFieldForm'
import { announce } from '../ui/announce'
import { Dialog } from '../ui/Dialog'
import { usePhone } from '../ui/usePhone'
import { CardForm } from './CardForm'
import { patchOf, type Fields } from './fields'
import { useBoardNames } from './useBoard'
import classes from './CardDialog.module.css'

const empty: Fields = {
  title: '',
  description: null,
  priority: 'medium',
  due_at: null,
  assignee: null,
  label_ids: [],
  contact: null,
  conversation: null,
  private: false,
}

/** NewCardDialog adds a card to a stage. */
export function NewCardDialog({
  board,
  stage,
  onClose,
}: {
  board: Board
  stage: string
  onClose: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const me = useMe().user.id
  const phone = usePhone()
  const names = useBoardNames()
  const [fields, setFields] = useState(empty)
  const [where, setWhere] = useState(stage)
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const custom = useFieldForm('card')
  const key = useRef(crypto.randomUUID())
  const create = async () => {
    const more = custom.values()
    if (!more) return
    setBusy(true)
    setProblem(null)
    try {
      const body = {
        ...patchOf(empty, fields),
        ...more,
        title: fields.title.trim(),
        board_id: board.id,
        stage_id: where,
      }
      putCard(
        client,
        await unwrap(
          api.POST('/kanban/cards', {
            params: { header: { 'Idempotency-Key': key.current } },
            body,
          }),
        ),
        me,
      )
      refreshBoard(client, board.id)
      announce(t('card.created'))
      onClose()
    } catch (error) {
      // Without a response the card may exist; the same idempotency key prevents a second one.
      if (!(error instanceof Failure && error.temporary))
        key.current = crypto.randomUUID()
      if (!custom.refuse(error)) setProblem(refusal(error, t))
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={t('boards.newCard')}
      size={640}
      fullScreen={phone}
      onClose={onClose}
    >
      <form
        className={classes.dialog}
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        {problem && (
          <Alert color="red" variant="light">
            {problem}
          </Alert>
        )}
        <CardForm
          fields={fields}
          custom={custom.inputs}
          onChange={(change) => setFields({ ...fields, ...change })}
        />
        <NativeSelect
          label={t('card.stage')}
          value={where}
          data={board.stages.map((one) => ({
            value: one.id,
            label: names.stage(board, one),
          }))}
          onChange={(event) => setWhere(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={busy} disabled={!fields.title.trim()}>
            {t('card.create')}
          </Button>
        </Group>
      </form>
    </Dialog>
  )
}
