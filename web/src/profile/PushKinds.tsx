import { Stack, Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { usePreference } from './usePreference'
import classes from './Profile.module.css'

const kinds = [
  'message',
  'assigned',
  'mention',
  'queue',
  'failed',
  'sla',
] as const

/** PushKinds edits which kinds of push notifications the user gets. */
export function PushKinds() {
  const { t } = useTranslation()
  const [{ push }, change] = usePreference()
  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>{t('push.kinds')}</legend>
      <Stack gap="sm">
        {kinds.map((kind) => (
          <Switch
            key={kind}
            label={t(`push.kind.${kind}`)}
            checked={push.kinds.includes(kind)}
            onChange={(event) => {
              const { checked } = event.currentTarget
              void change({
                push: {
                  ...push,
                  kinds: kinds.filter((one) =>
                    one === kind ? checked : push.kinds.includes(one),
                  ),
                },
              })
            }}
          />
        ))}
      </Stack>
    </fieldset>
  )
}
