import { Modal, type ModalProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** Mantine gives every modal window the role dialog; one that asks before something is lost is an alertdialog. */
const markAlert = (node: HTMLElement | null) => node?.closest('[role="dialog"]')?.setAttribute('role', 'alertdialog')

/** Dialog is a modal window with its name as title and a corner button "Dismiss". */
export function Dialog({ children, role, ...props }: Omit<ModalProps, 'opened'>) {
  const { t } = useTranslation()
  return (
    <Modal opened centered closeButtonProps={{ 'aria-label': t('common.dismiss') }} {...props}>
      {role === 'alertdialog' ? <div ref={markAlert}>{children}</div> : children}
    </Modal>
  )
}
