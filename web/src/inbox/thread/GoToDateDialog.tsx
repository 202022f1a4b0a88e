import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../ui/Dialog'
import { instant } from '../../ui/format'

/** GoToDateDialog opens the thread at a day. */
export function GoToDateDialog({
  onClose,
  onGo,
}: {
  onClose: () => void
  onGo: (at: string) => void
}) {
  const { t } = useTranslation()
  const [date, setDate] = useState('')
  return (
    <Dialog title={t('conversation.goToDate')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onGo(instant(`${date}T00:00`).toISOString())
          onClose()
        }}
      >
        <Group align="flex-end">
          <TextInput
            type="date"
            label={t('common.date')}
            required
            withAsterisk={false}
            data-autofocus
            flex={1}
            value={date}
            onChange={(event) => setDate(event.currentTarget.value)}
          />
          <Button type="submit">{t('common.go')}</Button>
        </Group>
      </form>
    </Dialog>
  )
}
