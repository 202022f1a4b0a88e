import { ActionIcon, Button, Group } from '@mantine/core'
import {
  IconArchive,
  IconArchiveOff,
  IconArrowRight,
  IconTrash,
} from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { dropCard, putCard, refreshBoard } from '../api/cards'
import { api, Failure as ApiFailure, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useMe } from '../api/queries'
import { refusal, requestIdOf } from '../api/refusal'
import type { Board, Card, FieldValue } from '../api/types'
import { useAttempt } from '../api/useAttempt'
import { useFieldForm } from '../fields/useFieldForm'
import { ActionMenu } from '../ui/ActionMenu'
import { announce } from '../ui/announce'
import { Dialog } from '../ui/Dialog'
import { dateAndTime } from '../ui/format'
import { Failure, Loading } from '../ui/states'
import { usePhone } from '../ui/usePhone'
import { CardConflict } from './CardConflict'
import { CardForm } from './CardForm'
import { DeleteCard } from './DeleteCard'
import {
  changedFields,
  fieldsOf,
  patchOf,
  rebase,
  type FieldName,
  type Fields,
} from './fields'
import { useBoardNames } from './useBoard'
import type { Move } from './useMoves'
import classes from './CardDialog.module.css'

type Props = {
  id: string
  board: Board
  mayWrite: boolean
  onMove: (move: Move) => void
  onClose: () => void
}

/** CardDialog loads a card and shows all its fields. */
export function CardDialog(props: Props) {
  const { t } = useTranslation()
  const phone = usePhone()
  const found = useQuery({
    queryKey: keys.card(props.id),
    queryFn: () =>
      unwrap(
        api.GET('/kanban/cards/{id}', { params: { path: { id: props.id } } }),
      ),
  })
  return (
    <Dialog
      title={t('boards.card')}
      size={640}
      fullScreen={phone}
      onClose={props.onClose}
    >
      {found.data &&
      !(found.error instanceof ApiFailure && found.error.status === 404) ? (
        <CardEditor {...props} card={found.data} />
      ) : found.isError ? (
        <Failure
          message={refusal(found.error, t)}
          requestId={requestIdOf(found.error)}
          onRetry={() => void found.refetch()}
        />
      ) : (
        <Loading rows={5} />
      )}
    </Dialog>
  )
}

/** CardEditor keeps the user's edits while others change the card; see rebase. */
function CardEditor({
  card,
  board,
  mayWrite,
  onMove,
  onClose,
}: Props & { card: Card }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const me = useMe().user.id
  const names = useBoardNames()
  const [stored, setStored] = useState(card)
  const [fields, setFields] = useState<Fields>(() => fieldsOf(card))
  const [conflicts, setConflicts] = useState<FieldName[]>([])
  const [busy, setBusy] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const stage = board.stages.find((one) => one.id === card.stage_id)
  const custom = useFieldForm('card', stored.fields)
  const changed =
    changedFields(fieldsOf(stored), fields).length > 0 || custom.changed

  useEffect(() => {
    if (card.version <= stored.version) return
    const next = rebase(fieldsOf(stored), fields, card)
    setStored(card)
    setFields(next.fields)
    setConflicts((before) => [...new Set([...before, ...next.conflicts])])
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only when the stored card changed
  }, [card])

  const patch = (
    version: number,
    body: Partial<Fields> & {
      fields?: Record<string, FieldValue | null>
      status?: 'open' | 'archived'
    },
  ) =>
    unwrap(
      api.PATCH('/kanban/cards/{id}', {
        params: { path: { id: card.id } },
        body: { ...body, version },
      }),
    )
  const take = (saved: Card) => {
    putCard(client, saved, me)
    setStored(saved)
    setFields(fieldsOf(saved))
    custom.reset()
    refreshBoard(client, board.id)
  }
  /** save stores the user's edits. With a status, the card is also archived or restored. */
  const save = (status?: 'open' | 'archived') =>
    attempt(async () => {
      const values = custom.values()
      if (!values) return
      const more = { ...values, ...(status ? { status } : {}) }
      try {
        take(
          await patch(stored.version, {
            ...patchOf(fieldsOf(stored), fields),
            ...more,
          }),
        )
      } catch (error) {
        if (custom.refuse(error)) return
        if (!(error instanceof ApiFailure) || error.code !== 'version_conflict')
          throw error
        const now = await unwrap(
          api.GET('/kanban/cards/{id}', { params: { path: { id: card.id } } }),
        )
        const next = rebase(fieldsOf(stored), fields, now)
        putCard(client, now, me)
        setStored(now)
        setFields(next.fields)
        setConflicts(next.conflicts)
        if (next.conflicts.length > 0) return
        take(
          await patch(now.version, {
            ...patchOf(fieldsOf(now), next.fields),
            ...more,
          }),
        ) // only other fields changed
      }
      announce(
        status === 'archived'
          ? t('boards.archived')
          : status === 'open'
            ? t('boards.restored')
            : t('details.saved'),
      )
      onClose()
    })
  const run = (status?: 'open' | 'archived') => {
    setBusy(true)
    void save(status).finally(() => setBusy(false))
  }
  const unfit = !fields.title.trim() || conflicts.length > 0

  return (
    <form
      className={classes.dialog}
      onSubmit={(event) => {
        event.preventDefault()
        run()
      }}
    >
      <div className={classes.head}>
        <span className={classes.where}>
          {names.board(board)}
          {stage && (
            <>
              {' '}
              · <strong>{names.stage(board, stage)}</strong>
            </>
          )}
          {card.status === 'archived' && <> · {t('boards.isArchived')}</>}
        </span>
        {mayWrite && card.status !== 'archived' && (
          <ActionMenu
            title={t('boards.moveTo')}
            actions={board.stages
              .filter((one) => one.id !== card.stage_id)
              .map((one) => ({
                key: one.id,
                label: names.stage(board, one),
                icon: <IconArrowRight size={14} />,
                onClick: () => onMove({ card, stage: one.id, before: null }),
              }))}
            button={
              <Button size="xs" variant="default">
                {t('boards.moveTo')}
              </Button>
            }
          />
        )}
      </div>
      {conflicts.length > 0 && (
        <CardConflict
          conflicts={conflicts}
          mine={fields}
          theirs={stored}
          onKeep={(field) =>
            setConflicts(conflicts.filter((one) => one !== field))
          }
          onTake={(field) => {
            setFields({ ...fields, [field]: stored[field] })
            setConflicts(conflicts.filter((one) => one !== field))
          }}
        />
      )}
      <CardForm
        fields={fields}
        custom={custom.inputs}
        disabled={!mayWrite}
        ofAttendance={card.attendance !== null}
        onChange={(change) => setFields({ ...fields, ...change })}
      />
      <div className={classes.links}>
        {card.conversation && (
          <Link
            to="/inbox/$view/$conversation"
            params={{ view: 'open', conversation: card.conversation }}
          >
            {t('boards.openConversation')}
          </Link>
        )}
        {card.contact && (
          <Link to="/contacts/$contact" params={{ contact: card.contact }}>
            {t('boards.openContact')}
          </Link>
        )}
        <span>
          {t('boards.changed', {
            created: dateAndTime(card.created_at),
            updated: dateAndTime(card.updated_at),
          })}
        </span>
      </div>
      {mayWrite && (
        <Group justify="space-between">
          <Group gap="xs">
            {card.status === 'archived' ? (
              <Button
                variant="default"
                leftSection={<IconArchiveOff size={16} />}
                disabled={busy || unfit}
                onClick={() => run('open')}
              >
                {t('boards.restore')}
              </Button>
            ) : (
              <Button
                variant="default"
                leftSection={<IconArchive size={16} />}
                disabled={busy || unfit}
                onClick={() => run('archived')}
              >
                {t('boards.archive')}
              </Button>
            )}
            <ActionIcon
              variant="default"
              size={36}
              aria-label={t('boards.delete')}
              title={t('boards.delete')}
              onClick={() => setDeleting(true)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
          <Button type="submit" loading={busy} disabled={unfit || !changed}>
            {t('common.save')}
          </Button>
        </Group>
      )}
      {deleting && (
        <DeleteCard
          card={stored}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            onClose()
            dropCard(client, card.id)
            refreshBoard(client, board.id)
          }}
        />
      )}
    </form>
  )
}
