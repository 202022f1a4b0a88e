import { ActionIcon } from '@mantine/core'
import { IconDots, IconFileExport, IconUserX } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useMe } from '../api/queries'
import { ActionMenu } from '../ui/ActionMenu'

type Props = { contact: string; conversation?: string; size: number }

/** PersonalData is a menu with what can be done with the data of a person, for those who may. Closing the dialogs leads back to the conversation or the contact. */
export function PersonalData({ contact, conversation, size }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  if (!useMe().scopes.includes('data:manage')) return null
  const search = { contact, conversation }
  return (
    <ActionMenu
      button={
        <ActionIcon
          variant="subtle"
          color="gray"
          size={size}
          aria-label={t('details.personalData')}
          title={t('details.personalData')}
        >
          <IconDots size={18} />
        </ActionIcon>
      }
      actions={[
        {
          key: 'export',
          label: t('details.export'),
          icon: <IconFileExport size={16} />,
          onClick: () => void navigate({ to: '/contacts/export', search }),
        },
        {
          key: 'erase',
          label: t('details.erase'),
          icon: <IconUserX size={16} />,
          onClick: () => void navigate({ to: '/contacts/erase', search }),
        },
      ]}
    />
  )
}
