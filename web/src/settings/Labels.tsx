import { ActionIcon, Button } from '@mantine/core'
import { IconPencil, IconPlus, IconTag, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { Confirm } from '../api/Confirm'
import { keys } from '../api/keys'
import { Loaded } from '../api/Loaded'
import { useLabels } from '../api/queries'
import type { Label } from '../api/types'
import { Page } from '../ui/Layout'
import { Empty } from '../ui/states'
import { LabelDialog } from './LabelDialog'
import { useFresh } from './useFresh'
import rows from '../ui/rows.module.css'
import classes from './Settings.module.css'

/** Labels is the page of labels. */
export default function Labels() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const labels = useLabels()
  useFresh(keys.labels)
  const [editing, setEditing] = useState<Label | 'new' | null>(null)
  const [deleting, setDeleting] = useState<Label | null>(null)
  const add = (
    <Button
      leftSection={<IconPlus size={16} />}
      onClick={() => setEditing('new')}
    >
      {t('labels.new')}
    </Button>
  )
  const some = (labels.data?.length ?? 0) > 0
  return (
    <Page
      title={t('labels.title')}
      text={t('labels.text')}
      action={some && add}
    >
      <Loaded query={labels}>
        {(data) =>
          data.length === 0 ? (
            <Empty
              icon={<IconTag size={28} />}
              title={t('labels.none')}
              text={t('labels.noneText')}
            >
              {add}
            </Empty>
          ) : (
            <ul className={rows.rows} aria-label={t('labels.title')}>
              {data.map((label) => (
                <li key={label.id} className={rows.row}>
                  <span
                    className={classes.dot}
                    style={{ background: label.color }}
                    aria-hidden
                  />
                  <strong className={rows.main}>{label.name}</strong>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={36}
                    aria-label={t('settings.edit', { name: label.name })}
                    title={t('settings.edit', { name: label.name })}
                    onClick={() => setEditing(label)}
                  >
                    <IconPencil size={18} />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={36}
                    aria-label={t('settings.delete', { name: label.name })}
                    title={t('settings.delete', { name: label.name })}
                    onClick={() => setDeleting(label)}
                  >
                    <IconTrash size={18} />
                  </ActionIcon>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {editing && (
        <LabelDialog
          label={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
        />
      )}
      {deleting && (
        <Confirm
          title={t('labels.deleteTitle', { name: deleting.name })}
          text={t('labels.deleteText')}
          action={t('inbox.delete')}
          onClose={() => setDeleting(null)}
          task={async () => {
            await unwrap(
              api.DELETE('/labels/{id}', {
                params: { path: { id: deleting.id } },
              }),
            )
            await client.invalidateQueries({ queryKey: keys.labels })
          }}
        />
      )}
    </Page>
  )
}
