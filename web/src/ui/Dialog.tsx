import { Modal, type ModalProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** Dialog is a modal window with its name as title and a corner button "Dismiss". */
export function Dialog({ children, ...props }: Omit<ModalProps, 'opened'>) {
  const { t } = useTranslation()
  return (
    <Modal opened centered closeButtonProps={{ 'aria-label': t('common.dismiss') }} {...props}>
      {children}
    </Modal>
  )
}
