import { ActionIcon } from '@mantine/core'
import { IconPencil, IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { Confirm } from '../../api/Confirm'
import { keys } from '../../api/keys'
import type { SavedView } from '../../api/types'
import { EditView } from './EditView'
import classes from './Views.module.css'

/** ViewTools edits or deletes a saved view. */
export function ViewTools({ view, open }: { view: SavedView; open: boolean }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [shown, setShown] = useState<'edit' | 'delete' | null>(null)
  const close = () => setShown(null)
  const remove = async () => {
    await unwrap(
      api.DELETE('/views/{id}', { params: { path: { id: view.id } } }),
    )
    await client.invalidateQueries({ queryKey: keys.views })
  }
  const [edit, erase] = [
    t('inbox.editView', { name: view.name }),
    t('inbox.deleteView', { name: view.name }),
  ]
  return (
    <>
      <span className={classes.tools}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={24}
          aria-label={edit}
          title={edit}
          onClick={() => setShown('edit')}
        >
          <IconPencil size={14} />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={24}
          aria-label={erase}
          title={erase}
          onClick={() => setShown('delete')}
        >
          <IconX size={14} />
        </ActionIcon>
      </span>
      {shown === 'edit' && <EditView view={view} onClose={close} />}
      {shown === 'delete' && (
        <Confirm
          title={t('inbox.deleteTitle')}
          text={[
            t('inbox.deleteText', { name: view.name }),
            view.shared && t('inbox.deleteShared'),
          ]
            .filter(Boolean)
            .join(' ')}
          action={t('inbox.delete')}
          onClose={close}
          task={remove}
          onDone={() =>
            open &&
            void navigate({ to: '/inbox/$view', params: { view: 'open' } })
          }
        />
      )}
    </>
  )
}
