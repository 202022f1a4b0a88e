import { ActionIcon, Button, Switch } from '@mantine/core'
import {
  IconFlagCheck,
  IconPencil,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { Confirm } from '../../api/Confirm'
import { keys } from '../../api/keys'
import { Loaded } from '../../api/Loaded'
import { rulesOptions, useReasons, useRowNames } from '../../api/queries'
import type { AttendanceRules, ClosingReason } from '../../api/types'
import { useAttempt } from '../../api/useAttempt'
import { Page } from '../../ui/Layout'
import { Empty } from '../../ui/states'
import rows from '../../ui/rows.module.css'
import { useFresh } from '../useFresh'
import { ReasonDialog } from './ReasonDialog'
import { Sortable } from './Sortable'
import { usePosition } from './usePosition'
import classes from './Cases.module.css'

const change = (
  id: string,
  body: Partial<Pick<ClosingReason, 'position' | 'active'>>,
) =>
  unwrap(api.PATCH('/closing-reasons/{id}', { params: { path: { id } }, body }))

/** Reasons is the page of closing reasons. */
export default function Reasons() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const reasons = useReasons()
  useFresh(keys.reasons, keys.rules, keys.sectors)
  const [editing, setEditing] = useState<ClosingReason | 'new' | null>(null)
  const [deleting, setDeleting] = useState<ClosingReason | null>(null)
  const move = usePosition<ClosingReason>(keys.reasons, (id, position) =>
    change(id, { position }),
  )
  const add = (
    <Button
      leftSection={<IconPlus size={16} />}
      onClick={() => setEditing('new')}
    >
      {t('reasons.new')}
    </Button>
  )
  return (
    <Page
      title={t('reasons.title')}
      text={t('reasons.text')}
      action={(reasons.data?.length ?? 0) > 0 && add}
    >
      <Loaded query={reasons}>
        {(data) =>
          data.length === 0 ? (
            <Empty
              icon={<IconFlagCheck size={28} />}
              title={t('reasons.none')}
              text={t('reasons.noneText')}
            >
              {add}
            </Empty>
          ) : (
            <>
              <Sortable
                label={t('reasons.title')}
                items={data}
                onMove={(item, to) => void move(data, item, to)}
              >
                {(reason) => (
                  <ReasonRow
                    reason={reason}
                    onEdit={() => setEditing(reason)}
                    onDelete={() => setDeleting(reason)}
                  />
                )}
              </Sortable>
              <RequireReason usable={data.some((one) => one.active)} />
            </>
          )
        }
      </Loaded>
      {editing && (
        <ReasonDialog
          reason={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
        />
      )}
      {deleting && (
        <Confirm
          title={t('reasons.deleteTitle', { name: deleting.name })}
          text={t('reasons.deleteText')}
          action={t('inbox.delete')}
          onClose={() => setDeleting(null)}
          task={async () => {
            await unwrap(
              api.DELETE('/closing-reasons/{id}', {
                params: { path: { id: deleting.id } },
              }),
            )
            await client.invalidateQueries({ queryKey: keys.reasons })
          }}
        />
      )}
    </Page>
  )
}

function ReasonRow({
  reason,
  onEdit,
  onDelete,
}: {
  reason: ClosingReason
  onEdit: () => void
  onDelete: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const names = useRowNames()
  const { id, name, active } = reason
  const facts = [
    ...reason.sector_ids.map((sector) => names.sector(sector)),
    reason.require_note && t('reasons.noteNeeded'),
  ].filter(Boolean)
  const activate = async (on: boolean) => {
    const put = (value: boolean) =>
      client.setQueryData<ClosingReason[]>(keys.reasons, (all) =>
        all?.map((one) => (one.id === id ? { ...one, active: value } : one)),
      )
    put(on)
    if (!(await attempt(() => change(id, { active: on })))) put(!on)
  }
  return (
    <>
      <div className={`${rows.main} ${active ? '' : classes.off}`}>
        <strong>{name}</strong>
        {facts.length > 0 && <span>{facts.join(' · ')}</span>}
      </div>
      <Switch
        aria-label={t('reasons.active', { name })}
        title={t('reasons.activeHelp')}
        checked={active}
        onChange={(event) => void activate(event.currentTarget.checked)}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={t('settings.edit', { name })}
        title={t('settings.edit', { name })}
        onClick={onEdit}
      >
        <IconPencil size={18} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={t('settings.delete', { name })}
        title={t('settings.delete', { name })}
        onClick={onDelete}
      >
        <IconTrash size={18} />
      </ActionIcon>
    </>
  )
}

/** RequireReason is the rule that people must choose a reason. It is saved at once. */
function RequireReason({ usable }: { usable: boolean }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const rules = useQuery(rulesOptions).data
  if (!rules) return null
  const put = (require_reason: boolean) =>
    client.setQueryData<AttendanceRules>(
      keys.rules,
      (before) => before && { ...before, require_reason },
    )
  const save = async (on: boolean) => {
    put(on)
    const done = await attempt(
      () =>
        unwrap(
          api.PATCH('/company/attendance', { body: { require_reason: on } }),
        ),
      t('details.saved'),
    )
    if (!done) put(!on)
  }
  return (
    <div className={classes.rule}>
      <Switch
        label={t('reasons.require')}
        description={t('reasons.requireText')}
        disabled={!usable && !rules.require_reason}
        checked={rules.require_reason}
        onChange={(event) => void save(event.currentTarget.checked)}
      />
    </div>
  )
}
