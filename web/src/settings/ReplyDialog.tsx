import {
  Alert,
  Button,
  Group,
  MultiSelect,
  NativeSelect,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useFields, useSectors } from '../api/queries'
import type { Reply } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Dialog } from '../ui/Dialog'
import { FormFooter } from '../ui/FormFooter'
import { ReplyFile } from './ReplyFile'
import classes from './Settings.module.css'

/** The variables of a canned reply, each with the last part of its catalogue key. */
const variables = [
  ['contact', 'contact.name'],
  ['first', 'contact.first_name'],
  ['user', 'user.name'],
  ['protocol', 'protocol'],
  ['sector', 'sector'],
  ['company', 'company'],
] as const

type Props = { reply: Reply | null; manages: boolean; onClose: () => void }

/** ReplyDialog creates or edits a canned reply. Its owner can only be chosen when it is created. */
export function ReplyDialog({ reply, manages, onClose }: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const sectors = useSectors().data ?? []
  const fields = useFields('contact')
  const [shortcut, setShortcut] = useState(reply?.shortcut ?? '')
  const [title, setTitle] = useState(reply?.title ?? '')
  const [text, setText] = useState(reply?.text ?? '')
  const [sectorIds, setSectorIds] = useState(reply?.sector_ids ?? [])
  const [media, setMedia] = useState(reply?.media_id ?? null)
  const [uploading, setUploading] = useState(false)
  const [team, setTeam] = useState(reply ? reply.owner === null : false)
  const field = useRef<HTMLTextAreaElement>(null)
  const { busy, problem, wrong, run } = useSubmit({
    fields: ['shortcut', 'title', 'text', 'sector_ids', 'media_id'],
    taken: 'shortcut',
  })
  const insert = (name: string) => {
    const { selectionStart: from, selectionEnd: to } = field.current ?? {
      selectionStart: text.length,
      selectionEnd: text.length,
    }
    setText(`${text.slice(0, from)}{{${name}}}${text.slice(to)}`)
    field.current?.focus()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = {
      shortcut,
      title: title.trim(),
      text,
      sector_ids: sectorIds,
      media_id: media,
    }
    const done = await run(async () => {
      await (reply
        ? unwrap(
            api.PATCH('/replies/{id}', {
              params: { path: { id: reply.id } },
              body,
            }),
          )
        : unwrap(
            api.POST('/replies', {
              body: { ...body, ...(team ? { owner: null } : {}) },
            }),
          ))
      await client.invalidateQueries({ queryKey: keys.replies })
    })
    if (done) onClose()
  }
  return (
    <Dialog
      title={t(reply ? 'replies.editTitle' : 'replies.new')}
      size="lg"
      onClose={onClose}
    >
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <TextInput
            label={t('replies.name')}
            data-autofocus
            required
            withAsterisk={false}
            maxLength={120}
            value={title}
            error={wrong.title}
            onChange={(event) => setTitle(event.currentTarget.value)}
          />
          <TextInput
            label={t('replies.shortcut')}
            description={t('replies.shortcutText')}
            required
            withAsterisk={false}
            maxLength={32}
            leftSection="/"
            value={shortcut}
            error={
              wrong.shortcut &&
              (wrong.shortcut === t('refusal.name_taken')
                ? wrong.shortcut
                : t('replies.shortcutWrong'))
            }
            onChange={(event) =>
              setShortcut(
                event.currentTarget.value
                  .toLowerCase()
                  .normalize('NFD')
                  .replace(/\p{M}/gu, '')
                  .replace(/\s+/g, '-'),
              )
            }
          />
          <Textarea
            ref={field}
            label={t('replies.message')}
            required
            withAsterisk={false}
            autosize
            minRows={4}
            maxRows={12}
            maxLength={4096}
            value={text}
            error={wrong.text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <div role="group" aria-label={t('replies.variables')}>
            <span className={classes.label}>{t('replies.variables')}</span>
            <Group gap="xs">
              {variables.map(([key, name]) => (
                <Button
                  key={key}
                  variant="default"
                  size="compact-sm"
                  onClick={() => insert(name)}
                >
                  {t(`replies.variable.${key}`)}
                </Button>
              ))}
              {fields.map((one) => (
                <Button
                  key={one.id}
                  variant="default"
                  size="compact-sm"
                  onClick={() => insert(`contact.fields.${one.key}`)}
                >
                  {one.name}
                </Button>
              ))}
            </Group>
          </div>
          <ReplyFile media={media} onChange={setMedia} onBusy={setUploading} />
          {wrong.media_id && (
            <Alert color="red" variant="light">
              {wrong.media_id}
            </Alert>
          )}
          {manages && !reply && (
            <NativeSelect
              label={t('replies.for')}
              value={team ? 'team' : 'own'}
              data={[
                { value: 'own', label: t('replies.forMe') },
                { value: 'team', label: t('replies.forTeam') },
              ]}
              onChange={(event) =>
                setTeam(event.currentTarget.value === 'team')
              }
            />
          )}
          {team && (
            <MultiSelect
              label={t('replies.sectors')}
              placeholder={
                sectorIds.length === 0 ? t('replies.allSectors') : undefined
              }
              searchable
              hidePickedOptions
              value={sectorIds}
              error={wrong.sector_ids}
              data={sectors.map((sector) => ({
                value: sector.id,
                label: sector.name,
              }))}
              onChange={setSectorIds}
            />
          )}
          <FormFooter
            busy={busy}
            disabled={uploading}
            problem={problem}
            submit={t('common.save')}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
