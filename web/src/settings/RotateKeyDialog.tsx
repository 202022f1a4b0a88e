import { Alert, Button, Group, NativeSelect, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import type { Key } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Dialog } from '../ui/Dialog'
import classes from './Integrations.module.css'

const overlaps = [0, 3600, 86_400, 604_800] as const

/** RotateKeyDialog replaces a key; the old one keeps working for the overlap. */
export function RotateKeyDialog({
  apiKey,
  onIssued,
  onClose,
}: {
  apiKey: Key
  onIssued: (secret: string) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const [overlap, setOverlap] = useState('86400')
  const { busy, problem, run } = useSubmit()
  const rotate = () =>
    run(async () =>
      onIssued(
        (
          await unwrap(
            api.POST('/keys/{id}/rotate', {
              params: { path: { id: apiKey.id } },
              body: { overlap_seconds: Number(overlap) },
            }),
          )
        ).key ?? '',
      ),
    )
  return (
    <Dialog
      title={t('apiKeys.rotateTitle', { name: apiKey.name })}
      onClose={onClose}
    >
      <Stack gap="md">
        {problem && (
          <Alert color="red" variant="light">
            {problem}
          </Alert>
        )}
        <p className={classes.text}>{t('apiKeys.rotateText')}</p>
        <NativeSelect
          label={t('apiKeys.overlap')}
          data-autofocus
          value={overlap}
          data={overlaps.map((value) => ({
            value: String(value),
            label: t(`apiKeys.overlapOf.${value}`),
          }))}
          onChange={(event) => setOverlap(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button loading={busy} onClick={() => void rotate()}>
            {t('apiKeys.rotate')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
