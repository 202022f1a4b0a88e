import { Alert, Button, Group, Stack } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../ui/Dialog'
import { download } from '../ui/download'
import classes from './Profile.module.css'

/** RecoveryCodes shows the recovery codes once. */
export function RecoveryCodes({
  codes,
  onClose,
}: {
  codes: string[]
  onClose: () => void
}) {
  const { t } = useTranslation()
  return (
    <Dialog
      title={t('twoFactor.recovery')}
      onClose={onClose}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="md">
        <Alert color="green" variant="light" role="status">
          {t('twoFactor.isOn')}
        </Alert>
        <p className={classes.text}>{t('twoFactor.recoveryText')}</p>
        <ul aria-label={t('twoFactor.recovery')} className={classes.codes}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Group justify="space-between">
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={() =>
              download(
                'recado-recovery-codes.txt',
                `${codes.join('\n')}\n`,
                'text/plain',
              )
            }
          >
            {t('twoFactor.download')}
          </Button>
          <Button onClick={onClose}>{t('twoFactor.kept')}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
