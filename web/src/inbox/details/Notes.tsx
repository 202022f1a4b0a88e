import { ActionIcon, Button, Group, Text, Textarea } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useMe, useTeam } from '../../api/queries'
import type { Conversation, Note } from '../../api/types'
import { useAttempt } from '../../api/useAttempt'
import { Section } from '../../contact/Section'
import details from '../../contact/Details.module.css'
import { Dialog } from '../../ui/Dialog'
import { dateAndTime } from '../../ui/format'
import { mentionsIn } from '../composer/mentions'
import { NoteText } from '../thread/NoteText'
import classes from './Notes.module.css'

/** Notes lists the internal notes of a conversation, newest first. */
export function Notes({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation()
  const { id } = conversation
  const list = useInfiniteQuery({
    queryKey: keys.notes(id),
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET('/conversations/{id}/notes', {
          params: {
            path: { id },
            query: { limit: 10, ...(pageParam ? { cursor: pageParam } : {}) },
          },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
  })
  const notes = list.data?.pages.flatMap((page) => page.data) ?? []
  return (
    <Section title={t('details.notes')}>
      {notes.length === 0 ? (
        <p className={details.nothing}>{t('details.noNotes')}</p>
      ) : (
        <ul className={details.list}>
          {notes.map((note) => (
            <Item key={note.id} note={note} />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <Button
          variant="subtle"
          size="compact-sm"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {t('common.more')}
        </Button>
      )}
    </Section>
  )
}

/** Item is one note. Its author can edit and delete it; managers can delete it. */
function Item({ note }: { note: Note }) {
  const { t } = useTranslation()
  const me = useMe().user
  const [editing, setEditing] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const own = note.author.id === me.id
  const button = (
    label: string,
    icon: React.ReactNode,
    onClick: () => void,
  ) => (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={28}
      aria-label={label}
      title={label}
      onClick={onClick}
    >
      {icon}
    </ActionIcon>
  )
  return (
    <li className={details.item} data-note>
      {editing ? (
        <Edit note={note} onClose={() => setEditing(false)} />
      ) : (
        <>
          <div className={classes.text}>
            <NoteText note={note} />
          </div>
          <div className={classes.foot}>
            <span>
              {[
                own ? t('conversation.you') : note.author.name,
                dateAndTime(note.created_at),
                note.edited_at && t('conversation.edited'),
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
            <Link
              to="."
              search={(before) => ({
                ...before,
                message: note.id,
                details: undefined,
              })}
            >
              {t('notes.show')}
            </Link>
            {own &&
              button(t('notes.edit'), <IconPencil size={16} />, () =>
                setEditing(true),
              )}
            {(own || me.role !== 'agent') &&
              button(t('notes.delete'), <IconTrash size={16} />, () =>
                setDeleting(true),
              )}
          </div>
        </>
      )}
      {deleting && <Delete note={note} onClose={() => setDeleting(false)} />}
    </li>
  )
}

/** useChanged returns a function that refetches everything showing notes. */
function useChanged(note: Note) {
  const client = useQueryClient()
  return () =>
    Promise.all(
      [keys.notes(note.conversation), keys.timelines(note.conversation)].map(
        (queryKey) => client.invalidateQueries({ queryKey }),
      ),
    )
}

function Edit({ note, onClose }: { note: Note; onClose: () => void }) {
  const { t } = useTranslation()
  const attempt = useAttempt()
  const changed = useChanged(note)
  const team = useTeam().data ?? []
  const [text, setText] = useState(note.text)
  const save = async () => {
    const done = await attempt(async () => {
      await unwrap(
        api.PATCH('/notes/{id}', {
          params: { path: { id: note.id } },
          body: { text: text.trim(), mentions: mentionsIn(text, team) },
        }),
      )
      await changed()
    })
    if (done) onClose()
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Textarea
        aria-label={t('note.title')}
        autoFocus
        autosize
        minRows={2}
        maxRows={10}
        maxLength={4096}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group justify="flex-end" gap="xs" mt="xs">
        <Button size="compact-sm" variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button size="compact-sm" type="submit" disabled={text.trim() === ''}>
          {t('common.save')}
        </Button>
      </Group>
    </form>
  )
}

function Delete({ note, onClose }: { note: Note; onClose: () => void }) {
  const { t } = useTranslation()
  const attempt = useAttempt()
  const changed = useChanged(note)
  const remove = async () => {
    await attempt(async () => {
      await unwrap(
        api.DELETE('/notes/{id}', { params: { path: { id: note.id } } }),
      )
      await changed()
    })
    onClose()
  }
  return (
    <Dialog role="alertdialog" title={t('notes.deleteTitle')} onClose={onClose}>
      <Text size="sm" mb="md">
        {t('notes.deleteText')}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button color="red" onClick={() => void remove()}>
          {t('inbox.delete')}
        </Button>
      </Group>
    </Dialog>
  )
}
