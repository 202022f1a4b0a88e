import { Alert, Button, Stack } from '@mantine/core'
import { IconCopyPlus, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, Failure, unwrap } from '../../api/client'
import { Confirm } from '../../api/Confirm'
import { keys } from '../../api/keys'
import type { Template } from '../../api/types'
import { Dialog } from '../../ui/Dialog'
import { toast } from '../../ui/toast'
import { usePhone } from '../../ui/usePhone'
import { languageName } from './languages'
import { TemplateBadges } from './TemplateBadges'
import { shownTemplate } from './templateForm'
import { TemplatePreview } from './TemplatePreview'
import { categoryText, reasonOf } from './templateText'
import settings from '../Settings.module.css'
import classes from './Templates.module.css'

type Props = { channel: string; template: Template; onClose: () => void }

/** TemplateDetails shows a template as the customer sees it, what Meta says about it, and what can be done with it. */
export function TemplateDetails({ channel, template, onClose }: Props) {
  const { t, i18n } = useTranslation()
  const client = useQueryClient()
  const phone = usePhone()
  const [asking, setAsking] = useState(false)
  const { name, language, category, status } = template
  const reason = reasonOf(template, t)
  const targets = template.buttons.filter(
    (button) => button.url ?? button.phone_number,
  )
  const remove = async () => {
    await unwrap(
      api.DELETE('/channels/{id}/templates/{name}', {
        params: { path: { id: channel, name } },
      }),
    )
    toast(t('templates.deleted', { name }))
    onClose()
    await client.invalidateQueries({ queryKey: keys.templates(channel) })
  }
  return (
    <Dialog title={name} onClose={onClose} size={720} fullScreen={phone}>
      <div className={classes.details}>
        <Stack gap="md">
          <dl className={classes.facts}>
            <dt>{t('templates.statusLabel')}</dt>
            <dd>
              <TemplateBadges template={template} />
            </dd>
            <dt>{t('templates.language')}</dt>
            <dd>{languageName(language, i18n.language)}</dd>
            <dt>{t('templates.categoryLabel')}</dt>
            <dd>{categoryText(category, t)}</dd>
            {targets.map((button, at) => (
              <Target key={at} button={button} />
            ))}
          </dl>
          {status === 'rejected' && (
            <Alert
              color="red"
              variant="light"
              title={t('templates.rejectedTitle')}
            >
              <p className={settings.alertText}>
                {reason ?? t('templates.noReason')}
              </p>
              {template.reason_text && (
                <p className={settings.alertText}>
                  {t('templates.metaSays', { words: template.reason_text })}
                </p>
              )}
              <p className={settings.alertText}>
                {t('templates.rejectedText')}
              </p>
            </Alert>
          )}
          {status === 'pending' && (
            <Alert color="gray" variant="light" role="status">
              {t('templates.pendingText')}
            </Alert>
          )}
          {(status === 'paused' || status === 'disabled') && (
            <Alert color="yellow" variant="light">
              {t(`templates.${status}Text`)}
            </Alert>
          )}
        </Stack>
        <section aria-label={t('templates.preview')}>
          <TemplatePreview shown={shownTemplate(template)} />
        </section>
      </div>
      <div className={classes.actions}>
        <Button
          variant="subtle"
          color="red"
          leftSection={<IconTrash size={16} />}
          onClick={() => setAsking(true)}
        >
          {t('templates.delete')}
        </Button>
        <Button
          component={Link}
          to={`/settings/channels/${channel}/templates/new/${template.id}`}
          variant="default"
          leftSection={<IconCopyPlus size={16} />}
        >
          {t('templates.copy')}
        </Button>
      </div>
      {asking && (
        <Confirm
          title={t('templates.deleteTitle', { name })}
          text={t('templates.deleteText')}
          action={t('templates.delete')}
          onClose={() => setAsking(false)}
          task={remove}
          reason={(error) =>
            error instanceof Failure && error.code === 'in_use'
              ? t('templates.inUse')
              : undefined
          }
        />
      )}
    </Dialog>
  )
}

/** Target is where a button leads, which the bubble does not show. */
function Target({ button }: { button: Template['buttons'][number] }) {
  return (
    <>
      <dt>{button.text}</dt>
      <dd>{button.url ?? button.phone_number}</dd>
    </>
  )
}
