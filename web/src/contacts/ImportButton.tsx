import { ActionIcon, Button } from '@mantine/core'
import { IconFileImport } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { usePhone } from '../ui/usePhone'
import type { ContactSearch } from './search'

/** ImportButton opens the import of contacts. On a phone it has no room for its name. */
export function ImportButton({ search }: { search: ContactSearch }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const open = () => void navigate({ to: '/contacts/import', search })
  const name = t('contacts.import')
  return usePhone() ? (
    <ActionIcon
      variant="default"
      size={44}
      aria-label={name}
      title={name}
      onClick={open}
    >
      <IconFileImport size={17} />
    </ActionIcon>
  ) : (
    <Button
      variant="default"
      leftSection={<IconFileImport size={16} />}
      onClick={open}
    >
      {name}
    </Button>
  )
}
