import { Alert, Stack } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { refusedField } from '../api/refusal'
import { useSubmit } from '../api/useSubmit'
import { FormFooter } from '../ui/FormFooter'
import { SectionForm } from '../ui/Layout'
import {
  NewNumberPage,
  NumberName,
  NumberPrivacy,
  useNewNumber,
} from './NewNumber'
import classes from './Settings.module.css'

/** LinkNumber is the page that adds an ordinary WhatsApp number. The code to scan is on the page of the number. */
export function LinkNumber() {
  const { t } = useTranslation()
  const number = useNewNumber()
  const { busy, problem, wrong, run } = useSubmit({
    fields: ['name'],
    reason: (error) =>
      refusedField(error, 'body.provider') ? t('link.notInBuild') : undefined,
  })
  return (
    <NewNumberPage title={t('channels.byCode')} text={t('link.text')}>
      <LinkWarning />
      <SectionForm
        title={t('link.number')}
        onSubmit={() => void run(() => number.create({ provider: 'linked' }))}
      >
        <Stack gap="md">
          <NumberName number={number} error={wrong.name} />
          <NumberPrivacy number={number} />
          <FormFooter busy={busy} problem={problem} submit={t('link.next')} />
        </Stack>
      </SectionForm>
    </NewNumberPage>
  )
}

/** LinkWarning says what can happen to a number that is linked, and leads to the official way. */
export function LinkWarning() {
  const { t } = useTranslation()
  return (
    <Alert
      color="yellow"
      variant="light"
      mb="md"
      icon={<IconAlertTriangle size={18} />}
      title={t('link.warning')}
    >
      <p className={classes.alertText}>{t('link.warningText')}</p>
      <p className={classes.alertText}>
        <Link
          to="/settings/$"
          params={{ _splat: 'channels/connect' }}
          className={classes.link}
        >
          {t('link.official')}
        </Link>
      </p>
    </Alert>
  )
}
