import { ActionIcon, Button } from '@mantine/core'
import {
  IconMessage2Bolt,
  IconPencil,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { Confirm } from '../api/Confirm'
import { keys } from '../api/keys'
import { Loaded } from '../api/Loaded'
import { useMe, useNames, useReplies } from '../api/queries'
import type { Reply } from '../api/types'
import { Page, Section } from '../ui/Layout'
import { Empty } from '../ui/states'
import { ReplyDialog } from './ReplyDialog'
import { useFresh } from './useFresh'
import rows from '../ui/rows.module.css'
import classes from './Settings.module.css'

/** Replies is the page of canned replies: the user's own and the team's, which managers edit. */
export default function Replies() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const me = useMe()
  const replies = useReplies()
  useFresh(keys.replies, keys.sectors)
  const [editing, setEditing] = useState<Reply | 'new' | null>(null)
  const [deleting, setDeleting] = useState<Reply | null>(null)
  const manages = me.scopes.includes('replies:manage')
  const add = (
    <Button
      leftSection={<IconPlus size={16} />}
      onClick={() => setEditing('new')}
    >
      {t('replies.new')}
    </Button>
  )
  return (
    <Page
      title={t('replies.title')}
      text={t('replies.text')}
      action={(replies.data?.length ?? 0) > 0 && add}
    >
      <Loaded query={replies}>
        {(data) =>
          data.length === 0 ? (
            <Empty
              icon={<IconMessage2Bolt size={28} />}
              title={t('replies.none')}
              text={t('replies.noneText')}
            >
              {add}
            </Empty>
          ) : (
            <>
              <ReplyList
                title={t('replies.team')}
                replies={data.filter((one) => one.owner === null)}
                onEdit={manages ? setEditing : undefined}
                onDelete={setDeleting}
              />
              <ReplyList
                title={t('replies.own')}
                replies={data.filter((one) => one.owner !== null)}
                onEdit={setEditing}
                onDelete={setDeleting}
              />
            </>
          )
        }
      </Loaded>
      {editing && (
        <ReplyDialog
          reply={editing === 'new' ? null : editing}
          manages={manages}
          onClose={() => setEditing(null)}
        />
      )}
      {deleting && (
        <Confirm
          title={t('replies.deleteTitle', { name: deleting.title })}
          text={t(deleting.owner ? 'replies.deleteOwn' : 'replies.deleteTeam')}
          action={t('inbox.delete')}
          onClose={() => setDeleting(null)}
          task={async () => {
            await unwrap(
              api.DELETE('/replies/{id}', {
                params: { path: { id: deleting.id } },
              }),
            )
            await client.invalidateQueries({ queryKey: keys.replies })
          }}
        />
      )}
    </Page>
  )
}

type ListProps = {
  title: string
  replies: Reply[]
  onEdit?: (reply: Reply) => void
  onDelete: (reply: Reply) => void
}

function ReplyList({ title, replies, onEdit, onDelete }: ListProps) {
  const { t } = useTranslation()
  const { sector } = useNames()
  return (
    <Section title={title}>
      {replies.length === 0 ? (
        <p className={rows.none}>{t('replies.noneHere')}</p>
      ) : (
        <ul className={rows.rows} aria-label={title}>
          {replies.map((reply) => (
            <li key={reply.id} className={rows.row}>
              <div className={rows.main}>
                <strong>
                  {reply.title} <em>/{reply.shortcut}</em>
                </strong>
                <span className={classes.preview}>{reply.text}</span>
                <span>
                  {[
                    t('replies.uses', { count: reply.uses }),
                    reply.media_id && t('replies.file'),
                    ...reply.sector_ids.map(sector),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </div>
              {onEdit && (
                <>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={36}
                    aria-label={t('settings.edit', { name: reply.title })}
                    title={t('settings.edit', { name: reply.title })}
                    onClick={() => onEdit(reply)}
                  >
                    <IconPencil size={18} />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={36}
                    aria-label={t('settings.delete', { name: reply.title })}
                    title={t('settings.delete', { name: reply.title })}
                    onClick={() => onDelete(reply)}
                  >
                    <IconTrash size={18} />
                  </ActionIcon>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
