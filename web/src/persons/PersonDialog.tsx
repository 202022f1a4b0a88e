import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../api/queries'
import { Dialog } from '../ui/Dialog'
import { Empty } from '../ui/states'
import { usePhone } from '../ui/usePhone'

type Path = '/contacts/export' | '/contacts/erase'

/** usePersonDialog returns the contact, the conversation it began at and the job in the URL, and stores a job there. */
export function usePersonDialog(path: Path) {
  const navigate = useNavigate()
  const search = useSearch({ from: path })
  const setJob = (job: string | undefined) =>
    void navigate({
      to: path,
      search: (before) => ({ ...before, job }),
      replace: true,
    })
  return { ...search, setJob }
}

type Props = {
  path: Path
  title: string
  /** gone says that the contact no longer exists. */
  gone?: boolean
  children: ReactNode
}

/** PersonDialog is a dialog about a person's data, over the contacts. Closing it leads back to where it was opened. */
export function PersonDialog({ path, title, gone, children }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { contact, conversation } = usePersonDialog(path)
  const may = useMe().scopes.includes('data:manage')
  const close = () => {
    if (conversation)
      void navigate({
        to: '/inbox/$view/$conversation',
        params: { view: gone ? 'closed' : 'open', conversation },
      })
    else if (contact && !gone)
      void navigate({ to: '/contacts/$contact', params: { contact } })
    else void navigate({ to: '/contacts' })
  }
  return (
    <Dialog
      title={title}
      size={560}
      fullScreen={usePhone()}
      closeOnClickOutside={false}
      onClose={close}
    >
      {may ? children : <Empty title={t('persons.notAllowed')} />}
    </Dialog>
  )
}
