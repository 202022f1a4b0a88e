import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Template } from '../../api/types'
import { qualityOf, statusText, toneOf } from './templateText'
import settings from '../Settings.module.css'
import classes from './Templates.module.css'

/** TemplateBadges shows the status of a template and, where Meta reports it, its quality. */
export function TemplateBadges({ template }: { template: Template }) {
  const { t } = useTranslation()
  const quality = qualityOf(template)
  const tone = toneOf(template.status)
  return (
    <span className={classes.badges}>
      {quality && (
        <Badge
          variant="light"
          tt="none"
          color={toneOf(quality)}
          className={settings.badge}
          data-tone={toneOf(quality)}
        >
          {t(`templates.quality.${quality}`, { defaultValue: quality })}
        </Badge>
      )}
      <Badge
        variant="light"
        tt="none"
        color={tone}
        className={settings.badge}
        data-tone={tone}
      >
        {statusText(template.status, t)}
      </Badge>
    </span>
  )
}
