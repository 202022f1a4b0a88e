import { Alert, Button, Group, Text, type MantineColor } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../ui/Dialog'
import { useSubmit } from './useSubmit'

type Props = {
  title: string
  text: string
  action: string
  onClose: () => void
  task: () => Promise<unknown>
  onDone?: () => void
  color?: MantineColor
  reason?: (error: unknown) => string | undefined
}

/** Confirm asks before something is deleted or lost. reason can replace the text of an error. */
export function Confirm({
  title,
  text,
  action,
  onClose,
  task,
  onDone,
  color = 'red',
  reason,
}: Props) {
  const { t } = useTranslation()
  const { busy, problem, run } = useSubmit({ reason })
  const go = async () => {
    if (!(await run(task))) return
    onClose()
    onDone?.()
  }
  return (
    <Dialog role="alertdialog" title={title} onClose={onClose}>
      <Text size="sm" mb="md">
        {text}
      </Text>
      {problem && (
        <Alert color="red" variant="light" mb="md">
          {problem}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button color={color} loading={busy} onClick={() => void go()}>
          {action}
        </Button>
      </Group>
    </Dialog>
  )
}
