import { Alert, Button, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../ui/Dialog'
import { useSave } from './useSave'

type Props = { title: string; text: string; action: string; onClose: () => void; task: () => Promise<unknown>; onDone?: () => void }

/** Confirm asks before something is lost and says what follows. */
export function Confirm({ title, text, action, onClose, task, onDone }: Props) {
  const { t } = useTranslation()
  const { busy, problems, save } = useSave()
  const go = async () => {
    if (!(await save(task))) return
    onClose()
    onDone?.()
  }
  return (
    <Dialog role="alertdialog" title={title} onClose={onClose}>
      <Text size="sm" mb="md">{text}</Text>
      {problems.other && <Alert color="red" variant="light" mb="md">{problems.other}</Alert>}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={onClose}>{t('common.cancel')}</Button>
        <Button color="red" loading={busy} onClick={() => void go()}>{action}</Button>
      </Group>
    </Dialog>
  )
}
