import {
  Alert,
  Button,
  CloseButton,
  NativeSelect,
  TextInput,
} from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLabels, useTeam } from '../api/queries'
import type { Board } from '../api/types'
import { CloseDialog } from '../contact/CloseDialog'
import { FieldFilter } from '../fields/FieldFilter'
import { usePhone } from '../ui/usePhone'
import { BoardColumns } from './BoardColumns'
import { CardDialog } from './CardDialog'
import { NewCardDialog } from './NewCardDialog'
import { dues, filtersOf, priorities, type BoardSearch } from './search'
import { useBoardNames, useStageCounts } from './useBoard'
import { useClosing } from './useClosing'
import { useMoves } from './useMoves'
import classes from './Boards.module.css'

/** BoardView is one board: filters, stages and the open card. */
export function BoardView({
  board,
  search,
  mayWrite,
}: {
  board: Board
  search: BoardSearch
  mayWrite: boolean
}) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const phone = usePhone()
  const names = useBoardNames()
  const counts = useStageCounts(board.id)
  const { move, overtaken, forget } = useMoves(board)
  const closing = useClosing(board, move)
  const [creating, setCreating] = useState<string | null>(null)
  const change = (fields: Partial<BoardSearch>, replace = true) =>
    void navigate({
      to: '.',
      search: (before: BoardSearch) => ({ ...before, ...fields }),
      replace,
    })
  const { q, person, label, priority, due, field, value } = search
  const filters = useMemo(
    () => filtersOf({ q, person, label, priority, due, field, value }),
    [q, person, label, priority, due, field, value],
  )
  const current =
    board.stages.find((one) => one.id === search.stage) ?? board.stages[0]
  return (
    <>
      <div className={classes.filters}>
        {mayWrite && board.system === null && (
          <Button
            className={classes.newCard}
            leftSection={<IconPlus size={16} />}
            onClick={() =>
              setCreating(
                phone ? (current?.id ?? '') : (board.stages[0]?.id ?? ''),
              )
            }
          >
            {t('boards.newCard')}
          </Button>
        )}
        <Filters search={search} onChange={change} />
      </div>
      {overtaken && (
        <Alert
          role="alert"
          color="yellow"
          variant="light"
          className={classes.overtaken}
          title={overtaken.move.card.title}
        >
          <div className={classes.notice}>
            <span>{overtaken.text}</span>
            <Button
              size="xs"
              variant="default"
              onClick={() => void closing.request(overtaken.move)}
            >
              {t('boards.moveAnyway')}
            </Button>
            <CloseButton
              size="sm"
              aria-label={t('common.dismiss')}
              onClick={forget}
            />
          </div>
        </Alert>
      )}
      {phone && (
        <NativeSelect
          className={classes.stages}
          aria-label={t('card.stage')}
          value={current?.id ?? ''}
          onChange={(event) => change({ stage: event.currentTarget.value })}
          data={board.stages.map((one) => ({
            value: one.id,
            label: `${names.stage(board, one)} (${counts.get(one.id) ?? 0})`,
          }))}
        />
      )}
      <BoardColumns
        board={board}
        only={phone ? current?.id : undefined}
        filters={filters}
        mayWrite={mayWrite}
        onMove={(next) => void closing.request(next)}
        onNew={setCreating}
        onOpen={(card) => change({ card }, false)}
      />
      {search.card && (
        <CardDialog
          key={search.card}
          id={search.card}
          board={board}
          mayWrite={mayWrite}
          onMove={(next) => void closing.request(next)}
          onClose={() => change({ card: undefined })}
        />
      )}
      {closing.asking && (
        <CloseDialog
          text={t('boards.closesCase', {
            name: closing.asking.attendance.contact.name,
            protocol: closing.asking.attendance.protocol,
            stage: names.stage(board, closing.asking.stage),
          })}
          sectors={[closing.asking.attendance.sector]}
          only={{
            attendance: closing.asking.attendance.id,
            contact: closing.asking.attendance.contact.id,
          }}
          onClose={closing.cancel}
          onSubmit={closing.close}
        />
      )}
      {creating !== null && (
        <NewCardDialog
          board={board}
          stage={creating}
          onClose={() => setCreating(null)}
        />
      )}
    </>
  )
}

function Filters({
  search,
  onChange,
}: {
  search: BoardSearch
  onChange: (fields: Partial<BoardSearch>) => void
}) {
  const { t } = useTranslation()
  const team = useTeam().data ?? []
  const labels = useLabels().data ?? []
  const [text, setText] = useState(search.q ?? '')
  const apply = useDebouncedCallback(
    (q: string) => onChange({ q: q.trim() || undefined }),
    250,
  )
  useEffect(
    () =>
      setText((before) =>
        before.trim() === (search.q ?? '') ? before : (search.q ?? ''),
      ),
    [search.q],
  )
  const all = { value: '', label: t('filters.all') }
  const select = (
    label: string,
    value: string | undefined,
    data: { value: string; label: string }[],
    set: (value: string | undefined) => void,
  ) => (
    <NativeSelect
      size="xs"
      label={label}
      value={value ?? ''}
      data={[all, ...data]}
      classNames={{ root: classes.filter, label: classes.filterLabel }}
      onChange={(event) => set(event.currentTarget.value || undefined)}
    />
  )
  const people = [
    { value: 'me', label: t('filters.me') },
    { value: 'none', label: t('filters.nobody') },
    ...team.map(({ id, name }) => ({ value: id, label: name })),
  ]
  const active = [
    search.q,
    search.person,
    search.label,
    search.priority,
    search.due,
    search.field,
  ].some(Boolean)
  return (
    <>
      <TextInput
        size="xs"
        className={classes.search}
        type="search"
        role="searchbox"
        aria-label={t('boards.search')}
        placeholder={t('boards.search')}
        leftSection={<IconSearch size={15} />}
        maxLength={100}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          apply(event.currentTarget.value)
        }}
      />
      {select(t('filters.person'), search.person, people, (person) =>
        onChange({ person }),
      )}
      {select(
        t('filters.label'),
        search.label,
        labels.map(({ id, name }) => ({ value: id, label: name })),
        (label) => onChange({ label }),
      )}
      {select(
        t('boards.field.priority'),
        search.priority,
        priorities.map((one) => ({
          value: one,
          label: t(`boards.priority.${one}`),
        })),
        (priority) =>
          onChange({ priority: priority as BoardSearch['priority'] }),
      )}
      {select(
        t('boards.field.due_at'),
        search.due,
        dues.map((one) => ({ value: one, label: t(`boards.due.${one}`) })),
        (due) => onChange({ due: due as BoardSearch['due'] }),
      )}
      <FieldFilter
        entity="card"
        size="xs"
        filter={search}
        classNames={{ root: classes.filter, label: classes.filterLabel }}
        onChange={onChange}
      />
      {active && (
        <Button
          size="xs"
          variant="subtle"
          onClick={() =>
            onChange({
              q: undefined,
              person: undefined,
              label: undefined,
              priority: undefined,
              due: undefined,
              field: undefined,
              value: undefined,
            })
          }
        >
          {t('list.clear')}
        </Button>
      )}
    </>
  )
}
